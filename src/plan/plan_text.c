/* plan_text.c - a plan as indented text: EXPLAIN.
 *
 *     sort [sum desc nulls first] limit 10
 *       aggregate groups [l_orderkey] aggregates [sum(l_tax) as sum]
 *         scan lineitem [l_orderkey, l_tax] where (l_tax > 0.05)
 *
 * The list behind the name of a scan, a projection or another node that makes columns is those. */
#include "plan/text.h"

#include <stdio.h>
#include <stdlib.h>

#define COLUMNS_SHOWN 16 /* of a list: a line is to be read */

typedef struct text_context {
    plan_writer w;
    plan_note (*annotate)(const plan_node *node, void *context);
    void *context;
} text_context;

/* ---- names ---- */

typedef struct column_name {
    uint32_t id;
    const char *text;  /* NULL: there is no such column */
    bool is_of_a_file; /* a scan's: nothing calls it otherwise */
} column_name;

/* What the columns of a tree are called, by id: as in the file, else as the highest node that hands
 * the column on calls it, which is what the statement says. */
static void collect_names(const plan_node *node, column_name *names, uint32_t count)
{
    for (uint32_t i = 0; i < node->child_count; i++)
        collect_names(node->children[i], names, count);
    for (size_t i = 0; i < node->columns.count; i++) {
        const plan_column *column = &node->columns.items[i];
        if (column->name && column->id < count && !names[column->id].is_of_a_file)
            names[column->id] = (column_name){column->id, column->name, node->kind == PLAN_SCAN};
    }
}

static int by_text(const void *left, const void *right)
{
    const column_name *a = left, *b = right;
    return a->text && b->text ? strcmp(a->text, b->text) : !a->text - !b->text;
}

/* A table of names by id; those that several columns have get their ids. False: no memory. */
static bool name_columns(plan_writer *w, const plan_statement *statement)
{
    uint32_t count = statement->next_column_id;
    column_name *names = arena_alloc_array(w->memory, (size_t)count + 1, sizeof *names);
    const char **table = arena_alloc_array(w->memory, (size_t)count + 1, sizeof *table);
    if (!names || !table)
        return false;
    for (size_t i = 0; i < statement->shared.count; i++)
        collect_names(statement->shared.items[i], names, count);
    collect_names(statement->root, names, count);
    if (count)
        qsort(names, count, sizeof *names, by_text);
    for (uint32_t i = 0; i < count && names[i].text; i++) {
        const char *text = names[i].text;
        bool is_shared = (i && !strcmp(text, names[i - 1].text)) ||
                         (i + 1 < count && names[i + 1].text && !strcmp(text, names[i + 1].text));
        table[names[i].id] = is_shared ? arena_format(w->memory, "%s#%u", text, names[i].id) : text;
        if (!table[names[i].id])
            return false;
    }
    w->names = table;
    w->name_count = count;
    return true;
}

/* ---- nodes ---- */

/* True: the list is long enough; says how many are left out. */
static bool is_cut(plan_writer *w, size_t shown, size_t count)
{
    if (shown < COLUMNS_SHOWN || shown + 1 >= count) /* "1 more" is no shorter */
        return false;
    plan_write_format(w, ", ... %zu more", count - shown);
    return true;
}

