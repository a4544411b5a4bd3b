/* rewrite_filters.c - moves conditions down to where they can be checked first, and turns cross
 * joins under conditions into joins on keys, whose order rewrite_join_order picks.
 *
 * push(node, conditions) gives a plan equivalent to the node under a filter of the conditions. */
#include "plan/rules/rewrite_filters.h"

#include "base/cancel.h"
#include "base/system/guard.h"
#include "plan/edit/repeatable.h"
#include "plan/edit/shared.h"
#include "plan/facts/condition.h"
#include "plan/fold/fold.h"
#include "plan/nodes/node.h"
#include "plan/nodes/node_filter.h"
#include "plan/nodes/node_join.h"
#include "plan/nodes/visit.h"
#include "plan/rules/rewrite_join_order.h"
#include "plan/rules/rewrite_outer_joins.h"
#include "plan/rules/scan/rewrite_files.h"
#include "plan/tree/column_set.h"
#include "plan/tree/function.h"
#include "plan/tree/rule.h"

static status filters_push(plan_statement *s, plan_node *node, expr_list *conditions,
                           plan_node **out);

static status push_children(plan_statement *s, plan_node *node)
{
    TRY(guard_check());
    for (uint32_t i = 0; i < node->child_count; i++) {
        expr_list none = {0};
        TRY(filters_push(s, node->children[i], &none, &node->children[i]));
    }
    return STATUS_OK;
}

/* Nothing goes through this node. */
static status stop_here(plan_statement *s, plan_node *node, expr_list *conditions, plan_node **out)
{
    TRY(push_children(s, node));
    plan_estimate(s, node);
    TRY(plan_filter_over(s->memory, node, conditions, out));
    plan_estimate(s, *out);
    return STATUS_OK;
}

/* A rule may push what was pushed before. */
static status add_once(arena *a, expr *e, expr_list *list)
{
    TRY(cancel_check());
    for (size_t i = 0; i < list->count; i++)
        if (expr_equal(list->items[i], e))
            return STATUS_OK;
    return array_push(a, list, e);
}

static status push_scan(plan_statement *s, plan_node *node, expr_list *conditions, plan_node **out)
{
    for (size_t i = 0; i < conditions->count; i++)
        TRY(add_once(s->memory, conditions->items[i], &node->scan.filters));
    TRY(plan_narrow_scan(s, node));
    plan_estimate(s, node);
    *out = node;
    return STATUS_OK;
}

static expr *fold_args(arena *a, expr *e)
{
    for (uint32_t i = 0; i < e->arg_count; i++) {
        e->args[i] = fold_args(a, e->args[i]);
        if (!e->args[i])
            return NULL;
    }
    return expr_fold(a, e);
}

/* Folds a copy with constants in the place of columns: e has its own expressions from here on. */
static expr *fold_copy(arena *a, const expr *e)
{
    expr *copy = expr_copy(a, e);
    return copy ? fold_args(a, copy) : NULL;
}

static bool rewrite_filters_is_true(const expr *e)
{
    return e->kind == EXPR_CONSTANT && e->type.id == TYPE_BOOL && !e->constant.is_null &&
           e->constant.boolean;
}

static status filters_push_project(plan_statement *s, plan_node *node, expr_list *conditions,
                                   plan_node **out)
{
    expr_list below = {0};
    for (size_t i = 0; i < conditions->count; i++) {
        expr *moved = expr_substitute(s->memory, conditions->items[i], &node->columns,
                                      node->project.exprs.items);
        if (moved && moved != conditions->items[i])
            moved = fold_copy(s->memory, moved);
        if (!moved)
            return status_no_memory("plan", sizeof *moved);
        if (!rewrite_filters_is_true(moved))
            TRY(array_push(s->memory, &below, moved));
    }
    TRY(filters_push(s, node->children[0], &below, &node->children[0]));
    plan_estimate(s, node);
    *out = node;
    return STATUS_OK;
}

/* Conditions on what is in the set alone may sink, and of an OR what it says of that; e itself goes
 * above, unless it sinks whole. */
