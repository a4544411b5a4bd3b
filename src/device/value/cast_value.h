/* cast_value.h - casts among numbers and times: by what a value is multiplied and divided, and what the
 * target holds. Kernels of every device: C, C++ and CUDA. */
#ifndef PISTACHIO_DEVICE_VALUE_CAST_VALUE_H
#define PISTACHIO_DEVICE_VALUE_CAST_VALUE_H

#include "base/type/calendar.h"

/* value % modulo (unless 0), not below zero; * multiply / divide, rounded half away from zero (times:
 * down). An infinite time (`infinity` or its opposite, unless 0) becomes the target's, or fits nothing (0). */
typedef struct cast_scaling {
    int128 multiply, divide, modulo;
    bool rounds_down;
    int64_t infinity, target_infinity;
} cast_scaling;

PORTABLE bool cast_is_number(data_type type)
{
    return type.id >= TYPE_INT8 && type.id <= TYPE_DECIMAL;
}

PORTABLE bool cast_is_timestamp(data_type type)
{
    return type.id == TYPE_TIMESTAMP || type.id == TYPE_TIMESTAMP_TZ;
}

PORTABLE bool cast_is_time(data_type type)
{
    return type.id == TYPE_DATE || type.id == TYPE_TIME || cast_is_timestamp(type);
}

PORTABLE bool cast_is_unsigned(data_type type)
{
    return type.id == TYPE_UINT8 || type.id == TYPE_UINT16 || type.id == TYPE_UINT32 ||
           type.id == TYPE_UINT64;
}

PORTABLE int128 cast_units_a_day(data_type type)
{
    if (type.id == TYPE_DATE)
        return 1;
    return type.precision == 9 ? (int128)CALENDAR_DAY * 1000 : CALENDAR_DAY;
}

/* Returns what counts as infinite; 0: the type has no such value. */
PORTABLE int64_t cast_infinity_of(data_type type)
{
    return type.id == TYPE_DATE ? INT32_MAX : cast_is_timestamp(type) ? INT64_MAX : 0;
}

PORTABLE cast_scaling cast_scaling_of(data_type from, data_type to)
{
    cast_scaling s = {1, 1, 0, false, 0, 0};
    if (cast_is_time(to)) {
        s.infinity = cast_infinity_of(from);
        s.target_infinity = cast_infinity_of(to);
    }
    if (cast_is_number(from) && cast_is_number(to)) {
        if (to.scale >= from.scale)
            s.multiply = ten_to_128((unsigned)(to.scale - from.scale));
        else
            s.divide = ten_to_128((unsigned)(from.scale - to.scale));
    } else if (cast_is_timestamp(from) && to.id == TYPE_TIME) {
        s.modulo = cast_units_a_day(from);
        s.divide = from.precision == 9 ? 1000 : 1;
        s.rounds_down = true;
    } else if (cast_is_time(from) && cast_is_time(to)) {
        int128 source = cast_units_a_day(from), target = cast_units_a_day(to);
        if (target >= source)
            s.multiply = target / source;
        else
            s.divide = source / target;
        s.rounds_down = true;
    }
    return s;
}

PORTABLE bool cast_is_infinite(int128 number, const cast_scaling *s)
{
    return s->infinity && (number == s->infinity || number == -s->infinity);
}

/* The infinite number in the target; false: it has none. */
PORTABLE bool cast_infinite(int128 *number, const cast_scaling *s)
{
    *number = *number < 0 ? -s->target_infinity : s->target_infinity;
    return s->target_infinity != 0;
}

/* Gives the bounds between which a value can be stored. To a boolean: anything but 0 is true. */
PORTABLE void cast_bounds(data_type type, int128 *low, int128 *high)
{
    if (type.id == TYPE_BOOL || type.id == TYPE_DECIMAL) {
        *high = ten_to_128(type.id == TYPE_BOOL ? 38 : type.precision) - (type.id != TYPE_BOOL);
        *low = -*high;
        if (type.id == TYPE_DECIMAL && type.width == 8 && *high > INT64_MAX) {
            *low = INT64_MIN;
            *high = INT64_MAX;
        }
    } else if (type.id == TYPE_TIME) {
        *low = 0;
        *high = CALENDAR_DAY;
    } else {
        bool is_unsigned = cast_is_unsigned(type);
        *high = ((int128)1 << (type.width * 8 - !is_unsigned)) - 1;
        *low = is_unsigned ? 0 : -*high - 1;
    }
}

/* Divisors go up to 10^38, so twice the rest, and the divisor less a negative rest, need not fit. */
PORTABLE int128 cast_divide(int128 number, int128 divisor, bool rounds_down)
{
    int128 quotient = number / divisor, rest = number % divisor;
    if (rounds_down)
        return rest < 0 ? quotient - 1 : quotient;
    if (rest > 0)
        return rest >= divisor - rest ? quotient + 1 : quotient;
    return -rest >= divisor + rest ? quotient - 1 : quotient;
}

#endif
