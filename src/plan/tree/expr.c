/* expr.c - making, copying, comparing and walking bound expressions. */
#include "plan/tree/expr.h"

#include "base/system/guard.h"
#include "plan/tree/function.h"
#include "plan/tree/plan.h"
#include "plan/tree/text.h"

/* ---- making ---- */

expr *expr_new(arena *a, expr_kind kind, data_type type, uint32_t arg_count, int32_t position)
{
    expr *e = arena_alloc(a, sizeof *e);
    if (!e)
        return NULL;
    e->kind = kind;
    e->type = type;
    e->is_nullable = true;
    e->position = position;
    e->arg_count = arg_count;
    if (arg_count) {
        e->args = arena_alloc_array(a, arg_count, sizeof *e->args);
        if (!e->args)
            return NULL;
    }
    return e;
}

expr *expr_new_column(arena *a, uint32_t id, data_type type, bool is_nullable, const char *name)
{
    expr *e = expr_new(a, EXPR_COLUMN, type, 0, -1);
    if (!e)
        return NULL;
    e->column_id = id;
    e->is_nullable = is_nullable;
    e->name = name;
    return e;
}

expr *expr_new_constant(arena *a, const value *v, int32_t position)
{
    expr *e = expr_new(a, EXPR_CONSTANT, v->type, 0, position);
    if (!e)
        return NULL;
    e->constant = *v;
    e->is_nullable = v->is_null;
    return e;
}

/* Can the call give NULL, given which of its arguments can? */
static bool call_is_nullable(expr_op op, expr *const *args, uint32_t arg_count)
{
    bool any = false, all = true;
    for (uint32_t i = 0; i < arg_count; i++) {
        any |= args[i]->is_nullable;
        all &= args[i]->is_nullable;
    }
    switch ((function_nulls)function_info_of(op)->nulls) {
    case FUNCTION_NULLS_NEVER:
        return false;
    case FUNCTION_NULLS_ALL:
        return all;
    case FUNCTION_NULLS_OWN:
    case FUNCTION_NULLS_MORE:
        return true;
    case FUNCTION_NULLS_STRICT:
    case FUNCTION_NULLS_ANY:
        break;
    }
    return any;
}

expr *expr_new_call(arena *a, expr_op op, data_type type, expr *const *args, uint32_t arg_count,
                    int32_t position)
{
    expr *e = expr_new(a, EXPR_CALL, type, arg_count, position);
    if (!e)
        return NULL;
    e->op = op;
    if (arg_count)
        memcpy(e->args, args, arg_count * sizeof *args);
    e->is_nullable = call_is_nullable(op, args, arg_count);
    return e;
}

expr *expr_new_cast(arena *a, expr *arg, data_type type, int32_t position)
{
    if (type_equal(arg->type, type) && arg->type.width == type.width)
        return arg;
    expr *e = expr_new(a, EXPR_CAST, type, 1, position);
    if (!e)
        return NULL;
    e->args[0] = arg;
    e->is_nullable = arg->is_nullable;
    return e;
}

static bool is_and(const expr *e)
{
    return e->kind == EXPR_CALL && e->op == EXPR_AND;
}

expr *expr_new_and(arena *a, expr *left, expr *right)
{
    if (!left || !right)
        return left ? left : right;
    uint32_t left_count = is_and(left) ? left->arg_count : 1;
    uint32_t right_count = is_and(right) ? right->arg_count : 1;
    expr *e =
        expr_new(a, EXPR_CALL, type_make(TYPE_BOOL), left_count + right_count, left->position);
    if (!e)
        return NULL;
    e->op = EXPR_AND;
    e->is_nullable = left->is_nullable || right->is_nullable;
    memcpy(e->args, is_and(left) ? left->args : &left, left_count * sizeof *e->args);
    memcpy(e->args + left_count, is_and(right) ? right->args : &right,
           right_count * sizeof *e->args);
    return e;
}

expr *expr_copy(arena *a, const expr *e)
{
    if (!guard_may_go_on())
        return NULL;
    expr *copy = arena_alloc(a, sizeof *copy);
    if (!copy)
        return NULL;
    *copy = *e;
    if (!e->arg_count)
        return copy;
    copy->args = arena_alloc_array(a, e->arg_count, sizeof *copy->args);
    if (!copy->args)
        return NULL;
    for (uint32_t i = 0; i < e->arg_count; i++) {
        copy->args[i] = expr_copy(a, e->args[i]);
        if (!copy->args[i])
            return NULL;
    }
    return copy;
}

/* ---- asking ---- */

static bool expr_constant_equal(const value *left, const value *right)
{
    if (left->is_null || right->is_null)
        return left->is_null && right->is_null;
    return value_compare(left, right) == 0;
}

