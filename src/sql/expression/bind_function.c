/* bind_function.c - calls of scalar functions: by name, with the casts that the function needs. */
#include "plan/fold/fold.h"
#include "plan/fold/fold_value.h"
#include "plan/tree/function.h"
#include "sql/expression/bind_aggregate.h"
#include "sql/expression/bind_expr.h"
#include "sql/expression/bind_scope.h"
#include "sql/expression/bind_window.h"
#include "sql/expression/expression_parts.h"
#include "sql/expression/system_function.h"
#include "sql/types/bind_modifier.h"
#include "sql/types/bind_operator.h"
#include "sql/types/bind_type.h"
#include "sql/types/bind_zone.h"
#include "sql/types/binder.h"

#include <strings.h>

typedef struct call {
    binder *b;
    const FuncCall *tree;
    const char *name;
    expr **args;
    size_t count;
} call;

static status coerce_argument(const call *c, size_t i, char letter)
{
    char name[TYPE_NAME_BYTES], expected[TYPE_NAME_BYTES];
    data_type type = function_letter_type(letter), common;
    expr *arg = c->args[i];
    int32_t location = arg->position >= 0 ? arg->position : c->tree->location;
    bool is_fit =
        bind_is_literal(arg) || arg->type.id == type.id ||
        (letter == 'T' && (arg->type.id == TYPE_DATE || arg->type.id == TYPE_TIMESTAMP_TZ)) ||
        (letter == 'd' && type_is_numeric(arg->type)) ||
        (letter == 'i' && type_is_integer(arg->type) && bind_common_type(arg->type, type, &common));
    if (!is_fit)
        return bind_error(c->b, STATUS_KIND_INVALID, location,
                          "argument %zu of function \"%s\" must be of type %s, not %s", i + 1,
                          c->name, type_name(type, expected), type_name(arg->type, name));
    return bind_cast(c->b, arg, type, location, &c->args[i]);
}

/* As many arguments as the signature takes? */
static status function_check_count(const call *c, const char *signature)
{
    char expected[48];
    uint32_t least, most;
    function_counts(signature, &least, &most);
    if (c->count >= least && c->count <= most)
        return STATUS_OK;
    if (most == UINT32_MAX)
        snprintf(expected, sizeof expected, "%u or more arguments", least);
    else if (least != most)
        snprintf(expected, sizeof expected, "%u or %u arguments", least, most);
    else if (most)
        snprintf(expected, sizeof expected, "%u argument%s", most, most > 1 ? "s" : "");
    else
        snprintf(expected, sizeof expected, "no argument");
    return bind_error(c->b, STATUS_KIND_INVALID, c->tree->location,
                      "function \"%s\" takes %s, not %zu", c->name, expected, c->count);
}

/* A function whose signature says all. */
static status bind_by_signature(const call *c, expr_op op, expr **out)
{
    const char *signature = function_info_of(op)->signature;
    for (uint32_t i = 0; i < c->count; i++)
        TRY(coerce_argument(c, i, function_argument(signature, i)));
    return bind_call(c->b, op, function_letter_type(function_result(signature)), c->args,
                     (uint32_t)c->count, c->tree->location, out);
}

/* ---- rounding ---- */

static status require_number(const call *c, size_t i)
{
    char name[TYPE_NAME_BYTES];
    if (c->args[i]->type.id == TYPE_NULL || bind_is_literal(c->args[i]))
        return bind_cast(c->b, c->args[i], type_make(TYPE_DOUBLE), c->tree->location, &c->args[i]);
    if (type_is_numeric(c->args[i]->type))
        return STATUS_OK;
    return bind_error(c->b, STATUS_KIND_INVALID, c->tree->location,
                      "argument %zu of function \"%s\" must be a number, not %s", i + 1, c->name,
                      type_name(c->args[i]->type, name));
}

/* The decimal type with one more whole digit (9.9 rounds to 10) and `scale` digits. */
static data_type rounded_type(data_type type, unsigned scale)
{
    unsigned precision = (unsigned)type.precision - type.scale + scale + 1u;
    return type_decimal(precision > 38 ? 38 : precision, scale);
}

static status digits_argument(const call *c, int64_t *out)
{
    value v;
    *out = 0;
    if (c->count == 1)
        return STATUS_OK;
    if (c->args[1]->kind != EXPR_CONSTANT || c->args[1]->constant.is_null ||
        !value_cast_exact(&c->args[1]->constant, type_make(TYPE_INT64), &v))
        return bind_error(c->b, STATUS_KIND_UNSUPPORTED, c->tree->location,
                          "number of digits in \"%s\" must be a constant integer", c->name);
    *out = v.i64;
    if (*out < -38 || *out > 38)
        return bind_error(c->b, STATUS_KIND_INVALID, c->tree->location,
                          "number of digits %lld in \"%s\" is out of range", (long long)*out,
                          c->name);
    return STATUS_OK;
}

