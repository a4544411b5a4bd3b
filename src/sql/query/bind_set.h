/* bind_set.h - UNION, INTERSECT, EXCEPT, VALUES. */
#ifndef PISTACHIO_SQL_QUERY_BIND_SET_H
#define PISTACHIO_SQL_QUERY_BIND_SET_H

#include "sql/types/binder.h"

/* UNION, INTERSECT or EXCEPT. */
CHECKED status bind_set_operation(binder *b, const pg_select *select, bind_scope *scope,
                                  bind_cte *ctes, plan_node **out);
/* Rows of `left`, each once, that `right`, of the same types, does not have. */
CHECKED status bind_except(binder *b, plan_node *left, plan_node *right, plan_node **out);
/* VALUES. */
CHECKED status bind_values(binder *b, const pg_select *select, bind_scope *scope, bind_cte *ctes,
                           plan_node **out);

#endif
