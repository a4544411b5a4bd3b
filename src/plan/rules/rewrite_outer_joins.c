/* rewrite_outer_joins.c - what conditions above an outer join make of it.
 *
 *     filter [r.k is null]                 project [l..., NULL as r...]
 *       left join l, r on l.k = r.k   ->     anti join l, r on l.k = r.k */
#include "plan/rules/rewrite_outer_joins.h"

#include "plan/edit/copy.h"
#include "plan/facts/condition.h"
#include "plan/nodes/node.h"
#include "plan/nodes/node_join.h"

status plan_join_sides(plan_statement *s, const plan_node *join, column_set *left,
                       column_set *right)
{
    TRY(column_set_new(s->memory, s->next_column_id, left));
    TRY(column_set_new(s->memory, s->next_column_id, right));
    column_set_add_node(left, join->children[0]);
    column_set_add_node(right, join->children[1]);
    return STATUS_OK;
}

/* ---- narrower ones ---- */

static bool is_outer(const plan_node *node)
{
    return node->kind == PLAN_JOIN &&
           (node->join.type == JOIN_LEFT || node->join.type == JOIN_RIGHT ||
            node->join.type == JOIN_FULL);
}

static plan_join_type narrowed(plan_join_type type, bool needs_left, bool needs_right)
{
    if (type == JOIN_FULL && needs_left != needs_right)
        return needs_left ? JOIN_LEFT : JOIN_RIGHT;
    bool is_inner = (type == JOIN_LEFT && needs_right) || (type == JOIN_RIGHT && needs_left) ||
                    (type == JOIN_FULL && needs_left);
    return is_inner ? JOIN_INNER : type;
}

status plan_narrow_outer_join(plan_statement *s, plan_node *join, const expr_list *conditions)
{
    column_set left, right;
    if (!is_outer(join))
        return STATUS_OK;
    TRY(plan_join_sides(s, join, &left, &right));
    for (size_t i = 0; i < conditions->count; i++) {
        bool needs_left = plan_rejects_nulls(conditions->items[i], &left);
        bool needs_right = plan_rejects_nulls(conditions->items[i], &right);
        join->join.type = narrowed(join->join.type, needs_left, needs_right);
    }
    return STATUS_OK;
}

/* ---- rows without a partner ---- */

/* A condition of the join, or a key of the side, is not met where the column is NULL. */
static status is_set_in_pairs(plan_statement *s, const plan_node *join, uint32_t column, bool *out)
{
    expr_list parts = {0};
    column_set one;
    TRY(column_set_new(s->memory, s->next_column_id, &one));
    column_set_add(&one, column);
    if (join->join.residual)
        TRY(expr_split_and(s->memory, join->join.residual, &parts));
    *out = false;
    for (size_t i = 0; i < parts.count; i++)
        *out |= plan_rejects_nulls(parts.items[i], &one);
    for (size_t k = 0; k < join->join.left_keys.count && !join->join.null_equal; k++)
        *out |= plan_is_null_with(join->join.left_keys.items[k], &one) ||
                plan_is_null_with(join->join.right_keys.items[k], &one);
    return STATUS_OK;
}

/* Whether one of the conditions says that a column of the side is NULL that is not in rows with a partner. */
static status wants_unmatched(plan_statement *s, const plan_node *join, const plan_node *side,
                              const expr_list *conditions, bool *out)
{
    *out = false;
    for (size_t i = 0; i < conditions->count && !*out; i++) {
        const expr *e = conditions->items[i];
        if (e->kind != EXPR_CALL || e->op != EXPR_IS_NULL || e->args[0]->kind != EXPR_COLUMN)
            continue;
        int index = plan_column_index(side, e->args[0]->column_id);
        if (index < 0)
            continue;
        *out = !side->columns.items[index].is_nullable;
        if (!*out)
            TRY(is_set_in_pairs(s, join, e->args[0]->column_id, out));
    }
    return STATUS_OK;
}