bool expr_equal(const expr *left, const expr *right)
{
    if (left == right)
        return true;
    if (left->kind != right->kind || !type_equal(left->type, right->type) ||
        left->arg_count != right->arg_count)
        return false;
    switch (left->kind) {
    case EXPR_COLUMN:
        return left->column_id == right->column_id;
    case EXPR_CONSTANT:
        return expr_constant_equal(&left->constant, &right->constant);
    case EXPR_CALL:
        if (left->op != right->op)
            return false;
        break;
    case EXPR_SUBQUERY:
        if (left->subquery != right->subquery || left->subquery_kind != right->subquery_kind ||
            left->comparison != right->comparison)
            return false;
        break;
    case EXPR_CAST:
    case EXPR_CASE:
        break;
    }
    if (left->arg_count && !guard_may_go_on())
        return false;
    for (uint32_t i = 0; i < left->arg_count; i++)
        if (!expr_equal(left->args[i], right->args[i]))
            return false;
    return true;
}

bool expr_is_constant(const expr *e)
{
    return e->kind == EXPR_CONSTANT;
}

expr_op expr_mirrored(expr_op op)
{
    switch (op) {
    case EXPR_LT:
        return EXPR_GT;
    case EXPR_LE:
        return EXPR_GE;
    case EXPR_GT:
        return EXPR_LT;
    case EXPR_GE:
        return EXPR_LE;
    default:
        return op;
    }
}

bool expr_comparison(const expr *e, const expr **out_side, expr_op *out_op,
                     const value **out_constant)
{
    if (e->kind != EXPR_CALL || e->op < EXPR_EQ || e->op > EXPR_GE)
        return false;
    bool is_mirrored = e->args[0]->kind == EXPR_CONSTANT;
    const expr *constant = e->args[is_mirrored ? 0 : 1];
    if (constant->kind != EXPR_CONSTANT)
        return false;
    *out_side = e->args[is_mirrored ? 1 : 0];
    *out_op = is_mirrored ? expr_mirrored(e->op) : e->op;
    *out_constant = &constant->constant;
    return true;
}

bool expr_has_subquery(const expr *e)
{
    if (e->kind == EXPR_SUBQUERY)
        return true;
    if (e->arg_count && !guard_may_go_on())
        return false;
    for (uint32_t i = 0; i < e->arg_count; i++)
        if (expr_has_subquery(e->args[i]))
            return true;
    return false;
}

/* ---- conjuncts ---- */

static bool has_draw(const expr *e, uint32_t draw)
{
    bool has = e->kind == EXPR_CALL && e->draw == draw;
    for (uint32_t i = 0; i < e->arg_count && !has; i++)
        has = has_draw(e->args[i], draw);
    return has;
}

/* A volatile call of `of` is one of e, too. */
static bool shares_draw(const expr *e, const expr *of)
{
    bool shares = of->kind == EXPR_CALL && of->draw && has_draw(e, of->draw);
    for (uint32_t i = 0; i < of->arg_count && !shares; i++)
        shares = shares_draw(e, of->args[i]);
    return shares;
}

static bool has_draws(const expr *e)
{
    bool has = e->kind == EXPR_CALL && e->draw;
    for (uint32_t i = 0; i < e->arg_count && !has; i++)
        has = has_draws(e->args[i]);
    return has;
}

/* Conjuncts from `first` on that share a draw become one, which a node evaluates as a whole. */
static status tie_draws(arena *a, expr_list *conjuncts, size_t first)
{
    size_t kept = first;
    for (size_t i = first; i < conjuncts->count; i++) {
        expr *e = conjuncts->items[i];
        size_t k = has_draws(e) ? first : kept;
        while (k < kept && !shares_draw(conjuncts->items[k], e))
            k++;
        conjuncts->items[k] = k < kept ? expr_new_and(a, conjuncts->items[k], e) : e;
        if (!conjuncts->items[k])
            return status_no_memory("expression", sizeof *e);
        kept += k == kept;
    }
    conjuncts->count = kept;
    return STATUS_OK;
}

static status split_all(arena *a, expr *e, expr_list *conjuncts)
{
    TRY(guard_check());
    if (!is_and(e))
        return array_push(a, conjuncts, e);
    for (uint32_t i = 0; i < e->arg_count; i++)
        TRY(split_all(a, e->args[i], conjuncts));
    return STATUS_OK;
}

status expr_split_and(arena *a, expr *e, expr_list *conjuncts)
{
    size_t first = conjuncts->count;
    TRY(split_all(a, e, conjuncts));
    return tie_draws(a, conjuncts, first);
}

char *expr_text(arena *a, const expr *e)
{
    plan_writer w = {.memory = a};
    plan_write_expr(&w, e);
    return plan_writer_finish(&w);
}
