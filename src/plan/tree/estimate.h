/* estimate.h - guesses of how many rows, and how many distinct values there are. */
#ifndef PISTACHIO_PLAN_TREE_ESTIMATE_H
#define PISTACHIO_PLAN_TREE_ESTIMATE_H

#include "plan/tree/plan.h"

/* Distinct values of an expression among `rows` of the node's rows; a guess where that is not
 * known. */
double plan_distinct(const plan_node *node, const expr *e, double rows);
/* Rows of the table that a column comes from, before any condition; negative: not known. */
double plan_base_rows(const plan_node *node, const expr *e);
/* Mean bytes of a text of the table's column that a column comes from, as files store it, equal texts once where
 * they do; negative: not known. */
double plan_text_bytes(const plan_node *node, uint32_t column_id);
/* The share of the node's rows that meet a condition, or all of several: 0 to 1. */
double plan_share(const plan_node *node, const expr *condition);
double plan_share_of_list(const plan_node *node, const expr_list *conditions);

#endif