static status bind_round(const call *c, expr_op op, expr **out)
{
    int64_t digits;
    TRY(require_number(c, 0));
    TRY(digits_argument(c, &digits));
    expr *arg = c->args[0];
    bool is_exact = type_is_integer(arg->type) || arg->type.id == TYPE_DECIMAL;
    if (is_exact && digits >= arg->type.scale) {
        *out = arg;
        return STATUS_OK;
    }
    if (is_exact && digits >= 0) /* casts round as well */
        return bind_cast(c->b, arg, rounded_type(arg->type, (unsigned)digits), c->tree->location,
                         out);
    value v = value_int(TYPE_INT64, digits);
    expr *count;
    TRY(bind_constant(c->b, &v, -1, &count));
    if (!is_exact)
        TRY(bind_cast(c->b, arg, type_make(TYPE_DOUBLE), c->tree->location, &arg));
    TRY(bind_call2(c->b, op, arg->type, arg, count, c->tree->location, out));
    if (arg->type.id != TYPE_DECIMAL)
        return STATUS_OK;
    return bind_cast(c->b, *out, rounded_type(arg->type, 0), c->tree->location, out);
}

/* trunc(x, n) of a decimal: without the rest of so many digits. */
static status cut_digits(const call *c, expr **out)
{
    int64_t digits;
    expr *arg = c->args[0], *unit, *rest;
    int32_t location = c->tree->location;
    TRY(require_number(c, 0));
    arg = c->args[0];
    TRY(digits_argument(c, &digits));
    if (!type_is_integer(arg->type) && arg->type.id != TYPE_DECIMAL)
        return bind_unsupported(c->b, location, "trunc to digits of what is no decimal is");
    *out = arg;
    if (digits >= arg->type.scale)
        return STATUS_OK;
    unsigned scale = digits > 0 ? (unsigned)digits : 0;
    value v =
        value_decimal(power_of_ten(digits < 0 ? (unsigned)-digits : 0), type_decimal(38, scale));
    v = value_decimal(value_int128(&v), value_decimal_type(&v));
    TRY(bind_constant(c->b, &v, -1, &unit));
    TRY(bind_arithmetic(c->b, "%", arg, unit, location, &rest));
    TRY(bind_arithmetic(c->b, "-", arg, rest, location, out));
    if (type_is_integer(arg->type))
        return STATUS_OK;
    unsigned whole = (unsigned)(arg->type.precision - arg->type.scale);
    return bind_cast(c->b, *out, type_decimal(whole + scale > 1 ? whole + scale : 1, scale),
                     location, out);
}

/* floor, ceil, trunc: of a decimal, without its digits behind the point. */
static status bind_whole(const call *c, expr_op op, expr **out)
{
    if (c->count == 2)
        return cut_digits(c, out);
    TRY(require_number(c, 0));
    expr *arg = c->args[0];
    if (type_is_integer(arg->type) || (arg->type.id == TYPE_DECIMAL && arg->type.scale == 0)) {
        *out = arg;
        return STATUS_OK;
    }
    if (arg->type.id != TYPE_DECIMAL)
        TRY(bind_cast(c->b, arg, type_make(TYPE_DOUBLE), c->tree->location, &arg));
    TRY(bind_call1(c->b, op, arg->type, arg, c->tree->location, out));
    if (arg->type.id != TYPE_DECIMAL)
        return STATUS_OK;
    return bind_cast(c->b, *out, rounded_type(arg->type, 0), c->tree->location, out);
}

static status bind_abs(const call *c, expr_op op, expr **out)
{
    TRY(require_number(c, 0));
    expr *arg = c->args[0];
    if (arg->type.id == TYPE_FLOAT || (op == EXPR_SIGN && arg->type.id == TYPE_DECIMAL))
        TRY(bind_cast(c->b, arg, type_make(TYPE_DOUBLE), c->tree->location, &arg));
    else if (type_is_integer(arg->type) && arg->type.id != TYPE_INT64)
        TRY(bind_cast(c->b, arg,
                      arg->type.id == TYPE_UINT64
                          ? type_decimal(20, 0)
                          : type_make(arg->type.id == TYPE_UINT32 ? TYPE_INT64 : TYPE_INT32),
                      c->tree->location, &arg));
    return bind_call1(c->b, op, arg->type, arg, c->tree->location, out);
}

