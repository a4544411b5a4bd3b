/* arrow_row.c - reading a row of an Arrow struct array. */
#include "api/arrow/arrow_row.h"

#include "api/arrow/arrow_metadata.h"
#include "api/arrow/arrow_schema.h"
#include "base/text/uuid_text.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- types ---- */

static status has_no_sql_type(const struct ArrowSchema *column)
{
    return status_new(STATUS_KIND_UNSUPPORTED,
                      "column \"%s\" has the Arrow type \"%s\", which has no SQL type",
                      column->name ? column->name : "", column->format ? column->format : "");
}

static bool decimal_format(const char *format, data_type *out, int *out_bits)
{
    int precision, scale, end = 0;
    *out_bits = 128;
    if (sscanf(format, "d:%d,%d%n", &precision, &scale, &end) != 2)
        return false;
    if (format[end] == ',')
        *out_bits = (int)strtol(format + end + 1, NULL, 10);
    else if (format[end])
        return false;
    if (precision < 1 || precision > 38 || scale < 0 || scale > precision ||
        (*out_bits != 128 && *out_bits != 64 && *out_bits != 32))
        return false;
    *out = type_decimal((unsigned)precision, (unsigned)scale);
    return true;
}

/* Returns the bytes of "w:16", blobs of that many bytes; 0 for other formats. */
static int64_t arrow_row_fixed_bytes(const char *format)
{
    int bytes, end = 0;
    if (sscanf(format, "w:%d%n", &bytes, &end) != 1 || format[end] || bytes < 1)
        return 0;
    return bytes;
}

static bool timestamp_format_of(const char *format, data_type *out)
{
    if (strncmp(format, "ts", 2) || !format[2] || !strchr("smun", format[2]) || format[3] != ':')
        return false;
    *out = type_make(format[4] ? TYPE_TIMESTAMP_TZ : TYPE_TIMESTAMP);
    out->precision = format[2] == 'n' ? 9 : 6;
    return true;
}

static const struct {
    const char *format;
    uint8_t type;
} formats[] = {
    {"n", TYPE_NULL},       {"b", TYPE_BOOL},       {"c", TYPE_INT8},       {"s", TYPE_INT16},
    {"i", TYPE_INT32},      {"l", TYPE_INT64},      {"C", TYPE_UINT8},      {"S", TYPE_UINT16},
    {"I", TYPE_UINT32},     {"L", TYPE_UINT64},     {"f", TYPE_FLOAT},      {"g", TYPE_DOUBLE},
    {"u", TYPE_VARCHAR},    {"U", TYPE_VARCHAR},    {"vu", TYPE_VARCHAR},   {"z", TYPE_BLOB},
    {"Z", TYPE_BLOB},       {"vz", TYPE_BLOB},      {"tdD", TYPE_DATE},     {"tdm", TYPE_DATE},
    {"tts", TYPE_TIME},     {"ttm", TYPE_TIME},     {"ttu", TYPE_TIME},     {"ttn", TYPE_TIME},
    {"tiM", TYPE_INTERVAL}, {"tiD", TYPE_INTERVAL}, {"tin", TYPE_INTERVAL}, {"tDs", TYPE_INTERVAL},
    {"tDm", TYPE_INTERVAL}, {"tDu", TYPE_INTERVAL}, {"tDn", TYPE_INTERVAL}, {"e", TYPE_FLOAT}};

status api_arrow_type(const struct ArrowSchema *column, data_type *out)
{
    int bits;
    if (column->dictionary)
        column = column->dictionary;
    const char *format = column->format;
    *out = type_make(TYPE_NULL);
    if (!format || column->n_children)
        return has_no_sql_type(column);
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
        if (!strcmp(format, formats[i].format)) {
            *out = type_make(formats[i].type);
            return STATUS_OK;
        }
    if (decimal_format(format, out, &bits) || timestamp_format_of(format, out))
        return STATUS_OK;
    if (!arrow_row_fixed_bytes(format))
        return has_no_sql_type(column);
    *out = type_make(api_arrow_is_uuid(column) ? TYPE_UUID : TYPE_BLOB);
    return STATUS_OK;
}

/* ---- checks ---- */

static status arrow_row_wrong(const struct ArrowSchema *column, const char *what)
{
    return status_new(STATUS_KIND_INVALID, "Arrow array of column \"%s\" %s",
                      column->name ? column->name : "", what);
}

static bool is_view(const char *format)
{
    return format[0] == 'v';
}

static bool has_offsets(const char *format)
{
    return format[0] && !format[1] && strchr("uUzZ", format[0]);
}

