/* bind_from.h - FROM: subqueries, functions. */
#ifndef PISTACHIO_SQL_QUERY_BIND_FROM_H
#define PISTACHIO_SQL_QUERY_BIND_FROM_H

#include "sql/types/binder.h"

/* FROM: fills the scope's entries; *out makes their columns. */
CHECKED status bind_from(binder *b, const pg_select *select, bind_scope *scope, plan_node **out);
/* One item of FROM: its entries are added to the scope. */
CHECKED status bind_from_item(binder *b, const pg_node *item, bind_scope *scope, plan_node **out);

#endif
