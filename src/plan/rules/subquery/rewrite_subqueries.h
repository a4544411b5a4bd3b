/* rewrite_subqueries.h - inside the unnesting of subqueries. */
#ifndef PISTACHIO_PLAN_RULES_SUBQUERY_REWRITE_SUBQUERIES_H
#define PISTACHIO_PLAN_RULES_SUBQUERY_REWRITE_SUBQUERIES_H

#include "plan/tree/plan.h"

/* Subqueries of the plan become joins. */
CHECKED status plan_rewrite_subqueries(plan_statement *s, plan_node *node, plan_node **out);
/* The comparison of ANY and ALL, with the subquery's columns on the right. */
CHECKED status plan_any_condition(plan_statement *s, const expr *e, const plan_column_list *columns,
                                  bool is_negated, expr **out);
/* The plan has one row, whatever it reads. */
bool plan_gives_one_row(const plan_node *plan);

#endif