/* ---- parts of dates ---- */

static const struct field {
    const char *name, *alias;
    bool is_time; /* not of a date */
    bool can_extract, can_truncate;
} fields[] = {
    {"microseconds", "microsecond", true, true, true},
    {"milliseconds", "millisecond", true, true, true},
    {"second", "seconds", true, true, true},
    {"minute", "minutes", true, true, true},
    {"hour", "hours", true, true, true},
    {"day", "days", false, true, true},
    {"week", "weeks", false, true, true},
    {"month", "months", false, true, true},
    {"quarter", "quarters", false, true, true},
    {"year", "years", false, true, true},
    {"decade", "decades", false, true, true},
    {"century", "centuries", false, true, true},
    {"millennium", "millennia", false, true, true},
    {"dow", "dayofweek", false, true, false},
    {"isodow", "isodow", false, true, false},
    {"doy", "dayofyear", false, true, false},
    {"isoyear", "isoyear", false, true, false},
    {"epoch", "epoch", false, true, false},
    {"julian", "julian", false, true, false},
    {"timezone", "timezone", true, true, false},
    {"timezone_hour", "timezone_hour", true, true, false},
    {"timezone_minute", "timezone_minute", true, true, false},
};

static status find_field(const call *c, const expr *arg, const struct field **out)
{
    int32_t location = arg->position >= 0 ? arg->position : c->tree->location;
    const char *names[sizeof fields / sizeof *fields];
    size_t count = sizeof fields / sizeof *fields;
    if (arg->kind != EXPR_CONSTANT || arg->type.id != TYPE_VARCHAR || arg->constant.is_null)
        return bind_error(c->b, STATUS_KIND_UNSUPPORTED, location,
                          "first argument of \"%s\" must be a constant text", c->name);
    for (size_t i = 0; i < count; i++) {
        names[i] = fields[i].name;
        if (!strcasecmp(arg->constant.text, fields[i].name) ||
            !strcasecmp(arg->constant.text, fields[i].alias)) {
            *out = &fields[i];
            return STATUS_OK;
        }
    }
    return bind_suggest(
        bind_error(c->b, STATUS_KIND_INVALID, location, "\"%.*s\" is no field of a date or time",
                   (int)(arg->constant.bytes < 40 ? arg->constant.bytes : 40), arg->constant.text),
        arg->constant.text, names, count);
}

static bool function_is_timestamp(data_type type)
{
    return type.id == TYPE_TIMESTAMP || type.id == TYPE_TIMESTAMP_TZ;
}

static status bad_field(const call *c, const struct field *field, const expr *arg)
{
    char name[TYPE_NAME_BYTES];
    return bind_error(c->b, STATUS_KIND_INVALID, c->tree->location,
                      "field \"%s\" is not supported for type %s", field->name,
                      type_name(arg->type, name));
}

static bool is_real_field(const struct field *field)
{
    return !strcmp(field->name, "epoch") || !strcmp(field->name, "julian");
}

static bool is_zone_field(const struct field *field)
{
    return !strncmp(field->name, "timezone", strlen("timezone"));
}

static bool has_field(data_type type, const struct field *field)
{
    bool is_epoch = !strcmp(field->name, "epoch");
    if (is_zone_field(field))
        return type.id == TYPE_TIMESTAMP_TZ;
    switch (type.id) {
    case TYPE_DATE:
        return !field->is_time;
    case TYPE_TIME:
        return field->is_time || is_epoch;
    case TYPE_INTERVAL: /* what it is made of: days are not counted as weeks */
        return is_epoch || (field->can_truncate && strcmp(field->name, "week"));
    default:
        return function_is_timestamp(type);
    }
}

/* Seconds, or hours and minutes of them. */
static status bind_zone_field(const call *c, const struct field *field, expr *arg, expr **out)
{
    bool is_minute = !strcmp(field->name, "timezone_minute");
    value divisor = value_int(TYPE_INT64, is_minute ? 60 : 3600);
    expr *by;
    TRY(bind_zone_offset(c->b, arg, c->tree->location, out));
    if (!strcmp(field->name, "timezone"))
        return STATUS_OK;
    TRY(bind_constant(c->b, &divisor, -1, &by));
    TRY(bind_arithmetic(c->b, "/", *out, by, c->tree->location, out));
    divisor.i64 = 60;
    TRY(bind_constant(c->b, &divisor, -1, &by));
    return is_minute ? bind_arithmetic(c->b, "%", *out, by, c->tree->location, out) : STATUS_OK;
}

