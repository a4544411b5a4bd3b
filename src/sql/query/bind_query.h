/* bind_query.h - SELECT: clauses in the order in which they are evaluated. *out's columns are the query's, named. */
#ifndef PISTACHIO_SQL_QUERY_BIND_QUERY_H
#define PISTACHIO_SQL_QUERY_BIND_QUERY_H

#include "sql/types/binder.h"

CHECKED status bind_statement(binder *b, const pg_select *select);
/* `ctes` are visible besides its own; scope is that of the query around it, or NULL. */
CHECKED status bind_select(binder *b, const pg_select *select, bind_scope *scope, bind_cte *ctes,
                           plan_node **out);

#endif
