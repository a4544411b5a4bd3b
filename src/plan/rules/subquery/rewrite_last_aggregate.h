/* rewrite_last_aggregate.h - a subquery's last aggregate, and the columns that a plan reads and makes. */
#ifndef PISTACHIO_PLAN_RULES_SUBQUERY_REWRITE_LAST_AGGREGATE_H
#define PISTACHIO_PLAN_RULES_SUBQUERY_REWRITE_LAST_AGGREGATE_H

#include "plan/tree/column_set.h"

/* Adds all columns that the plan's expressions read. */
void plan_add_read(column_set *set, plan_node *node);
/* Adds all columns made in the plan, and in subqueries in it. */
void plan_add_made(column_set *set, plan_node *node);
/* The node's expressions, or those of the whole plan, read columns of the set alone. */
bool plan_exprs_are_covered(const column_set *set, plan_node *node);
bool plan_is_covered(const column_set *set, plan_node *node);
/* *out: the plan, not rewritten yet, reads columns that are made outside. */
CHECKED status plan_is_correlated(plan_statement *s, plan_node *plan, bool *out);
/* *e, and what subqueries in it read, with each column of `from` replaced by the expression beside
 * it. Takes NULL in *e. */
CHECKED status plan_substitute(arena *a, const plan_column_list *from, expr *const *to, expr **e);

/* A subquery whose last step but for projections, conditions and the like is an aggregate without
 * groups: what it gives, in terms of the aggregate's columns. */
typedef struct last_aggregate {
    plan_node *node; /* NULL: the subquery cannot be seen so */
    expr *value;     /* its first column; NULL: it has none */
    expr *condition; /* of there being a row; NULL: there always is */
} last_aggregate;

/* The aggregate of such a subquery, or NULL. */
plan_node *plan_last_aggregate(plan_node *plan);
/* Takes what comes after the aggregate off it; the plan is not to be used any more where `value` or
 * `condition` have subqueries. */
CHECKED status plan_take_off(plan_statement *s, plan_node *plan, last_aggregate *out);

#endif
