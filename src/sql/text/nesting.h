/* nesting.h - how deep a statement's parse tree can become, from its tokens.
 *
 * Operators of equal precedence nest to the left without parentheses (1 + 1 + 1), so counting
 * parentheses is not enough. Between two separators (commas, AND, OR, clause keywords) a tree is at
 * most as deep as there are operators, plus its deepest part in parentheses. */
#ifndef PISTACHIO_SQL_TEXT_NESTING_H
#define PISTACHIO_SQL_TEXT_NESTING_H

#include "sql/text/parser.h"

/* Levels of one query: a subquery counts as one, since it is planned as a tree of its own. */
#define SQL_DEPTH_MAX 1000
/* Queries within each other. */
#define SQL_SUBQUERIES_MAX 1000
/* Levels of the whole parse tree. */
#define SQL_TREE_DEPTH_MAX 10000
#define SQL_UNIONS_MAX 10000

/* How deep the tree is, at most. Each UNION is a level, too, but is counted apart. The parser does not look how
 * much of its stack is left. So a statement of more than SQL_LEVELS_USUAL of both is taken apart on a stack of its
 * own (sql.c). */
typedef struct sql_nesting {
    uint32_t depth, unions;
} sql_nesting;
#define SQL_LEVELS_USUAL 100

/* Fails at the token where the statement is nested too deeply. */
CHECKED status sql_check_nesting(arena *a, const pg_token *tokens, size_t count, sql_nesting *out);

#endif
