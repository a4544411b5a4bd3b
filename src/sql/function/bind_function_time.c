/* bind_function_time.c - calls of functions of dates and times: their parts, what they are made of, texts of them. */
#include "sql/function/bind_function_time.h"

#include "plan/fold/fold_value.h"
#include "plan/tree/function.h"
#include "sql/types/bind_modifier.h"
#include "sql/types/bind_operator.h"
#include "sql/types/bind_type.h"
#include "sql/types/bind_zone.h"
#include "sql/types/function_call.h"

#include <strings.h>

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

static status find_field(const function_call *c, const expr *arg, const struct field **out)
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
        bind_error(c->b, STATUS_KIND_INVALID, location, "\"%.*s\" is not a field of a date or time",
                   (int)(arg->constant.bytes < 40 ? arg->constant.bytes : 40), arg->constant.text),
        arg->constant.text, names, count);
}

static bool function_is_timestamp(data_type type)
{
    return type.id == TYPE_TIMESTAMP || type.id == TYPE_TIMESTAMP_TZ;
}

static status bad_field(const function_call *c, const struct field *field, const expr *arg)
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
static status bind_zone_field(const function_call *c, const struct field *field, expr *arg,
                              expr **out)
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

static status bind_date_part_of(const function_call *c, const struct field *field, expr *arg,
                                expr **out)
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

status bind_date_part(const function_call *c, expr_op op, expr **out)
{
    (void)op;
    const struct field *field;
    TRY(find_field(c, c->args[0], &field));
    return bind_date_part_of(c, field, c->args[1], out);
}

/* In the zone of the third argument. */
static status bind_trunc_in(const function_call *c, bind_trunc *t, expr **out)
{
    expr *name = c->args[2];
    TRY(bind_cast(c->b, t->arg, type_make(TYPE_TIMESTAMP_TZ), c->tree->location, &t->arg));
    TRY(bind_zone_name(c->b, &name, c->tree->location));
    return bind_zone_trunc(c->b, t, name, out);
}

status bind_date_trunc(const function_call *c, expr_op op, expr **out)
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
status bind_timezone(const function_call *c, expr_op op, expr **out)
{
    (void)op;
    return bind_at_time_zone(c->b, c->args[0], c->args[1], c->tree->location, out);
}

/* ---- making times, and texts of them ---- */

/* Seconds since 1970 as microseconds, of what is not exact rounded; or a text and its format. */
status bind_to_timestamp(const function_call *c, expr **out)
{
    int32_t location = c->tree->location;
    value million = value_int(TYPE_INT64, 1000000);
    expr *factor, *product;
    if (c->count == 2) {
        for (size_t i = 0; i < 2; i++)
            TRY(call_coerce(c, i, 't'));
        if (c->b->zone)
            return bind_zone_format(c->b, EXPR_ZONE_TO_TIMESTAMP, type_make(TYPE_TIMESTAMP_TZ),
                                    c->args, location, out);
        return bind_call2(c->b, EXPR_PARSE_TIMESTAMP, type_make(TYPE_TIMESTAMP_TZ), c->args[0],
                          c->args[1], location, out);
    }
    TRY(call_require_number(c, 0));
    if (type_is_integer(c->args[0]->type))
        TRY(bind_cast(c->b, c->args[0], type_make(TYPE_INT64), location, &c->args[0]));
    TRY(bind_constant(c->b, &million, -1, &factor));
    TRY(bind_arithmetic(c->b, "*", c->args[0], factor, location, &product));
    TRY(bind_cast(c->b, product, type_make(TYPE_INT64), location, &product));
    return bind_call1(c->b, EXPR_MAKE_TIMESTAMPTZ, type_make(TYPE_TIMESTAMP_TZ), product, location,
                      out);
}

status bind_make_timestamptz(const function_call *c, expr_op op, expr **out)
{
    TRY(call_coerce(c, 0, 'i'));
    return bind_call1(c->b, op, type_make(TYPE_TIMESTAMP_TZ), c->args[0], c->tree->location, out);
}

