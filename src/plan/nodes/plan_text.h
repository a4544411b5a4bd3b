/* plan_text.h - a plan as text, for EXPLAIN. */
#ifndef PISTACHIO_PLAN_NODES_PLAN_TEXT_H
#define PISTACHIO_PLAN_NODES_PLAN_TEXT_H

#include "plan/tree/text.h"

/* Text in front of a node's line and after it. */
typedef struct plan_note {
    const char *before, *behind;
} plan_note;

/* The tree as indented text, one line a node; NULL without memory. A column goes by its name where
 * no other column of the statement has it, else by name#id. `annotate` may be NULL; what it gives
 * is copied before the next call. Its node is NULL for a line without a node. */
char *plan_text(arena *a, const plan_statement *statement,
                plan_note (*annotate)(const plan_node *node, void *context), void *context);

/* ---- for the write of a kind of node ---- */

/* " [a, b#2]" */
void plan_write_columns(plan_writer *w, const plan_node *node);
/* "[a, b + 1 as c]": what the node's first columns are made of. */
void plan_write_computed(plan_writer *w, const expr_list *exprs, const plan_node *node);
/* Returns whether `shown` of `count` items are enough of a line; says how many are left out. */
bool plan_write_cut(plan_writer *w, size_t shown, size_t count);
void plan_write_exprs(plan_writer *w, const expr_list *list, const char *separator);

#endif