static status sink(plan_statement *s, expr *e, const column_set *set, bool may_sink,
                   expr_list *below, expr_list *above)
{
    expr *implied = NULL;
    if (may_sink && column_set_covers(set, e))
        return array_push(s->memory, below, e);
    TRY(array_push(s->memory, above, e));
    if (may_sink && plan_rule_is_on(s, RULE_implied_conditions))
        TRY(plan_implied_condition(s->memory, e, set, &implied));
    return implied ? array_push(s->memory, below, implied) : STATUS_OK;
}

/* Conditions on the groups alone choose whole groups: they may be checked before. */
static status filters_push_aggregate(plan_statement *s, plan_node *node, expr_list *conditions,
                                     plan_node **out)
{
    expr_list below = {0}, above = {0};
    column_set groups;
    size_t group_count = node->aggregate.groups.count;
    TRY(column_set_new(s->memory, s->next_column_id, &groups));
    for (size_t i = 0; i < group_count; i++)
        column_set_add(&groups, node->columns.items[i].id);
    plan_column_list group_columns = node->columns;
    group_columns.count = group_count;
    for (size_t i = 0; i < conditions->count; i++)
        TRY(sink(s, conditions->items[i], &groups, group_count, &below, &above));
    for (size_t i = 0; i < below.count; i++) {
        expr **e = &below.items[i];
        *e = expr_substitute(s->memory, *e, &group_columns, node->aggregate.groups.items);
        if (!*e)
            return status_no_memory("plan", sizeof **e);
    }
    TRY(filters_push(s, node->children[0], &below, &node->children[0]));
    plan_estimate(s, node);
    TRY(plan_filter_over(s->memory, node, &above, out));
    plan_estimate(s, *out);
    return STATUS_OK;
}

/* Nobody sees which rows a sort without limit did not get. */
static status push_sort(plan_statement *s, plan_node *node, expr_list *conditions, plan_node **out)
{
    if (node->sort.has_limit)
        return stop_here(s, node, conditions, out);
    TRY(filters_push(s, node->children[0], conditions, &node->children[0]));
    plan_estimate(s, node);
    *out = node;
    return STATUS_OK;
}

/* Conditions on what divides the rows choose whole partitions: they may be checked before. */
static status filters_push_window(plan_statement *s, plan_node *node, expr_list *conditions,
                                  plan_node **out)
{
    expr_list below = {0}, above = {0};
    column_set partition;
    TRY(column_set_new(s->memory, s->next_column_id, &partition));
    column_set_add_list(&partition, &node->window.partition);
    for (size_t i = 0; i < conditions->count; i++)
        TRY(sink(s, conditions->items[i], &partition, node->window.partition.count, &below,
                 &above));
    TRY(filters_push(s, node->children[0], &below, &node->children[0]));
    plan_estimate(s, node);
    TRY(plan_filter_over(s->memory, node, &above, out));
    plan_estimate(s, *out);
    return STATUS_OK;
}

static status filters_push_union(plan_statement *s, plan_node *node, expr_list *conditions,
                                 plan_node **out)
{
    for (uint32_t c = 0; c < node->child_count; c++) {
        plan_node *child = node->children[c];
        expr_list below = {0};
        expr **columns = arena_alloc_array(s->memory, node->columns.count + 1, sizeof *columns);
        if (!columns)
            return status_no_memory("plan", node->columns.count * sizeof *columns);
        for (size_t i = 0; i < node->columns.count; i++) {
            const plan_column *column = &child->columns.items[i];
            columns[i] = plan_column_expr(s->memory, column);
            if (!columns[i])
                return status_no_memory("plan", sizeof **columns);
        }
        for (size_t i = 0; i < conditions->count; i++) {
            expr *moved = expr_substitute(s->memory, conditions->items[i], &node->columns, columns);
            if (!moved)
                return status_no_memory("plan", sizeof *moved);
            TRY(array_push(s->memory, &below, moved));
        }
        TRY(filters_push(s, child, &below, &node->children[c]));
    }
    plan_estimate(s, node);
    *out = node;
    return STATUS_OK;
}

/* ---- joins ---- */

/* Splits an outer, semi, anti or mark join's own condition: what only concerns the right side goes
 * there, equalities become keys. */
