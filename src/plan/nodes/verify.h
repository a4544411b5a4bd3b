/* verify.h - whether a plan is valid. */
#ifndef PISTACHIO_PLAN_NODES_VERIFY_H
#define PISTACHIO_PLAN_NODES_VERIFY_H

#include "plan/tree/plan.h"

/* Checks what must hold: ids made once and visible where used, types of conditions, keys' types
 * equal, counts. For after each rule; an internal error names the node. */
CHECKED status plan_verify(const plan_statement *statement);

/* ---- for the verify of a kind of node ---- */

typedef struct plan_verifier plan_verifier;

/* The failure; an internal error that names the node. */
CHECKED status plan_verify_error(const plan_node *node, const char *what);
/* Adds change (1, -1) to how often the node's columns are visible. */
void plan_verify_show(plan_verifier *v, const plan_node *node, int change);
void plan_verify_show_children(plan_verifier *v, const plan_node *node, int change);
/* An expression of the node that is being verified, over what is visible. */
CHECKED status plan_verify_expr(plan_verifier *v, const expr *e);
CHECKED status plan_verify_condition(plan_verifier *v, const expr *e);
CHECKED status plan_verify_list(plan_verifier *v, const expr_list *list);
CHECKED status plan_verify_conditions(plan_verifier *v, const expr_list *list);
/* The types are one, and as wide; of decimals, their scales are. */
CHECKED status plan_verify_types(const plan_verifier *v, const expr *e, data_type type,
                                 const char *what);
/* All columns from `first` up to `end`: made by the node itself, or a child's. */
CHECKED status plan_verify_made(plan_verifier *v, const plan_node *node, size_t first, size_t end);
CHECKED status plan_verify_passed(plan_verifier *v, const plan_node *node, size_t first,
                                  size_t end);
/* The first columns are made by these expressions, or are the columns that they are. */
CHECKED status plan_verify_computed(plan_verifier *v, const plan_node *node,
                                    const expr_list *exprs);
const plan_statement *plan_verify_statement(const plan_verifier *v);

#endif