static status check_buffers(const struct ArrowSchema *column, const struct ArrowArray *array)
{
    const char *format = column->format;
    int64_t expected = !strcmp(format, "n") ? 0 : has_offsets(format) ? 3 : 2;
    if (is_view(format) ? array->n_buffers < 3 : array->n_buffers != expected)
        return arrow_row_wrong(column, "has another number of buffers than its type");
    if (array->n_buffers && !array->buffers)
        return arrow_row_wrong(column, "has no buffers");
    if (array->length && expected && !array->buffers[1])
        return arrow_row_wrong(column, "has no values");
    if (is_view(format) && array->n_buffers > 3 && !array->buffers[array->n_buffers - 1])
        return arrow_row_wrong(column, "does not say how long its buffers are");
    return STATUS_OK;
}

/* No array is longer; so far no address overflows. */
#define ROWS_MAX ((int64_t)1 << 48)

static bool has_extent(const struct ArrowArray *array)
{
    return array->length >= 0 && array->offset >= 0 && array->length <= ROWS_MAX &&
           array->offset <= ROWS_MAX - array->length;
}

static status arrow_row_check_column(const struct ArrowSchema *column,
                                     const struct ArrowArray *array, int64_t rows)
{
    data_type type;
    TRY(api_arrow_type(column, &type));
    if (!column->format || !*column->format)
        return has_no_sql_type(column);
    if (!array || !array->release)
        return arrow_row_wrong(column, "was released");
    if (!has_extent(array))
        return arrow_row_wrong(column, "has a negative length or offset, or too large ones");
    if (array->length < rows)
        return arrow_row_wrong(column, "is shorter than its struct");
    TRY(check_buffers(column, array));
    if (!column->dictionary)
        return STATUS_OK;
    if (!strchr("cCsSiIlL", column->format[0]) || column->format[1])
        return arrow_row_wrong(column, "has codes that are not integers");
    if (!array->dictionary || column->dictionary->dictionary)
        return arrow_row_wrong(column, "has no dictionary of values");
    return arrow_row_check_column(column->dictionary, array->dictionary, 0);
}

status api_arrow_check(const struct ArrowSchema *schema, const struct ArrowArray *array,
                       const bool *is_nested)
{
    if (!schema->release || !array->release)
        return status_new(STATUS_KIND_INVALID, "Arrow array was released");
    if (!schema->format || strcmp(schema->format, "+s"))
        return status_new(STATUS_KIND_INVALID, "rows in Arrow are a struct, not \"%s\"",
                          schema->format ? schema->format : "");
    if (!has_extent(array))
        return status_new(STATUS_KIND_INVALID,
                          "Arrow array has a negative length or offset, or too large ones");
    if (array->n_buffers && !array->buffers)
        return status_new(STATUS_KIND_INVALID, "Arrow array has no buffers");
    if (schema->n_children < 0 || schema->n_children > 65535 ||
        array->n_children != schema->n_children)
        return status_new(STATUS_KIND_INVALID, "Arrow array has %lld columns, its schema %lld",
                          (long long)array->n_children, (long long)schema->n_children);
    if (schema->n_children && (!schema->children || !array->children))
        return status_new(STATUS_KIND_INVALID, "Arrow array has no columns");
    for (int64_t i = 0; i < schema->n_children; i++)
        if (!schema->children[i])
            return status_new(STATUS_KIND_INVALID, "Arrow schema has no column %lld", (long long)i);
    for (int64_t i = 0; i < schema->n_children; i++)
        if (!is_nested || !is_nested[i])
            TRY(arrow_row_check_column(schema->children[i], array->children[i],
                                       array->length + array->offset));
    return STATUS_OK;
}

/* ---- values ---- */

/* Nothing says that a client's values lie at multiples of their size. */
#define LOAD(type, values, at)                                                                     \
    ({                                                                                             \
        type loaded_;                                                                              \
        memcpy(&loaded_, (const char *)(values) + (size_t)(at) * sizeof loaded_, sizeof loaded_);  \
        loaded_;                                                                                   \
    })

bool api_arrow_is_null(const struct ArrowArray *array, int64_t at)
{
    const uint8_t *validity = array->n_buffers && array->null_count ? array->buffers[0] : NULL;
    return validity && !(validity[at / 8] >> (at % 8) & 1);
}

static status offset_text(const struct ArrowSchema *column, const struct ArrowArray *array,
                          int64_t at, value *out)
{
    bool is_large = column->format[0] == 'U' || column->format[0] == 'Z';
    const char *offsets = array->buffers[1], *text = array->buffers[2];
    int64_t from, to;
    if (is_large) {
        from = LOAD(int64_t, offsets, at);
        to = LOAD(int64_t, offsets, at + 1);
    } else {
        from = LOAD(int32_t, offsets, at);
        to = LOAD(int32_t, offsets, at + 1);
    }
    if (from < 0 || to < from || (to > from && !text))
        return arrow_row_wrong(column, "has offsets of texts that fall or are negative");
    out->text = to > from ? text + from : "";
    out->bytes = (size_t)(to - from);
    return STATUS_OK;
}

