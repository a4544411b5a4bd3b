/* kernel_cast_text.c - casts from text and to text, by the parsers and formatters of base. */
#include "device/cpu/kernel_text.h"

/* ---- from text ---- */

static bool parse_integer(const char *text, size_t bytes, data_type type, void *out)
{
    int128 number, high, low;
    if (!int128_parse(text, bytes, &number))
        return false;
    if (type_is_signed(type)) {
        high = ((int128)1 << (type.width * 8 - 1)) - 1;
        low = -high - 1;
    } else {
        high = ((int128)1 << (type.width * 8)) - 1;
        low = 0;
    }
    if (number < low || number > high)
        return false;
    memcpy(out, &number, type.width);
    return true;
}

static bool parse_decimal(const char *text, size_t bytes, data_type type, void *out)
{
    int128 number, limit = 1;
    if (!decimal_parse(text, bytes, type.scale, &number))
        return false;
    for (unsigned i = 0; i < type.precision; i++)
        limit *= 10;
    if (number >= limit || number <= -limit || (type.width == 8 && number != (int64_t)number))
        return false;
    memcpy(out, &number, type.width);
    return true;
}

static bool parse(const char *text, size_t bytes, data_type type, void *out)
{
    switch (type.id) {
    case TYPE_FLOAT:
        return float_parse(text, bytes, out);
    case TYPE_DOUBLE:
        return double_parse(text, bytes, out);
    case TYPE_DECIMAL:
        return parse_decimal(text, bytes, type, out);
    case TYPE_DATE:
        return date_parse(text, bytes, out);
    case TYPE_TIME:
        return time_parse(text, bytes, out);
    case TYPE_TIMESTAMP:
    case TYPE_TIMESTAMP_TZ:
        return timestamp_parse(text, bytes, type.precision, type.id == TYPE_TIMESTAMP_TZ, out);
    case TYPE_INTERVAL:
        return interval_parse(text, bytes, out);
    default:
        return parse_integer(text, bytes, type, out);
    }
}

void ISA_(cast_from_text)(const cast_from_text_arguments *a)
{
    size_t count = kernel_count(a->count);
    uint64_t *bits = a->out;
    if (!a->to.width)
        memset(bits, 0, bitmap_bytes(count));
    for (size_t i = 0; i < count; i++) {
        if (!kernel_is_valid(a->validity, i)) {
            if (a->to.width)
                memset((char *)a->out + i * a->to.width, 0, a->to.width);
            continue;
        }
        const char *text = kernel_string_data(&a->values[i]);
        size_t bytes = a->values[i].bytes;
        bool boolean = false, fits;
        if (a->to.width)
            fits = parse(text, bytes, a->to, (char *)a->out + i * a->to.width);
        else if ((fits = bool_parse(text, bytes, &boolean)))
            bits[i / 64] |= (uint64_t)boolean << (i % 64);
        if (!fits) {
            kernel_fail(a->error, DEV_ERROR_CAST, a->location, i);
            return;
        }
    }
}

/* ---- to text ---- */

/* The value of row i, but not text. */
static value row_value(const cast_to_text_arguments *a, size_t i)
{
    value v = {.type = a->from};
    const char *at = (const char *)a->values + i * a->from.width;
    switch (a->from.id) {
    case TYPE_BOOL:
        v.boolean = kernel_bit(a->values, i);
        break;
    case TYPE_INT8:
        v.i64 = *(const int8_t *)at;
        break;
    case TYPE_INT16:
        v.i64 = *(const int16_t *)at;
        break;
    case TYPE_INT32:
    case TYPE_DATE:
        v.i64 = *(const int32_t *)at;
        break;
    case TYPE_UINT8:
        v.u64 = *(const uint8_t *)at;
        break;
    case TYPE_UINT16:
        v.u64 = *(const uint16_t *)at;
        break;
    case TYPE_UINT32:
        v.u64 = *(const uint32_t *)at;
        break;
    case TYPE_FLOAT:
        v.f64 = (double)*(const float *)at;
        break;
    case TYPE_DOUBLE:
        v.f64 = *(const double *)at;
        break;
    case TYPE_INTERVAL:
        v.interval = *(const interval_value *)at;
        break;
    default:
        if (a->from.width == 16)
            v.i128 = *(const int128 *)at;
        else
            v.i64 = *(const int64_t *)at;
    }
    return v;
}

void ISA_(cast_to_text)(const cast_to_text_arguments *a)
{
    size_t count = kernel_count(a->count);
    for (size_t i = 0; i < count; i++) {
        char text[INTERVAL_TEXT_BYTES];
        size_t bytes = 0;
        if (kernel_is_valid(a->validity, i)) {
            value v = row_value(a, i);
            bytes = value_format(&v, text, sizeof text);
        }
        const char *location = text;
        if (bytes > STRING_INLINE_BYTES)
            location = memcpy(a->heap + i * a->heap_stride, text, bytes);
        a->out[i] = kernel_string_make(location, (uint32_t)bytes);
    }
}
