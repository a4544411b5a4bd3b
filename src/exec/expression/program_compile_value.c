/* program_compile_value.c - arithmetic, comparisons and casts, and what their results' bounds
 * prove: where nothing can overflow, nothing is checked. */
#include "exec/expression/program_compile_value.h"

#include "exec/expression/program_compile.h"
#include "exec/expression/program_instruction.h"

#include <math.h>

/* ---- casts ---- */

static bool is_real(data_type type)
{
    return type.id == TYPE_FLOAT || type.id == TYPE_DOUBLE;
}

static bool program_compile_value_is_timestamp(data_type type)
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
    if (from.id == TYPE_DATE || program_compile_value_is_timestamp(from))
        return to.id == TYPE_DATE || program_compile_value_is_timestamp(to) ||
               (to.id == TYPE_TIME && program_compile_value_is_timestamp(from));
    return from.id == TYPE_TIME && to.id == TYPE_TIME;
}

static int128 units_a_day(data_type type)
{
    if (type.id == TYPE_DATE)
        return 1;
    return (int128)86400 * power_of_ten(type.precision);
}

/* The bounds of an exact value in the target's units, rounding outwards; false: not known. */
static bool scaled_bounds(const instruction *from, data_type to, int128 *low, int128 *high)
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
    if (divide > 1 && instruction_may_be_infinite(from)) {
        instruction target = instruction_make(INSTRUCTION_CAST_NUMBER, 0, to, -1);
        *low = target.low;
        *high = target.high;
        return target.has_bounds;
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
static bool cast_constant(const instruction *from, const instruction *to, value *out)
{
    int128 low, high;
    if (from->kind != INSTRUCTION_CONSTANT || from->constant.is_null ||
        !scaled_bounds(from, to->type, &low, &high) || low != high || low < to->low ||
        low > to->high)
        return false;
    *out = value_decimal(low, to->type);
    return true;
}

static status program_compile_value_cast_number(compiler *c, uint32_t arg, data_type type,
                                                int32_t position, uint32_t *out)
{
    const instruction *from = instruction_of(c, arg);
    instruction s = instruction_make(INSTRUCTION_CAST_NUMBER, 0, type, position);
    value constant;
    int128 low, high;
    if (cast_constant(from, &s, &constant))
        return instruction_add_constant(c, &constant, out);
    bool never_fails = type.id == TYPE_DOUBLE || type.id == TYPE_BOOL || from->type.id == TYPE_BOOL;
    if (scaled_bounds(from, type, &low, &high) && low >= s.low && high <= s.high) {
        s.low = low;
        s.high = high;
        never_fails = true;
    }
    s.is_checked = s.can_fail = !never_fails;
    return instruction_add(c, &s, &arg, 1, out);
}

status compile_cast(compiler *c, uint32_t arg, data_type type, int32_t position, uint32_t *out)
{
    data_type from = instruction_of(c, arg)->type;
    if (type_equal(from, type) && from.width == type.width) {
        *out = arg;
        return STATUS_OK;
    }
    const instruction *source = instruction_of(c, arg);
    if (from.id == TYPE_NULL ||
        (source->kind == INSTRUCTION_CONSTANT && source->constant.is_null)) {
        value null = value_null(type);
        return instruction_add_constant(c, &null, out);
    }
    instruction_kind kind;
    uint8_t op = 0;
    if (is_number_cast(from, type))
        return program_compile_value_cast_number(c, arg, type, position, out);
    if (type_is_text(from) && type_is_text(type)) {
        kind = INSTRUCTION_BUILD;
        op = type.id == TYPE_BLOB ? DEV_BUILD_DECODE : DEV_BUILD_ENCODE;
    } else if (from.id == TYPE_VARCHAR)
        kind = INSTRUCTION_CAST_FROM_TEXT;
    else if (type.id == TYPE_VARCHAR)
        kind = INSTRUCTION_CAST_TO_TEXT;
    else {
        char from_name[TYPE_NAME_BYTES], to_name[TYPE_NAME_BYTES];
        return status_at(status_new(STATUS_KIND_UNSUPPORTED, "cannot cast %s to %s",
                                    type_name(from, from_name), type_name(type, to_name)),
                         position);
    }
    instruction s = instruction_make(kind, op, type, position);
    s.can_fail = kind != INSTRUCTION_CAST_TO_TEXT;
    return instruction_add(c, &s, &arg, 1, out);
}

/* Gives the constant's number in a narrower type of the same scale. */
static bool narrow_constant(const instruction *constant, data_type type, value *out)
{
    if (constant->kind != INSTRUCTION_CONSTANT || constant->type.scale != type.scale)
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
        data_type mine = instruction_of(c, args[i])->type,
                  other = instruction_of(c, args[1 - i])->type;
        if (mine.id == TYPE_NULL)
            TRY(compile_cast(c, args[i], other, -1, &args[i]));
        else if (mine.id == TYPE_DECIMAL && other.id == TYPE_DECIMAL && mine.width < other.width) {
            /* A constant that fits the narrow column does not make it wide. */
            const instruction *constant = instruction_of(c, args[1 - i]);
            value narrow;
            if (narrow_constant(constant, mine, &narrow)) {
                TRY(instruction_add_constant(c, &narrow, &args[1 - i]));
                continue;
            }
            mine.width = other.width;
            TRY(compile_cast(c, args[i], mine, -1, &args[i]));
        }
    }
    return STATUS_OK;
}