static status bind_date_part_of(const call *c, const struct field *field, expr *arg, expr **out)
{
    value v = value_text(field->name, strlen(field->name));
    expr *name;
    if (bind_is_literal(arg))
        TRY(bind_cast(c->b, arg, type_make(TYPE_TIMESTAMP), c->tree->location, &arg));
    if (!has_field(arg->type, field) || !field->can_extract)
        return bad_field(c, field, arg);
    if (is_zone_field(field))
        return bind_zone_field(c, field, arg, out);
    if (strcmp(field->name, "epoch") != 0)
        TRY(bind_zone_local(c->b, arg, c->tree->location, &arg));
    data_type type = type_make(is_real_field(field) ? TYPE_DOUBLE : TYPE_INT64);
    TRY(bind_constant(c->b, &v, -1, &name));
    return bind_call2(c->b, EXPR_DATE_PART, type, name, arg, c->tree->location, out);
}

static status bind_date_part(const call *c, expr_op op, expr **out)
{
    (void)op;
    const struct field *field;
    TRY(find_field(c, c->args[0], &field));
    return bind_date_part_of(c, field, c->args[1], out);
}

/* In the zone of the third argument. */
static status bind_trunc_in(const call *c, bind_trunc *t, expr **out)
{
    expr *name = c->args[2];
    TRY(bind_cast(c->b, t->arg, type_make(TYPE_TIMESTAMP_TZ), c->tree->location, &t->arg));
    TRY(bind_zone_name(c->b, &name, c->tree->location));
    return bind_zone_trunc(c->b, t, name, out);
}

static status bind_date_trunc(const call *c, expr_op op, expr **out)
{
    const struct field *field;
    TRY(find_field(c, c->args[0], &field));
    expr *arg = c->args[1], *name;
    if (bind_is_literal(arg))
        TRY(bind_cast(c->b, arg, type_make(TYPE_TIMESTAMP), c->tree->location, &arg));
    if ((arg->type.id == TYPE_INTERVAL || arg->type.id == TYPE_TIME) && c->count == 2) {
        bool is_cut;
        TRY(bind_cast(c->b, arg, type_make(TYPE_INTERVAL), c->tree->location, &arg));
        TRY(bind_cut_interval(c->b, arg, field->name, c->tree->location, &is_cut, out));
        return is_cut ? STATUS_OK : bad_field(c, field, arg);
    }
    if (!field->can_truncate || !(arg->type.id == TYPE_DATE || function_is_timestamp(arg->type)))
        return bad_field(c, field, arg);
    value v = value_text(field->name, strlen(field->name));
    data_type type = arg->type.id == TYPE_DATE ? type_make(TYPE_TIMESTAMP) : arg->type;
    TRY(bind_constant(c->b, &v, -1, &name));
    bind_trunc zoned = {name, arg, field->is_time, c->tree->location};
    if (c->count > 2)
        return bind_trunc_in(c, &zoned, out);
    bool is_done;
    TRY(bind_zone_trunc_session(c->b, &zoned, &is_done, out));
    return is_done ? STATUS_OK : bind_call2(c->b, op, type, name, arg, c->tree->location, out);
}

/* zone, timestamp: x AT TIME ZONE zone comes as this call. */
static status bind_timezone(const call *c, expr_op op, expr **out)
{
    (void)op;
    return bind_at_time_zone(c->b, c->args[0], c->args[1], c->tree->location, out);
}

/* ---- the others ---- */

/* As text; booleans are t and f there, as PostgreSQL prints them. */
static status print_argument(const call *c, size_t i)
{
    bool is_boolean = c->args[i]->type.id == TYPE_BOOL;
    data_type text = type_make(TYPE_VARCHAR);
    value one = value_int(TYPE_INT64, 1);
    expr *count;
    TRY(bind_cast(c->b, c->args[i], text, c->tree->location, &c->args[i]));
    if (!is_boolean)
        return STATUS_OK;
    TRY(bind_constant(c->b, &one, -1, &count));
    return bind_call2(c->b, EXPR_LEFT, text, c->args[i], count, c->tree->location, &c->args[i]);
}

static status bind_concat(const call *c, expr_op op, expr **out)
{
    for (size_t i = 0; i < c->count; i++)
        TRY(print_argument(c, i));
    return bind_call(c->b, op, type_make(TYPE_VARCHAR), c->args, (uint32_t)c->count,
                     c->tree->location, out);
}

/* Text, pattern, replacement, then flags, or start, number and flags: the call has flags, start and
 * number in this order. */
