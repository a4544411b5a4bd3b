/* bind_unnest.h - unnest: a row for each element of lists, in FROM and in the select list. */
#ifndef PISTACHIO_SQL_QUERY_BIND_UNNEST_H
#define PISTACHIO_SQL_QUERY_BIND_UNNEST_H

#include "sql/types/binder.h"

/* Whether an item of FROM is a call of unnest. */
bool bind_is_unnest(const pg_node *item);
/* unnest in FROM: each row of `left` (NULL: one row) beside the elements of its lists; keeps_rows: a row without elements has
 * one of NULL. Adds the columns to the scope. */
CHECKED status bind_unnest(binder *b, const RangeFunction *range, bind_scope *scope,
                           bool keeps_rows, plan_node *left, plan_node **out);
/* Makes the rows of unnest in the select list, once the expressions of the query are bound: these are the places of its
 * expressions. */
CHECKED status bind_unnest_targets(binder *b, const bind_scope *scope, const expr_slot_list *slots,
                                   plan_node **node);
/* Whether an expression is a call of unnest. */
bool bind_is_unnest_call(const pg_node *node);
/* An item of the select list that is such a call: adds the elements, a struct's fields, or both with recursive := true or
 * max_depth := n. The name is for an item that is not a field. */
CHECKED status bind_unnest_item(binder *b, const FuncCall *tree, bind_scope *scope,
                                const char *name, bind_target_list *targets);
/* Returns whether the expression has an element that unnest in the select list gives. */
bool bind_has_unnest(const bind_scope *scope, const expr *e);

#endif