static status rewrite_outer_joins_null_of(arena *a, const plan_column *column, expr **out)
{
    value none = {.type = column->type, .is_null = true};
    *out = expr_new_constant(a, &none, -1);
    return *out ? STATUS_OK : status_no_memory("plan", sizeof **out);
}

status plan_pad_columns(plan_statement *s, const plan_node *join, plan_node *kept, plan_node **out)
{
    plan_node *project = plan_node_new(s->memory, PLAN_PROJECT, 1);
    if (!project)
        return status_no_memory("plan", sizeof *project);
    project->children[0] = kept;
    project->columns = join->columns;
    project->position = join->position;
    for (size_t i = 0; i < join->columns.count; i++) {
        const plan_column *column = &join->columns.items[i];
        expr *e;
        if (plan_column_index(kept, column->id) < 0) {
            TRY(rewrite_outer_joins_null_of(s->memory, column, &e));
        } else {
            e = plan_column_expr(s->memory, column);
            if (!e)
                return status_no_memory("plan", sizeof *e);
        }
        TRY(array_push(s->memory, &project->project.exprs, e));
    }
    plan_estimate(s, project);
    *out = project;
    return STATUS_OK;
}

/* Makes the expressions that stand for the columns of a node in a copy of it. */
static status columns_of_copy(arena *a, const plan_node *copy, expr ***out)
{
    expr **to = arena_alloc_array(a, copy->columns.count + 1, sizeof *to);
    if (!to)
        return status_no_memory("plan", copy->columns.count * sizeof *to);
    for (size_t i = 0; i < copy->columns.count; i++) {
        const plan_column *c = &copy->columns.items[i];
        to[i] = plan_column_expr(a, c);
        if (!to[i])
            return status_no_memory("plan", sizeof **to);
    }
    *out = to;
    return STATUS_OK;
}

/* The anti join; the other side's columns, which the projection has, get other ids in it. */
static status make_anti(plan_statement *s, const plan_node *join, uint32_t kept, plan_node **out)
{
    arena *a = s->memory;
    const plan_node *other = join->children[!kept];
    const expr_list *keys[] = {&join->join.left_keys, &join->join.right_keys};
    plan_node *anti = plan_node_new(a, PLAN_JOIN, 2);
    expr **to;
    if (!anti)
        return status_no_memory("plan", sizeof *anti);
    anti->position = join->position;
    anti->join.type = JOIN_ANTI;
    anti->join.null_equal = join->join.null_equal;
    anti->join.left_keys = *keys[kept];
    anti->children[0] = join->children[kept];
    TRY(plan_copy_renamed(s, other, &anti->children[1]));
    TRY(columns_of_copy(a, anti->children[1], &to));
    for (size_t k = 0; k < keys[!kept]->count; k++) {
        expr *key = expr_substitute(a, keys[!kept]->items[k], &other->columns, to);
        if (!key)
            return status_no_memory("plan", sizeof *key);
        TRY(array_push(a, &anti->join.right_keys, key));
    }
    if (join->join.residual) {
        anti->join.residual = expr_substitute(a, join->join.residual, &other->columns, to);
        if (!anti->join.residual)
            return status_no_memory("plan", sizeof *anti->join.residual);
    }
    *out = anti;
    return plan_join_columns(a, anti);
}

status plan_anti_of_outer_join(plan_statement *s, plan_node *join, const expr_list *conditions,
                               plan_node **out)
{
    bool is_wanted = false;
    uint32_t kept = join->join.type == JOIN_RIGHT;
    *out = join;
    if (!is_outer(join) || join->join.type == JOIN_FULL)
        return STATUS_OK;
    TRY(wants_unmatched(s, join, join->children[!kept], conditions, &is_wanted));
    if (!is_wanted)
        return STATUS_OK;
    plan_node *anti;
    TRY(make_anti(s, join, kept, &anti));
    return plan_pad_columns(s, join, anti, out);
}
