/* nesting.c - bounds the depth of a parse tree by a walk over the tokens. */
#include "sql/nesting.h"

#define SUBQUERY_DEPTH                                                                             \
    5 /* nodes that a sub-select puts on the stack for one pair of parentheses                     \
       */

typedef enum token_role {
    ROLE_PLAIN,
    ROLE_OPEN,
    ROLE_CLOSE,
    ROLE_OPERATOR,  /* may nest until the next separator */
    ROLE_CHAIN,     /* joins and set operations: nest through the whole query */
    ROLE_SEPARATOR, /* what follows is beside what came before */
    ROLE_SELECT
} token_role;

static token_role role_of(PgQuery__Token token)
{
    switch (token) {
    case PG_QUERY__TOKEN__ASCII_40: /* ( */
    case PG_QUERY__TOKEN__ASCII_91: /* [ */
    case PG_QUERY__TOKEN__CASE:
        return ROLE_OPEN;
    case PG_QUERY__TOKEN__ASCII_41: /* ) */
    case PG_QUERY__TOKEN__ASCII_93: /* ] */
    case PG_QUERY__TOKEN__END_P:
        return ROLE_CLOSE;
    case PG_QUERY__TOKEN__ASCII_37: /* % * + - . / < = > ^ */
    case PG_QUERY__TOKEN__ASCII_42:
    case PG_QUERY__TOKEN__ASCII_43:
    case PG_QUERY__TOKEN__ASCII_45:
    case PG_QUERY__TOKEN__ASCII_46:
    case PG_QUERY__TOKEN__ASCII_47:
    case PG_QUERY__TOKEN__ASCII_60:
    case PG_QUERY__TOKEN__ASCII_61:
    case PG_QUERY__TOKEN__ASCII_62:
    case PG_QUERY__TOKEN__ASCII_94:
    case PG_QUERY__TOKEN__Op:
    case PG_QUERY__TOKEN__TYPECAST:
    case PG_QUERY__TOKEN__LESS_EQUALS:
    case PG_QUERY__TOKEN__GREATER_EQUALS:
    case PG_QUERY__TOKEN__NOT_EQUALS:
    case PG_QUERY__TOKEN__NOT:
    case PG_QUERY__TOKEN__IS:
    case PG_QUERY__TOKEN__ISNULL:
    case PG_QUERY__TOKEN__NOTNULL:
    case PG_QUERY__TOKEN__LIKE:
    case PG_QUERY__TOKEN__ILIKE:
    case PG_QUERY__TOKEN__SIMILAR:
    case PG_QUERY__TOKEN__BETWEEN:
    case PG_QUERY__TOKEN__IN_P:
    case PG_QUERY__TOKEN__COLLATE:
    case PG_QUERY__TOKEN__AT:
    case PG_QUERY__TOKEN__OPERATOR:
        return ROLE_OPERATOR;
    case PG_QUERY__TOKEN__JOIN:
    case PG_QUERY__TOKEN__UNION:
    case PG_QUERY__TOKEN__INTERSECT:
    case PG_QUERY__TOKEN__EXCEPT:
        return ROLE_CHAIN;
    case PG_QUERY__TOKEN__ASCII_44: /* , */
    case PG_QUERY__TOKEN__AND:
    case PG_QUERY__TOKEN__OR:
    case PG_QUERY__TOKEN__WHEN:
    case PG_QUERY__TOKEN__THEN:
    case PG_QUERY__TOKEN__ELSE:
    case PG_QUERY__TOKEN__FROM:
    case PG_QUERY__TOKEN__WHERE:
    case PG_QUERY__TOKEN__GROUP_P:
    case PG_QUERY__TOKEN__HAVING:
    case PG_QUERY__TOKEN__ORDER:
    case PG_QUERY__TOKEN__LIMIT:
    case PG_QUERY__TOKEN__ON:
    case PG_QUERY__TOKEN__VALUES:
        return ROLE_SEPARATOR;
    case PG_QUERY__TOKEN__SELECT:
        return ROLE_SELECT;
    default:
        return ROLE_PLAIN;
    }
}

/* What is known of one pair of parentheses, brackets, or CASE ... END. */
typedef struct level {
    uint32_t operators; /* since the last separator */
    uint32_t inner;     /* deepest level closed since then */
    uint32_t deepest;   /* of the parts before it */
    uint32_t chain;
    uint32_t subquery;
} level;

static void end_part(level *l)
{
    uint32_t depth = l->operators + l->inner;
    l->deepest = depth > l->deepest ? depth : l->deepest;
    l->operators = l->inner = 0;
}

static uint32_t level_depth(level *l)
{
    end_part(l);
    return 1 + l->subquery + l->chain + l->deepest;
}

static status too_deep(const pg_token *token)
{
    return status_at(status_new(STATUS_KIND_UNSUPPORTED,
                                "statement is nested more than %d levels deep", SQL_DEPTH_MAX),
                     token->start);
}

static status too_many_unions(const pg_token *token)
{
    return status_at(status_new(STATUS_KIND_UNSUPPORTED, "a statement has more than %d UNION ALLs",
                                SQL_UNIONS_MAX),
                     token->start);
}

static bool is_union_all(pg_token *const *tokens, size_t count, size_t index)
{
    return tokens[index]->token == PG_QUERY__TOKEN__UNION && index + 1 < count &&
           tokens[index + 1]->token == PG_QUERY__TOKEN__ALL;
}

status sql_check_nesting(arena *a, pg_token *const *tokens, size_t count, uint32_t *out_unions)
{
    *out_unions = 0;
    level *levels = arena_alloc_array(a, SQL_DEPTH_MAX + 1, sizeof *levels);
    if (!levels)
        return status_no_memory("nesting", SQL_DEPTH_MAX * sizeof *levels);
    level *top = levels;
    uint32_t open = 1; /* depth of the levels that are open */
    for (size_t i = 0; i < count; i++) {
        switch (role_of(tokens[i]->token)) {
        case ROLE_OPEN:
            open++;
            if (top == levels + SQL_DEPTH_MAX || open > SQL_DEPTH_MAX)
                return too_deep(tokens[i]);
            *++top = (level){0};
            break;
        case ROLE_CLOSE:
            if (top > levels) {
                uint32_t depth = level_depth(top);
                open -= 1 + top->subquery;
                top--;
                top->inner = depth > top->inner ? depth : top->inner;
            }
            break;
        case ROLE_OPERATOR:
            top->operators++;
            break;
        case ROLE_CHAIN:
            if (is_union_all(tokens, count, i)) {
                if (++*out_unions > SQL_UNIONS_MAX)
                    return too_many_unions(tokens[i]);
            } else {
                top->chain++;
            }
            end_part(top);
            break;
        case ROLE_SELECT:
            if (!top->subquery) {
                top->subquery = SUBQUERY_DEPTH;
                open += SUBQUERY_DEPTH;
            }
            end_part(top);
            break;
        case ROLE_SEPARATOR:
            end_part(top);
            break;
        case ROLE_PLAIN:
            break;
        }
        uint32_t depth = top->operators + top->inner;
        depth = depth > top->deepest ? depth : top->deepest;
        if (open + top->chain + depth > SQL_DEPTH_MAX)
            return too_deep(tokens[i]);
    }
    return STATUS_OK;
}
