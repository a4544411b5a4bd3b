/* value_code.h - numbers of 64 bits that stand in the order of values, and back: what the kernels of every
 * device do with values that a group keeps. */
#ifndef PISTACHIO_DEVICE_VALUE_VALUE_CODE_H
#define PISTACHIO_DEVICE_VALUE_VALUE_CODE_H

#include "base/type/portable.h"
#include "device/kernels/aggregate_state.h"

#include <math.h>
#include <string.h>

#define VALUE_CODE_SIGN ((uint64_t)1 << 63)

/* NaN is the greatest, and there is one of it; -0 is 0. */
PORTABLE uint64_t value_code_of_double(double number)
{
    uint64_t bits;
    if (number != number)
        return ~(uint64_t)0;
    number += 0.0;
    memcpy(&bits, &number, sizeof bits);
    return bits & VALUE_CODE_SIGN ? ~bits : bits | VALUE_CODE_SIGN;
}

PORTABLE double value_code_double(uint64_t code)
{
    double number;
    uint64_t bits = code & VALUE_CODE_SIGN ? code ^ VALUE_CODE_SIGN : ~code;
    if (code == ~(uint64_t)0)
        return (double)NAN;
    memcpy(&number, &bits, sizeof number);
    return number;
}

/* Types of 1, 2, 4 or 8 bytes: with and without sign, floats. */
PORTABLE uint64_t value_code_at(data_type type, const void *values, size_t i)
{
    switch (type.id) {
    case TYPE_DOUBLE:
        return value_code_of_double(((const double *)values)[i]);
    case TYPE_FLOAT:
        return value_code_of_double((double)((const float *)values)[i]);
    case TYPE_UINT8:
        return ((const uint8_t *)values)[i];
    case TYPE_UINT16:
        return ((const uint16_t *)values)[i];
    case TYPE_UINT32:
        return ((const uint32_t *)values)[i];
    case TYPE_UINT64:
        return ((const uint64_t *)values)[i];
    default:
        break;
    }
    int64_t number = type.width == 1   ? ((const int8_t *)values)[i]
                     : type.width == 2 ? ((const int16_t *)values)[i]
                     : type.width == 4 ? ((const int32_t *)values)[i]
                                       : ((const int64_t *)values)[i];
    return (uint64_t)number ^ VALUE_CODE_SIGN;
}

PORTABLE void value_code_put(data_type type, uint64_t code, void *out, size_t i)
{
    bool is_signed = type.id < TYPE_UINT8 || type.id > TYPE_UINT64;
    uint64_t number = is_signed ? code ^ VALUE_CODE_SIGN : code;
    if (type.id == TYPE_DOUBLE)
        ((double *)out)[i] = value_code_double(code);
    else if (type.id == TYPE_FLOAT)
        ((float *)out)[i] = (float)value_code_double(code);
    else if (type.width == 1)
        ((uint8_t *)out)[i] = (uint8_t)number;
    else if (type.width == 2)
        ((uint16_t *)out)[i] = (uint16_t)number;
    else if (type.width == 4)
        ((uint32_t *)out)[i] = (uint32_t)number;
    else
        ((uint64_t *)out)[i] = number;
}

/* Returns where in the order of `count` values (at least one) the value is that the share lies at: the first one at
 * or after it, or (between) the two around it. The second one is at most one further. */
PORTABLE uint64_t value_code_rank(double share, uint64_t count, bool between)
{
    double at = between ? floor(share * (double)(count - 1)) : ceil(share * (double)count) - 1;
    if (!(at > 0))
        return 0;
    return at < (double)count ? (uint64_t)at : count - 1;
}

/* Between two values, by how far the share is from the first one. */
PORTABLE double value_code_between(double share, uint64_t count, uint64_t low, uint64_t high)
{
    double at = share * (double)(count - 1), first = value_code_double(low);
    return low == high ? first : first + (value_code_double(high) - first) * (at - floor(at));
}

#endif
