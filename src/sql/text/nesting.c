/* nesting.c - bounds the depth of a parse tree by a walk over the tokens. */
#include "sql/text/nesting.h"

/* Levels of the tree that a query in parentheses adds to theirs. */
#define SUBQUERY_DEPTH 5

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

/* Levels of a tree below its root. */
typedef struct depth {
    uint32_t inner;   /* deepest part in parentheses since the last separator */
    uint32_t deepest; /* of the parts before it */
} depth;

/* One pair of parentheses, brackets, or CASE ... END. */
typedef struct level {
    bool is_query;
    uint32_t operators; /* since the last separator */
    uint32_t chain;
    uint32_t own_open; /* levels that are open in its query */
    depth own;         /* in which a subquery is one level */
    depth all;
} level;

typedef struct checker {
    arena *memory;
    ARRAY(level) levels; /* the first one is the statement */
    uint32_t open;       /* levels of the tree that are open */
    uint32_t queries;    /* of them, queries */
    sql_nesting found;
} checker;

static uint32_t nesting_larger(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

static level *nesting_top_of(const checker *c)
{
    return &c->levels.items[c->levels.count - 1];
}

static void end_part_of(depth *d, uint32_t operators)
{
    d->deepest = nesting_larger(d->deepest, operators + d->inner);
    d->inner = 0;
}

static void nesting_end_part(level *l)
{
    end_part_of(&l->own, l->operators);
    end_part_of(&l->all, l->operators);
    l->operators = 0;
}

static uint32_t depth_now(const level *l, const depth *d)
{
    return l->chain + nesting_larger(l->operators + d->inner, d->deepest);
}

static status too_deep(const pg_token *token, const char *what, int most)
{
    return status_at(
        status_new(STATUS_KIND_UNSUPPORTED, "%s nested more than %d levels deep", what, most),
        token->start);
}

static status nesting_check_depth(checker *c, const pg_token *token)
{
    const level *l = nesting_top_of(c);
    c->found.depth = nesting_larger(c->found.depth, c->open + depth_now(l, &l->all));
    if (l->own_open + depth_now(l, &l->own) > SQL_DEPTH_MAX)
        return too_deep(token, "statement is", SQL_DEPTH_MAX);
    if (c->found.depth > SQL_TREE_DEPTH_MAX)
        return too_deep(token, "statement is", SQL_TREE_DEPTH_MAX);
    return STATUS_OK;
}

static status open_level(checker *c)
{
    level inner = {.own_open = nesting_top_of(c)->own_open + 1};
    c->open++;
    return array_push(c->memory, &c->levels, inner);
}

static void close_level(checker *c)
{
    if (c->levels.count == 1)
        return; /* the parser says what is wrong */
    level *l = nesting_top_of(c), *outer = l - 1;
    uint32_t query = l->is_query ? SUBQUERY_DEPTH : 0;
    outer->all.inner = nesting_larger(outer->all.inner, 1 + query + depth_now(l, &l->all));
    outer->own.inner =
        nesting_larger(outer->own.inner, l->is_query ? 1 : 1 + depth_now(l, &l->own));
    c->open -= 1 + query;
    c->queries -= l->is_query;
    c->levels.count--;
}

static status begin_query(checker *c, const pg_token *token)
{
    level *l = nesting_top_of(c);
    nesting_end_part(l);
    if (l->is_query)
        return STATUS_OK;
    l->is_query = true;
    l->own_open = 1;
    c->open += SUBQUERY_DEPTH;
    return ++c->queries > SQL_SUBQUERIES_MAX ? too_deep(token, "subqueries are", SQL_SUBQUERIES_MAX)
                                             : STATUS_OK;
}

static status add_chain(checker *c, const pg_token *token)
{
    nesting_end_part(nesting_top_of(c));
    if (token->token != TOKEN_UNION)
        nesting_top_of(c)->chain++;
    else if (++c->found.unions > SQL_UNIONS_MAX)
        return status_at(status_new(STATUS_KIND_UNSUPPORTED, "a statement has more than %d UNIONs",
                                    SQL_UNIONS_MAX),
                         token->start);
    return STATUS_OK;
}

static status nesting_check_token(checker *c, const pg_token *token)
{
    switch (role_of(token->token)) {
    case ROLE_OPEN:
        TRY(open_level(c));
        break;
    case ROLE_CLOSE:
        close_level(c);
        break;
    case ROLE_OPERATOR:
        nesting_top_of(c)->operators++;
        break;
    case ROLE_CHAIN:
        TRY(add_chain(c, token));
        break;
    case ROLE_SELECT:
        TRY(begin_query(c, token));
        break;
    case ROLE_SEPARATOR:
        nesting_end_part(nesting_top_of(c));
        break;
    case ROLE_PLAIN:
        break;
    }
    return nesting_check_depth(c, token);
}

status sql_check_nesting(arena *a, const pg_token *tokens, size_t count, sql_nesting *out)
{
    checker c = {.memory = a, .open = 1};
    TRY(array_push(a, &c.levels, (level){.own_open = 1}));
    for (size_t i = 0; i < count; i++)
        TRY(nesting_check_token(&c, &tokens[i]));
    *out = c.found;
    return STATUS_OK;
}