static status view_text(const struct ArrowSchema *column, const struct ArrowArray *array,
                        int64_t at, value *out)
{
    const char *views = array->buffers[1], *lengths = array->buffers[array->n_buffers - 1];
    const arrow_view loaded = LOAD(arrow_view, views, at), *view = &loaded;
    if (view->bytes < 0)
        return arrow_row_wrong(column, "has a text of negative length");
    out->bytes = (size_t)view->bytes;
    out->text = views + (size_t)at * sizeof loaded + offsetof(arrow_view, inlined);
    if (view->bytes <= 12)
        return STATUS_OK;
    if (view->buffer < 0 || view->buffer >= array->n_buffers - 3 || view->offset < 0 ||
        (int64_t)view->offset + view->bytes > LOAD(int64_t, lengths, view->buffer) ||
        !array->buffers[2 + view->buffer])
        return arrow_row_wrong(column, "has a view of a text that lies outside of its buffers");
    out->text = (const char *)array->buffers[2 + view->buffer] + view->offset;
    return STATUS_OK;
}

static int64_t arrow_row_integer_at(const void *values, char format, int64_t at)
{
    switch (format) {
    case 'c':
        return LOAD(int8_t, values, at);
    case 'C':
        return LOAD(uint8_t, values, at);
    case 's':
        return LOAD(int16_t, values, at);
    case 'S':
        return LOAD(uint16_t, values, at);
    case 'i':
        return LOAD(int32_t, values, at);
    case 'I':
        return LOAD(uint32_t, values, at);
    default:
        return LOAD(int64_t, values, at);
    }
}

/* Units per second by their letter; times are microseconds, timestamps micro- or nanoseconds. */
static status time_value(const struct ArrowSchema *column, int64_t count, char unit, value *out)
{
    bool is_fine = out->type.precision == 9;
    int64_t factor = unit == 's' ? 1000000 : unit == 'm' ? 1000 : 1;
    if (unit == 'n' && !is_fine)
        out->i64 = count >= 0 ? count / 1000 : -((-(count + 1)) / 1000) - 1;
    else if (__builtin_mul_overflow(count, factor, &out->i64))
        return arrow_row_wrong(column, "has a time that does not fit microseconds");
    return STATUS_OK;
}

static status date_or_time(const struct ArrowSchema *column, const void *values, int64_t at,
                           value *out)
{
    const char *format = column->format;
    if (!strcmp(format, "tdD")) {
        out->i64 = LOAD(int32_t, values, at);
    } else if (!strcmp(format, "tdm")) {
        int64_t count = LOAD(int64_t, values, at), day = 86400000;
        int64_t days = count / day - (count % day < 0);
        if (days != (int32_t)days)
            return arrow_row_wrong(column, "has a date out of range");
        out->i64 = days;
    } else if (format[1] == 't') {
        bool is_32 = format[2] == 's' || format[2] == 'm';
        return time_value(column, is_32 ? LOAD(int32_t, values, at) : LOAD(int64_t, values, at),
                          format[2], out);
    } else {
        return time_value(column, LOAD(int64_t, values, at), format[2], out);
    }
    return STATUS_OK;
}

/* Durations and intervals. */
static status interval(const struct ArrowSchema *column, const void *values, int64_t at, value *out)
{
    const char *format = column->format;
    out->interval = (interval_value){0};
    if (format[1] == 'D') {
        value count = {.type = type_make(TYPE_TIME)};
        TRY(time_value(column, LOAD(int64_t, values, at), format[2], &count));
        out->interval.microseconds = count.i64;
    } else if (format[2] == 'M') {
        out->interval.months = LOAD(int32_t, values, at);
    } else if (format[2] == 'D') {
        out->interval.days = LOAD(int32_t, values, 2 * at);
        out->interval.microseconds = (int64_t)LOAD(int32_t, values, 2 * at + 1) * 1000;
    } else {
        out->interval.months = LOAD(int32_t, values, 4 * at);
        out->interval.days = LOAD(int32_t, values, 4 * at + 1);
        memcpy(&out->interval.microseconds, (const char *)values + 16 * at + 8, 8);
        out->interval.microseconds /= 1000;
    }
    return STATUS_OK;
}

