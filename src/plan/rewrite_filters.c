/* rewrite_filters.c - moves conditions down to where they can be checked first, and turns cross
 * joins under conditions into joins on keys, whose order rewrite_join_order picks.
 *
 * push(node, conditions) gives a plan equivalent to the node under a filter of the conditions. */
#include "plan/rewrite.h"

static status push(plan_statement *s, plan_node *node, expr_list *conditions, plan_node **out);

static status push_children(plan_statement *s, plan_node *node)
{
    for (uint32_t i = 0; i < node->child_count; i++) {
        expr_list none = {0};
        TRY(push(s, node->children[i], &none, &node->children[i]));
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

static status push_scan(plan_statement *s, plan_node *node, expr_list *conditions, plan_node **out)
{
    for (size_t i = 0; i < conditions->count; i++)
        TRY(array_push(s->memory, &node->scan.filters, conditions->items[i]));
    plan_estimate(s, node);
    *out = node;
    return STATUS_OK;
}

static status push_project(plan_statement *s, plan_node *node, expr_list *conditions,
                           plan_node **out)
{
    expr_list below = {0};
    for (size_t i = 0; i < conditions->count; i++) {
        expr *moved = expr_substitute(s->memory, conditions->items[i], &node->columns,
                                      node->project.exprs.items);
        if (!moved)
            return status_no_memory("plan", sizeof *moved);
        TRY(array_push(s->memory, &below, moved));
    }
    TRY(push(s, node->children[0], &below, &node->children[0]));
    plan_estimate(s, node);
    *out = node;
    return STATUS_OK;
}

/* Conditions on the groups alone choose whole groups: they may be checked before. */
static status push_aggregate(plan_statement *s, plan_node *node, expr_list *conditions,
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
    for (size_t i = 0; i < conditions->count; i++) {
        expr *e = conditions->items[i];
        if (!group_count || !column_set_covers(&groups, e)) {
            TRY(array_push(s->memory, &above, e));
            continue;
        }
        e = expr_substitute(s->memory, e, &group_columns, node->aggregate.groups.items);
        if (!e)
            return status_no_memory("plan", sizeof *e);
        TRY(array_push(s->memory, &below, e));
    }
    TRY(push(s, node->children[0], &below, &node->children[0]));
    plan_estimate(s, node);
    TRY(plan_filter_over(s->memory, node, &above, out));
    plan_estimate(s, *out);
    return STATUS_OK;
}

static status push_union(plan_statement *s, plan_node *node, expr_list *conditions, plan_node **out)
{
    for (uint32_t c = 0; c < node->child_count; c++) {
        plan_node *child = node->children[c];
        expr_list below = {0};
        expr **columns = arena_alloc_array(s->memory, node->columns.count + 1, sizeof *columns);
        if (!columns)
            return status_no_memory("plan", node->columns.count * sizeof *columns);
        for (size_t i = 0; i < node->columns.count; i++) {
            const plan_column *column = &child->columns.items[i];
            columns[i] = expr_new_column(s->memory, column->id, column->type, column->is_nullable,
                                         column->name);
            if (!columns[i])
                return status_no_memory("plan", sizeof **columns);
        }
        for (size_t i = 0; i < conditions->count; i++) {
            expr *moved = expr_substitute(s->memory, conditions->items[i], &node->columns, columns);
            if (!moved)
                return status_no_memory("plan", sizeof *moved);
            TRY(array_push(s->memory, &below, moved));
        }
        TRY(push(s, child, &below, &node->children[c]));
    }
    plan_estimate(s, node);
    *out = node;
    return STATUS_OK;
}

/* ---- joins ---- */

typedef ARRAY(plan_node *) node_list;

/* The relations and conditions of a tree of inner joins and the filters between them. */
static status gather_inner(plan_statement *s, plan_node *node, node_list *relations,
                           expr_list *conditions)
{
    if (node->kind == PLAN_FILTER) {
        for (size_t i = 0; i < node->filter.conditions.count; i++)
            TRY(plan_split_condition(s->memory, node->filter.conditions.items[i], conditions));
        return gather_inner(s, node->children[0], relations, conditions);
    }
    if (node->kind != PLAN_JOIN || node->join.type != JOIN_INNER || node->join.null_equal)
        return array_push(s->memory, relations, node);
    for (size_t k = 0; k < node->join.left_keys.count; k++) {
        expr *pair[] = {node->join.left_keys.items[k], node->join.right_keys.items[k]};
        expr *equal = expr_new_call(s->memory, EXPR_EQ, type_make(TYPE_BOOL), pair, 2, -1);
        if (!equal)
            return status_no_memory("plan", sizeof *equal);
        TRY(array_push(s->memory, conditions, equal));
    }
    if (node->join.residual)
        TRY(plan_split_condition(s->memory, node->join.residual, conditions));
    TRY(gather_inner(s, node->children[0], relations, conditions));
    return gather_inner(s, node->children[1], relations, conditions);
}

static status push_inner(plan_statement *s, plan_node *node, expr_list *conditions, plan_node **out)
{
    node_list relations = {0};
    TRY(gather_inner(s, node, &relations, conditions));
    expr_list between = {0};
    expr_list *single = arena_alloc_array(s->memory, relations.count + 1, sizeof *single);
    if (!single)
        return status_no_memory("plan", relations.count * sizeof *single);
    for (size_t i = 0; i < conditions->count; i++) {
        size_t home = relations.count;
        for (size_t r = 0; r < relations.count && home == relations.count; r++) {
            column_set set;
            TRY(column_set_new(s->memory, s->next_column_id, &set));
            column_set_add_node(&set, relations.items[r]);
            if (column_set_covers(&set, conditions->items[i]))
                home = r;
        }
        TRY(array_push(s->memory, home < relations.count ? &single[home] : &between,
                       conditions->items[i]));
    }
    for (size_t r = 0; r < relations.count; r++)
        TRY(push(s, relations.items[r], &single[r], &relations.items[r]));
    return rewrite_join_order(s, relations.items, relations.count, &between, out);
}

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
        bool is_equality = e->kind == EXPR_CALL && e->op == EXPR_EQ;
        if (right_may_shrink && column_set_covers(right, e)) {
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
    return STATUS_OK;
}

static status push_join(plan_statement *s, plan_node *node, expr_list *conditions, plan_node **out)
{
    if (node->join.type == JOIN_INNER && !node->join.null_equal)
        return push_inner(s, node, conditions, out);
    column_set left, right;
    TRY(column_set_new(s->memory, s->next_column_id, &left));
    TRY(column_set_new(s->memory, s->next_column_id, &right));
    column_set_add_node(&left, node->children[0]);
    column_set_add_node(&right, node->children[1]);
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
    TRY(push(s, node->children[0], &to_left, &node->children[0]));
    TRY(push(s, node->children[1], &to_right, &node->children[1]));
    plan_estimate(s, node);
    /* An outer join may build on the side that it keeps, if that is the smaller one. */
    if (node->join.type == JOIN_LEFT &&
        node->children[0]->estimated_rows * 2 < node->children[1]->estimated_rows)
        node->join.build_left = true;
    TRY(plan_filter_over(s->memory, node, &above, out));
    plan_estimate(s, *out);
    return STATUS_OK;
}

static status push(plan_statement *s, plan_node *node, expr_list *conditions, plan_node **out)
{
    switch (node->kind) {
    case PLAN_FILTER:
        for (size_t i = 0; i < node->filter.conditions.count; i++)
            TRY(plan_split_condition(s->memory, node->filter.conditions.items[i], conditions));
        return push(s, node->children[0], conditions, out);
    case PLAN_SCAN:
        return push_scan(s, node, conditions, out);
    case PLAN_PROJECT:
        return push_project(s, node, conditions, out);
    case PLAN_AGGREGATE:
        return push_aggregate(s, node, conditions, out);
    case PLAN_JOIN:
        return push_join(s, node, conditions, out);
    case PLAN_UNION:
        return push_union(s, node, conditions, out);
    default:
        return stop_here(s, node, conditions, out);
    }
}

status rewrite_filters(plan_statement *statement, plan_node *node, plan_node **out)
{
    expr_list none = {0};
    return push(statement, node, &none, out);
}
