/* type_parse.c - see type_parse.h. */
#include "base/text/type_parse.h"

#include "base/text/text_scan.h"
#include "base/text/uuid_text.h"

#include <strings.h>

/* ---- types ---- */

static const struct {
    const char *name;
    type_id id;
} type_names[] = {
#define TYPE_NAME(name, id) {name, id},
#include "base/type/type_names.def"
};

static bool type_parse_find_type(const char *name, size_t bytes, data_type *out)
{
    for (size_t i = 0; i < sizeof type_names / sizeof *type_names; i++) {
        if (strlen(type_names[i].name) != bytes ||
            strncasecmp(type_names[i].name, name, bytes) != 0)
            continue;
        *out = type_names[i].id == TYPE_DECIMAL ? type_decimal(18, 3) : type_make(type_names[i].id);
        if (strstr(type_names[i].name, "hugeint"))
            *out = type_decimal(38, 0);
        if (!strcmp(type_names[i].name, "timestamp_ns"))
            out->precision = 9;
        return true;
    }
    return false;
}

static void type_parse_skip_spaces(text_scan *s)
{
    while (s->at < s->end && scan_is_space(*s->at))
        s->at++;
}

/* Reads a number of at most two digits. */
static bool read_small(text_scan *s, unsigned *out)
{
    const char *first = s->at;
    type_parse_skip_spaces(s);
    for (*out = 0; s->at < s->end && scan_is_digit(*s->at) && s->at < first + 3; s->at++)
        *out = *out * 10 + (unsigned)(*s->at - '0');
    bool has_digit = s->at > first && scan_is_digit(s->at[-1]);
    type_parse_skip_spaces(s);
    return has_digit;
}

/* Reads "(15,2)" or "(15)" up to the end. */
static bool read_modifiers(text_scan s, data_type *type)
{
    unsigned precision, scale = 0;
    s.at++;
    if (type->id != TYPE_DECIMAL || !read_small(&s, &precision))
        return false;
    if (s.at < s.end && *s.at == ',') {
        s.at++;
        if (!read_small(&s, &scale))
            return false;
    }
    if (s.at + 1 != s.end || *s.at != ')' || precision < 1 || precision > 38 || scale > precision)
        return false;
    *type = type_decimal(precision, scale);
    return true;
}

bool type_parse(const char *text, size_t bytes, data_type *out)
{
    text_scan s = scan_trimmed(text, bytes);
    const char *name = s.at;
    while (s.at < s.end && *s.at != '(' && !scan_is_space(*s.at))
        s.at++;
    if (!type_parse_find_type(name, (size_t)(s.at - name), out))
        return false;
    type_parse_skip_spaces(&s);
    return s.at == s.end || (*s.at == '(' && read_modifiers(s, out));
}

/* ---- values ---- */

static bool parse_integer(const char *text, size_t bytes, value *out)
{
    int128 number, values = (int128)1 << (8 * out->type.width);
    if (!int128_parse(text, bytes, &number))
        return false;
    bool is_signed = type_is_signed(out->type);
    out->i64 = (int64_t)number; /* the same bits for u64 */
    return is_signed ? number >= -(values / 2) && number < values / 2
                     : number >= 0 && number < values;
}

static bool parse_decimal(const char *text, size_t bytes, value *out)
{
    int128 number;
    if (!decimal_parse(text, bytes, out->type.scale, &number) ||
        number >= power_of_ten(out->type.precision) || number <= -power_of_ten(out->type.precision))
        return false;
    *out = value_decimal(number, out->type);
    return true;
}

static bool type_parse_real(const char *text, size_t bytes, value *out)
{
    float single;
    if (out->type.id == TYPE_DOUBLE)
        return double_parse(text, bytes, &out->f64);
    if (!float_parse(text, bytes, &single))
        return false;
    out->f64 = (double)single;
    return true;
}

static bool parse_date(const char *text, size_t bytes, value *out)
{
    int32_t days;
    if (!date_parse(text, bytes, &days))
        return false;
    out->i64 = days;
    return true;
}

bool value_parse(const char *text, size_t bytes, data_type type, value *out)
{
    *out = (value){.type = type};
    switch (type.id) {
    case TYPE_BOOL:
        return bool_parse(text, bytes, &out->boolean);
    case TYPE_FLOAT:
    case TYPE_DOUBLE:
        return type_parse_real(text, bytes, out);
    case TYPE_DECIMAL:
        return parse_decimal(text, bytes, out);
    case TYPE_DATE:
        return parse_date(text, bytes, out);
    case TYPE_TIME:
        return time_parse(text, bytes, &out->i64);
    case TYPE_TIMESTAMP:
    case TYPE_TIMESTAMP_TZ:
        return timestamp_parse(text, bytes, type.precision, type.id == TYPE_TIMESTAMP_TZ,
                               &out->i64);
    case TYPE_INTERVAL:
        return interval_parse(text, bytes, &out->interval);
    case TYPE_VARCHAR:
        *out = value_text(text, bytes);
        return true;
    case TYPE_UUID: {
        text_scan s = scan_trimmed(text, bytes);
        return uuid_parse_text(s.at, (size_t)(s.end - s.at), &out->i128);
    }
    default:
        return type_is_integer(type) && parse_integer(text, bytes, out);
    }
}
