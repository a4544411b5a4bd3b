/* plan_text.c - a plan as indented text: EXPLAIN.
 *
 *     sort [sum desc nulls first] limit 10
 *       aggregate groups [l_orderkey] aggregates [sum(l_tax) as sum]
 *         scan lineitem [l_orderkey, l_tax] where (l_tax > 0.05)
 *
 * The list behind the name of a scan, a projection or another node that makes columns is those. */
#include "plan/nodes/plan_text.h"

#include "base/system/guard.h"
#include "plan/nodes/node.h"

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

static bool is_of_files(const plan_node *node)
{
    return node->kind == PLAN_SCAN || node->kind == PLAN_TEXT_SCAN || node->kind == PLAN_ARROW_SCAN;
}

/* Collects the names of a tree's columns, by id: as in the file, else as the highest node that hands the column on
 * calls it, which is what the statement says. */
static void collect_names(const plan_node *node, column_name *names, uint32_t count)
{
    if (!guard_may_go_on())
        return;
    for (uint32_t i = 0; i < node->child_count; i++)
        collect_names(node->children[i], names, count);
    for (size_t i = 0; i < node->columns.count; i++) {
        const plan_column *column = &node->columns.items[i];
        if (column->name && column->id < count && !names[column->id].is_of_a_file)
            names[column->id] = (column_name){column->id, column->name, is_of_files(node)};
    }
}

static int plan_text_by_text(const void *left, const void *right)
{
    const column_name *a = left, *b = right;
    return a->text && b->text ? strcmp(a->text, b->text) : !a->text - !b->text;
}

/* A table of names by id; those that several columns have get their ids. False: no memory. */
static bool plan_text_name_columns(plan_writer *w, const plan_statement *statement)
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
        qsort(names, count, sizeof *names, plan_text_by_text);
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

bool plan_write_cut(plan_writer *w, size_t shown, size_t count)
{
    if (shown < COLUMNS_SHOWN || shown + 1 >= count) /* "1 more" is as long */
        return false;
    plan_write_format(w, ", ... %zu more", count - shown);
    return true;
}

void plan_write_columns(plan_writer *w, const plan_node *node)
{
    plan_write_text(w, " [");
    for (size_t i = 0; i < node->columns.count && !plan_write_cut(w, i, node->columns.count); i++) {
        const plan_column *column = &node->columns.items[i];
        plan_write_text(w, i ? ", " : "");
        plan_write_column(w, column->id, column->name);
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

void plan_write_computed(plan_writer *w, const expr_list *exprs, const plan_node *node)
{
    plan_write_text(w, "[");
    for (size_t i = 0; i < exprs->count && !plan_write_cut(w, i, exprs->count); i++) {
        const expr *e = exprs->items[i];
        const plan_column *column = &node->columns.items[i];
        plan_write_text(w, i ? ", " : "");
        if (e->kind != EXPR_COLUMN || e->column_id != column->id) {
            plan_write_expr(w, e);
            plan_write_text(w, " as ");
        }
        plan_write_column(w, column->id, column->name);
    }
    plan_write_text(w, "]");
}

static void write_node(plan_writer *w, const plan_node *node)
{
    const plan_node_ops *ops = plan_node_ops_of(node);
    if (node->kind == PLAN_JOIN && node->join.ranges.count)
        plan_write_text(w, "range ");
    plan_write_text(w, plan_node_name(node));
    if (ops->write)
        ops->write(w, node);
    else
        plan_write_columns(w, node);
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
    if (!guard_may_go_on())
        return;
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
    if (!plan_text_name_columns(&t.w, statement))
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
