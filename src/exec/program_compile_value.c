/* program_compile_value.c - arithmetic, comparisons and casts, and what their results' bounds
 * prove: where nothing can overflow, nothing is checked. */
#include "exec/program_step.h"

/* ---- casts ---- */

static bool is_real(data_type type)
{
    return type.id == TYPE_FLOAT || type.id == TYPE_DOUBLE;
}

static bool is_timestamp(data_type type)
{
    return type.id == TYPE_TIMESTAMP || type.id == TYPE_TIMESTAMP_TZ;
}

/* Which types a cast among numbers, booleans and times goes between. */
static bool is_number_cast(data_type from, data_type to)
{
    bool from_number = type_is_numeric(from), to_number = type_is_numeric(to);
    if (from_number && to_number)
        return true;
    if (from.id == TYPE_BOOL)
        return type_is_integer(to);
    if (to.id == TYPE_BOOL)
        return from_number;
    if (from.id == TYPE_DATE || is_timestamp(from))
        return to.id == TYPE_DATE || is_timestamp(to) || (to.id == TYPE_TIME && is_timestamp(from));
    return from.id == TYPE_TIME && to.id == TYPE_TIME;
}

static int128 units_a_day(data_type type)
{
    if (type.id == TYPE_DATE)
        return 1;
    return (int128)86400 * power_of_ten(type.precision);
}

/* The bounds of an exact value in the target's units, rounding outwards; false: not known. */
static bool scaled_bounds(const step *from, data_type to, int128 *low, int128 *high)
{
    int128 multiply = 1, divide = 1;
    if (!from->has_bounds || is_real(from->type) || is_real(to) || to.id == TYPE_BOOL)
        return false;
    if (type_is_numeric(to)) {
        if (to.scale >= from->type.scale)
            multiply = power_of_ten((unsigned)(to.scale - from->type.scale));
        else
            divide = power_of_ten((unsigned)(from->type.scale - to.scale));
    } else if (to.id == TYPE_TIME || from->type.id == TYPE_TIME) {
        return false;
    } else {
        int128 source = units_a_day(from->type), target = units_a_day(to);
        if (target >= source)
            multiply = target / source;
        else
            divide = source / target;
    }
    if (divide > 1) {
        *low = from->low / divide - 1;
        *high = from->high / divide + 1;
        return true;
    }
    return !__builtin_mul_overflow(from->low, multiply, low) &&
           !__builtin_mul_overflow(from->high, multiply, high);
}

/* An exact constant of another exact type is one too. */
static bool cast_constant(const step *from, const step *to, value *out)
{
    int128 low, high;
    if (from->kind != STEP_CONSTANT || from->constant.is_null ||
        !scaled_bounds(from, to->type, &low, &high) || low != high || low < to->low ||
        low > to->high)
        return false;
    *out = value_decimal(low, to->type);
    return true;
}

static status cast_number(compiler *c, uint32_t arg, data_type type, int32_t position,
                          uint32_t *out)
{
    const step *from = step_of(c, arg);
    step s = step_make(STEP_CAST_NUMBER, 0, type, position);
    value constant;
    int128 low, high;
    if (cast_constant(from, &s, &constant))
        return step_add_constant(c, &constant, out);
    bool never_fails = type.id == TYPE_DOUBLE || type.id == TYPE_BOOL || from->type.id == TYPE_BOOL;
    if (scaled_bounds(from, type, &low, &high) && low >= s.low && high <= s.high) {
        s.low = low;
        s.high = high;
        never_fails = true;
    }
    s.is_checked = s.can_fail = !never_fails;
    return step_add(c, &s, &arg, 1, out);
}

status compile_cast(compiler *c, uint32_t arg, data_type type, int32_t position, uint32_t *out)
{
    data_type from = step_of(c, arg)->type;
    if (type_equal(from, type) && from.width == type.width) {
        *out = arg;
        return STATUS_OK;
    }
    const step *source = step_of(c, arg);
    if (from.id == TYPE_NULL || (source->kind == STEP_CONSTANT && source->constant.is_null)) {
        value null = value_null(type);
        return step_add_constant(c, &null, out);
    }
    step_kind kind;
    uint8_t op = 0;
    if (is_number_cast(from, type))
        return cast_number(c, arg, type, position, out);
    if (type_is_text(from) && type_is_text(type)) {
        kind = STEP_BUILD;
        op = type.id == TYPE_BLOB ? DEV_BUILD_DECODE : DEV_BUILD_ENCODE;
    } else if (from.id == TYPE_VARCHAR)
        kind = STEP_CAST_FROM_TEXT;
    else if (type.id == TYPE_VARCHAR)
        kind = STEP_CAST_TO_TEXT;
    else {
        char from_name[TYPE_NAME_BYTES], to_name[TYPE_NAME_BYTES];
        return status_at(status_new(STATUS_KIND_UNSUPPORTED, "cannot cast %s to %s",
                                    type_name(from, from_name), type_name(type, to_name)),
                         position);
    }
    step s = step_make(kind, op, type, position);
    s.can_fail = kind != STEP_CAST_TO_TEXT;
    return step_add(c, &s, &arg, 1, out);
}