static void write_columns(plan_writer *w, const plan_node *node)
{
    plan_write_text(w, " [");
    for (size_t i = 0; i < node->columns.count && !is_cut(w, i, node->columns.count); i++) {
        const plan_column *column = &node->columns.items[i];
        plan_write_text(w, i ? ", " : "");
        plan_write_column(w, column->id, column->name);
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

static void write_runtime_filters(plan_writer *w, const plan_runtime_filter *filters, size_t count,
                                  const char *verb)
{
    if (count)
        plan_write_format(w, " %s filter%s", verb, count > 1 ? "s" : "");
    for (size_t i = 0; i < count; i++)
        plan_write_format(w, "%s %u", i ? "," : "", filters[i].id);
}

static void write_scan(plan_writer *w, const plan_node *node)
{
    plan_write_format(w, " %s", node->scan.table_name ? node->scan.table_name : "");
    write_columns(w, node);
    if (node->scan.filters.count) {
        plan_write_text(w, " where ");
        write_exprs(w, &node->scan.filters, " and ");
    }
    write_runtime_filters(w, node->scan.runtime_filters.items, node->scan.runtime_filters.count,
                          "takes");
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

/* An expression and what its column is called. */
static void write_made(plan_writer *w, const expr *e, const plan_column *column)
{
    if (e->kind != EXPR_COLUMN || e->column_id != column->id) {
        plan_write_expr(w, e);
        plan_write_text(w, " as ");
    }
    plan_write_column(w, column->id, column->name);
}

static void write_project(plan_writer *w, const plan_node *node)
{
    plan_write_text(w, " [");
    for (size_t i = 0; i < node->columns.count && !is_cut(w, i, node->columns.count); i++) {
        plan_write_text(w, i ? ", " : "");
        write_made(w, node->project.exprs.items[i], &node->columns.items[i]);
    }
    plan_write_text(w, "]");
}

static void write_aggregate(plan_writer *w, const plan_node *node)
{
    if (node->aggregate.groups.count) {
        plan_write_text(w, " groups [");
        for (size_t i = 0; i < node->aggregate.groups.count; i++) {
            if (is_cut(w, i, node->aggregate.groups.count))
                break;
            plan_write_text(w, i ? ", " : "");
            write_made(w, node->aggregate.groups.items[i], &node->columns.items[i]);
        }
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
        const plan_column *column = &node->columns.items[node->aggregate.groups.count + i];
        plan_write_text(w, " as ");
        plan_write_column(w, column->id, column->name);
    }
    plan_write_text(w, "]");
}

static void write_join(plan_writer *w, const plan_node *node)
{
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
    write_runtime_filters(w, node->join.runtime_filters.items, node->join.runtime_filters.count,
                          "gives");
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

static void begin_line(text_context *t, plan_note note, int depth)
{
    plan_write_text(&t->w, note.before ? note.before : "");
    plan_write_format(&t->w, "%*s", depth * 2, "");
}

static plan_note note_of(text_context *t, const plan_node *node)
{
    return t->annotate ? t->annotate(node, t->context) : (plan_note){0};
}

static void write_title(text_context *t, int depth, const char *title)
{
    begin_line(t, note_of(t, NULL), depth);
    plan_write_format(&t->w, "%s:\n", title);
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
        write_title(s->text, s->depth, "subquery");
        write_tree(s->text, e->subquery, s->depth + 1);
    }
}

static void visit_subqueries(expr **slot, void *context)
{
    write_subqueries(*slot, context);
}

static void write_tree(text_context *t, const plan_node *node, int depth)
{
    plan_note note = note_of(t, node);
    begin_line(t, note, depth);
    write_node(&t->w, node);
    plan_write_text(&t->w, note.behind ? note.behind : "");
    plan_write_text(&t->w, "\n");
    plan_visit_exprs((plan_node *)node, visit_subqueries, &(subquery_context){t, depth + 1});
    for (uint32_t i = 0; i < node->child_count; i++)
        write_tree(t, node->children[i], depth + 1);
}

char *plan_text(arena *a, const plan_statement *statement,
                plan_note (*annotate)(const plan_node *node, void *context), void *context)
{
    text_context t = {.w = {.memory = a}, .annotate = annotate, .context = context};
    if (!name_columns(&t.w, statement))
        return NULL;
    for (size_t i = 0; i < statement->shared.count; i++) {
        char title[32];
        snprintf(title, sizeof title, "shared %zu", i);
        write_title(&t, 0, title);
        write_tree(&t, statement->shared.items[i], 1);
    }
    write_tree(&t, statement->root, 0);
    return plan_writer_finish(&t.w);
}
