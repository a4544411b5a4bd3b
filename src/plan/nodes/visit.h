/* visit.h - walks over the expressions of a node and the columns that an expression reads. */
#ifndef PISTACHIO_PLAN_NODES_VISIT_H
#define PISTACHIO_PLAN_NODES_VISIT_H

#include "plan/tree/column_set.h"

/* Calls visit for the place of each expression of this node (not of its children's); the visitor
 * may put another expression there. */
typedef void plan_visitor(expr **slot, void *context);
void plan_visit_exprs(plan_node *node, plan_visitor *visit, void *context);
/* Calls visit(id) for each column reference, in subquery plans too. */
void expr_visit_columns(const expr *e, void (*visit)(uint32_t id, void *context), void *context);

/* ---- what expressions read, as column sets ---- */

/* Adds the columns that an expression reads. */
void column_set_add_expr(column_set *set, const expr *e);
void column_set_add_list(column_set *set, const expr_list *list);
bool column_set_covers(const column_set *set, const expr *e); /* all that e reads */
bool column_set_meets(const column_set *set, const expr *e);  /* one that e reads */

#endif
