/* text_values.c - fields to values. */
#include "textfile/read/text_values.h"

#include "base/cancel.h"
#include "base/text/text_scan.h"
#include "base/text/utf8.h"
#include "device/host/strptime.h"
#include "textfile/read/text_parse.h"

/* ---- fields ---- */

ALWAYS_INLINE bool is_null_text(const text_rules *rules, const char *text, uint32_t bytes)
{
    for (size_t i = 0; i < rules->nulls.count; i++)
        if (strlen(rules->nulls.texts[i]) == bytes && !memcmp(rules->nulls.texts[i], text, bytes))
            return true;
    return false;
}

/* Spaces around quotes go with them. */
static void strip_quotes(const text_rules *rules, text_field *f)
{
    const char *at = f->text, *end = f->text + f->bytes;
    while (at < end && *at == ' ')
        at++;
    while (end > at && end[-1] == ' ')
        end--;
    if (end - at < 2 || *at != rules->quote || end[-1] != rules->quote)
        return;
    f->text = at + 1;
    f->bytes = (uint32_t)(end - at - 2);
    f->is_quoted = true;
}

ALWAYS_INLINE text_field field_of(const text_fields *s, uint32_t column, uint32_t row)
{
    uint32_t at = s->firsts[row] + column, end = s->ends[at];
    uint32_t begin = column ? s->ends[at - 1] + 1 : s->begins[row];
    text_field f = {.text = s->text + begin, .bytes = end - begin};
    if (__builtin_expect(begin >= end, 0)) {
        f.bytes = 0;
        f.is_null = begin > end || is_null_text(s->rules, "", 0);
        return f;
    }
    char first = *f.text;
    if ((first == s->rules->quote || first == ' ') && s->rules->quote)
        strip_quotes(s->rules, &f);
    if (s->rules->nulls.count > 1 || *s->rules->nulls.texts[0] || !f.bytes)
        f.is_null = is_null_text(s->rules, f.text, f.bytes);
    return f;
}

text_field text_field_of(const text_fields *fields, uint32_t column, uint32_t row)
{
    return field_of(fields, column, row);
}

uint32_t text_field_copy(const text_rules *rules, text_field f, char *target)
{
    char escape = rules->escape;
    if (!f.is_quoted || !escape || !memchr(f.text, escape, f.bytes)) {
        memcpy(target, f.text, f.bytes);
        return f.bytes;
    }
    uint32_t bytes = 0;
    for (uint32_t at = 0; at < f.bytes; at++) {
        bool is_pair = f.text[at] == escape && at + 1 < f.bytes &&
                       (f.text[at + 1] == rules->quote || f.text[at + 1] == escape);
        at += is_pair;
        target[bytes++] = f.text[at];
    }
    return bytes;
}

/* ---- a number of any width ---- */

static bool text_values_parse_integer(const char *text, size_t bytes, data_type type, void *target)
{
    int128 wide;
    int64_t number;
    unsigned bits = type.width * 8u;
    if (type_is_signed(type)) {
        if (!parse_int64(text, bytes, &number))
            return false;
        wide = number;
    } else if (!int128_parse(text, bytes, &wide)) {
        return false;
    }
    int128 least = type_is_signed(type) ? -((int128)1 << (bits - 1)) : 0;
    int128 most = type_is_signed(type) ? -(least + 1) : ((int128)1 << bits) - 1;
    if (wide < least || wide > most)
        return false;
    memcpy(target, &wide, type.width);
    return true;
}

static bool text_values_parse_decimal(const char *text, size_t bytes, data_type type, void *target)
{
    bool is_negative = bytes > 1 && *text == '-';
    uint64_t number;
    unsigned behind;
    int128 wide;
    if (bytes && bytes <= SHORT_DIGITS + 2 &&
        point_digits(text + is_negative, bytes - is_negative, &number, &behind) &&
        behind <= type.scale) {
        wide = (int128)number * power_of_ten(type.scale - behind);
        wide = is_negative ? -wide : wide;
    } else if (!decimal_parse(text, bytes, type.scale, &wide)) {
        return false;
    }
    int128 most = power_of_ten(type.precision) - 1;
    if (wide > most || wide < -most)
        return false;
    memcpy(target, &wide, type.width);
    return true;
}

/* ---- times by format ---- */

