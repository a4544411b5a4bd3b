/* condition.c - what conditions say: their conjuncts, what they imply of one relation alone, and
 * whether rows that an outer join has filled up with NULLs can pass. */
#include "plan/facts/condition.h"

#include "base/system/guard.h"
#include "plan/nodes/visit.h"
#include "plan/tree/function.h"

static bool list_has(const expr_list *list, const expr *e)
{
    for (size_t i = 0; i < list->count; i++)
        if (expr_equal(list->items[i], e))
            return true;
    return false;
}

/* (a and b) or (a and c): a, and (b or c). */
static status condition_split_or(arena *a, expr *e, expr_list *conditions)
{
    expr_list *arms = arena_alloc_array(a, e->arg_count, sizeof *arms);
    expr **rest = arena_alloc_array(a, e->arg_count, sizeof *rest);
    expr_list common = {0};
    bool is_implied = false; /* an arm has nothing but what is common */
    if (!arms || !rest)
        return status_no_memory("plan", e->arg_count * sizeof *arms);
    for (uint32_t i = 0; i < e->arg_count; i++)
        TRY(expr_split_and(a, e->args[i], &arms[i]));
    for (size_t c = 0; c < arms[0].count; c++) {
        bool is_common = true;
        for (uint32_t i = 1; i < e->arg_count && is_common; i++)
            is_common = list_has(&arms[i], arms[0].items[c]);
        if (is_common)
            TRY(array_push(a, &common, arms[0].items[c]));
    }
    if (!common.count)
        return array_push(a, conditions, e);
    for (uint32_t i = 0; i < e->arg_count; i++) {
        for (size_t c = 0; c < arms[i].count; c++) {
            if (list_has(&common, arms[i].items[c]))
                continue;
            rest[i] = expr_new_and(a, rest[i], arms[i].items[c]);
            if (!rest[i])
                return status_no_memory("plan", sizeof *e);
        }
        is_implied |= !rest[i];
    }
    for (size_t c = 0; c < common.count; c++)
        TRY(array_push(a, conditions, common.items[c]));
    if (is_implied)
        return STATUS_OK;
    expr *either = expr_new_call(a, EXPR_OR, e->type, rest, e->arg_count, e->position);
    return either ? array_push(a, conditions, either) : status_no_memory("plan", sizeof *e);
}

/* x IS NOT DISTINCT FROM a constant is met where x = it is, or x IS NULL; and of NULL the other way round. */
static status without_distinct(arena *a, expr **e)
{
    bool is_call = (*e)->kind == EXPR_CALL, is_same = is_call && (*e)->op == EXPR_IS_NOT_DISTINCT;
    if (!is_same && !(is_call && (*e)->op == EXPR_IS_DISTINCT))
        return STATUS_OK;
    uint32_t which = (*e)->args[1]->kind == EXPR_CONSTANT;
    const expr *constant = (*e)->args[which];
    if (constant->kind != EXPR_CONSTANT || (!is_same && !constant->constant.is_null))
        return STATUS_OK;
    if (!constant->constant.is_null)
        *e = expr_new_call(a, EXPR_EQ, (*e)->type, (*e)->args, 2, (*e)->position);
    else
        *e = expr_new_call(a, is_same ? EXPR_IS_NULL : EXPR_IS_NOT_NULL, (*e)->type,
                           &(*e)->args[!which], 1, (*e)->position);
    return *e ? STATUS_OK : status_no_memory("plan", sizeof **e);
}

status plan_split_condition(arena *a, expr *e, expr_list *conditions)
{
    expr_list parts = {0};
    TRY(expr_split_and(a, e, &parts));
    for (size_t i = 0; i < parts.count; i++) {
        expr *part = parts.items[i];
        TRY(without_distinct(a, &part));
        if (part->kind == EXPR_CALL && part->op == EXPR_OR)
            TRY(condition_split_or(a, part, conditions));
        else
            TRY(array_push(a, conditions, part));
    }
    return STATUS_OK;
}

/* The conjuncts of one arm of an OR that concern the relation alone, as one; NULL: none. */
static status part_of_arm(arena *a, expr *arm, const column_set *relation, expr **out)
{
    expr_list parts = {0};
    TRY(expr_split_and(a, arm, &parts));
    *out = NULL;
    for (size_t i = 0; i < parts.count; i++) {
        if (!column_set_covers(relation, parts.items[i]) ||
            !column_set_meets(relation, parts.items[i]))
            continue;
        *out = expr_new_and(a, *out, parts.items[i]);
        if (!*out)
            return status_no_memory("plan", sizeof **out);
    }
    return STATUS_OK;
}

status plan_implied_condition(arena *a, const expr *e, const column_set *relation, expr **out)
{
    *out = NULL;
    if (e->kind != EXPR_CALL || e->op != EXPR_OR)
        return STATUS_OK;
    expr **arms = arena_alloc_array(a, e->arg_count, sizeof *arms);
    if (!arms)
        return status_no_memory("plan", e->arg_count * sizeof *arms);
    for (uint32_t i = 0; i < e->arg_count; i++) {
        TRY(part_of_arm(a, e->args[i], relation, &arms[i]));
        if (!arms[i])
            return STATUS_OK;
    }
    *out = expr_new_call(a, EXPR_OR, e->type, arms, e->arg_count, e->position);
    return *out ? STATUS_OK : status_no_memory("plan", sizeof **out);
}