/* The same number in a narrower type of the same scale. */
static bool narrow_constant(const step *constant, data_type type, value *out)
{
    if (constant->kind != STEP_CONSTANT || constant->type.scale != type.scale)
        return false;
    if (constant->constant.is_null) {
        *out = value_null(type);
        return true;
    }
    int128 number = value_int128(&constant->constant);
    *out = value_decimal(number, type);
    return number == (int64_t)number;
}

status compile_same_width(compiler *c, uint32_t args[2])
{
    for (int i = 0; i < 2; i++) {
        data_type mine = step_of(c, args[i])->type, other = step_of(c, args[1 - i])->type;
        if (mine.id == TYPE_NULL)
            TRY(compile_cast(c, args[i], other, -1, &args[i]));
        else if (mine.id == TYPE_DECIMAL && other.id == TYPE_DECIMAL && mine.width < other.width) {
            /* A constant that fits the narrow column does not make it wide. */
            const step *constant = step_of(c, args[1 - i]);
            value narrow;
            if (narrow_constant(constant, mine, &narrow)) {
                TRY(step_add_constant(c, &narrow, &args[1 - i]));
                continue;
            }
            mine.width = other.width;
            TRY(compile_cast(c, args[i], mine, -1, &args[i]));
        }
    }
    return STATUS_OK;
}

/* ---- comparisons ---- */

status compile_comparison(compiler *c, dev_compare_op op, uint32_t left, uint32_t right,
                          int32_t position, uint32_t *out)
{
    static const dev_compare_op mirrored[] = {
        [DEV_COMPARE_EQ] = DEV_COMPARE_EQ, [DEV_COMPARE_NE] = DEV_COMPARE_NE,
        [DEV_COMPARE_LT] = DEV_COMPARE_GT, [DEV_COMPARE_LE] = DEV_COMPARE_GE,
        [DEV_COMPARE_GT] = DEV_COMPARE_LT, [DEV_COMPARE_GE] = DEV_COMPARE_LE};
    uint32_t args[2] = {left, right};
    TRY(compile_same_width(c, args));
    const step *first = step_of(c, args[0]), *second = step_of(c, args[1]);
    if (first->type.id != second->type.id || first->type.scale != second->type.scale ||
        first->type.precision != second->type.precision) {
        if (first->type.id != TYPE_DECIMAL || first->type.scale != second->type.scale) {
            char left_name[TYPE_NAME_BYTES], right_name[TYPE_NAME_BYTES];
            return status_at(status_new(STATUS_KIND_INTERNAL, "%s is compared with %s",
                                        type_name(first->type, left_name),
                                        type_name(second->type, right_name)),
                             position);
        }
    }
    if (first->kind == STEP_CONSTANT && second->kind != STEP_CONSTANT) {
        uint32_t constant = args[0];
        args[0] = args[1];
        args[1] = constant;
        op = mirrored[op];
    }
    step s = step_make(STEP_COMPARE, (uint8_t)op, type_make(TYPE_BOOL), position);
    return step_add(c, &s, args, 2, out);
}

/* ---- arithmetic ---- */

static bool has_overflow(dev_arithmetic_op op, int128 x, int128 y, int128 *result)
{
    switch (op) {
    case DEV_ADD:
        return __builtin_add_overflow(x, y, result);
    case DEV_SUBTRACT:
        return __builtin_sub_overflow(x, y, result);
    default:
        return __builtin_mul_overflow(x, y, result);
    }
}

/* The least and greatest result, from those at the corners; false: not known. */
static bool arithmetic_bounds(dev_arithmetic_op op, const step *left, const step *right,
                              int128 *low, int128 *high)
{
    const int128 x[2] = {left->low, left->high}, y[2] = {right->low, right->high};
    if (!left->has_bounds || !right->has_bounds)
        return false;
    if (op == DEV_DIVIDE) {
        int128 size = left->high > -left->low ? left->high : -left->low;
        *low = -size;
        *high = size;
        return true;
    }
    if (op == DEV_MODULO) {
        int128 size = right->high > -right->low ? right->high : -right->low;
        *low = left->low < 0 ? -size : 0;
        *high = left->high > 0 ? size : 0;
        return true;
    }
    for (int i = 0; i < 4; i++) {
        int128 corner;
        if (has_overflow(op, x[i / 2], y[i % 2], &corner))
            return false;
        if (i == 0 || corner < *low)
            *low = corner;
        if (i == 0 || corner > *high)
            *high = corner;
    }
    return true;
}