static bool parse_by_format(const char *text, size_t bytes, data_type type, const char *format,
                            void *target)
{
    int64_t timestamp;
    if (!strptime_text(text, bytes, format, strlen(format), &timestamp))
        return false;
    if (type.id == TYPE_DATE) {
        int64_t days = timestamp / CALENDAR_DAY - (timestamp % CALENDAR_DAY < 0);
        memcpy(target, &(int32_t){(int32_t)days}, sizeof(int32_t));
        return days == (int32_t)days;
    }
    if (type.precision == 9 && __builtin_mul_overflow(timestamp, 1000, &timestamp))
        return false;
    memcpy(target, &timestamp, sizeof timestamp);
    return true;
}

/* ---- a value of any type ---- */

/* The number without marks of thousands, and with a point. */
static size_t plain_number(const text_rules *rules, const char *text, size_t bytes, char *target)
{
    size_t count = 0;
    for (size_t i = 0; i < bytes; i++)
        if (!rules->thousands || text[i] != rules->thousands)
            target[count++] = text[i] == rules->decimal ? '.' : text[i];
    return count;
}

#define NUMBER_TEXT_MAX 400

static bool parse_any(const char *text, size_t bytes, data_type type, void *target)
{
    float narrow;
    bool boolean;
    value v;
    switch (type.id) {
    case TYPE_BOOL:
        if (!bool_parse(text, bytes, &boolean))
            return false;
        *(bool *)target = boolean;
        return true;
    case TYPE_FLOAT:
        if (!float_parse(text, bytes, &narrow))
            return false;
        memcpy(target, &narrow, sizeof narrow);
        return true;
    case TYPE_DOUBLE:
        return parse_double(text, bytes, target);
    case TYPE_DECIMAL:
        return text_values_parse_decimal(text, bytes, type, target);
    case TYPE_DATE:
        return parse_date(text, bytes, target);
    case TYPE_TIME:
        return time_parse(text, bytes, target);
    case TYPE_TIMESTAMP:
    case TYPE_TIMESTAMP_TZ:
        return parse_timestamp(text, bytes, type, target);
    case TYPE_INTERVAL:
        return interval_parse(text, bytes, target);
    case TYPE_UUID:
        if (!value_parse(text, bytes, type, &v))
            return false;
        memcpy(target, &v.i128, sizeof v.i128);
        return true;
    default:
        return type_is_integer(type) && text_values_parse_integer(text, bytes, type, target);
    }
}

bool text_parse_value(const text_rules *rules, const char *text, size_t bytes, data_type type,
                      const char *format, void *target)
{
    char plain[NUMBER_TEXT_MAX];
    text_scan s = scan_trimmed(text, bytes);
    bytes = (size_t)(s.end - s.at);
    if (format)
        return parse_by_format(s.at, bytes, type, format, target);
    if ((rules->decimal || rules->thousands) && type_is_numeric(type)) {
        if (bytes > sizeof plain)
            return false;
        bytes = plain_number(rules, s.at, bytes, plain);
        return parse_any(plain, bytes, type, target);
    }
    return parse_any(s.at, bytes, type, target);
}

/* ---- columns ---- */

typedef struct column_maker {
    const text_fields *fields;
    uint32_t column;
    data_type type;
    const char *format;
    char *values;
    uint64_t *validity, *bad;
    text_wrong_value *wrong;
    bool has_nulls;
} column_maker;

static void text_values_set_null(column_maker *m, uint32_t row)
{
    m->validity[row / 64] &= ~(UINT64_C(1) << row % 64);
    m->has_nulls = true;
    if (m->type.width)
        memset(m->values + (size_t)row * m->type.width, 0, m->type.width);
}

/* False: that is the end. */
static bool set_wrong(column_maker *m, uint32_t row)
{
    text_values_set_null(m, row);
    if (m->bad) {
        m->bad[row / 64] |= UINT64_C(1) << row % 64;
        return true;
    }
    *m->wrong = (text_wrong_value){.is_there = true, .row = row};
    return false;
}

/* `parse` is tried first, where nothing unusual is wanted. */
#define EACH_ROW(m, parse)                                                                         \
    do {                                                                                           \
        for (uint32_t row = 0; row < (m)->fields->rows; row++) {                                   \
            if (cancel_look(row))                                                                  \
                return;                                                                            \
            text_field f = field_of((m)->fields, (m)->column, row);                                \
            if (f.is_null || !f.bytes) {                                                           \
                text_values_set_null((m), row);                                                    \
                continue;                                                                          \
            }                                                                                      \
            char *target = (m)->values + (size_t)row * (m)->type.width;                            \
            if (!(parse) &&                                                                        \
                !text_parse_value((m)->fields->rules, f.text, f.bytes, (m)->type, (m)->format,     \
                                  target) &&                                                       \
                !set_wrong((m), row))                                                              \
                return;                                                                            \
        }                                                                                          \
    } while (0)

