/* rewrite_or_joins.c - an inner join by one equality or another becomes a union of joins by each, of which every
 * one leaves out the pairs of those before it.
 *
 *   join on a = b or a = c        union
 *     left                          join on a = b
 *     right                           shared 0, shared 1
 *                                   join on a = c and (a = b) is not true
 *                                     shared 0, shared 1 */
#include "base/system/guard.h"
#include "plan/edit/copy.h"
#include "plan/edit/repeatable.h"
#include "plan/edit/shared.h"
#include "plan/nodes/node.h"
#include "plan/nodes/node_join.h"
#include "plan/nodes/visit.h"
#include "plan/rules/rewrite_outer_joins.h"
#include "plan/tree/column_set.h"
#include "plan/tree/function.h"
#include "plan/tree/plan.h"
#include "plan/tree/rule.h"

#define ARMS_MAX 4
/* Fewer pairs are tried sooner than both sides are kept. */
#define PAIRS_MIN 1e6

typedef struct or_join {
    plan_statement *statement;
    const plan_node *join;
    expr_list arms, others;
    column_set sides[2];
    uint32_t shared[2]; /* of the sides */
} or_join;

static status or_joins_no_memory(void)
{
    return status_no_memory("plan", sizeof(plan_node));
}

static bool or_joins_is_of(const column_set *side, const expr *e)
{
    return column_set_covers(side, e) && column_set_meets(side, e);
}

/* An equality of an expression of each side: *is_swapped: the right one's stands first. */
static bool or_joins_is_key(const column_set sides[2], const expr *e, bool *is_swapped)
{
    if (e->kind != EXPR_CALL || e->op != EXPR_EQ || !type_equal(e->args[0]->type, e->args[1]->type))
        return false;
    *is_swapped = or_joins_is_of(&sides[1], e->args[0]);
    return or_joins_is_of(&sides[*is_swapped], e->args[0]) &&
           or_joins_is_of(&sides[!*is_swapped], e->args[1]);
}

static status or_joins_split_or(arena *a, expr *e, expr_list *arms)
{
    if (e->kind != EXPR_CALL || e->op != EXPR_OR)
        return array_push(a, arms, e);
    for (uint32_t i = 0; i < e->arg_count; i++)
        TRY(or_joins_split_or(a, e->args[i], arms));
    return STATUS_OK;
}

static status has_key(arena *a, const column_set sides[2], expr *arm, bool *out)
{
    expr_list parts = {0};
    bool is_swapped;
    *out = false;
    TRY(expr_split_and(a, arm, &parts));
    for (size_t i = 0; i < parts.count; i++)
        *out |= or_joins_is_key(sides, parts.items[i], &is_swapped);
    return STATUS_OK;
}

/* Finds the arms of a condition each of which has a key; the list is empty if there are not such arms. */
static status find_arms(or_join *j, expr *condition, expr_list *out)
{
    arena *a = j->statement->memory;
    *out = (expr_list){0};
    TRY(or_joins_split_or(a, condition, out));
    bool is_any = out->count > 1 && out->count <= ARMS_MAX;
    for (size_t i = 0; i < out->count && is_any; i++)
        TRY(has_key(a, j->sides, out->items[i], &is_any));
    if (!is_any)
        out->count = 0;
    return STATUS_OK;
}

static status or_joins_look(or_join *j)
{
    expr_list conditions = {0};
    const plan_node *join = j->join;
    TRY(plan_join_sides(j->statement, join, &j->sides[0], &j->sides[1]));
    TRY(expr_split_and(j->statement->memory, join->join.residual, &conditions));
    for (size_t i = 0; i < conditions.count; i++) {
        expr_list arms = {0};
        if (!j->arms.count)
            TRY(find_arms(j, conditions.items[i], &arms));
        if (arms.count)
            j->arms = arms;
        else
            TRY(array_push(j->statement->memory, &j->others, conditions.items[i]));
    }
    return STATUS_OK;
}

/* ---- one of the joins ---- */

/* Makes what arm `number` and the other conditions ask for, but of pairs that an arm before it takes. */
static status conditions_of(const or_join *j, size_t number, expr_list *out)
{
    arena *a = j->statement->memory;
    TRY(expr_split_and(a, j->arms.items[number], out));
    for (size_t i = 0; i < j->others.count; i++)
        TRY(array_push(a, out, j->others.items[i]));
    for (size_t i = 0; i < number; i++) {
        expr *e = j->arms.items[i];
        e = expr_new_call(a, EXPR_IS_TRUE, type_make(TYPE_BOOL), &e, 1, e->position);
        if (e)
            e = expr_new_call(a, EXPR_NOT, type_make(TYPE_BOOL), &e, 1, e->position);
        if (!e)
            return or_joins_no_memory();
        TRY(array_push(a, out, e));
    }
    return STATUS_OK;
}