/* What fits the memory of a value: a decimal(4,2) holds 200.00 if its arithmetic gives that. */
static void storage_bounds(data_type type, int128 *low, int128 *high)
{
    if (type.width == 16) {
        *high = DECIMAL_MAX;
        *low = -*high;
    } else {
        *high = ((int128)1 << (type.width * 8 - 1)) - 1;
        *low = -*high - 1;
    }
}

static bool divisor_is_safe(const step *left, const step *right)
{
    bool may_be_zero = !right->has_bounds || (right->low <= 0 && right->high >= 0);
    bool may_be_minus_one = !right->has_bounds || (right->low <= -1 && right->high >= -1);
    int128 low, high;
    storage_bounds(left->type, &low, &high);
    return !may_be_zero && !(may_be_minus_one && (!left->has_bounds || left->low == low));
}

static status exact_arithmetic(compiler *c, const expr *e, data_type type, dev_arithmetic_op op,
                               uint32_t args[2], uint32_t *out)
{
    const step *left = step_of(c, args[0]), *right = step_of(c, args[1]);
    step s = step_make(STEP_ARITHMETIC, (uint8_t)op, type, e->position);
    int128 least, greatest, low = 0, high = 0;
    storage_bounds(type, &least, &greatest);
    bool is_known = arithmetic_bounds(op, left, right, &low, &high);
    if (e->has_range && (!is_known || e->range_min > low || e->range_max < high)) {
        low = is_known && low > e->range_min ? low : e->range_min;
        high = is_known && high < e->range_max ? high : e->range_max;
        is_known = true;
    }
    bool fits = is_known && low >= least && high <= greatest;
    s.is_checked = !fits;
    s.can_fail = op == DEV_DIVIDE || op == DEV_MODULO ? !divisor_is_safe(left, right) : !fits;
    s.low = fits ? low : least;
    s.high = fits ? high : greatest;
    bool is_wide = left->type.width == 16 || right->type.width == 16;
    if (type.id == TYPE_DECIMAL && type.width == 8 && is_wide &&
        (!fits || op == DEV_DIVIDE || op == DEV_MODULO)) {
        data_type wide = type;
        wide.width = 16;
        TRY(exact_arithmetic(c, e, wide, op, args, out));
        return compile_cast(c, *out, type, e->position, out);
    }
    return step_add(c, &s, args, 2, out);
}

status compile_arithmetic(compiler *c, const expr *e, dev_arithmetic_op op, uint32_t left,
                          uint32_t right, uint32_t *out)
{
    uint32_t args[2] = {left, right};
    data_type type = e->type;
    if (is_real(type)) {
        step s = step_make(STEP_ARITHMETIC, (uint8_t)op, type, e->position);
        for (int i = 0; i < 2; i++)
            TRY(compile_cast(c, args[i], type, e->position, &args[i]));
        s.can_fail = op == DEV_DIVIDE || op == DEV_MODULO;
        return step_add(c, &s, args, 2, out);
    }
    if (type.id == TYPE_DECIMAL) {
        for (int i = 0; i < 2; i++)
            if (step_of(c, args[i])->type.id != TYPE_DECIMAL)
                TRY(compile_cast(c, args[i], type_decimal(38, 0), e->position, &args[i]));
        return exact_arithmetic(c, e, type, op, args, out);
    }
    if (!type_is_integer(type)) {
        char name[TYPE_NAME_BYTES];
        return status_at(
            status_new(STATUS_KIND_INTERNAL, "arithmetic gives %s", type_name(type, name)),
            e->position);
    }
    /* The other integers go through bigint. */
    data_type computed = type_make(type.id == TYPE_INT32 ? TYPE_INT32 : TYPE_INT64);
    for (int i = 0; i < 2; i++)
        TRY(compile_cast(c, args[i], computed, e->position, &args[i]));
    TRY(exact_arithmetic(c, e, computed, op, args, out));
    return compile_cast(c, *out, type, e->position, out);
}

status compile_negate(compiler *c, const expr *e, uint32_t *out)
{
    uint32_t arg, other;
    TRY(compile_expr(c, e->args[0], &arg));
    data_type type = step_of(c, arg)->type;
    if (is_real(type)) {
        value minus_one = {.type = type, .f64 = -1};
        TRY(step_add_constant(c, &minus_one, &other));
        return compile_arithmetic(c, e, DEV_MULTIPLY, arg, other, out);
    }
    if (type.id == TYPE_INTERVAL) {
        value minus_one = value_double(-1);
        TRY(step_add_constant(c, &minus_one, &other));
        step s = step_make(STEP_TIME, DEV_TIME_INTERVAL_MULTIPLY, type, e->position);
        s.can_fail = true;
        uint32_t args[2] = {arg, other};
        return step_add(c, &s, args, 2, out);
    }
    value zero = value_decimal(0, type);
    TRY(step_add_constant(c, &zero, &other));
    return compile_arithmetic(c, e, DEV_SUBTRACT, other, arg, out);
}
