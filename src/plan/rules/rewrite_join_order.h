/* rewrite_join_order.h - the order of joins. */
#ifndef PISTACHIO_PLAN_RULES_REWRITE_JOIN_ORDER_H
#define PISTACHIO_PLAN_RULES_REWRITE_JOIN_ORDER_H

#include "plan/tree/plan.h"

/* The joins that rewrite_join_order puts together. */
typedef struct join_graph {
    plan_node_list relations; /* each rewritten already */
    plan_node_list reducers; /* semi and anti joins of any of them with their own right child, which
                                is rewritten; their left child is to be chosen */
    expr_list conditions;    /* between relations */
} join_graph;

CHECKED status rewrite_join_order(plan_statement *statement, join_graph *graph, plan_node **out);
/* A join that keeps its left side builds on it where that is clearly the smaller one. */
void plan_choose_build_side(const plan_statement *statement, plan_node *join);
/* The rows of all tables beneath a node. */
double plan_scanned_rows(const plan_node *node);

#endif
