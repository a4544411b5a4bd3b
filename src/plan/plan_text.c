/* plan_text.c - a plan as indented text: EXPLAIN, and what tests compare.
 *
 *     sort [sum#12 desc nulls first] limit 10  (~1000 rows)
 *       aggregate [l_orderkey#1, sum#12] groups [l_orderkey#1] aggregates [sum(l_tax#3)]
 *         scan lineitem [l_orderkey#1, l_tax#3] where (l_tax#3 > 0.05)  (~6001215 rows)
 *
 * The list behind a node's name is the columns that it makes. */
#include "plan/text.h"

typedef struct text_context {
    plan_writer w;
    const char *(*annotate)(const plan_node *node, void *context);
    void *context;
} text_context;

static void write_columns(plan_writer *w, const plan_node *node)
{
    plan_write_text(w, " [");
    for (size_t i = 0; i < node->columns.count; i++) {
        const plan_column *column = &node->columns.items[i];
        plan_write_format(w, "%s%s#%u", i ? ", " : "", column->name ? column->name : "",
                          column->id);
    }
    plan_write_text(w, "]");
}

static void write_exprs(plan_writer *w, const expr_list *list, const char *separator)
{
    for (size_t i = 0; i < list->count; i++) {
        if (i)
            plan_write_text(w, separator);
        plan_write_expr(w, list->items[i]);
    }
}

static void write_scan(plan_writer *w, const plan_node *node)
{
    plan_write_format(w, " %s", node->scan.table_name ? node->scan.table_name : "");
    write_columns(w, node);
    if (node->scan.filters.count) {
        plan_write_text(w, " where ");
        write_exprs(w, &node->scan.filters, " and ");
    }
    for (size_t i = 0; i < node->scan.runtime_filters.count; i++)
        plan_write_format(w, " takes filter %u", node->scan.runtime_filters.items[i].id);
}

static void write_values(plan_writer *w, const plan_node *node)
{
    write_columns(w, node);
    size_t rows = node->values.rows.count, shown = rows < 8 ? rows : 8;
    for (size_t row = 0; row < shown; row++) {
        plan_write_text(w, row ? ", (" : " (");
        for (size_t i = 0; i < node->columns.count; i++) {
            if (i)
                plan_write_text(w, ", ");
            plan_write_expr(w, node->values.rows.items[row][i]);
        }
        plan_write_text(w, ")");
    }
    if (shown < rows)
        plan_write_format(w, ", ... %zu rows", rows);
}

static void write_project(plan_writer *w, const plan_node *node)
{
    plan_write_text(w, " [");
    for (size_t i = 0; i < node->columns.count; i++) {
        const plan_column *column = &node->columns.items[i];
        const expr *e = node->project.exprs.items[i];
        if (i)
            plan_write_text(w, ", ");
        if (e->kind != EXPR_COLUMN || e->column_id != column->id) {
            plan_write_expr(w, e);
            plan_write_text(w, " as ");
        }
        plan_write_format(w, "%s#%u", column->name ? column->name : "", column->id);
    }
    plan_write_text(w, "]");
}

static void write_aggregate(plan_writer *w, const plan_node *node)
{
    write_columns(w, node);
    if (node->aggregate.groups.count) {
        plan_write_text(w, " groups [");
        write_exprs(w, &node->aggregate.groups, ", ");
        plan_write_text(w, "]");
    }
    if (!node->aggregate.aggregates.count)
        return;
    plan_write_text(w, " aggregates [");
    for (size_t i = 0; i < node->aggregate.aggregates.count; i++) {
        const plan_aggregate *aggregate = &node->aggregate.aggregates.items[i];
        plan_write_format(w, "%s%s(%s", i ? ", " : "", plan_aggregate_name(aggregate->function),
                          aggregate->is_distinct ? "distinct " : "");
        if (aggregate->argument)
            plan_write_expr(w, aggregate->argument);
        else
            plan_write_text(w, "*");
        plan_write_text(w, ")");
        if (aggregate->filter) {
            plan_write_text(w, " filter ");
            plan_write_expr(w, aggregate->filter);
        }
    }
    plan_write_text(w, "]");
}

static void write_join(plan_writer *w, const plan_node *node)
{
    write_columns(w, node);
    const char *joiner = " on ";
    for (size_t i = 0; i < node->join.left_keys.count; i++, joiner = " and ") {
        plan_write_text(w, joiner);
        plan_write_expr(w, node->join.left_keys.items[i]);
        plan_write_text(w, node->join.null_equal ? " is not distinct from " : " = ");
        plan_write_expr(w, node->join.right_keys.items[i]);
    }
    if (node->join.residual) {
        plan_write_text(w, joiner);
        plan_write_expr(w, node->join.residual);
    }
    for (size_t i = 0; i < node->join.runtime_filters.count; i++)
        plan_write_format(w, " gives filter %u", node->join.runtime_filters.items[i].id);
}

static void write_sort(plan_writer *w, const plan_node *node)
{
    plan_write_text(w, " [");
    for (size_t i = 0; i < node->sort.keys.count; i++) {
        const plan_sort_key *key = &node->sort.keys.items[i];
        if (i)
            plan_write_text(w, ", ");
        plan_write_expr(w, key->key);
        plan_write_format(w, "%s nulls %s", key->is_descending ? " desc" : "",
                          key->nulls_first ? "first" : "last");
    }
    plan_write_text(w, "]");
    if (node->sort.has_limit)
        plan_write_format(w, " limit %llu", (unsigned long long)node->sort.limit);
}

static void write_node(plan_writer *w, const plan_node *node)
{
    plan_write_text(w, node->kind == PLAN_JOIN
                           ? plan_join_name(node->join.type, node->join.build_left)
                           : plan_kind_name(node->kind));
    switch (node->kind) {
    case PLAN_SCAN:
        write_scan(w, node);
        break;
    case PLAN_VALUES:
        write_values(w, node);
        break;
    case PLAN_FILTER:
        plan_write_text(w, " ");
        write_exprs(w, &node->filter.conditions, " and ");
        break;
    case PLAN_PROJECT:
        write_project(w, node);
        break;
    case PLAN_AGGREGATE:
        write_aggregate(w, node);
        break;
    case PLAN_JOIN:
        write_join(w, node);
        break;
    case PLAN_SORT:
        write_sort(w, node);
        break;
    case PLAN_LIMIT:
        if (node->limit.has_limit)
            plan_write_format(w, " %llu", (unsigned long long)node->limit.limit);
        if (node->limit.offset)
            plan_write_format(w, " offset %llu", (unsigned long long)node->limit.offset);
        break;
    case PLAN_REPEAT:
        write_columns(w, node);
        plan_write_text(w, " times ");
        plan_write_expr(w, node->repeat.count);
        break;
    case PLAN_SHARED:
        plan_write_format(w, " %u", node->shared.id);
        write_columns(w, node);
        break;
    case PLAN_UNION:
    case PLAN_SINGLE_ROW:
        write_columns(w, node);
        break;
    }
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