/* A number as bigint, decimal or double; a date as the instant at which it begins; else a timestamp. */
status bind_to_char(const function_call *c, expr_op op, expr **out)
{
    data_type type = c->args[0]->type;
    if (type.id == TYPE_TIMESTAMP_TZ || type.id == TYPE_DATE) {
        TRY(bind_cast(c->b, c->args[0], type_make(TYPE_TIMESTAMP_TZ), c->tree->location,
                      &c->args[0]));
        TRY(call_coerce(c, 1, 't'));
        if (c->b->zone)
            return bind_zone_format(c->b, EXPR_ZONE_TO_CHAR, type_make(TYPE_VARCHAR), c->args,
                                    c->tree->location, out);
        return bind_call2(c->b, EXPR_TO_CHAR_INSTANT, type_make(TYPE_VARCHAR), c->args[0],
                          c->args[1], c->tree->location, out);
    }
    if (!type_is_numeric(type))
        return call_by_signature(c, op, out);
    TRY(call_coerce(c, 1, 't'));
    if (type.id == TYPE_UINT64)
        TRY(bind_cast(c->b, c->args[0], type_decimal(20, 0), c->tree->location, &c->args[0]));
    else if (type_is_integer(type))
        TRY(bind_cast(c->b, c->args[0], type_make(TYPE_INT64), c->tree->location, &c->args[0]));
    return bind_call2(c->b, EXPR_TO_CHAR_NUMBER, type_make(TYPE_VARCHAR), c->args[0], c->args[1],
                      c->tree->location, out);
}

/* Binds age; of one argument, how long before the day on which the statement began. */
status bind_age(const function_call *c, expr_op op, expr **out)
{
    expr *args[] = {c->args[0], c->count > 1 ? c->args[1] : NULL};
    function_call both = {c->b, c->tree, c->name, args, 2};
    if (c->count == 1) {
        args[1] = args[0];
        TRY(bind_statement_time(c->b, TYPE_DATE, c->tree->location, &args[0]));
    }
    return call_by_signature(&both, op, out);
}

status bind_date_add(const function_call *c, expr **out)
{
    return bind_arithmetic(c->b, "+", c->args[0], c->args[1], c->tree->location, out);
}

status bind_now(const function_call *c, expr **out)
{
    type_id type = strcmp(c->name, "today") ? TYPE_TIMESTAMP_TZ : TYPE_DATE;
    return bind_statement_time(c->b, type, c->tree->location, out);
}

status bind_make_timestamp(const function_call *c, expr **out)
{
    expr_op op = c->count == 1 ? EXPR_TIMESTAMP_OF_US : EXPR_MAKE_TIMESTAMP;
    TRY(call_check_count(c, function_info_of(op)->signature));
    return call_by_signature(c, op, out);
}

status bind_epoch_ms(const function_call *c, expr **out)
{
    expr_op op = type_is_integer(c->args[0]->type) ? EXPR_TIMESTAMP_OF_MS : EXPR_EPOCH_MS;
    return call_by_signature(c, op, out);
}

/* Binds time_bucket(width, moment, interval): stretches begin so much later. */
static status bucket_later(const function_call *c, expr_op op, expr **out)
{
    int32_t location = c->tree->location;
    expr *args[2] = {c->args[0]};
    function_call plain = *c;
    plain.args = args;
    plain.count = 2;
    TRY(bind_cast(c->b, c->args[1], type_make(TYPE_TIMESTAMP), location, &args[1]));
    TRY(bind_arithmetic(c->b, "-", args[1], c->args[2], location, &args[1]));
    TRY(call_by_signature(&plain, op, out));
    expr *later = expr_copy(c->b->memory, c->args[2]);
    return later ? bind_arithmetic(c->b, "+", *out, later, location, out) : bind_no_memory();
}

