/* nesting.h - how deep a statement's parse tree can become, from its tokens.
 *
 * Operators of equal precedence nest to the left without parentheses (1 + 1 + 1), so counting
 * parentheses is not enough. Between two separators (commas, AND, OR, clause keywords) a tree is at
 * most as deep as there are operators, plus its deepest part in parentheses. */
#ifndef PISTACHIO_SQL_NESTING_H
#define PISTACHIO_SQL_NESTING_H

#include "sql/parser.h"

#define SQL_DEPTH_MAX 1000 /* about 2 KB of stack each in the parser's unpacking */

/* Each UNION ALL is a level of the tree, too, but there may be many: with more than SQL_UNIONS_USUAL of them the
 * statement is taken apart on a stack of its own (sql.c). */
#define SQL_UNIONS_USUAL 100
#define SQL_UNIONS_MAX 10000

/* Fails at the token where the statement is nested too deeply. *out_unions: how many UNION ALLs there are. */
CHECKED status sql_check_nesting(arena *a, const pg_token *tokens, size_t count,
                                 uint32_t *out_unions);

#endif