/* ---- comparisons ---- */

/* The comparisons of expressions and of devices have one order. */
_Static_assert(EXPR_GE - EXPR_EQ == DEV_COMPARE_GE - DEV_COMPARE_EQ, "same order");
static dev_compare_op program_compile_value_mirrored(dev_compare_op op)
{
    return (dev_compare_op)(expr_mirrored((expr_op)(EXPR_EQ + op - DEV_COMPARE_EQ)) - EXPR_EQ +
                            DEV_COMPARE_EQ);
}

status compile_comparison(compiler *c, dev_compare_op op, uint32_t left, uint32_t right,
                          int32_t position, uint32_t *out)
{
    uint32_t args[2] = {left, right};
    TRY(compile_same_width(c, args));
    const instruction *first = instruction_of(c, args[0]), *second = instruction_of(c, args[1]);
    if (!type_equal(first->type, second->type)) {
        if (first->type.id != TYPE_DECIMAL || first->type.scale != second->type.scale) {
            char left_name[TYPE_NAME_BYTES], right_name[TYPE_NAME_BYTES];
            return status_at(status_new(STATUS_KIND_INTERNAL, "%s is compared with %s",
                                        type_name(first->type, left_name),
                                        type_name(second->type, right_name)),
                             position);
        }
    }
    if (first->kind == INSTRUCTION_CONSTANT && second->kind != INSTRUCTION_CONSTANT) {
        uint32_t constant = args[0];
        args[0] = args[1];
        args[1] = constant;
        op = program_compile_value_mirrored(op);
    }
    instruction s =
        instruction_make(INSTRUCTION_COMPARE, (uint8_t)op, type_make(TYPE_BOOL), position);
    return instruction_add(c, &s, args, 2, out);
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
static bool arithmetic_bounds(dev_arithmetic_op op, const instruction *left,
                              const instruction *right, int128 *low, int128 *high)
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

/* The bounds of what fits a value's memory: a decimal(4,2) holds 200.00 if its arithmetic gives that. */
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

static bool divisor_is_safe(const instruction *left, const instruction *right)
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
    const instruction *left = instruction_of(c, args[0]), *right = instruction_of(c, args[1]);
    instruction s = instruction_make(INSTRUCTION_ARITHMETIC, (uint8_t)op, type, e->position);
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
    return instruction_add(c, &s, args, 2, out);
}

/* The magnitude of a finite constant; NaN for everything else. */
static double program_compile_value_magnitude_of(const instruction *s)
{
    bool is_known =
        s->kind == INSTRUCTION_CONSTANT && !s->constant.is_null && isfinite(s->constant.f64);
    return is_known ? fabs(s->constant.f64) : NAN;
}

/* Neither an overflow nor a division by zero can be. */
static bool real_arithmetic_is_safe(dev_arithmetic_op op, const instruction *left,
                                    const instruction *right)
{
    switch (op) {
    case DEV_MULTIPLY:
        return program_compile_value_magnitude_of(left) <= 1 ||
               program_compile_value_magnitude_of(right) <= 1;
    case DEV_DIVIDE:
        return program_compile_value_magnitude_of(right) >= 1;
    case DEV_MODULO:
        return program_compile_value_magnitude_of(right) > 0;
    default:
        return false;
    }
}

status compile_arithmetic(compiler *c, const expr *e, dev_arithmetic_op op, uint32_t left,
                          uint32_t right, uint32_t *out)
{
    uint32_t args[2] = {left, right};
    data_type type = e->type;
    if (is_real(type)) {
        instruction s = instruction_make(INSTRUCTION_ARITHMETIC, (uint8_t)op, type, e->position);
        for (int i = 0; i < 2; i++)
            TRY(compile_cast(c, args[i], type, e->position, &args[i]));
        s.is_checked = s.can_fail =
            !real_arithmetic_is_safe(op, instruction_of(c, args[0]), instruction_of(c, args[1]));
        return instruction_add(c, &s, args, 2, out);
    }
    if (type.id == TYPE_DECIMAL) {
        for (int i = 0; i < 2; i++)
            if (instruction_of(c, args[i])->type.id != TYPE_DECIMAL)
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

status compile_call_negate(compiler *c, const expr *e, int op, uint32_t *out)
{
    (void)op;
    uint32_t arg, other;
    TRY(compile_expr(c, e->args[0], &arg));
    data_type type = instruction_of(c, arg)->type;
    if (is_real(type)) {
        value minus_one = {.type = type, .f64 = -1};
        TRY(instruction_add_constant(c, &minus_one, &other));
        return compile_arithmetic(c, e, DEV_MULTIPLY, arg, other, out);
    }
    if (type.id == TYPE_INTERVAL) {
        value minus_one = value_double(-1);
        TRY(instruction_add_constant(c, &minus_one, &other));
        instruction s =
            instruction_make(INSTRUCTION_TIME, DEV_TIME_INTERVAL_MULTIPLY, type, e->position);
        s.can_fail = true;
        uint32_t args[2] = {arg, other};
        return instruction_add(c, &s, args, 2, out);
    }
    value zero = value_decimal(0, type);
    TRY(instruction_add_constant(c, &zero, &other));
    return compile_arithmetic(c, e, DEV_SUBTRACT, other, arg, out);
}
