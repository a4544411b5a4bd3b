/* node_series.c - each of its child's rows beside the numbers or times of a series: the child's columns,
 * then theirs, then (WITH ORDINALITY) their numbers. */
#include "plan/nodes/node_series.h"

#include "plan/nodes/node.h"
#include "plan/nodes/plan_text.h"
#include "plan/nodes/prune.h"

static void series_visit(plan_node *node, plan_visitor *visit, void *context)
{
    visit(&node->series.start, context);
    visit(&node->series.stop, context);
    visit(&node->series.step, context);
}

static void series_write(plan_writer *w, const plan_node *node)
{
    plan_write_columns(w, node);
    plan_write_text(w, " from ");
    plan_write_expr(w, node->series.start);
    plan_write_text(w, node->series.has_stop ? " to " : " up to ");
    plan_write_expr(w, node->series.stop);
    plan_write_text(w, " by ");
    plan_write_expr(w, node->series.step);
    if (node->series.zone)
        plan_write_text(w, " at time zone ");
    if (node->series.zone)
        plan_write_text(w, node->series.zone);
    if (node->series.has_number)
        plan_write_text(w, " with ordinality");
}

static status series_verify(plan_verifier *v, const plan_node *node)
{
    size_t made = plan_series_columns(node), passed = node->columns.count - made;
    if (node->columns.count < made)
        return plan_verify_error(node, "no column");
    data_type type = node->columns.items[passed].type;
    plan_verify_show_children(v, node, 1);
    TRY(plan_verify_expr(v, node->series.start));
    TRY(plan_verify_expr(v, node->series.stop));
    TRY(plan_verify_expr(v, node->series.step));
    plan_verify_show_children(v, node, -1);
    TRY(plan_verify_types(v, node->series.start, type, "a series and its start differ in type"));
    TRY(plan_verify_types(v, node->series.stop, type, "a series and its end differ in type"));
    TRY(plan_verify_types(v, node->series.step,
                          type_is_time(type) ? type_make(TYPE_INTERVAL) : type,
                          "a series and its step differ in type"));
    TRY(plan_verify_passed(v, node, 0, passed));
    return plan_verify_made(v, node, passed, node->columns.count);
}

/* ---- estimate ---- */

#define ROWS_GUESSED 1000.0

static bool series_number_of(const expr *e, double *out)
{
    if (!expr_is_constant(e) || e->constant.is_null)
        return false;
    const interval_value *interval = &e->constant.interval;
    if (e->type.id == TYPE_INTERVAL)
        *out = ((double)interval->months * 30 + interval->days) * 86400e6 +
               (double)interval->microseconds;
    else
        *out = (double)value_int128(&e->constant);
    return true;
}

static double series_estimate(const plan_statement *s, const plan_node *node)
{
    (void)s;
    double start, stop, step, rows = ROWS_GUESSED;
    if (series_number_of(node->series.start, &start) &&
        series_number_of(node->series.stop, &stop) && series_number_of(node->series.step, &step) &&
        step != 0)
        rows = (stop - start) / step + node->series.has_stop;
    return node->children[0]->estimated_rows * (rows > 0 ? rows : 0);
}

static bool series_is_null(const expr *e)
{
    return expr_is_constant(e) && e->constant.is_null;
}

/* 1 forwards, -1 backwards, 0: not known, or an error where it runs. */
static int direction_of(const expr *step)
{
    if (!expr_is_constant(step) || step->constant.is_null)
        return 0;
    const interval_value *i = &step->constant.interval;
    if (step->type.id != TYPE_INTERVAL)
        return (value_int128(&step->constant) > 0) - (value_int128(&step->constant) < 0);
    bool falls = i->months < 0 || i->days < 0 || i->microseconds < 0;
    bool rises = i->months > 0 || i->days > 0 || i->microseconds > 0;
    return rises - falls;
}

bool plan_series_is_empty(const plan_node *node)
{
    const expr *start = node->series.start, *stop = node->series.stop;
    if (series_is_null(start) || series_is_null(stop) || series_is_null(node->series.step))
        return true;
    if (!expr_is_constant(start) || !expr_is_constant(stop) || start->type.id == TYPE_DOUBLE ||
        start->type.id == TYPE_FLOAT)
        return false;
    int direction = direction_of(node->series.step);
    int order = value_compare(&start->constant, &stop->constant);
    if (direction < 0)
        order = -order;
    return direction && (order > 0 || (order == 0 && !node->series.has_stop));
}

/* ---- columns ---- */

static void series_add_visited(expr **slot, void *context)
{
    column_set_add_expr(context, *slot);
}

static status series_prune(plan_statement *s, plan_node *node, const column_set *needed)
{
    column_set below;
    plan_column_list columns = {0};
    size_t first = node->columns.count - plan_series_columns(node);
    plan_column made[2] = {{0}};
    memcpy(made, node->columns.items + first, plan_series_columns(node) * sizeof *made);
    node->series.has_number &= column_set_has(needed, made[1].id);
    TRY(column_set_copy(s->memory, needed, &below));
    series_visit(node, series_add_visited, &below);
    TRY(plan_prune(s, node->children[0], &below));
    for (size_t i = 0; i < node->children[0]->columns.count; i++)
        TRY(array_push(s->memory, &columns, node->children[0]->columns.items[i]));
    for (size_t i = 0; i < plan_series_columns(node); i++)
        TRY(array_push(s->memory, &columns, made[i]));
    node->columns = columns;
    return STATUS_OK;
}

const plan_node_ops plan_node_series = {.visit = series_visit,
                                        .write = series_write,
                                        .verify = series_verify,
                                        .estimate = series_estimate,
                                        .prune = series_prune};
