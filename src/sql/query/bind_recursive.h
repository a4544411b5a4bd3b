/* bind_recursive.h - WITH RECURSIVE. */
#ifndef PISTACHIO_SQL_QUERY_BIND_RECURSIVE_H
#define PISTACHIO_SQL_QUERY_BIND_RECURSIVE_H

#include "sql/types/binder.h"

/* Gives the rows of a WITH RECURSIVE, if they are there; or fails, with rounds.root set, because they are not.
 * *out_done false: it does not refer to itself. */
CHECKED status bind_recursive(binder *b, bind_cte *cte, bool *out_done, plan_node **out);
/* A reference of the query to itself. */
CHECKED status bind_recursive_reference(binder *b, bind_cte *cte, plan_node **out);

#endif