static status split_condition(plan_statement *s, plan_node *node, const column_set *left,
                              const column_set *right, expr_list *to_right)
{
    expr_list parts = {0};
    expr *residual = NULL;
    if (node->join.residual)
        TRY(expr_split_and(s->memory, node->join.residual, &parts));
    bool right_may_shrink = node->join.type != JOIN_RIGHT && node->join.type != JOIN_FULL &&
                            node->join.type != JOIN_ANTI_NULL && node->join.type != JOIN_MARK;
    for (size_t i = 0; i < parts.count; i++) {
        expr *e = parts.items[i];
        /* If NULL equals NULL among the keys, only those are such. */
        bool is_volatile = expr_is_volatile(e);
        bool is_equality =
            e->kind == EXPR_CALL && e->op == EXPR_EQ && !node->join.null_equal && !is_volatile;
        if (right_may_shrink && !is_volatile && column_set_covers(right, e)) {
            TRY(array_push(s->memory, to_right, e));
        } else if (is_equality && column_set_covers(left, e->args[0]) &&
                   column_set_covers(right, e->args[1]) && column_set_meets(right, e->args[1])) {
            TRY(array_push(s->memory, &node->join.left_keys, e->args[0]));
            TRY(array_push(s->memory, &node->join.right_keys, e->args[1]));
        } else if (is_equality && column_set_covers(left, e->args[1]) &&
                   column_set_covers(right, e->args[0]) && column_set_meets(right, e->args[0])) {
            TRY(array_push(s->memory, &node->join.left_keys, e->args[1]));
            TRY(array_push(s->memory, &node->join.right_keys, e->args[0]));
        } else {
            residual = expr_new_and(s->memory, residual, e);
            if (!residual)
                return status_no_memory("plan", sizeof *residual);
        }
    }
    node->join.residual = residual;
    return plan_take_null_keys(s->memory, node, left, right);
}

/* Rows of the left side pass or not, whatever else they are joined with. */
static bool filters_is_reducer(const plan_node *node)
{
    return node->kind == PLAN_JOIN &&
           (node->join.type == JOIN_SEMI || node->join.type == JOIN_ANTI ||
            node->join.type == JOIN_ANTI_NULL);
}

static bool filters_is_inner(const plan_node *node)
{
    return node->kind == PLAN_JOIN && node->join.type == JOIN_INNER && !node->join.null_equal;
}

static status filters_gather(plan_statement *s, plan_node *node, join_graph *graph);

/* Takes conditions of a semi join on its left side alone, which drop rows of that side. */
static status take_own_conditions(plan_statement *s, plan_node *node, const column_set *left,
                                  expr_list *conditions)
{
    expr_list parts = {0};
    if (!node->join.residual)
        return STATUS_OK;
    TRY(expr_split_and(s->memory, node->join.residual, &parts));
    node->join.residual = NULL;
    for (size_t i = 0; i < parts.count; i++) {
        if (column_set_covers(left, parts.items[i])) {
            TRY(array_push(s->memory, conditions, parts.items[i]));
            continue;
        }
        node->join.residual = expr_new_and(s->memory, node->join.residual, parts.items[i]);
        if (!node->join.residual)
            return status_no_memory("plan", sizeof *node->join.residual);
    }
    return STATUS_OK;
}

static status gather_reducer(plan_statement *s, plan_node *node, join_graph *graph)
{
    column_set left, right;
    expr_list to_right = {0};
    TRY(plan_join_sides(s, node, &left, &right));
    TRY(split_condition(s, node, &left, &right, &to_right));
    if (node->join.type == JOIN_SEMI)
        TRY(take_own_conditions(s, node, &left, &graph->conditions));
    TRY(filters_push(s, node->children[1], &to_right, &node->children[1]));
    TRY(array_push(s->memory, &graph->reducers, node));
    return filters_gather(s, node->children[0], graph);
}