static status bind_regexp_replace(const call *c, expr_op op, expr **out)
{
    expr *args[6];
    value none = value_text("", 0);
    memcpy(args, c->args, (c->count < 6 ? c->count : 6) * sizeof *args);
    uint32_t count = (uint32_t)c->count;
    bool has_start = count > 4 || (count == 4 && type_is_integer(args[3]->type));
    call ordered = {c->b, c->tree, c->name, args, count};
    if (has_start) {
        TRY(bind_constant(c->b, &none, -1, &args[3]));
        if (count == 6)
            args[3] = c->args[5];
        args[4] = c->args[3];
        if (count >= 5)
            args[5] = c->args[4];
        count = count >= 5 ? 6 : 5;
    }
    for (uint32_t i = 0; i < count; i++)
        TRY(coerce_argument(&ordered, i, i < 4 ? 't' : 'i'));
    return bind_call(c->b, op, type_make(TYPE_VARCHAR), args, count, c->tree->location, out);
}

static bool is_text_or_null(const expr *e)
{
    return e->type.id == TYPE_VARCHAR || e->type.id == TYPE_NULL;
}

/* substring(x from 'pattern') comes like substring(x from 2), substring(x similar 'pattern' escape '#') like
 * substring(x from 2 for 3). */
static status bind_substring(const call *c, expr_op op, expr **out)
{
    if (c->count == 3 && is_text_or_null(c->args[1]) && is_text_or_null(c->args[2]) &&
        (c->args[1]->type.id == TYPE_VARCHAR || c->args[2]->type.id == TYPE_VARCHAR))
        return bind_similar_part(c->b, c->args, c->tree->location, out);
    bool is_pattern = c->count == 2 && c->args[1]->type.id == TYPE_VARCHAR;
    return bind_by_signature(c, is_pattern ? EXPR_REGEXP_PART : op, out);
}

/* Seconds since 1970 as microseconds, of what is not exact rounded; or a text and its format. */
static status bind_to_timestamp(const call *c, expr **out)
{
    int32_t location = c->tree->location;
    value million = value_int(TYPE_INT64, 1000000);
    expr *factor, *product;
    if (c->count == 2) {
        for (size_t i = 0; i < 2; i++)
            TRY(coerce_argument(c, i, 't'));
        if (c->b->zone)
            return bind_zone_format(c->b, EXPR_ZONE_TO_TIMESTAMP, type_make(TYPE_TIMESTAMP_TZ),
                                    c->args, location, out);
        return bind_call2(c->b, EXPR_PARSE_TIMESTAMP, type_make(TYPE_TIMESTAMP_TZ), c->args[0],
                          c->args[1], location, out);
    }
    TRY(require_number(c, 0));
    if (type_is_integer(c->args[0]->type))
        TRY(bind_cast(c->b, c->args[0], type_make(TYPE_INT64), location, &c->args[0]));
    TRY(bind_constant(c->b, &million, -1, &factor));
    TRY(bind_arithmetic(c->b, "*", c->args[0], factor, location, &product));
    TRY(bind_cast(c->b, product, type_make(TYPE_INT64), location, &product));
    return bind_call1(c->b, EXPR_MAKE_TIMESTAMPTZ, type_make(TYPE_TIMESTAMP_TZ), product, location,
                      out);
}

static status bind_make_timestamptz(const call *c, expr_op op, expr **out)
{
    TRY(coerce_argument(c, 0, 'i'));
    return bind_call1(c->b, op, type_make(TYPE_TIMESTAMP_TZ), c->args[0], c->tree->location, out);
}

/* ---- functions of any type ---- */

static status bind_if(const call *c, expr **out)
{
    data_type type;
    expr *args[] = {c->args[0], c->args[1], c->args[2]};
    TRY(bind_coerce(c->b, args[0], type_make(TYPE_BOOL), c->tree->location, "condition of IF",
                    &args[0]));
    TRY(bind_coerce_all(c->b, args + 1, 2, c->tree->location, "IF", &type));
    expr *e = expr_new(c->b->memory, EXPR_CASE, type, 3, bind_position(c->b, c->tree->location));
    if (!e)
        return bind_no_memory();
    memcpy(e->args, args, sizeof args);
    e->is_nullable = args[1]->is_nullable || args[2]->is_nullable;
    *out = expr_fold(c->b->memory, e);
    return *out ? STATUS_OK : bind_no_memory();
}

static status function_constant_text(const call *c, const char *text, expr **out)
{
    char *copy = arena_copy_text(c->b->memory, text, strlen(text));
    value v = value_text(copy, strlen(text));
    return copy ? bind_constant(c->b, &v, c->tree->location, out) : bind_no_memory();
}

