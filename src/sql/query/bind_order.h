/* bind_order.h - ORDER BY, LIMIT. */
#ifndef PISTACHIO_SQL_QUERY_BIND_ORDER_H
#define PISTACHIO_SQL_QUERY_BIND_ORDER_H

#include "sql/types/binder.h"

/* ORDER BY over a query's output columns. */
CHECKED status bind_order_output(binder *b, const pg_select *select, plan_node **node);
/* LIMIT and OFFSET. */
CHECKED status bind_limit(binder *b, const pg_select *select, bind_scope *scope, plan_node **node);
/* Is it the ALL of GROUP BY ALL or ORDER BY ALL? */
bool bind_is_all(const pg_node *node);
/* Gives the number of an ORDER BY 2; -1: it is not a number. */
CHECKED status bind_ordinal(binder *b, const pg_node *node, size_t count, const char *clause,
                            int *out);

#endif