/* The relations and conditions of a tree of inner, semi and anti joins and the filters between. */
static status filters_gather(plan_statement *s, plan_node *node, join_graph *graph)
{
    TRY(guard_check());
    if (!plan_is_repeatable(node))
        return array_push(s->memory, &graph->relations, node);
    if (node->kind == PLAN_FILTER && plan_rule_is_on(s, RULE_filter_pushdown)) {
        for (size_t i = 0; i < node->filter.conditions.count; i++)
            TRY(plan_split_condition(s->memory, node->filter.conditions.items[i],
                                     &graph->conditions));
        return filters_gather(s, node->children[0], graph);
    }
    if (filters_is_reducer(node))
        return gather_reducer(s, node, graph);
    if (!filters_is_inner(node))
        return array_push(s->memory, &graph->relations, node);
    for (size_t k = 0; k < node->join.left_keys.count; k++) {
        expr *pair[] = {node->join.left_keys.items[k], node->join.right_keys.items[k]};
        expr *equal = expr_new_call(s->memory, EXPR_EQ, type_make(TYPE_BOOL), pair, 2, -1);
        if (!equal)
            return status_no_memory("plan", sizeof *equal);
        TRY(array_push(s->memory, &graph->conditions, equal));
    }
    if (node->join.residual)
        TRY(plan_split_condition(s->memory, node->join.residual, &graph->conditions));
    TRY(filters_gather(s, node->children[0], graph));
    return filters_gather(s, node->children[1], graph);
}

/* Gives each relation the conditions on it alone, those that an OR implies among them; keeps those
 * between relations. */
static status share_conditions(plan_statement *s, join_graph *graph, expr_list *single)
{
    size_t count = graph->relations.count, kept = 0;
    column_set *sets = arena_alloc_array(s->memory, count + 1, sizeof *sets);
    if (!sets)
        return status_no_memory("plan", count * sizeof *sets);
    for (size_t r = 0; r < count; r++) {
        TRY(column_set_new(s->memory, s->next_column_id, &sets[r]));
        column_set_add_node(&sets[r], graph->relations.items[r]);
    }
    for (size_t i = 0; i < graph->conditions.count; i++) {
        expr *e = graph->conditions.items[i];
        size_t home = 0;
        while (home < count && !column_set_covers(&sets[home], e))
            home++;
        if (home < count) {
            TRY(array_push(s->memory, &single[home], e));
            continue;
        }
        graph->conditions.items[kept++] = e;
        for (size_t r = 0; r < count && plan_rule_is_on(s, RULE_implied_conditions); r++) {
            expr *implied;
            TRY(plan_implied_condition(s->memory, e, &sets[r], &implied));
            if (implied)
                TRY(array_push(s->memory, &single[r], implied));
        }
    }
    graph->conditions.count = kept;
    return STATUS_OK;
}

/* Outer joins among the relations that a condition between these makes inner ones are taken apart, too. */
static status narrow_relations(plan_statement *s, join_graph *graph)
{
    for (size_t r = 0; r < graph->relations.count && plan_rule_is_on(s, RULE_outer_joins);) {
        plan_node *node = graph->relations.items[r++];
        if (node->kind != PLAN_JOIN || !plan_is_repeatable(node))
            continue;
        TRY(plan_narrow_outer_join(s, node, &graph->conditions));
        if (!filters_is_inner(node))
            continue;
        graph->relations.count--;
        memmove(&graph->relations.items[r - 1], &graph->relations.items[r],
                (graph->relations.count - (r - 1)) * sizeof(plan_node *));
        TRY(filters_gather(s, node, graph));
        r = 0; /* there are more conditions now */
    }
    return STATUS_OK;
}

/* The side of whose rows each comes out, with partners or without, or NULL. */
static plan_node **kept_side(plan_node *node)
{
    if (node->kind != PLAN_JOIN || !plan_is_repeatable(node))
        return NULL;
    switch (node->join.type) {
    case JOIN_LEFT:
    case JOIN_SINGLE:
    case JOIN_MARK:
        return &node->children[0];
    case JOIN_RIGHT:
        return &node->children[1];
    default:
        return NULL;
    }
}