static status bind_typeof(const call *c, expr **out)
{
    char name[TYPE_NAME_BYTES];
    return function_constant_text(c, type_name(c->args[0]->type, name), out);
}

static status bind_version(const call *c, expr **out)
{
    return function_constant_text(c, "Pistachio " PISTACHIO_VERSION, out);
}

static status bind_pi(const call *c, expr **out)
{
    value v = value_double(3.141592653589793);
    return bind_constant(c->b, &v, c->tree->location, out);
}

/* log(x) is to the base 10, log(b, x) to the base b. */
static status bind_log(const call *c, expr **out)
{
    data_type number = type_make(TYPE_DOUBLE);
    int32_t location = c->tree->location;
    expr *parts[2];
    for (size_t i = 0; i < c->count; i++)
        TRY(coerce_argument(c, i, 'd'));
    if (c->count == 1)
        return bind_call1(c->b, EXPR_LOG10, number, c->args[0], location, out);
    for (int i = 0; i < 2; i++)
        TRY(bind_call1(c->b, EXPR_LN, number, c->args[1 - i], location, &parts[i]));
    return bind_arithmetic(c->b, "/", parts[0], parts[1], location, out);
}

static status bind_xor(const call *c, expr **out)
{
    bool is_done;
    return bind_bits(c->b, "#", c->args[0], c->args[1], c->tree->location, &is_done, out);
}

static status bind_contains(const call *c, expr **out)
{
    value zero = value_int(TYPE_INT64, 0);
    expr *place, *none;
    TRY(bind_by_signature(c, EXPR_POSITION, &place));
    TRY(bind_constant(c->b, &zero, -1, &none));
    return bind_comparison(c->b, EXPR_GT, place, none, c->tree->location, out);
}

/* An integer of up to 32 bits, or a bigint. */
static status bind_to_hex(const call *c, expr_op op, expr **out)
{
    data_type narrow = type_make(TYPE_INT32), common;
    bool is_narrow = type_is_integer(c->args[0]->type) &&
                     bind_common_type(c->args[0]->type, narrow, &common) && common.id == TYPE_INT32;
    if (is_narrow)
        TRY(bind_cast(c->b, c->args[0], narrow, c->tree->location, &c->args[0]));
    else
        TRY(coerce_argument(c, 0, 'i'));
    return bind_call1(c->b, op, type_make(TYPE_VARCHAR), c->args[0], c->tree->location, out);
}

/* Of a blob's bytes, or a text's; sha256 of a blob is one. */
static status bind_digest(const call *c, expr_op op, expr **out)
{
    bool is_blob = c->args[0]->type.id == TYPE_BLOB;
    TRY(coerce_argument(c, 0, is_blob ? 'B' : 't'));
    data_type type = is_blob && op == EXPR_SHA256 ? c->args[0]->type : type_make(TYPE_VARCHAR);
    return bind_call1(c->b, op, type, c->args[0], c->tree->location, out);
}

static status bind_factorial(const call *c, expr_op op, expr **out)
{
    TRY(coerce_argument(c, 0, 'i'));
    return bind_call1(c->b, op, type_decimal(38, 0), c->args[0], c->tree->location, out);
}

/* A number as bigint, decimal or double; a date as the instant at which it begins; else a timestamp. */
static status bind_to_char(const call *c, expr_op op, expr **out)
{
    data_type type = c->args[0]->type;
    if (type.id == TYPE_TIMESTAMP_TZ || type.id == TYPE_DATE) {
        TRY(bind_cast(c->b, c->args[0], type_make(TYPE_TIMESTAMP_TZ), c->tree->location,
                      &c->args[0]));
        TRY(coerce_argument(c, 1, 't'));
        if (c->b->zone)
            return bind_zone_format(c->b, EXPR_ZONE_TO_CHAR, type_make(TYPE_VARCHAR), c->args,
                                    c->tree->location, out);
        return bind_call2(c->b, EXPR_TO_CHAR_INSTANT, type_make(TYPE_VARCHAR), c->args[0],
                          c->args[1], c->tree->location, out);
    }
    if (!type_is_numeric(type))
        return bind_by_signature(c, op, out);
    TRY(coerce_argument(c, 1, 't'));
    if (type.id == TYPE_UINT64)
        TRY(bind_cast(c->b, c->args[0], type_decimal(20, 0), c->tree->location, &c->args[0]));
    else if (type_is_integer(type))
        TRY(bind_cast(c->b, c->args[0], type_make(TYPE_INT64), c->tree->location, &c->args[0]));
    return bind_call2(c->b, EXPR_TO_CHAR_NUMBER, type_make(TYPE_VARCHAR), c->args[0], c->args[1],
                      c->tree->location, out);
}

