/* rewrite.h - inside the optimizer: what the rewrites share.
 *
 * A rewrite takes a node and gives the node to put in its place. Columns keep their ids, so that
 * whatever is above needs no change. */
#ifndef PISTACHIO_PLAN_REWRITE_H
#define PISTACHIO_PLAN_REWRITE_H

#include "plan/plan.h"

/* A set of column ids. */
typedef struct column_set {
    uint64_t *words;
    uint32_t bit_count;
} column_set;

CHECKED status column_set_new(arena *a, uint32_t bit_count, column_set *out);
void column_set_add(column_set *set, uint32_t id);
bool column_set_has(const column_set *set, uint32_t id);
/* Adds the columns that the node makes. */
void column_set_add_node(column_set *set, const plan_node *node);
/* Adds the columns that an expression reads. */
void column_set_add_expr(column_set *set, const expr *e);
bool column_set_covers(const column_set *set, const expr *e); /* all that e reads */
bool column_set_meets(const column_set *set, const expr *e);  /* one that e reads */

/* e with each column of `from` replaced by the expression beside it; shares what does not change.
 * NULL without memory. */
expr *expr_substitute(arena *a, expr *e, const plan_column_list *from, expr *const *to);
/* The conjuncts of a condition, appended; what all arms of an OR have in common stands alone. */
CHECKED status plan_split_condition(arena *a, expr *e, expr_list *conditions);
/* A filter above the node, or the node itself where there are no conditions. */
CHECKED status plan_filter_over(arena *a, plan_node *node, const expr_list *conditions,
                                plan_node **out);
/* The columns that a join of this type makes. */
CHECKED status plan_join_columns(arena *a, plan_node *join);

/* The rewrites, in the order in which they run. */
CHECKED status rewrite_subqueries(plan_statement *statement, plan_node *node, plan_node **out);
CHECKED status rewrite_filters(plan_statement *statement, plan_node *node, plan_node **out);
CHECKED status rewrite_join_order(plan_statement *statement, plan_node *const *relations,
                                  size_t relation_count, expr_list *conditions, plan_node **out);
CHECKED status rewrite_runtime_filters(plan_statement *statement);
CHECKED status rewrite_columns(plan_statement *statement);

/* estimate.c: sets node->estimated_rows from its children's, which have theirs. */
void plan_estimate(const plan_statement *statement, plan_node *node);
/* Distinct values of an expression among `rows` rows. */
double plan_distinct(const plan_node *const *relations, size_t relation_count, const expr *e,
                     double rows);

#endif