bool plan_is_null_with(const expr *e, const column_set *set)
{
    if (!guard_may_go_on())
        return false;
    if (e->kind == EXPR_COLUMN)
        return column_set_has(set, e->column_id);
    bool is_strict = e->kind == EXPR_CAST;
    if (e->kind == EXPR_CALL && e->op == EXPR_IN_LIST)
        return plan_is_null_with(e->args[0], set);
    if (e->kind == EXPR_CALL)
        is_strict = function_is_null_of_null(e->op);
    for (uint32_t i = 0; is_strict && i < e->arg_count; i++)
        if (plan_is_null_with(e->args[i], set))
            return true;
    return false;
}

static bool condition_is_never_true(const expr *e)
{
    return e->kind == EXPR_CONSTANT && (e->constant.is_null || !e->constant.boolean);
}

/* Each branch is not taken, or gives nothing that is true; nor does ELSE. */
static bool case_rejects_nulls(const expr *e, const column_set *set)
{
    if (e->type.id != TYPE_BOOL)
        return false;
    for (uint32_t i = 0; i + 1 < e->arg_count; i += 2)
        if (!plan_rejects_nulls(e->args[i], set) && !condition_is_never_true(e->args[i + 1]) &&
            !plan_rejects_nulls(e->args[i + 1], set))
            return false;
    const expr *otherwise = e->args[e->arg_count - 1];
    return condition_is_never_true(otherwise) || plan_rejects_nulls(otherwise, set);
}

bool plan_rejects_nulls(const expr *e, const column_set *set)
{
    if (!guard_may_go_on())
        return false;
    if (plan_is_null_with(e, set))
        return true;
    if (e->kind == EXPR_CASE)
        return case_rejects_nulls(e, set);
    if (e->kind != EXPR_CALL)
        return false;
    if (e->op == EXPR_IS_NOT_NULL || e->op == EXPR_IS_TRUE || e->op == EXPR_IS_FALSE)
        return plan_is_null_with(e->args[0], set);
    if (e->op != EXPR_AND && e->op != EXPR_OR)
        return false;
    for (uint32_t i = 0; i < e->arg_count; i++)
        if (plan_rejects_nulls(e->args[i], set) == (e->op == EXPR_AND))
            return e->op == EXPR_AND;
    return e->op == EXPR_OR;
}

/* ---- keys among which NULL equals NULL ---- */

static bool is_side(const column_set *set, const expr *e)
{
    return column_set_covers(set, e) && column_set_meets(set, e);
}

/* The sides of x IS NOT DISTINCT FROM y, in order. */
static bool is_null_pair(const expr *e, const column_set *left, const column_set *right,
                         expr **out_left, expr **out_right)
{
    if (e->kind != EXPR_CALL || e->op != EXPR_IS_NOT_DISTINCT)
        return false;
    int first = is_side(right, e->args[0]);
    *out_left = e->args[first];
    *out_right = e->args[!first];
    return is_side(left, *out_left) && is_side(right, *out_right);
}

static status condition_add_key(arena *a, plan_node *join, expr *left, expr *right)
{
    TRY(array_push(a, &join->join.left_keys, left));
    return array_push(a, &join->join.right_keys, right);
}

/* coalesce(e, a value of its type). */
static expr *without_null(arena *a, expr *e)
{
    value any = {.type = e->type};
    if (type_is_text(e->type))
        any.text = "";
    expr *constant = expr_new_constant(a, &any, e->position);
    expr *args[] = {e, constant};
    return constant ? expr_new_call(a, EXPR_COALESCE, e->type, args, 2, e->position) : NULL;
}

/* Two keys by which NULL is another value, and equal to itself:
 * coalesce(x, 0) = coalesce(y, 0) and (x is null) = (y is null). */
static status add_told_apart(arena *a, plan_node *join, expr *const sides[2])
{
    expr *values[2], *marks[2];
    for (int i = 0; i < 2; i++) {
        values[i] = without_null(a, sides[i]);
        marks[i] = expr_new_call(a, EXPR_IS_NULL, type_make(TYPE_BOOL), &sides[i], 1, -1);
        if (!values[i] || !marks[i])
            return status_no_memory("plan", sizeof **values);
    }
    TRY(condition_add_key(a, join, values[0], values[1]));
    return condition_add_key(a, join, marks[0], marks[1]);
}

/* Whether a pair of the list can be NULL on both sides, so that it is another key than those of
 * `=`. */
static bool is_both_nullable(expr *const sides[2])
{
    return sides[0]->is_nullable && sides[1]->is_nullable;
}

status plan_take_null_keys(arena *a, plan_node *join, const column_set *left,
                           const column_set *right)
{
    expr_list parts = {0}, pairs = {0};
    expr *residual = NULL, *sides[2];
    if (!join->join.residual || join->join.type == JOIN_ANTI_NULL || join->join.type == JOIN_MARK)
        return STATUS_OK;
    TRY(expr_split_and(a, join->join.residual, &parts));
    for (size_t i = 0; i < parts.count; i++) {
        if (is_null_pair(parts.items[i], left, right, &sides[0], &sides[1])) {
            if (join->join.null_equal || !is_both_nullable(sides))
                TRY(condition_add_key(a, join, sides[0], sides[1]));
            else
                TRY(array_push(a, &pairs, parts.items[i]));
            continue;
        }
        residual = expr_new_and(a, residual, parts.items[i]);
        if (!residual)
            return status_no_memory("plan", sizeof *residual);
    }
    join->join.residual = residual;
    bool has_equalities = join->join.left_keys.count && !join->join.null_equal;
    join->join.null_equal |= pairs.count && !has_equalities;
    for (size_t i = 0; i < pairs.count; i++) {
        is_null_pair(pairs.items[i], left, right, &sides[0], &sides[1]);
        if (has_equalities)
            TRY(add_told_apart(a, join, sides));
        else
            TRY(condition_add_key(a, join, sides[0], sides[1]));
    }
    return STATUS_OK;
}