/* Of one argument: how long before the day on which the statement began. */
static status bind_age(const call *c, expr_op op, expr **out)
{
    expr *args[] = {c->args[0], c->count > 1 ? c->args[1] : NULL};
    call both = {c->b, c->tree, c->name, args, 2};
    if (c->count == 1) {
        args[1] = args[0];
        TRY(bind_statement_time(c->b, TYPE_DATE, c->tree->location, &args[0]));
    }
    return bind_by_signature(&both, op, out);
}

static status bind_date_add(const call *c, expr **out)
{
    return bind_arithmetic(c->b, "+", c->args[0], c->args[1], c->tree->location, out);
}

/* A date or timestamp always is. */
static status bind_isfinite(const call *c, expr_op op, expr **out)
{
    if (!type_is_time(c->args[0]->type))
        return bind_by_signature(c, op, out);
    expr *copy = expr_copy(c->b->memory, c->args[0]);
    return copy ? bind_comparison(c->b, EXPR_EQ, c->args[0], copy, c->tree->location, out)
                : bind_no_memory();
}

static status bind_now(const call *c, expr **out)
{
    type_id type = strcmp(c->name, "today") ? TYPE_TIMESTAMP_TZ : TYPE_DATE;
    return bind_statement_time(c->b, type, c->tree->location, out);
}

static status bind_encode(const call *c, expr **out)
{
    expr_op of_one = *c->name == 'e' ? EXPR_BYTES_OF_TEXT : EXPR_TEXT_OF_BYTES;
    expr_op of_two = *c->name == 'e' ? EXPR_ENCODE : EXPR_DECODE;
    return bind_by_signature(c, c->count == 1 ? of_one : of_two, out);
}

static status bind_make_timestamp(const call *c, expr **out)
{
    expr_op op = c->count == 1 ? EXPR_TIMESTAMP_OF_US : EXPR_MAKE_TIMESTAMP;
    TRY(function_check_count(c, function_info_of(op)->signature));
    return bind_by_signature(c, op, out);
}

static status bind_epoch_ms(const call *c, expr **out)
{
    expr_op op = type_is_integer(c->args[0]->type) ? EXPR_TIMESTAMP_OF_MS : EXPR_EPOCH_MS;
    return bind_by_signature(c, op, out);
}

static status bind_time_bucket(const call *c, expr_op op, expr **out)
{
    data_type type = type_make(c->args[1]->type.id == TYPE_DATE ? TYPE_DATE : TYPE_TIMESTAMP);
    TRY(bind_by_signature(c, op, out));
    return bind_cast(c->b, *out, type, c->tree->location, out);
}

static status bind_bit_count(const call *c, expr_op op, expr **out)
{
    if (!type_is_integer(c->args[0]->type))
        TRY(coerce_argument(c, 0, 'i'));
    return bind_call1(c->b, op, type_make(TYPE_INT64), c->args[0], c->tree->location, out);
}

static status bind_mod(const call *c, expr **out)
{
    return bind_arithmetic(c->b, "%", c->args[0], c->args[1], c->tree->location, out);
}

static status bind_ifnull(const call *c, expr **out)
{
    data_type type;
    TRY(bind_coerce_all(c->b, c->args, 2, c->tree->location, "IFNULL", &type));
    return bind_call(c->b, EXPR_COALESCE, type, c->args, 2, c->tree->location, out);
}

/* year(x) and the like. */
static status bind_field(const call *c, expr **out)
{
    size_t f = 0;
    while (strcmp(c->name, fields[f].name))
        f++;
    return bind_date_part_of(c, &fields[f], c->args[0], out);
}

/* ---- finding them ---- */

/* What can be called by name, but has a signature that does not say all. */
static status (*const binders[EXPR_OP_COUNT])(const call *c, expr_op op, expr **out) = {
    [EXPR_ROUND] = bind_round,
    [EXPR_FLOOR] = bind_whole,
    [EXPR_CEIL] = bind_whole,
    [EXPR_TRUNC] = bind_whole,
    [EXPR_ABS] = bind_abs,
    [EXPR_SIGN] = bind_abs,
    [EXPR_DATE_PART] = bind_date_part,
    [EXPR_DATE_TRUNC] = bind_date_trunc,
    [EXPR_ZONE_LOCAL] = bind_timezone,
    [EXPR_CONCAT_SKIP] = bind_concat,
    [EXPR_REGEXP_REPLACE] = bind_regexp_replace,
    [EXPR_SUBSTRING] = bind_substring,
    [EXPR_MAKE_TIMESTAMPTZ] = bind_make_timestamptz,
    [EXPR_CONCAT_WS] = bind_concat,
    [EXPR_FACTORIAL] = bind_factorial,
    [EXPR_TO_HEX] = bind_to_hex,
    [EXPR_MD5] = bind_digest,
    [EXPR_SHA256] = bind_digest,
    [EXPR_AGE] = bind_age,
    [EXPR_TO_CHAR] = bind_to_char,
    [EXPR_TIME_BUCKET] = bind_time_bucket,
    [EXPR_BIT_COUNT] = bind_bit_count,
    [EXPR_ISFINITE] = bind_isfinite,
};

