/* rewrite_last_aggregate.c - subqueries whose row is that of an aggregate without GROUP BY.
 *
 * Such a subquery has a row even where it reads none: count gives 0 and the others NULL, and what
 * is computed of them may be anything. As a correlated one becomes a join with groups, which do not
 * exist where there are no rows, all that comes after the aggregate is taken off and computed after
 * the join. */
#include "plan/rules/subquery/rewrite_last_aggregate.h"

#include "plan/nodes/visit.h"

static status last_aggregate_no_memory(void)
{
    return status_no_memory("plan", sizeof(plan_node));
}

/* ---- column sets of plans ---- */

typedef struct set_visit {
    column_set *set;
    bool is_covered;
} set_visit;

static void add_made_in_expr(column_set *set, const expr *e)
{
    if (e->kind == EXPR_SUBQUERY)
        plan_add_made(set, e->subquery);
    for (uint32_t i = 0; i < e->arg_count; i++)
        add_made_in_expr(set, e->args[i]);
}

static void add_made_in_slot(expr **slot, void *context)
{
    add_made_in_expr(context, *slot);
}

void plan_add_made(column_set *set, plan_node *node)
{
    column_set_add_node(set, node);
    plan_visit_exprs(node, add_made_in_slot, set);
    for (uint32_t i = 0; i < node->child_count; i++)
        plan_add_made(set, node->children[i]);
}

static void add_read_in_slot(expr **slot, void *context)
{
    column_set_add_expr(context, *slot);
}

void plan_add_read(column_set *set, plan_node *node)
{
    plan_visit_exprs(node, add_read_in_slot, set);
    for (uint32_t i = 0; i < node->child_count; i++)
        plan_add_read(set, node->children[i]);
}

static void check_slot(expr **slot, void *context)
{
    set_visit *v = context;
    v->is_covered &= column_set_covers(v->set, *slot);
}

bool plan_exprs_are_covered(const column_set *set, plan_node *node)
{
    set_visit v = {(column_set *)set, true};
    plan_visit_exprs(node, check_slot, &v);
    return v.is_covered;
}

bool plan_is_covered(const column_set *set, plan_node *node)
{
    for (uint32_t i = 0; i < node->child_count; i++)
        if (!plan_is_covered(set, node->children[i]))
            return false;
    return plan_exprs_are_covered(set, node);
}

status plan_is_correlated(plan_statement *s, plan_node *plan, bool *out)
{
    column_set made;
    TRY(column_set_new(s->memory, s->next_column_id, &made));
    plan_add_made(&made, plan);
    *out = !plan_is_covered(&made, plan);
    return STATUS_OK;
}

/* ---- substitution in subqueries, too ---- */

typedef struct substituting {
    arena *memory;
    const plan_column_list *from;
    expr *const *to;
    bool has_failed;
} substituting;

static void last_aggregate_substitute_slot(expr **slot, void *context);

static void substitute_plan(substituting *s, plan_node *node)
{
    plan_visit_exprs(node, last_aggregate_substitute_slot, s);
    for (uint32_t i = 0; i < node->child_count; i++)
        substitute_plan(s, node->children[i]);
}

static void substitute_subqueries(substituting *s, const expr *e)
{
    if (e->kind == EXPR_SUBQUERY)
        substitute_plan(s, e->subquery);
    for (uint32_t i = 0; i < e->arg_count; i++)
        substitute_subqueries(s, e->args[i]);
}

static void last_aggregate_substitute_slot(expr **slot, void *context)
{
    substituting *s = context;
    expr *e = s->has_failed ? NULL : expr_substitute(s->memory, *slot, s->from, s->to);
    s->has_failed |= !e;
    if (!e)
        return;
    substitute_subqueries(s, e);
    *slot = e;
}

status plan_substitute(arena *a, const plan_column_list *from, expr *const *to, expr **e)
{
    substituting s = {a, from, to, false};
    if (*e)
        last_aggregate_substitute_slot(e, &s);
    return s.has_failed ? last_aggregate_no_memory() : STATUS_OK;
}

/* ---- what comes after the aggregate ---- */

/* Through the nodes from the subquery's last one down to the aggregate. *out is NULL if there are
 * others between. */
static status take_off(plan_statement *s, plan_node *node, last_aggregate *out)
{
    arena *a = s->memory;
    for (;; node = node->children[0]) {
        switch (node->kind) {
        case PLAN_PROJECT:
            TRY(plan_substitute(a, &node->columns, node->project.exprs.items, &out->value));
            TRY(plan_substitute(a, &node->columns, node->project.exprs.items, &out->condition));
            break;
        case PLAN_FILTER:
            for (size_t i = 0; i < node->filter.conditions.count; i++) {
                out->condition = expr_new_and(a, out->condition, node->filter.conditions.items[i]);
                if (!out->condition)
                    return last_aggregate_no_memory();
            }
            break;
        case PLAN_AGGREGATE:
            if (!node->aggregate.groups.count) {
                out->node = node;
                return STATUS_OK;
            }
            if (node->aggregate.aggregates.count)
                return STATUS_OK;
            TRY(plan_substitute(a, &node->columns, node->aggregate.groups.items, &out->value));
            TRY(plan_substitute(a, &node->columns, node->aggregate.groups.items, &out->condition));
            break;
        case PLAN_SORT:
            if (node->sort.has_limit && !node->sort.limit)
                return STATUS_OK;
            break;
        case PLAN_LIMIT:
            if (node->limit.offset || (node->limit.has_limit && !node->limit.limit))
                return STATUS_OK;
            break;
        default:
            return STATUS_OK;
        }
    }
}

plan_node *plan_last_aggregate(plan_node *node)
{
    for (;; node = node->children[0]) {
        bool is_aggregate = node->kind == PLAN_AGGREGATE;
        if (is_aggregate && !node->aggregate.groups.count)
            return node;
        if (node->kind != PLAN_PROJECT && node->kind != PLAN_FILTER && node->kind != PLAN_SORT &&
            node->kind != PLAN_LIMIT && (!is_aggregate || node->aggregate.aggregates.count))
            return NULL;
    }
}

status plan_take_off(plan_statement *s, plan_node *plan, last_aggregate *out)
{
    const plan_column *column = &plan->columns.items[0];
    *out = (last_aggregate){0};
    if (plan->columns.count) {
        out->value = plan_column_expr(s->memory, column);
        if (!out->value)
            return last_aggregate_no_memory();
    }
    return take_off(s, plan, out);
}
