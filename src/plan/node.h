/* node.h - what a kind of plan node is: a row of nodes.def and one file, node_<file>.c, with a
 * plan_node_ops named plan_node_<file>. What is left NULL there is right for a node that passes its
 * child's columns through and has no expressions; rules that know nothing of a kind (rewrite_*.c)
 * leave it alone and stop at it. */
#ifndef PISTACHIO_PLAN_NODE_H
#define PISTACHIO_PLAN_NODE_H

#include "plan/rewrite.h"
#include "plan/text.h"

typedef struct plan_verifier plan_verifier;

typedef struct plan_node_ops {
    /* Calls visit for the place of each expression. NULL: there are none. */
    void (*visit)(plan_node *node, plan_visitor *visit, void *context);
    /* What EXPLAIN says behind the name. NULL: the columns. */
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
#include "plan/nodes.def"
#undef PLAN_NODE

const plan_node_ops *plan_node_ops_of(const plan_node *node);
/* How many children its kind has; of a kind that takes any number, how many it has. */
uint32_t plan_node_children(const plan_node *node);
/* As plan_kind_name; a join's type and build side and an exchange's kind instead. */
const char *plan_node_name(const plan_node *node);

/* ---- for visit ---- */

void plan_visit_list(expr_list *list, plan_visitor *visit, void *context);
void plan_visit_optional(expr **slot, plan_visitor *visit, void *context); /* *slot may be NULL */

/* ---- for write ---- */

/* " [a, b#2]" */
void plan_write_columns(plan_writer *w, const plan_node *node);
/* "[a, b + 1 as c]": what the node's first columns are made of. */
void plan_write_computed(plan_writer *w, const expr_list *exprs, const plan_node *node);
/* Of a list of `count` items, `shown` are written: true if that is enough of a line; says how many
 * are left out. */
bool plan_write_cut(plan_writer *w, size_t shown, size_t count);
void plan_write_exprs(plan_writer *w, const expr_list *list, const char *separator);

/* ---- for verify (verify.c) ---- */

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

/* ---- for prune (rewrite_columns.c) ---- */

/* The node makes only the columns in `needed`, as far as it can. */
CHECKED status plan_prune(plan_statement *statement, plan_node *node, const column_set *needed);
/* A child whose columns are read by their number: it keeps them all, in their order. */
CHECKED status plan_prune_in_order(plan_statement *statement, plan_node **child);
/* The same, but of its columns only the wanted ones. */
CHECKED status plan_prune_to(plan_statement *statement, plan_node **child,
                             const plan_column_list *wanted);
/* What is needed to begin with: nothing, or everything where no column may be dropped. */
CHECKED status plan_prune_start(const plan_statement *statement, column_set *out);

#endif