static const struct function {
    const char *name;
    const char *signature; /* of `other` */
    status (*other)(const call *c, expr **out);
    uint16_t op; /* without `other` */
} functions[] = {
#define FUNCTION(op, name, signature, nulls, notation, family, operation, help)                    \
    {name, NULL, NULL, EXPR_##op},
#define FUNCTION_ALIAS(name, op) {name, NULL, NULL, EXPR_##op},
#define FUNCTION_OTHER(name, binder, signature, help) {name, signature, bind_##binder, 0},
#include "plan/tree/functions.def"
};

/* Not what only operators and other syntax make. */
static bool can_call(const struct function *f)
{
    const function_info *info = function_info_of((expr_op)f->op);
    return f->other || binders[f->op] ||
           (info->notation == FUNCTION_NOTATION_CALL && !strchr(info->signature, 'x'));
}

static status bind_named(const call *c, const struct function *f, expr **out)
{
    TRY(function_check_count(c, f->other ? f->signature
                                         : function_info_of((expr_op)f->op)->signature));
    if (f->other)
        return f->other(c, out);
    if (binders[f->op])
        return binders[f->op](c, (expr_op)f->op, out);
    return bind_by_signature(c, (expr_op)f->op, out);
}

static status no_such_function(const call *c)
{
    enum { FUNCTIONS = sizeof functions / sizeof *functions };
    const char *names[FUNCTIONS + AGGREGATE_FUNCTION_COUNT];
    size_t count = 0;
    if (bind_is_series(c->name))
        return status_hint(bind_unsupported(c->b, c->tree->location,
                                            "a function of many rows in an expression is"),
                           "write it in FROM");
    for (size_t i = 0; i < FUNCTIONS; i++)
        if (can_call(&functions[i]))
            names[count++] = functions[i].name;
    for (int i = 0; i < AGGREGATE_FUNCTION_COUNT; i++)
        names[count++] = plan_aggregate_name((plan_aggregate_function)i);
    return bind_suggest(bind_error(c->b, STATUS_KIND_NOT_FOUND, c->tree->location,
                                   "function \"%s\" does not exist", c->name),
                        c->name, names, count);
}

status bind_function(binder *b, const FuncCall *tree, bind_scope *scope, expr **out)
{
    call c = {.b = b, .tree = tree, .count = list_length(tree->args)};
    bool is_found;
    c.name = strVal(list_nth(tree->funcname, list_length(tree->funcname) - 1));
    if (list_length(tree->funcname) > 1 &&
        strcmp(strVal(list_nth(tree->funcname, 0)), "pg_catalog"))
        return bind_unsupported(b, tree->location, "functions in schemas are");
    if (tree->func_variadic)
        return bind_unsupported(b, tree->location, "VARIADIC is");
    if (tree->over)
        return bind_window_call(b, tree, c.name, scope, out);
    if (bind_is_window_function(c.name))
        return bind_error(b, STATUS_KIND_INVALID, tree->location,
                          "window function %s requires an OVER clause", c.name);
    TRY(bind_aggregate_call(b, tree, c.name, scope, &is_found, out));
    if (is_found)
        return STATUS_OK;
    if (tree->agg_star || tree->agg_distinct || tree->agg_filter || list_length(tree->agg_order) ||
        tree->agg_within_group)
        return bind_error(b, STATUS_KIND_INVALID, tree->location,
                          "function \"%s\" is no aggregate that is known", c.name);
    c.args = arena_alloc_array(b->memory, c.count + 1, sizeof *c.args);
    if (!c.args)
        return bind_no_memory();
    for (size_t i = 0; i < c.count; i++)
        TRY(bind_expr(b, list_nth(tree->args, i), scope, &c.args[i]));
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        if (!strcmp(c.name, functions[i].name) && can_call(&functions[i]))
            return bind_named(&c, &functions[i], out);
    TRY(bind_system_function(b, c.name, c.args, c.count, tree->location, &is_found, out));
    return is_found ? STATUS_OK : no_such_function(&c);
}
