/* node_join.c - pairs of its children's rows that match, or what its type makes of them. */
#include "plan/nodes/node_join.h"

#include "plan/nodes/node.h"
#include "plan/nodes/prune.h"
#include "plan/tree/estimate.h"

#include <math.h>

static void join_visit(plan_node *node, plan_visitor *visit, void *context)
{
    plan_visit_list(&node->join.left_keys, visit, context);
    plan_visit_list(&node->join.right_keys, visit, context);
    plan_visit_list(&node->join.ranges, visit, context);
    plan_visit_optional(&node->join.residual, visit, context);
}

static void join_write(plan_writer *w, const plan_node *node)
{
    const char *joiner = " on ";
    for (size_t i = 0; i < node->join.left_keys.count; i++, joiner = " and ") {
        plan_write_text(w, joiner);
        plan_write_expr(w, node->join.left_keys.items[i]);
        plan_write_text(w, node->join.null_equal ? " is not distinct from " : " = ");
        plan_write_expr(w, node->join.right_keys.items[i]);
    }
    for (size_t i = 0; i < node->join.ranges.count; i++, joiner = " and ") {
        plan_write_text(w, joiner);
        plan_write_expr(w, node->join.ranges.items[i]);
    }
    if (node->join.residual) {
        plan_write_text(w, joiner);
        plan_write_expr(w, node->join.residual);
    }
    size_t count = node->join.runtime_filters.count;
    if (count)
        plan_write_text(w, count > 1 ? " gives filters" : " gives filter");
    for (size_t i = 0; i < count; i++)
        plan_write_format(w, "%s %u", i ? "," : "", node->join.runtime_filters.items[i].id);
    if (node->join.has_united_filters)
        plan_write_text(w, " of all ranks");
}

static status verify_keys(plan_verifier *v, const plan_node *node)
{
    const expr_list *left = &node->join.left_keys, *right = &node->join.right_keys;
    if (left->count != right->count)
        return plan_verify_error(node, "numbers of keys differ");
    plan_verify_show(v, node->children[0], 1);
    TRY(plan_verify_list(v, left));
    plan_verify_show(v, node->children[0], -1);
    plan_verify_show(v, node->children[1], 1);
    TRY(plan_verify_list(v, right));
    plan_verify_show(v, node->children[1], -1);
    for (size_t i = 0; i < left->count; i++)
        TRY(plan_verify_types(v, left->items[i], right->items[i]->type, "key types differ"));
    return STATUS_OK;
}

static status join_verify(plan_verifier *v, const plan_node *node)
{
    TRY(verify_keys(v, node));
    plan_verify_show_children(v, node, 1);
    for (size_t i = 0; i < node->join.ranges.count; i++)
        TRY(plan_verify_condition(v, node->join.ranges.items[i]));
    if (node->join.residual)
        TRY(plan_verify_condition(v, node->join.residual));
    plan_verify_show_children(v, node, -1);
    size_t count = node->columns.count, passed = count - (node->join.type == JOIN_MARK && count);
    TRY(plan_verify_passed(v, node, 0, passed));
    return plan_verify_made(v, node, passed, count);
}

static double join_estimate(const plan_statement *s, const plan_node *node)
{
    (void)s;
    double left = node->children[0]->estimated_rows, right = node->children[1]->estimated_rows;
    double rows = left * right, keys = 1, bases[2] = {left, right};
    for (size_t k = 0; k < node->join.left_keys.count; k++) {
        const expr *sides[2] = {node->join.left_keys.items[k], node->join.right_keys.items[k]};
        double l = plan_distinct(node->children[0], sides[0], left);
        double r = plan_distinct(node->children[1], sides[1], right);
        double larger = l > r ? l : r;
        keys *= larger < 1 ? 1 : larger;
        for (int i = 0; i < 2; i++) {
            double base = plan_base_rows(node->children[i], sides[i]);
            bases[i] = base > bases[i] ? base : bases[i];
        }
    }
    /* Several keys together have no more values than the smaller table has rows. */
    double smaller = bases[0] < bases[1] ? bases[0] : bases[1];
    if (keys > smaller && node->join.left_keys.count > 1)
        keys = smaller < 1 ? 1 : smaller;
    rows /= keys;
    double passes = node->join.residual ? plan_share(node, node->join.residual) : 1;
    passes *= plan_share_of_list(node, &node->join.ranges);
    double matches = right / keys; /* of a left row */
    rows *= passes;
    switch (node->join.type) {
    case JOIN_SEMI:
    case JOIN_ANTI:
        if (passes < 1 && matches > 1)
            rows = left * (1 - pow(1 - passes, matches));
        break;
    default:
        break;
    }
    switch (node->join.type) {
    case JOIN_SEMI:
        return rows < left ? rows : left;
    case JOIN_ANTI:
    case JOIN_ANTI_NULL:
        return rows < left * 0.9 ? left - rows : left * 0.1;
    case JOIN_MARK:
    case JOIN_SINGLE:
        return left;
    case JOIN_LEFT:
        return rows > left ? rows : left;
    case JOIN_RIGHT:
        return rows > right ? rows : right;
    case JOIN_FULL:
        return rows > left + right ? rows : left + right;
    default:
        return rows;
    }
}

static status join_prune(plan_statement *s, plan_node *node, const column_set *needed)
{
    column_set below;
    TRY(column_set_copy(s->memory, needed, &below));
    column_set_add_list(&below, &node->join.left_keys);
    column_set_add_list(&below, &node->join.right_keys);
    column_set_add_list(&below, &node->join.ranges);
    if (node->join.residual)
        column_set_add_expr(&below, node->join.residual);
    TRY(plan_prune(s, node->children[0], &below));
    TRY(plan_prune(s, node->children[1], &below));
    plan_join_type type = node->join.type;
    plan_column mark =
        type == JOIN_MARK ? node->columns.items[node->columns.count - 1] : (plan_column){0};
    plan_column_list columns = {0}, all;
    if (type == JOIN_MARK) {
        all = node->children[0]->columns;
    } else {
        TRY(plan_join_columns(s->memory, node));
        all = node->columns;
    }
    for (size_t i = 0; i < all.count; i++)
        if (column_set_has(needed, all.items[i].id))
            TRY(array_push(s->memory, &columns, all.items[i]));
    if (type == JOIN_MARK)
        TRY(array_push(s->memory, &columns, mark));
    node->columns = columns;
    return STATUS_OK;
}

const plan_node_ops plan_node_join = {.visit = join_visit,
                                      .write = join_write,
                                      .verify = join_verify,
                                      .estimate = join_estimate,
                                      .prune = join_prune};

status plan_join_columns(arena *a, plan_node *join)
{
    plan_join_type type = join->join.type;
    plan_column_list columns = {0};
    bool left_only = type == JOIN_SEMI || type == JOIN_ANTI || type == JOIN_ANTI_NULL;
    for (int side = 0; side < (left_only ? 1 : 2); side++) {
        const plan_column_list *from = &join->children[side]->columns;
        bool becomes_nullable = side ? type == JOIN_LEFT || type == JOIN_FULL || type == JOIN_SINGLE
                                     : type == JOIN_RIGHT || type == JOIN_FULL;
        for (size_t i = 0; i < from->count; i++) {
            plan_column column = from->items[i];
            column.is_nullable |= becomes_nullable;
            TRY(array_push(a, &columns, column));
        }
    }
    join->columns = columns;
    return STATUS_OK;
}
