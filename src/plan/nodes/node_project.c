/* node_project.c - expressions over the rows of its child. */
#include "plan/nodes/node.h"
#include "plan/nodes/plan_text.h"
#include "plan/nodes/prune.h"

static void project_visit(plan_node *node, plan_visitor *visit, void *context)
{
    plan_visit_list(&node->project.exprs, visit, context);
}

static void project_write(plan_writer *w, const plan_node *node)
{
    plan_write_text(w, " ");
    plan_write_computed(w, &node->project.exprs, node);
}

static status project_verify(plan_verifier *v, const plan_node *node)
{
    if (node->project.exprs.count != node->columns.count)
        return plan_verify_error(node, "numbers of columns and expressions differ");
    plan_verify_show_children(v, node, 1);
    TRY(plan_verify_list(v, &node->project.exprs));
    plan_verify_show_children(v, node, -1);
    return plan_verify_computed(v, node, &node->project.exprs);
}

static status project_prune(plan_statement *s, plan_node *node, const column_set *needed)
{
    column_set below;
    size_t kept = 0;
    TRY(plan_prune_start(s, &below));
    for (size_t i = 0; i < node->columns.count; i++) {
        if (!column_set_has(needed, node->columns.items[i].id))
            continue;
        node->columns.items[kept] = node->columns.items[i];
        node->project.exprs.items[kept++] = node->project.exprs.items[i];
    }
    node->columns.count = node->project.exprs.count = kept;
    column_set_add_list(&below, &node->project.exprs);
    return plan_prune(s, node->children[0], &below);
}

const plan_node_ops plan_node_project = {.visit = project_visit,
                                         .write = project_write,
                                         .verify = project_verify,
                                         .prune = project_prune};
