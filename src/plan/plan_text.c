/* plan_text.c - a plan as indented text: EXPLAIN, and what tests compare.
 *
 *     sort [sum#12 desc nulls first] limit 10  (~1000 rows)
 *       aggregate [l_orderkey#1, sum#12] groups [l_orderkey#1] aggregates [sum(l_tax#3)]
 *         scan lineitem [l_orderkey#1, l_tax#3] where (l_tax#3 > 0.05)  (~6001215 rows)
 *
 * The list behind a node's name is the columns that it makes. */
#include "plan/node.h"

typedef struct text_context {
    plan_writer w;
    const char *(*annotate)(const plan_node *node, void *context);
    void *context;
} text_context;

void plan_write_columns(plan_writer *w, const plan_node *node)
{
    plan_write_text(w, " [");
    for (size_t i = 0; i < node->columns.count; i++) {
        const plan_column *column = &node->columns.items[i];
        plan_write_format(w, "%s%s#%u", i ? ", " : "", column->name ? column->name : "",
                          column->id);
    }
    plan_write_text(w, "]");
}

void plan_write_exprs(plan_writer *w, const expr_list *list, const char *separator)
{
    for (size_t i = 0; i < list->count; i++) {
        if (i)
            plan_write_text(w, separator);
        plan_write_expr(w, list->items[i]);
    }
}

static void write_node(plan_writer *w, const plan_node *node)
{
    const plan_node_ops *ops = plan_node_ops_of(node);
    plan_write_text(w, plan_node_name(node));
    if (ops->write)
        ops->write(w, node);
    else
        plan_write_columns(w, node);
}

static void write_tree(text_context *t, const plan_node *node, int depth);

typedef struct subquery_context {
    text_context *text;
    int depth;
} subquery_context;

static void write_subqueries(const expr *e, subquery_context *s)
{
    for (uint32_t i = 0; i < e->arg_count; i++)
        write_subqueries(e->args[i], s);
    if (e->kind == EXPR_SUBQUERY) {
        plan_write_format(&s->text->w, "%*ssubquery:\n", s->depth * 2, "");
        write_tree(s->text, e->subquery, s->depth + 1);
    }
}

static void visit_subqueries(expr **slot, void *context)
{
    write_subqueries(*slot, context);
}

static void write_tree(text_context *t, const plan_node *node, int depth)
{
    plan_write_format(&t->w, "%*s", depth * 2, "");
    write_node(&t->w, node);
    if (node->estimated_rows >= 0)
        plan_write_format(&t->w, "  (~%.0f rows)", node->estimated_rows);
    const char *note = t->annotate ? t->annotate(node, t->context) : NULL;
    if (note)
        plan_write_format(&t->w, "  %s", note);
    plan_write_text(&t->w, "\n");
    plan_visit_exprs((plan_node *)node, visit_subqueries, &(subquery_context){t, depth + 1});
    for (uint32_t i = 0; i < node->child_count; i++)
        write_tree(t, node->children[i], depth + 1);
}

char *plan_text(arena *a, const plan_statement *statement,
                const char *(*annotate)(const plan_node *node, void *context), void *context)
{
    text_context t = {.w = {.memory = a}, .annotate = annotate, .context = context};
    for (size_t i = 0; i < statement->shared.count; i++) {
        plan_write_format(&t.w, "shared %zu:\n", i);
        write_tree(&t, statement->shared.items[i], 1);
    }
    write_tree(&t, statement->root, 0);
    return plan_writer_finish(&t.w);
}
