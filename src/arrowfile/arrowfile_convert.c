/* arrowfile_convert.c - see arrowfile_convert.h. */
#include "arrowfile/arrowfile_convert.h"

#include "base/cancel.h"
#include "base/text/uuid_text.h"

#define NANOSECONDS_A_MICROSECOND 1000

static bool has_value(const arrowfile_rows *r, uint64_t row)
{
    return !r->valid || (r->valid[row / 64] >> row % 64 & 1);
}

static status too_large(const arrowfile_rows *r, int64_t number)
{
    char type[TYPE_NAME_BYTES];
    return status_new(STATUS_KIND_DATA, "column \"%s\": %lld does not fit the type %s",
                      r->field->name, (long long)number, type_name(r->field->type, type));
}

static int64_t integer_at(const arrowfile_rows *r, uint64_t row)
{
    int32_t narrow;
    int64_t number;
    if (r->field->width == sizeof narrow) {
        memcpy(&narrow, (const char *)r->stored + row * sizeof narrow, sizeof narrow);
        return narrow;
    }
    memcpy(&number, (const char *)r->stored + row * sizeof number, sizeof number);
    return number;
}

static int64_t divide_down(int64_t number, int64_t by)
{
    int64_t quotient = number / by;
    return quotient - (number % by < 0);
}

/* ---- floats ---- */

static float arrowfile_convert_half_to_float(uint16_t half)
{
    uint32_t sign = (uint32_t)(half & 0x8000) << 16, exponent = half >> 10 & 31, bits;
    uint32_t fraction = half & 0x3ff;
    float number;
    if (exponent == 31) {
        bits = sign | 0x7f800000 | fraction << 13;
    } else if (exponent) {
        bits = sign | (exponent + 127 - 15) << 23 | fraction << 13;
    } else {
        number = (float)fraction * 0x1p-24f;
        return sign ? -number : number;
    }
    memcpy(&number, &bits, sizeof number);
    return number;
}

static status convert_halves(const arrowfile_rows *r, float *target)
{
    const uint16_t *halves = r->stored;
    for (uint64_t row = 0; row < r->count; row++)
        target[row] = arrowfile_convert_half_to_float(halves[row]);
    return STATUS_OK;
}

/* ---- dates and times ---- */

static status convert_times(const arrowfile_rows *r, int64_t *target)
{
    for (uint64_t row = 0; row < r->count; row++) {
        int64_t number = integer_at(r, row);
        if (__builtin_mul_overflow(number, r->field->factor, &target[row]) && has_value(r, row))
            return too_large(r, number);
    }
    return STATUS_OK;
}

static status convert_divided(const arrowfile_rows *r, void *target)
{
    for (uint64_t row = 0; row < r->count; row++) {
        int64_t number = integer_at(r, row), quotient = divide_down(number, r->field->factor);
        if (r->field->type.width == sizeof quotient)
            ((int64_t *)target)[row] = quotient;
        else if (quotient < INT32_MIN || quotient > INT32_MAX)
            ((int32_t *)target)[row] = 0;
        else
            ((int32_t *)target)[row] = (int32_t)quotient;
        if (r->field->type.width < sizeof quotient && has_value(r, row) &&
            (quotient < INT32_MIN || quotient > INT32_MAX))
            return too_large(r, number);
    }
    return STATUS_OK;
}

/* ---- decimals, UUIDs ---- */

static int128 decimal_at(const arrowfile_rows *r, uint64_t row)
{
    int128 number;
    if (r->field->width < sizeof number)
        return integer_at(r, row);
    memcpy(&number, (const char *)r->stored + row * sizeof number, sizeof number);
    return number;
}

static status arrowfile_convert_decimals(const arrowfile_rows *r, void *target)
{
    int128 limit = power_of_ten(r->field->type.precision);
    for (uint64_t row = 0; row < r->count; row++) {
        int128 number = decimal_at(r, row);
        if (number <= -limit || number >= limit) {
            if (has_value(r, row))
                return status_new(STATUS_KIND_DATA,
                                  "column \"%s\" has a decimal of more than %u digits",
                                  r->field->name, r->field->type.precision);
            number = 0;
        }
        if (r->field->type.width == sizeof number)
            ((int128 *)target)[row] = number;
        else
            ((int64_t *)target)[row] = (int64_t)number;
    }
    return STATUS_OK;
}

static status arrowfile_convert_uuids(const arrowfile_rows *r, int128 *target)
{
    for (uint64_t row = 0; row < r->count; row++)
        target[row] = uuid_of_bytes((const uint8_t *)r->stored + row * UUID_BYTES);
    return STATUS_OK;
}

/* ---- intervals ---- */

static bool interval_at(const arrowfile_rows *r, uint64_t row, interval_value *out)
{
    int32_t words[4] = {0};
    int64_t nanoseconds;
    memcpy(words, (const char *)r->stored + row * r->field->width, r->field->width);
    *out = (interval_value){0};
    switch (r->field->conversion) {
    case ARROWFILE_MONTHS:
        out->months = words[0];
        return true;
    case ARROWFILE_DAYS:
        out->days = words[0];
        out->microseconds = (int64_t)words[1] * 1000;
        return true;
    case ARROWFILE_MONTHS_DAYS_NANOSECONDS:
        memcpy(&nanoseconds, words + 2, sizeof nanoseconds);
        out->months = words[0];
        out->days = words[1];
        out->microseconds = nanoseconds / NANOSECONDS_A_MICROSECOND;
        return true;
    default: /* a duration */
        memcpy(&nanoseconds, words, sizeof nanoseconds);
        if (r->field->is_divided)
            out->microseconds = nanoseconds / r->field->factor;
        return r->field->is_divided ||
               !__builtin_mul_overflow(nanoseconds, r->field->factor, &out->microseconds);
    }
}

static status arrowfile_convert_intervals(const arrowfile_rows *r, interval_value *target)
{
    for (uint64_t row = 0; row < r->count; row++)
        if (!interval_at(r, row, &target[row]) && has_value(r, row))
            return status_new(STATUS_KIND_DATA,
                              "column \"%s\" has a duration of more than 290,000 years",
                              r->field->name);
    return STATUS_OK;
}

status arrowfile_convert(const arrowfile_rows *rows, void *target)
{
    switch (rows->field->conversion) {
    case ARROWFILE_HALF:
        return convert_halves(rows, target);
    case ARROWFILE_TIMES:
        return convert_times(rows, target);
    case ARROWFILE_DIVIDED:
        return convert_divided(rows, target);
    case ARROWFILE_DECIMAL:
        return arrowfile_convert_decimals(rows, target);
    case ARROWFILE_UUID:
        return arrowfile_convert_uuids(rows, target);
    case ARROWFILE_DURATION:
    case ARROWFILE_MONTHS:
    case ARROWFILE_DAYS:
    case ARROWFILE_MONTHS_DAYS_NANOSECONDS:
        return arrowfile_convert_intervals(rows, target);
    case ARROWFILE_AS_IT_IS:
    case ARROWFILE_FIXED_TEXT:
        break;
    }
    memcpy(target, rows->stored, rows->count * rows->field->width);
    return STATUS_OK;
}
