/* rewrite_subqueries.h - inside the unnesting of subqueries. */
#ifndef PISTACHIO_PLAN_REWRITE_SUBQUERIES_H
#define PISTACHIO_PLAN_REWRITE_SUBQUERIES_H

#include "plan/rewrite.h"

/* What is taken out of a subquery that becomes a side of a join. */
typedef struct plan_unnesting {
    plan_statement *statement;
    column_set inner;     /* all columns made inside the subquery */
    expr_list conditions; /* what was taken out */
    const plan_node *top; /* an aggregate without groups that may get some: no row of it and a row
                              of NULLs are the same above; or NULL */
    int32_t position;
} plan_unnesting;

/* Takes the conditions that read outer columns out of the plan, whose rows they are to be checked
 * with; fails as not supported where that is not all that reads them. */
CHECKED status plan_pull_up(plan_unnesting *u, plan_node *node, plan_node **out);
status plan_unnesting_unsupported(const plan_unnesting *u, const char *what);

/* Subqueries of the plan become joins. */
CHECKED status plan_rewrite_subqueries(plan_statement *s, plan_node *node, plan_node **out);
/* The comparison of ANY and ALL, with the subquery's columns on the right. */
CHECKED status plan_any_condition(plan_statement *s, const expr *e, const plan_column_list *columns,
                                  bool is_negated, expr **out);
/* The plan has one row, whatever it reads. */
bool plan_gives_one_row(const plan_node *plan);
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