static void make_booleans(column_maker *m)
{
    uint64_t *bits = (uint64_t *)(void *)m->values;
    memset(bits, 0, bitmap_bytes(m->fields->rows));
    for (uint32_t row = 0; row < m->fields->rows; row++) {
        bool boolean = false;
        text_field f = field_of(m->fields, m->column, row);
        if (f.is_null || !f.bytes)
            text_values_set_null(m, row);
        else if (!bool_parse(f.text, f.bytes, &boolean) && !set_wrong(m, row))
            return;
        bits[row / 64] |= (uint64_t)boolean << row % 64;
    }
}

static void make_values(column_maker *m)
{
    bool is_usual = !m->format && !m->fields->rules->decimal && !m->fields->rules->thousands;
    if (m->type.id == TYPE_BOOL)
        make_booleans(m);
    else if (m->type.id == TYPE_INT64 && is_usual)
        EACH_ROW(m, parse_int64(f.text, f.bytes, (int64_t *)(void *)target));
    else if (m->type.id == TYPE_DOUBLE && is_usual)
        EACH_ROW(m, parse_double(f.text, f.bytes, (double *)(void *)target));
    else if (m->type.id == TYPE_DATE && is_usual)
        EACH_ROW(m, parse_date(f.text, f.bytes, (int32_t *)(void *)target));
    else
        EACH_ROW(m, false);
}

/* ---- texts ---- */

static uint64_t long_bytes(const text_fields *fields, uint32_t column)
{
    uint64_t bytes = 0;
    for (uint32_t row = 0; row < fields->rows; row++) {
        text_field f = field_of(fields, column, row);
        bytes += f.bytes > STRING_INLINE_BYTES ? f.bytes : 0;
    }
    return bytes;
}

static bool is_text_right(const column_maker *m, const char *text, uint32_t bytes)
{
    return m->fields->is_ascii || m->type.id == TYPE_BLOB || utf8_valid_bytes(text, bytes) == bytes;
}

/* Copies texts, the long ones to the heap. False: one is not UTF-8. */
static void make_texts(column_maker *m, char *heap)
{
    string_view *views = (string_view *)(void *)m->values;
    for (uint32_t row = 0; row < m->fields->rows; row++) {
        if (cancel_look(row))
            return;
        text_field f = field_of(m->fields, m->column, row);
        if (f.is_null) {
            text_values_set_null(m, row);
            continue;
        }
        char inlined[STRING_INLINE_BYTES];
        char *target = f.bytes > STRING_INLINE_BYTES ? heap : inlined;
        uint32_t bytes = text_field_copy(m->fields->rules, f, target);
        views[row] = string_view_make(target, bytes);
        if (bytes > STRING_INLINE_BYTES)
            heap += bytes;
        if (!is_text_right(m, target, bytes) && !set_wrong(m, row)) {
            m->wrong->has_wrong_bytes = true;
            return;
        }
    }
}

static status add_texts(column_maker *m, device *host, tensor *t)
{
    uint64_t bytes = long_bytes(m->fields, m->column);
    dev_buffer *buffer = NULL;
    if (bytes) {
        TRY(dev_alloc(host, bytes, "csv texts", &buffer));
        dev_buffer_hold_texts(buffer);
        TRY(string_heap_new(&buffer, 1, &t->heap));
    }
    make_texts(m, buffer ? buffer->address : NULL);
    return STATUS_OK;
}

static void drop_validity(tensor *t)
{
    dev_buffer_unref(t->validity_owner);
    t->validity_owner = NULL;
    t->validity = NULL;
}

status text_values_make(const text_fields *fields, uint32_t column, data_type type,
                        const char *format, device *host, uint64_t *bad, text_wrong_value *wrong,
                        tensor **out)
{
    tensor *t;
    *out = NULL;
    wrong->is_there = false;
    TRY(tensor_new_flat(host, type, fields->rows, true, &t));
    column_maker m = {.fields = fields,
                      .column = column,
                      .type = type,
                      .format = format,
                      .values = t->values,
                      .validity = t->validity,
                      .bad = bad,
                      .wrong = wrong};
    memset(t->validity, 0xff, bitmap_bytes(fields->rows));
    status st = STATUS_OK;
    if (type_is_text(type))
        st = add_texts(&m, host, t);
    else
        make_values(&m);
    if (!st)
        st = cancel_seen();
    if (st || wrong->is_there) {
        tensor_unref(t);
        return st;
    }
    if (!m.has_nulls)
        drop_validity(t);
    *out = t;
    return STATUS_OK;
}