/* All that the reducer reads of its left side is among the node's columns. */
static status is_reduced_by(plan_statement *s, const plan_node *node, const plan_node *reducer,
                            bool *out)
{
    column_set columns;
    TRY(column_set_new(s->memory, s->next_column_id, &columns));
    column_set_add_node(&columns, node);
    *out = true;
    for (size_t k = 0; k < reducer->join.left_keys.count; k++)
        *out &= column_set_covers(&columns, reducer->join.left_keys.items[k]);
    column_set_add_node(&columns, reducer->children[1]);
    *out &= !reducer->join.residual || column_set_covers(&columns, reducer->join.residual);
    return STATUS_OK;
}

/* Semi and anti joins that read one outer join's kept side alone are made of its rows before they have partners. */
static status reduce_kept_sides(plan_statement *s, join_graph *graph)
{
    size_t kept = 0;
    for (size_t i = 0; i < graph->reducers.count; i++) {
        plan_node *reducer = graph->reducers.items[i];
        bool is_below = false;
        for (size_t r = 0; r < graph->relations.count && !is_below; r++) {
            plan_node *node = graph->relations.items[r], **side = kept_side(node);
            if (side)
                TRY(is_reduced_by(s, *side, reducer, &is_below));
            if (!is_below)
                continue;
            reducer->children[0] = *side;
            *side = reducer;
            TRY(plan_join_columns(s->memory, reducer));
        }
        if (!is_below)
            graph->reducers.items[kept++] = reducer;
    }
    graph->reducers.count = kept;
    return STATUS_OK;
}

static status push_graph(plan_statement *s, plan_node *node, const expr_list *conditions,
                         plan_node **out)
{
    join_graph graph = {.conditions = *conditions};
    TRY(filters_gather(s, node, &graph));
    TRY(narrow_relations(s, &graph));
    TRY(reduce_kept_sides(s, &graph));
    size_t count = graph.relations.count;
    expr_list *single = arena_alloc_array(s->memory, count + 1, sizeof *single);
    if (!single)
        return status_no_memory("plan", count * sizeof *single);
    TRY(share_conditions(s, &graph, single));
    for (size_t r = 0; r < count; r++)
        TRY(filters_push(s, graph.relations.items[r], &single[r], &graph.relations.items[r]));
    return rewrite_join_order(s, &graph, out);
}

/* Conditions that only read keys of the side which an outer join keeps hold for the other side's
 * keys as well, in all rows that have a partner: adds them. */
static status add_of_keys(plan_statement *s, const expr_list *conditions, const expr_list *kept,
                          const expr_list *others, expr_list *out)
{
    plan_column_list columns = {0};
    expr_list partners = {0};
    column_set keys;
    TRY(column_set_new(s->memory, s->next_column_id, &keys));
    for (size_t k = 0; k < kept->count; k++) {
        const expr *key = kept->items[k];
        if (key->kind != EXPR_COLUMN)
            continue;
        plan_column column = {.id = key->column_id, .type = key->type};
        TRY(array_push(s->memory, &columns, column));
        TRY(array_push(s->memory, &partners, others->items[k]));
        column_set_add(&keys, key->column_id);
    }
    for (size_t i = 0; i < conditions->count; i++) {
        expr *e = conditions->items[i];
        if (!column_set_covers(&keys, e) || !column_set_meets(&keys, e) || !expr_cannot_fail(e))
            continue;
        e = expr_substitute(s->memory, e, &columns, partners.items);
        if (!e)
            return status_no_memory("plan", sizeof *e);
        TRY(array_push(s->memory, out, e));
    }
    return STATUS_OK;
}

