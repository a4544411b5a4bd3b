/* bind_with.h - WITH. */
#ifndef PISTACHIO_SQL_QUERY_BIND_WITH_H
#define PISTACHIO_SQL_QUERY_BIND_WITH_H

#include "sql/types/binder.h"

/* WITH: the list with the clause's queries in front. */
CHECKED status bind_with(binder *b, const WithClause *with, bind_scope *scope, bind_cte *outer,
                         bind_cte **out);
/* Binds what WITH declares and nothing refers to, for its errors. */
CHECKED status bind_unused_ctes(binder *b, bind_cte *first, const bind_cte *end);
/* *out is NULL if no WITH query has that name. */
CHECKED status bind_cte_reference(binder *b, const char *name, bind_cte *ctes, plan_node **out);
/* Gives the WITH query's columns the names that follow its own. */
CHECKED status bind_cte_names(binder *b, const CommonTableExpr *tree, plan_node *plan);
/* Whether the plan reads columns of the queries around it. */
CHECKED status bind_is_correlated(binder *b, plan_node *plan, uint32_t first_own_id, bool *out);
/* Plans that are used once take the place of their use; the others stay shared. */
CHECKED status bind_finish_shared(binder *b);

#endif
