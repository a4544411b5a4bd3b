/* fold_choice.c - see fold_choice.h. */

#include "base/type/type.h"
#include "plan/fold/fold_parts.h"
#include "plan/tree/expr.h"

#include <math.h>

static void fold_in_list(const expr *e, value *out)
{
    const value *sought = &e->args[0]->constant;
    bool is_unknown = sought->is_null;
    *out = value_bool(true);
    for (uint32_t i = 1; i < e->arg_count; i++) {
        const value *v = &e->args[i]->constant;
        is_unknown |= v->is_null;
        if (!sought->is_null && !v->is_null && !value_compare(sought, v))
            return;
    }
    *out = is_unknown ? value_null(e->type) : value_bool(false);
}

/* NULLs are passed over. */
static void fold_extreme(const expr *e, bool is_greatest, value *out)
{
    *out = value_null(e->type);
    for (uint32_t i = 0; i < e->arg_count; i++) {
        const value *v = &e->args[i]->constant;
        if (v->is_null)
            continue;
        if (out->is_null || (value_compare(v, out) > 0) == is_greatest)
            *out = *v;
    }
}

static void fold_nullif(const expr *e, value *out)
{
    const value *first = &e->args[0]->constant, *second = &e->args[1]->constant;
    bool is_null = first->is_null || (!second->is_null && !value_compare(first, second));
    *out = is_null ? value_null(e->type) : *first;
}

static bool fold_choice_are_of_one_type(const expr *e)
{
    for (uint32_t i = 1; i < e->arg_count; i++)
        if (!type_equal(e->args[i]->type, e->args[0]->type))
            return false;
    return true;
}

/* Zeros of either sign are equal, as are NaNs, and which one is greatest is the executor's to say. */
static bool has_alike(const expr *e)
{
    bool is_float = e->args[0]->type.id == TYPE_FLOAT || e->args[0]->type.id == TYPE_DOUBLE;
    for (uint32_t i = 0; i < e->arg_count && is_float; i++) {
        const value *v = &e->args[i]->constant;
        if (!v->is_null && (isnan(v->f64) || v->f64 == 0))
            return true;
    }
    return false;
}

bool fold_choice(const expr *e, value *out)
{
    if (!fold_choice_are_of_one_type(e))
        return false;
    switch (e->op) {
    case EXPR_IN_LIST:
        fold_in_list(e, out);
        return true;
    case EXPR_GREATEST:
    case EXPR_LEAST:
        fold_extreme(e, e->op == EXPR_GREATEST, out);
        return type_equal(out->type, e->type) && !has_alike(e);
    case EXPR_NULLIF:
        fold_nullif(e, out);
        return type_equal(out->type, e->type);
    default:
        return false;
    }
}