static status filters_push_join(plan_statement *s, plan_node *node, expr_list *conditions,
                                plan_node **out)
{
    if (filters_is_inner(node) || filters_is_reducer(node))
        return push_graph(s, node, conditions, out);
    if (plan_rule_is_on(s, RULE_outer_joins)) {
        TRY(plan_narrow_outer_join(s, node, conditions));
        TRY(plan_anti_of_outer_join(s, node, conditions, &node));
        if (node->kind != PLAN_JOIN || filters_is_inner(node))
            return filters_push(s, node, conditions, out);
    }
    column_set left, right;
    TRY(plan_join_sides(s, node, &left, &right));
    expr_list to_left = {0}, to_right = {0}, above = {0};
    bool keeps_left = node->join.type != JOIN_RIGHT && node->join.type != JOIN_FULL;
    bool keeps_right = node->join.type == JOIN_RIGHT;
    for (size_t i = 0; i < conditions->count; i++) {
        expr *e = conditions->items[i];
        expr_list *target = keeps_left && column_set_covers(&left, e)     ? &to_left
                            : keeps_right && column_set_covers(&right, e) ? &to_right
                                                                          : &above;
        TRY(array_push(s->memory, target, e));
    }
    TRY(split_condition(s, node, &left, &right, &to_right));
    if (node->join.type == JOIN_LEFT)
        TRY(add_of_keys(s, &to_left, &node->join.left_keys, &node->join.right_keys, &to_right));
    else if (node->join.type == JOIN_RIGHT)
        TRY(add_of_keys(s, &to_right, &node->join.right_keys, &node->join.left_keys, &to_left));
    TRY(filters_push(s, node->children[0], &to_left, &node->children[0]));
    TRY(filters_push(s, node->children[1], &to_right, &node->children[1]));
    plan_estimate(s, node);
    plan_choose_build_side(s, node);
    TRY(plan_filter_over(s->memory, node, &above, out));
    plan_estimate(s, *out);
    return STATUS_OK;
}

/* Does what is left of moving conditions where that is left out: each is checked where it is written. */
static status stay(plan_statement *s, plan_node *node, expr_list *conditions, plan_node **out)
{
    TRY(guard_check());
    expr_list none = {0};
    if (node->kind == PLAN_FILTER)
        return stop_here(s, node, conditions, out);
    TRY(filters_push(s, node, &none, &node));
    TRY(plan_filter_over(s->memory, node, conditions, out));
    plan_estimate(s, *out);
    return STATUS_OK;
}

/* The lower conditions stay the first ones: those above may only be computable where they hold. */
static status push_filter(plan_statement *s, plan_node *node, const expr_list *conditions,
                          plan_node **out)
{
    expr_list all = {0};
    for (size_t i = 0; i < node->filter.conditions.count; i++)
        TRY(plan_split_condition(s->memory, node->filter.conditions.items[i], &all));
    for (size_t i = 0; i < conditions->count; i++)
        TRY(array_push(s->memory, &all, conditions->items[i]));
    return filters_push(s, node->children[0], &all, out);
}

/* ---- nodes some of whose conditions are computed anew for each row ---- */

static status split_volatile(const expr_list *conditions, arena *a, expr_list *repeatable,
                             expr_list *others)
{
    expr_list parts = {0};
    for (size_t i = 0; i < conditions->count; i++)
        TRY(plan_split_condition(a, conditions->items[i], &parts));
    for (size_t i = 0; i < parts.count; i++)
        TRY(array_push(a, expr_is_volatile(parts.items[i]) ? others : repeatable, parts.items[i]));
    return STATUS_OK;
}

/* The filter's other conditions go down. */
static status push_volatile_filter(plan_statement *s, plan_node *node, expr_list *above,
                                   plan_node **out)
{
    expr_list below = {0}, kept = {0};
    TRY(split_volatile(&node->filter.conditions, s->memory, &below, &kept));
    node->filter.conditions = kept;
    TRY(filters_push(s, node->children[0], &below, &node->children[0]));
    plan_estimate(s, node);
    TRY(plan_filter_over(s->memory, node, above, out));
    plan_estimate(s, *out);
    return STATUS_OK;
}

/* An inner join's such conditions are checked of its pairs, the others are its own. */
static status push_volatile_inner(plan_statement *s, plan_node *join, const expr_list *above,
                                  plan_node **out)
{
    expr_list own = {0}, others = {0}, all = {0}, below = {0};
    TRY(array_push(s->memory, &all, join->join.residual));
    TRY(split_volatile(&all, s->memory, &own, &others));
    TRY(split_volatile(above, s->memory, &below, &others));
    join->join.residual = NULL;
    for (size_t i = 0; i < own.count; i++) {
        join->join.residual = expr_new_and(s->memory, join->join.residual, own.items[i]);
        if (!join->join.residual)
            return status_no_memory("plan", sizeof *join->join.residual);
    }
    TRY(filters_push(s, join, &below, &join));
    TRY(plan_filter_over(s->memory, join, &others, out));
    plan_estimate(s, *out);
    return STATUS_OK;
}