/* References to both sides, and what stands for their columns there. */
static status make_sides(const or_join *j, plan_node *join, plan_column_list *from, expr_list *to)
{
    arena *a = j->statement->memory;
    for (unsigned side = 0; side < 2; side++) {
        plan_node *reference;
        TRY(plan_shared_reference(j->statement, j->shared[side], &reference));
        plan_estimate(j->statement, reference);
        join->children[side] = reference;
        for (size_t i = 0; i < reference->columns.count; i++) {
            const plan_column *c = &reference->columns.items[i];
            expr *e = plan_column_expr(a, c);
            if (!e)
                return or_joins_no_memory();
            TRY(array_push(a, from, j->join->children[side]->columns.items[i]));
            TRY(array_push(a, to, e));
        }
    }
    return STATUS_OK;
}

static status or_joins_add_condition(const or_join *j, plan_node *join, const expr *condition,
                                     const plan_column_list *from, const expr_list *to)
{
    arena *a = j->statement->memory;
    bool is_swapped, key = or_joins_is_key(j->sides, condition, &is_swapped);
    expr *e = expr_substitute(a, (expr *)condition, from, to->items);
    if (!e)
        return or_joins_no_memory();
    if (key) {
        TRY(array_push(a, &join->join.left_keys, e->args[is_swapped]));
        return array_push(a, &join->join.right_keys, e->args[!is_swapped]);
    }
    join->join.residual = expr_new_and(a, join->join.residual, e);
    return join->join.residual ? STATUS_OK : or_joins_no_memory();
}

/* The original's columns, of the join's. */
static status or_joins_project(const or_join *j, plan_node *join, const plan_column_list *from,
                               const expr_list *to, plan_node **out)
{
    plan_statement *s = j->statement;
    plan_node *node = *out = plan_node_new(s->memory, PLAN_PROJECT, 1);
    if (!node)
        return or_joins_no_memory();
    node->children[0] = join;
    node->position = join->position;
    for (size_t i = 0; i < j->join->columns.count; i++) {
        plan_column column = j->join->columns.items[i];
        expr *e = plan_column_expr(s->memory, &column);
        if (e)
            e = expr_substitute(s->memory, e, from, to->items);
        if (!e)
            return or_joins_no_memory();
        column.id = s->next_column_id++;
        TRY(plan_project_add(s->memory, node, column, e));
    }
    plan_estimate(s, node);
    return STATUS_OK;
}

static status make_arm(const or_join *j, size_t number, plan_node **out)
{
    plan_statement *s = j->statement;
    plan_column_list from = {0};
    expr_list to = {0}, conditions = {0};
    plan_node *join = plan_node_new(s->memory, PLAN_JOIN, 2);
    if (!join)
        return or_joins_no_memory();
    join->join.type = JOIN_INNER;
    join->position = j->join->position;
    TRY(make_sides(j, join, &from, &to));
    TRY(conditions_of(j, number, &conditions));
    for (size_t i = 0; i < conditions.count; i++)
        TRY(or_joins_add_condition(j, join, conditions.items[i], &from, &to));
    TRY(plan_join_columns(s->memory, join));
    join->join.build_left = join->children[0]->estimated_rows < join->children[1]->estimated_rows;
    plan_estimate(s, join);
    return or_joins_project(j, join, &from, &to, out);
}

/* ---- the rule ---- */

/* The sides keep their columns' ids for nobody: the union makes them. */
static status make_union(or_join *j, plan_node **out)
{
    plan_statement *s = j->statement;
    for (unsigned side = 0; side < 2; side++) {
        plan_node *copy;
        TRY(plan_copy_renamed(s, j->join->children[side], &copy));
        TRY(plan_make_shared(s, copy, &j->shared[side]));
        plan_estimate(s, s->shared.items[j->shared[side]]);
    }
    plan_node *node = *out = plan_node_new(s->memory, PLAN_UNION, (uint32_t)j->arms.count);
    if (!node)
        return or_joins_no_memory();
    node->columns = j->join->columns;
    node->position = j->join->position;
    for (size_t i = 0; i < j->arms.count; i++)
        TRY(make_arm(j, i, &node->children[i]));
    plan_estimate(s, node);
    return STATUS_OK;
}

static bool may_be_one(const plan_node *node)
{
    return node->kind == PLAN_JOIN && node->join.type == JOIN_INNER && node->join.residual &&
           !node->join.left_keys.count && !expr_is_volatile(node->join.residual) &&
           plan_is_repeatable(node->children[0]) && plan_is_repeatable(node->children[1]) &&
           node->children[0]->estimated_rows * node->children[1]->estimated_rows >= PAIRS_MIN;
}

static status or_joins_rewrite(plan_statement *s, plan_node *node, plan_node **out)
{
    TRY(guard_check());
    *out = node;
    for (uint32_t i = 0; i < node->child_count; i++)
        TRY(or_joins_rewrite(s, node->children[i], &node->children[i]));
    if (!may_be_one(node))
        return STATUS_OK;
    or_join j = {.statement = s, .join = node};
    TRY(or_joins_look(&j));
    return j.arms.count ? make_union(&j, out) : STATUS_OK;
}

status rewrite_or_joins(plan_statement *statement)
{
    TRY(plan_each_tree(statement, or_joins_rewrite));
    return plan_order_shared(statement);
}