status bind_time_bucket(const function_call *c, expr_op op, expr **out)
{
    data_type type = type_make(c->args[1]->type.id == TYPE_DATE ? TYPE_DATE : TYPE_TIMESTAMP);
    bool is_later = c->count == 3 && c->args[2]->type.id == TYPE_INTERVAL;
    TRY(is_later ? bucket_later(c, op, out) : call_by_signature(c, op, out));
    return bind_cast(c->b, *out, type, c->tree->location, out);
}

/* Makes the comparison of copies of two ends. */
static status compare_ends(const function_call *c, expr_op op, const expr *left, const expr *right,
                           expr **out)
{
    expr *l = expr_copy(c->b->memory, left), *r = expr_copy(c->b->memory, right);
    if (!l || !r)
        return bind_no_memory();
    return bind_comparison(c->b, op, l, r, c->tree->location, out);
}

status bind_overlaps(const function_call *c, expr **out)
{
    int32_t location = c->tree->location;
    data_type type, boolean = type_make(TYPE_BOOL);
    expr *first[2], *last[2], *parts[2], *equal;
    for (int i = 0; i < 4; i += 2) {
        expr *begin = expr_copy(c->b->memory, c->args[i]);
        if (!begin)
            return bind_no_memory();
        if (c->args[i + 1]->type.id == TYPE_INTERVAL)
            TRY(bind_arithmetic(c->b, "+", begin, c->args[i + 1], location, &c->args[i + 1]));
    }
    TRY(bind_coerce_all(c->b, c->args, 4, location, "OVERLAPS", &type));
    for (int i = 0; i < 2; i++) {
        TRY(bind_call(c->b, EXPR_LEAST, type, &c->args[2 * i], 2, location, &first[i]));
        expr *ends[] = {expr_copy(c->b->memory, c->args[2 * i]),
                        expr_copy(c->b->memory, c->args[2 * i + 1])};
        if (!ends[0] || !ends[1])
            return bind_no_memory();
        TRY(bind_call(c->b, EXPR_GREATEST, type, ends, 2, location, &last[i]));
    }
    TRY(compare_ends(c, EXPR_LT, first[0], last[1], &parts[0]));
    TRY(compare_ends(c, EXPR_LT, first[1], last[0], &parts[1]));
    TRY(bind_call(c->b, EXPR_AND, boolean, parts, 2, location, &parts[0]));
    TRY(compare_ends(c, EXPR_EQ, first[0], first[1], &equal));
    parts[1] = equal;
    return bind_call(c->b, EXPR_OR, boolean, parts, 2, location, out);
}

/* year(x) and the like. */
status bind_field(const function_call *c, expr **out)
{
    size_t f = 0;
    while (strcmp(c->name, fields[f].name))
        f++;
    return bind_date_part_of(c, &fields[f], c->args[0], out);
}

status bind_statement_time(binder *b, type_id type, int32_t location, expr **out)
{
    value v = {.type = type_make(TYPE_TIMESTAMP_TZ), .i64 = b->statement_time};
    TRY(bind_constant(b, &v, location, out));
    return bind_cast(b, *out, type_make(type), location, out);
}

/* Whether a constant format has %z or %Z in it. */
static bool reads_zone(const expr *format)
{
    bool is_known = format->kind == EXPR_CONSTANT && !format->constant.is_null;
    for (size_t i = 0; is_known && i + 1 < format->constant.bytes; i++)
        if (format->constant.text[i] == '%' &&
            (format->constant.text[++i] == 'z' || format->constant.text[i] == 'Z'))
            return true;
    return false;
}

status bind_strptime(const function_call *c, expr_op op, expr **out)
{
    for (size_t i = 0; i < 2; i++)
        TRY(call_coerce(c, i, 't'));
    data_type type = type_make(reads_zone(c->args[1]) ? TYPE_TIMESTAMP_TZ : TYPE_TIMESTAMP);
    return bind_call(c->b, op, type, c->args, 2, c->tree->location, out);
}