static status decimal(const struct ArrowSchema *column, const void *values, int64_t at, value *out)
{
    data_type type = out->type;
    int128 unscaled;
    int bits;
    decimal_format(column->format, &type, &bits);
    if (bits == 128)
        memcpy(&unscaled, (const char *)values + 16 * at, 16);
    else
        unscaled = bits == 64 ? LOAD(int64_t, values, at) : LOAD(int32_t, values, at);
    int128 bound = power_of_ten(type.precision);
    if (unscaled >= bound || unscaled <= -bound)
        return arrow_row_wrong(column, "has a decimal of more digits than its type");
    *out = value_decimal(unscaled, type);
    return STATUS_OK;
}

/* IEEE 754 binary16: a sign, 5 bits of exponent, 10 of fraction. */
static double arrow_row_half_value(uint16_t bits)
{
    int exponent = bits >> 10 & 31, fraction = bits & 1023;
    double magnitude = exponent == 31 ? (fraction ? (double)NAN : (double)INFINITY)
                       : exponent     ? ldexp(1024 + fraction, exponent - 25)
                                      : ldexp(fraction, -24);
    return bits >> 15 ? -magnitude : magnitude;
}

static status arrow_row_text_at(const struct ArrowSchema *column, const struct ArrowArray *array,
                                int64_t at, value *out)
{
    int64_t bytes = arrow_row_fixed_bytes(column->format);
    if (!bytes)
        return is_view(column->format) ? view_text(column, array, at, out)
                                       : offset_text(column, array, at, out);
    out->text = (const char *)array->buffers[1] + at * bytes;
    out->bytes = (size_t)bytes;
    return STATUS_OK;
}

/* The value at a position of the column's own buffers. */
static status arrow_row_value_at(const struct ArrowSchema *column, const struct ArrowArray *array,
                                 int64_t at, value *out)
{
    const void *values = array->buffers ? array->buffers[1] : NULL;
    switch (out->type.id) {
    case TYPE_BOOL:
        out->boolean = LOAD(uint8_t, values, at / 8) >> (at % 8) & 1;
        return STATUS_OK;
    case TYPE_FLOAT:
        out->f64 = column->format[0] == 'e' ? arrow_row_half_value(LOAD(uint16_t, values, at))
                                            : (double)LOAD(float, values, at);
        return STATUS_OK;
    case TYPE_DOUBLE:
        out->f64 = LOAD(double, values, at);
        return STATUS_OK;
    case TYPE_VARCHAR:
    case TYPE_BLOB:
        return arrow_row_text_at(column, array, at, out);
    case TYPE_DATE:
    case TYPE_TIME:
    case TYPE_TIMESTAMP:
    case TYPE_TIMESTAMP_TZ:
        return date_or_time(column, values, at, out);
    case TYPE_INTERVAL:
        return interval(column, values, at, out);
    case TYPE_UUID:
        out->i128 = uuid_of_bytes((const uint8_t *)values + at * UUID_BYTES);
        return STATUS_OK;
    case TYPE_DECIMAL:
        return decimal(column, values, at, out);
    default:
        out->i64 = arrow_row_integer_at(values, column->format[0], at);
        return STATUS_OK;
    }
}

static status arrow_row_find_entry(api_arrow_place *place)
{
    int64_t code =
        arrow_row_integer_at(place->array->buffers[1], place->column->format[0], place->at);
    const struct ArrowArray *entries = place->array->dictionary;
    if (code < 0 || code >= entries->length)
        return arrow_row_wrong(place->column, "has a code that its dictionary has not");
    place->column = place->column->dictionary;
    place->array = entries;
    place->at = entries->offset + code;
    if (!strcmp(place->column->format, "n") || api_arrow_is_null(entries, place->at))
        place->array = NULL;
    return STATUS_OK;
}

status api_arrow_find(const struct ArrowSchema *column, const struct ArrowArray *array, int64_t at,
                      api_arrow_place *out)
{
    bool is_null = !strcmp(column->format, "n") || api_arrow_is_null(array, at);
    *out = (api_arrow_place){.column = column, .array = is_null ? NULL : array, .at = at};
    return is_null || !column->dictionary ? STATUS_OK : arrow_row_find_entry(out);
}

status api_arrow_read(const api_arrow_place *place, data_type type, value *out)
{
    *out = value_null(type);
    if (!place->array)
        return STATUS_OK;
    out->is_null = false;
    return arrow_row_value_at(place->column, place->array, place->at, out);
}

status api_arrow_value(const struct ArrowSchema *schema, const struct ArrowArray *array,
                       int64_t column, int64_t row, value *out)
{
    const struct ArrowSchema *field = schema->children[column];
    const struct ArrowArray *values = array->children[column];
    int64_t at = array->offset + row;
    api_arrow_place place = {0};
    data_type type;
    TRY(api_arrow_type(field, &type));
    if (!api_arrow_is_null(array, at))
        TRY(api_arrow_find(field, values, values->offset + at, &place));
    return api_arrow_read(&place, type, out);
}
