/* node.h - what a kind of plan node is: a row of nodes.def and one file, node_<file>.c, with a
 * plan_node_ops named plan_node_<file>. What is left NULL there is right for a node that passes its
 * child's columns through and has no expressions; rules that know nothing of a kind (rewrite_*.c)
 * leave it alone and stop at it. */
#ifndef PISTACHIO_PLAN_NODES_NODE_H
#define PISTACHIO_PLAN_NODES_NODE_H

#include "plan/nodes/verify.h"
#include "plan/nodes/visit.h"
#include "plan/tree/column_set.h"
#include "plan/tree/text.h"

typedef struct plan_node_ops {
    /* Calls visit for the place of each expression. NULL: there are none. */
    void (*visit)(plan_node *node, plan_visitor *visit, void *context);
    /* Writes what EXPLAIN says after the name. NULL: the columns. */
    void (*write)(plan_writer *w, const plan_node *node);
    /* Checks numbers, expressions and columns; the children have been checked. NULL: expressions
     * read the children's columns, and each column is a child's. */
    status (*verify)(plan_verifier *v, const plan_node *node);
    /* The rows that come out, from the children's estimates. NULL: the first child's. */
    double (*estimate)(const plan_statement *statement, const plan_node *node);
    /* Makes only the columns in `needed`, and has the children do so (plan_prune). NULL: has all
     * that its child has then, which needs what the node's expressions read, too. */
    status (*prune)(plan_statement *statement, plan_node *node, const column_set *needed);
} plan_node_ops;

#define PLAN_NODE(kind, file, name, children) extern const plan_node_ops plan_node_##file;
#include "plan/tree/nodes.def"
#undef PLAN_NODE

const plan_node_ops *plan_node_ops_of(const plan_node *node);
/* How many children its kind has; of a kind that takes any number, how many it has. */
uint32_t plan_node_children(const plan_node *node);
/* As plan_kind_name; a join's type and build side and an exchange's kind instead. */
const char *plan_node_name(const plan_node *node);

/* ---- for visit ---- */

void plan_visit_list(expr_list *list, plan_visitor *visit, void *context);
void plan_visit_optional(expr **slot, plan_visitor *visit, void *context); /* *slot may be NULL */

/* Sets node->estimated_rows from its children's, which have theirs. */
void plan_estimate(const plan_statement *statement, plan_node *node);
const char *plan_kind_name(plan_kind kind);

#endif