/* Another join keeps them and has its keys. What reads the side alone whose rows all come out goes there. */
static status push_volatile_join(plan_statement *s, plan_node *join, const expr_list *conditions,
                                 plan_node **out)
{
    column_set left, right;
    expr_list to_left = {0}, to_right = {0}, above = {0};
    bool keeps_left = join->join.type != JOIN_RIGHT && join->join.type != JOIN_FULL;
    bool keeps_right = join->join.type == JOIN_RIGHT;
    TRY(plan_join_sides(s, join, &left, &right));
    for (size_t i = 0; i < conditions->count; i++) {
        expr *e = conditions->items[i];
        bool may_sink = !expr_is_volatile(e);
        expr_list *target = may_sink && keeps_left && column_set_covers(&left, e)     ? &to_left
                            : may_sink && keeps_right && column_set_covers(&right, e) ? &to_right
                                                                                      : &above;
        TRY(array_push(s->memory, target, e));
    }
    TRY(split_condition(s, join, &left, &right, &to_right));
    TRY(filters_push(s, join->children[0], &to_left, &join->children[0]));
    TRY(filters_push(s, join->children[1], &to_right, &join->children[1]));
    plan_estimate(s, join);
    plan_choose_build_side(s, join);
    TRY(plan_filter_over(s->memory, join, &above, out));
    plan_estimate(s, *out);
    return STATUS_OK;
}

static bool has_volatile_keys(const plan_node *join)
{
    for (size_t k = 0; k < join->join.left_keys.count; k++)
        if (expr_is_volatile(join->join.left_keys.items[k]) ||
            expr_is_volatile(join->join.right_keys.items[k]))
            return true;
    return false;
}

static status push_volatile(plan_statement *s, plan_node *node, expr_list *above, plan_node **out)
{
    if (node->kind == PLAN_FILTER)
        return push_volatile_filter(s, node, above, out);
    if (node->kind != PLAN_JOIN || has_volatile_keys(node))
        return stop_here(s, node, above, out);
    if (plan_rule_is_on(s, RULE_outer_joins))
        TRY(plan_narrow_outer_join(s, node, above));
    return filters_is_inner(node) ? push_volatile_inner(s, node, above, out)
                                  : push_volatile_join(s, node, above, out);
}

/* ---- any node ---- */

static status filters_push(plan_statement *s, plan_node *node, expr_list *conditions,
                           plan_node **out)
{
    bool moves = plan_rule_is_on(s, RULE_filter_pushdown);
    if (!moves && (conditions->count || node->kind == PLAN_FILTER))
        return stay(s, node, conditions, out);
    if (!plan_is_repeatable(node))
        return push_volatile(s, node, conditions, out);
    switch (node->kind) {
    case PLAN_FILTER:
        return push_filter(s, node, conditions, out);
    case PLAN_SCAN:
        return push_scan(s, node, conditions, out);
    case PLAN_PROJECT:
        return filters_push_project(s, node, conditions, out);
    case PLAN_AGGREGATE:
        return filters_push_aggregate(s, node, conditions, out);
    case PLAN_JOIN:
        return filters_push_join(s, node, conditions, out);
    case PLAN_UNION:
        return filters_push_union(s, node, conditions, out);
    case PLAN_SORT:
        return push_sort(s, node, conditions, out);
    case PLAN_WINDOW:
        return filters_push_window(s, node, conditions, out);
    default:
        return stop_here(s, node, conditions, out);
    }
}

status plan_push_conditions(plan_statement *statement, expr_list *conditions, plan_node **node)
{
    return filters_push(statement, *node, conditions, node);
}

static status push_none(plan_statement *s, plan_node *node, plan_node **out)
{
    expr_list none = {0};
    return filters_push(s, node, &none, out);
}

status rewrite_filters(plan_statement *statement)
{
    return plan_each_tree(statement, push_none);
}
