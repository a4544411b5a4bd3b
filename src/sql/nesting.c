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

static token_role role_of(int token)
{
    switch (token) {
    case '(': /* ( */
    case '[': /* [ */
    case TOKEN_CASE:
        return ROLE_OPEN;
    case ')': /* ) */
    case ']': /* ] */
    case TOKEN_END_P:
        return ROLE_CLOSE;
    case '%': /* % * + - . / < = > ^ */
    case '*':
    case '+':
    case '-':
    case '.':
    case '/':
    case '<':
    case '=':
    case '>':
    case '^':
    case TOKEN_Op:
    case TOKEN_TYPECAST:
    case TOKEN_LESS_EQUALS:
    case TOKEN_GREATER_EQUALS:
    case TOKEN_NOT_EQUALS:
    case TOKEN_NOT:
    case TOKEN_IS:
    case TOKEN_ISNULL:
    case TOKEN_NOTNULL:
    case TOKEN_LIKE:
    case TOKEN_ILIKE:
    case TOKEN_SIMILAR:
    case TOKEN_BETWEEN:
    case TOKEN_IN_P:
    case TOKEN_COLLATE:
    case TOKEN_AT:
    case TOKEN_OPERATOR:
        return ROLE_OPERATOR;
    case TOKEN_JOIN:
    case TOKEN_UNION:
    case TOKEN_INTERSECT:
    case TOKEN_EXCEPT:
        return ROLE_CHAIN;
    case ',': /* , */
    case TOKEN_AND:
    case TOKEN_OR:
    case TOKEN_WHEN:
    case TOKEN_THEN:
    case TOKEN_ELSE:
    case TOKEN_WHERE:
    case TOKEN_GROUP_P:
    case TOKEN_HAVING:
    case TOKEN_ORDER:
    case TOKEN_LIMIT:
    case TOKEN_ON:
    case TOKEN_VALUES:
        return ROLE_SEPARATOR;
    case TOKEN_SELECT:
    case TOKEN_FROM: /* may begin a query */
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

static bool is_union_all(const pg_token *tokens, size_t count, size_t index)
{
    return tokens[index].token == TOKEN_UNION && index + 1 < count &&
           tokens[index + 1].token == TOKEN_ALL;
}

status sql_check_nesting(arena *a, const pg_token *tokens, size_t count, uint32_t *out_unions)
{
    *out_unions = 0;
    level *levels = arena_alloc_array(a, SQL_DEPTH_MAX + 1, sizeof *levels);
    if (!levels)
        return status_no_memory("nesting", SQL_DEPTH_MAX * sizeof *levels);
    level *top = levels;
    uint32_t open = 1; /* depth of the levels that are open */
    for (size_t i = 0; i < count; i++) {
        switch (role_of(tokens[i].token)) {
        case ROLE_OPEN:
            open++;
            if (top == levels + SQL_DEPTH_MAX || open > SQL_DEPTH_MAX)
                return too_deep(&tokens[i]);
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
                    return too_many_unions(&tokens[i]);
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
            return too_deep(&tokens[i]);
    }
    return STATUS_OK;
}
