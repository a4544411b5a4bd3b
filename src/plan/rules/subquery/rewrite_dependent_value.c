/* rewrite_dependent_value.c - subqueries in expressions, and sides of joins, that become dependent
 * joins: what no simpler join can do.
 *
 * A scalar subquery is the column of a join. Of EXISTS, ANY and ALL, the rows for each combination
 * of outer values are aggregated: how many there are, whether one compares as true, how many compare
 * as unknown. */
#include "plan/rules/subquery/rewrite_dependent_value.h"

#include "plan/facts/partial.h"
#include "plan/rules/subquery/rewrite_dependent.h"
#include "plan/rules/subquery/rewrite_subqueries.h"

static status dependent_value_no_memory(void)
{
    return status_no_memory("plan", sizeof(plan_node));
}

static status dependent_value_column_expr(plan_statement *s, const plan_column *column, expr **out)
{
    *out = plan_column_expr(s->memory, column);
    return *out ? STATUS_OK : dependent_value_no_memory();
}

static status dependent_plan(plan_statement *s, plan_node **node, plan_node *plan, int32_t position,
                             expr **beside, plan_dependent *out)
{
    TRY(plan_make_dependent(s, node, plan, position, beside, out));
    return plan_rewrite_subqueries(s, out->plan, &out->plan);
}

/* ---- one value ---- */

static status scalar_value(plan_statement *s, plan_node **node, const expr *e, expr **out)
{
    plan_dependent dependent;
    plan_column column = e->subquery->columns.items[0];
    bool is_one = plan_gives_one_row(e->subquery);
    TRY(dependent_plan(s, node, e->subquery, e->position, NULL, &dependent));
    TRY(plan_join_dependent(s, is_one ? JOIN_LEFT : JOIN_SINGLE, *node, &dependent, NULL, node));
    (*node)->position = e->position;
    column.is_nullable = true;
    return dependent_value_column_expr(s, &column, out);
}

/* ---- rows counted ---- */

/* The dependent rows of each combination, aggregated. */
typedef struct counted {
    plan_dependent dependent;
    plan_node *node;
} counted;

static status start_counting(plan_statement *s, counted *c)
{
    c->node = plan_node_new(s->memory, PLAN_AGGREGATE, 1);
    if (!c->node)
        return dependent_value_no_memory();
    c->node->children[0] = c->dependent.plan;
    c->node->aggregate.groups = c->dependent.values;
    for (size_t i = 0; i < c->dependent.values.count; i++) {
        const expr *e = c->dependent.values.items[i];
        plan_column column = {
            .id = e->column_id, .name = e->name, .type = e->type, .is_nullable = e->is_nullable};
        TRY(array_push(s->memory, &c->node->columns, column));
    }
    c->dependent.plan = c->node;
    return STATUS_OK;
}

static status dependent_value_add_count(plan_statement *s, counted *c,
                                        plan_aggregate_function function, expr *argument,
                                        expr **out)
{
    plan_aggregate call = {.function = function, .argument = argument, .position = -1};
    plan_column column = {.id = s->next_column_id++,
                          .name = plan_aggregate_name(function),
                          .type = type_make(plan_aggregate_counts(&call) ? TYPE_INT64 : TYPE_BOOL),
                          .is_nullable = !plan_aggregate_counts(&call)};
    TRY(array_push(s->memory, &c->node->columns, column));
    TRY(array_push(s->memory, &c->node->aggregate.aggregates, call));
    column.is_nullable = true; /* beside the rows that have no match */
    return dependent_value_column_expr(s, &column, out);
}

static status join_counted(plan_statement *s, plan_node **node, const counted *c)
{
    bool is_left = c->dependent.outer.count > 0; /* else there is one row */
    return plan_join_dependent(s, is_left ? JOIN_LEFT : JOIN_INNER, *node, &c->dependent, NULL,
                               node);
}

static status exists_value(plan_statement *s, plan_node **node, const expr *e, expr **out)
{
    counted c;
    expr *count;
    TRY(dependent_plan(s, node, e->subquery, e->position, NULL, &c.dependent));
    TRY(start_counting(s, &c));
    TRY(dependent_value_add_count(s, &c, AGGREGATE_COUNT_STAR, NULL, &count));
    TRY(join_counted(s, node, &c));
    *out = expr_new_call(s->memory, EXPR_IS_NOT_NULL, type_make(TYPE_BOOL), &count, 1, e->position);
    return *out ? STATUS_OK : dependent_value_no_memory();
}

/* CASE WHEN one compares as true THEN true WHEN rows > compared THEN NULL ELSE false END */
static status dependent_value_choose(plan_statement *s, expr *is_true, expr *rows, expr *compared,
                                     expr **out)
{
    data_type boolean = type_make(TYPE_BOOL);
    value results[] = {value_bool(true), value_null(boolean), value_bool(false)};
    expr *pair[] = {rows, compared}, *choice = expr_new(s->memory, EXPR_CASE, boolean, 5, -1);
    if (!choice)
        return dependent_value_no_memory();
    choice->is_nullable = true;
    choice->args[0] = is_true;
    choice->args[1] = expr_new_constant(s->memory, &results[0], -1);
    choice->args[2] = expr_new_call(s->memory, EXPR_GT, boolean, pair, 2, -1);
    choice->args[3] = expr_new_constant(s->memory, &results[1], -1);
    choice->args[4] = expr_new_constant(s->memory, &results[2], -1);
    for (int i = 1; i < 5; i++)
        if (!choice->args[i])
            return dependent_value_no_memory();
    *out = choice;
    return STATUS_OK;
}

static status any_value(plan_statement *s, plan_node **node, const expr *e, expr **out)
{
    bool is_all = e->subquery_kind == SUBQUERY_ALL;
    expr *comparison, *is_true, *rows, *compared;
    counted c;
    TRY(plan_any_condition(s, e, &e->subquery->columns, is_all, &comparison));
    comparison->is_nullable = true;
    TRY(dependent_plan(s, node, e->subquery, e->position, &comparison, &c.dependent));
    TRY(start_counting(s, &c));
    TRY(dependent_value_add_count(s, &c, AGGREGATE_BOOL_OR, comparison, &is_true));
    TRY(dependent_value_add_count(s, &c, AGGREGATE_COUNT_STAR, NULL, &rows));
    TRY(dependent_value_add_count(s, &c, AGGREGATE_COUNT, comparison, &compared));
    TRY(join_counted(s, node, &c));
    TRY(dependent_value_choose(s, is_true, rows, compared, out));
    if (is_all) /* x > ALL (q) is NOT (x <= ANY (q)) */
        *out = expr_new_call(s->memory, EXPR_NOT, type_make(TYPE_BOOL), out, 1, e->position);
    return *out ? STATUS_OK : dependent_value_no_memory();
}

status plan_dependent_value(plan_statement *s, plan_node **node, const expr *e, expr **out)
{
    switch (e->subquery_kind) {
    case SUBQUERY_SCALAR:
        return scalar_value(s, node, e, out);
    case SUBQUERY_EXISTS:
        return exists_value(s, node, e, out);
    default:
        return any_value(s, node, e, out);
    }
}

status plan_lateral_join(plan_statement *s, plan_node *join, plan_node **out)
{
    plan_dependent dependent;
    TRY(dependent_plan(s, &join->children[0], join->children[1], join->position, NULL, &dependent));
    return plan_join_dependent(s, join->join.type, join->children[0], &dependent,
                               join->join.residual, out);
}
