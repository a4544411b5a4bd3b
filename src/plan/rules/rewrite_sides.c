/* rewrite_sides.c - an inequality between sums of both sides of a join becomes one between the sides, by
 * which rows are looked up:
 *
 *   a.x + b.y > 19000        b.y > 19000 - a.x
 *
 * Of integers, where no sum can leave its type before or after: who moves terms must neither make an
 * overflow nor hide one. */
#include "plan/rules/rewrite_sides.h"

#include "plan/nodes/visit.h"
#include "plan/tree/function.h"

#define TERMS_MAX 16

typedef struct term {
    expr *e; /* without a sign */
    bool is_negative;
} term;

/* The terms of left - right, as far as they were found. */
typedef struct linear_sum {
    term terms[TERMS_MAX];
    uint32_t count;
    int128 constant;
    int128 size; /* no partial sum of terms and constant is larger, whatever their signs */
    value_range_column *column;
    void *context;
} linear_sum;

typedef struct number_range {
    int128 min, max;
} number_range;

static bool sides_fits(number_range range, data_type type)
{
    unsigned bits = type.width * 8u;
    bool is_signed = type.id >= TYPE_INT8 && type.id <= TYPE_INT64;
    int128 high = ((int128)1 << (bits - is_signed)) - 1, low = is_signed ? -high - 1 : 0;
    return range.min >= low && range.max <= high;
}

static bool is_small_integer(data_type type)
{
    return type_is_integer(type) && type.id != TYPE_UINT64 && type.width <= 8;
}

static number_range range_of_leaf(const linear_sum *sum, const expr *e)
{
    bool is_signed = e->type.id >= TYPE_INT8 && e->type.id <= TYPE_INT64;
    int128 high = ((int128)1 << (e->type.width * 8u - is_signed)) - 1;
    number_range range = {is_signed ? -high - 1 : 0, high};
    value_range known = value_range_of(e, sum->column, sum->context);
    if (known.is_bounded && type_is_integer(known.min.type)) {
        range.min = value_int128(&known.min);
        range.max = value_int128(&known.max);
    }
    return range;
}

static int128 sides_magnitude(number_range range)
{
    return -range.min > range.max ? -range.min : range.max;
}

static bool sides_add_leaf(linear_sum *sum, expr *e, bool is_negative, number_range *out)
{
    if (e->kind == EXPR_CONSTANT && e->constant.is_null)
        return false;
    *out = range_of_leaf(sum, e);
    sum->size += sides_magnitude(*out);
    if (e->kind == EXPR_CONSTANT) {
        sum->constant += is_negative ? -out->min : out->min;
        return true;
    }
    if (sum->count == TERMS_MAX)
        return false;
    sum->terms[sum->count++] = (term){e, is_negative};
    return true;
}

/* Collects the terms of e, and between which values it lies; false: something in it may leave its type, or is not a
 * small integer. */
static bool sides_collect(linear_sum *sum, expr *e, bool is_negative, number_range *out)
{
    number_range args[2];
    if (!is_small_integer(e->type))
        return false;
    bool is_call = e->kind == EXPR_CALL;
    if (e->kind == EXPR_CAST && is_small_integer(e->args[0]->type)) {
        if (!sides_collect(sum, e->args[0], is_negative, out))
            return false;
    } else if (is_call && e->op == EXPR_NEGATE) {
        if (!sides_collect(sum, e->args[0], !is_negative, &args[0]))
            return false;
        *out = (number_range){-args[0].max, -args[0].min};
    } else if (is_call && (e->op == EXPR_ADD || e->op == EXPR_SUBTRACT) && e->arg_count == 2) {
        bool subtracts = e->op == EXPR_SUBTRACT;
        if (!sides_collect(sum, e->args[0], is_negative, &args[0]) ||
            !sides_collect(sum, e->args[1], is_negative != subtracts, &args[1]))
            return false;
        out->min = args[0].min + (subtracts ? -args[1].max : args[1].min);
        out->max = args[0].max + (subtracts ? -args[1].min : args[1].max);
    } else {
        return sides_add_leaf(sum, e, is_negative, out);
    }
    return sides_fits(*out, e->type);
}

