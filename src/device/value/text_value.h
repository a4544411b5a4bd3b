/* text_value.h - texts as values of the other types and back: what the kernels cast_from_text and
 * cast_to_text of every device do with a row, but for floating-point numbers. */
#ifndef PISTACHIO_DEVICE_VALUE_TEXT_VALUE_H
#define PISTACHIO_DEVICE_VALUE_TEXT_VALUE_H

#include "base/text/interval_text.h"
#include "base/text/moment_text.h"
#include "base/text/number_text.h"
#include "base/text/uuid_text.h"

PORTABLE bool cast_text_to_integer(const char *text, size_t bytes, data_type type, void *out)
{
    int128 number, high, low;
    bool is_signed = type.id < TYPE_UINT8 || type.id > TYPE_UINT64;
    if (!number_parse_integer(text, bytes, &number))
        return false;
    if (is_signed) {
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

PORTABLE bool cast_text_to_decimal(const char *text, size_t bytes, data_type type, void *out)
{
    int128 number;
    if (!number_parse_decimal(text, bytes, type.scale, &number))
        return false;
    int128 limit = 1;
    for (unsigned i = 0; i < type.precision; i++)
        limit *= 10;
    if (number >= limit || number <= -limit || (type.width == 8 && number != (int64_t)number))
        return false;
    memcpy(out, &number, type.width);
    return true;
}

/* Casts a text to a type other than boolean. False: the text does not read as a value of the type. */
PORTABLE bool cast_text_to_value(const char *text, size_t bytes, data_type type, void *out)
{
    switch (type.id) {
    case TYPE_DECIMAL:
        return cast_text_to_decimal(text, bytes, type, out);
    case TYPE_DATE:
        return moment_parse_date(text, bytes, (int32_t *)out);
    case TYPE_TIME:
        return moment_parse_time(text, bytes, (int64_t *)out);
    case TYPE_TIMESTAMP:
    case TYPE_TIMESTAMP_TZ:
        return moment_parse_timestamp(text, bytes, type.precision, type.id == TYPE_TIMESTAMP_TZ,
                                      (int64_t *)out);
    case TYPE_INTERVAL:
        return interval_parse_text(text, bytes, (interval_value *)out);
    case TYPE_UUID:
        return uuid_parse_text(text, bytes, (int128 *)out);
    default:
        return cast_text_to_integer(text, bytes, type, out);
    }
}

PORTABLE int128 cast_load_integer(data_type type, const void *at)
{
    switch (type.id) {
    case TYPE_INT8:
        return *(const int8_t *)at;
    case TYPE_INT16:
        return *(const int16_t *)at;
    case TYPE_INT32:
    case TYPE_DATE:
        return *(const int32_t *)at;
    case TYPE_UINT8:
        return *(const uint8_t *)at;
    case TYPE_UINT16:
        return *(const uint16_t *)at;
    case TYPE_UINT32:
        return *(const uint32_t *)at;
    case TYPE_UINT64:
        return *(const uint64_t *)at;
    default:
        return type.width == 16 ? *(const int128 *)at : *(const int64_t *)at;
    }
}

/* Bytes of the text, of which there is room for INTERVAL_TEXT_BYTES. `at`: the value, which is neither
 * boolean nor a text. */
PORTABLE size_t cast_value_to_text(data_type type, const void *at, char *text)
{
    switch (type.id) {
    case TYPE_DATE:
        return moment_format_date(*(const int32_t *)at, text);
    case TYPE_TIME:
        return moment_format_time(*(const int64_t *)at, text);
    case TYPE_TIMESTAMP:
    case TYPE_TIMESTAMP_TZ:
        return moment_format_timestamp(*(const int64_t *)at, type.precision,
                                       type.id == TYPE_TIMESTAMP_TZ, text);
    case TYPE_INTERVAL:
        return interval_format_text(*(const interval_value *)at, text);
    case TYPE_UUID:
        return uuid_format_text(*(const int128 *)at, text);
    default:
        return number_format(cast_load_integer(type, at), type.scale, text);
    }
}

PORTABLE size_t cast_boolean_to_text(bool boolean, char *text)
{
    text_print p = {text, 0};
    print_text(&p, boolean ? "true" : "false");
    return print_end(&p);
}

#endif
