/* fold_number.c - rounding and functions of constant numbers, by the same code as the kernels. */

#include "device/value/math_value.h"
#include "plan/fold/fold.h"
#include "plan/fold/fold_parts.h"
#include "plan/tree/function.h"

#include <string.h>

/* IEEE 754 says each bit of the result; of others the library of a device does. */
static bool has_one_result(dev_math_op op, int digits)
{
    switch (op) {
    case DEV_MATH_ROUND: /* at other digits by a power */
    case DEV_MATH_TRUNC:
        return digits == 0;
    case DEV_MATH_FLOOR:
    case DEV_MATH_CEIL:
    case DEV_MATH_ABS:
    case DEV_MATH_SIGN:
    case DEV_MATH_SQRT:
    case DEV_MATH_DEGREES:
    case DEV_MATH_RADIANS:
        return true;
    default:
        return false;
    }
}

static bool fold_number_fold_double(dev_math_op op, int digits, const value *v, value *out)
{
    if (!has_one_result(op, digits) || math_is_outside(op, v->f64, 0))
        return false;
    *out = value_double(math_of_double(op, digits, v->f64, 0));
    return !isinf(out->f64) || isinf(v->f64);
}

static bool fold_number_fold_exact(dev_math_op op, int digits, const value *v, value *out)
{
    int dropped = v->type.scale - digits;
    if (op > DEV_MATH_SIGN || dropped > 37)
        return false;
    int128 number =
        math_of_integer(op, value_int128(v), power_of_ten(dropped > 0 ? (unsigned)dropped : 0),
                        power_of_ten(v->type.scale));
    if (!fold_integer_fits(number, v->type))
        return false;
    *out = v->type.id == TYPE_DECIMAL ? value_decimal(number, v->type)
                                      : value_int(v->type.id, (int64_t)number);
    return true;
}

bool fold_number(const expr *e, value *out)
{
    const function_info *info = function_info_of(e->op);
    int digits = 0;
    if (strcmp(info->family, "math") || !type_equal(e->args[0]->type, e->type) ||
        e->args[0]->type.width != e->type.width)
        return false;
    if (e->arg_count > 1) {
        if (info->operation != DEV_MATH_ROUND || !type_is_integer(e->args[1]->type))
            return false;
        int128 wanted = value_int128(&e->args[1]->constant);
        if (wanted < -400 || wanted > 400)
            return false;
        digits = (int)wanted;
    }
    const value *v = &e->args[0]->constant;
    if (e->type.id == TYPE_DOUBLE)
        return fold_number_fold_double((dev_math_op)info->operation, digits, v, out);
    return fold_number_fold_exact((dev_math_op)info->operation, digits, v, out);
}