/* ---- the sides ---- */

/* It reads columns of this side alone. */
static bool sides_is_of(const column_set *side, const expr *e)
{
    return column_set_covers(side, e) && column_set_meets(side, e);
}

/* Returns whether each side of the join has terms, each term is of one, and the comparison is not between them yet. */
static bool sides_is_worth_it(const linear_sum *sum, const expr *e, const column_set sides[2])
{
    bool is_there[2] = {false, false};
    for (uint32_t i = 0; i < sum->count; i++) {
        bool is_right = sides_is_of(&sides[1], sum->terms[i].e);
        if (!is_right && !sides_is_of(&sides[0], sum->terms[i].e))
            return false;
        is_there[is_right] = true;
    }
    for (unsigned side = 0; side < 2; side++)
        if (sides_is_of(&sides[side], e->args[0]) && sides_is_of(&sides[!side], e->args[1]))
            return false;
    return is_there[0] && is_there[1];
}

static expr *sides_add(arena *a, expr *sum, expr *e, bool is_negative, int32_t position)
{
    expr *args[2] = {sum, expr_new_cast(a, e, type_make(TYPE_INT64), position)};
    if (!args[1])
        return NULL;
    if (!sum && !is_negative)
        return args[1];
    if (!sum)
        return expr_new_call(a, EXPR_NEGATE, args[1]->type, &args[1], 1, position);
    return expr_new_call(a, is_negative ? EXPR_SUBTRACT : EXPR_ADD, args[1]->type, args, 2,
                         position);
}

/* The sum of a side's terms, behind `sum` where that is not NULL; negated: of their opposites. */
static expr *sum_of_side(arena *a, const linear_sum *terms, const column_set *side, bool negated,
                         expr *sum, int32_t position)
{
    for (unsigned pass = 0; pass < 2; pass++) /* those with a plus first: no sign stands alone */
        for (uint32_t i = 0; i < terms->count; i++) {
            const term *t = &terms->terms[i];
            bool is_negative = t->is_negative != negated;
            if (is_negative != (pass == 1) || !sides_is_of(side, t->e))
                continue;
            sum = sides_add(a, sum, t->e, is_negative, position);
            if (!sum)
                return NULL;
        }
    return sum;
}

static bool has_plus(const linear_sum *sum, const column_set *side)
{
    for (uint32_t i = 0; i < sum->count; i++)
        if (!sum->terms[i].is_negative && sides_is_of(side, sum->terms[i].e))
            return true;
    return false;
}

/* left - right op 0, as: what is of the first side op the rest, negated. */
static status separate(arena *a, const linear_sum *sum, const expr *e, const column_set sides[2],
                       expr **out)
{
    bool negated = !has_plus(sum, &sides[0]);
    value rest = value_decimal(negated ? sum->constant : -sum->constant, type_make(TYPE_INT64));
    expr *args[2] = {sum_of_side(a, sum, &sides[0], negated, NULL, e->position),
                     expr_new_constant(a, &rest, e->position)};
    if (args[1])
        args[1] = sum_of_side(a, sum, &sides[1], !negated, args[1], e->position);
    *out = NULL;
    if (args[0] && args[1])
        *out =
            expr_new_call(a, negated ? expr_mirrored(e->op) : e->op, e->type, args, 2, e->position);
    return *out ? STATUS_OK : status_no_memory("plan", sizeof **out);
}

status plan_separate_sides(plan_statement *s, expr **condition, const column_set sides[2],
                           value_range_column *column, void *context)
{
    expr *e = *condition;
    linear_sum sum = {.column = column, .context = context};
    number_range ranges[2];
    if (e->kind != EXPR_CALL || e->op < EXPR_LT || e->op > EXPR_GE || expr_is_volatile(e))
        return STATUS_OK;
    if (!sides_collect(&sum, e->args[0], false, &ranges[0]) ||
        !sides_collect(&sum, e->args[1], true, &ranges[1]) || sum.size > INT64_MAX ||
        !sides_is_worth_it(&sum, e, sides))
        return STATUS_OK;
    return separate(s->memory, &sum, e, sides, condition);
}
