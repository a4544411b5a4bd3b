/* bind_zone.c - time zones: casts, fields and arithmetic of timestamps with time zone in the session's zone, and
 * AT TIME ZONE.
 *
 * The plan knows of no session: where its zone is not UTC, calls that have it as an argument stand where the
 * casts and kernels would stand that take a timestamp with time zone for UTC's. */
#include "sql/types/bind_zone.h"

#include "sql/types/bind_operator.h"
#include "sql/types/bind_type.h"
#include "sql/types/binder.h"

static bool is_zoned(data_type type)
{
    return type.id == TYPE_TIMESTAMP_TZ;
}

bool bind_zone_crosses(const binder *b, data_type from, data_type to)
{
    data_type other = is_zoned(from) ? to : from;
    return b->zone && is_zoned(from) != is_zoned(to) &&
           (other.id == TYPE_DATE || other.id == TYPE_TIME || other.id == TYPE_TIMESTAMP ||
            other.id == TYPE_VARCHAR);
}

static data_type with_id(data_type type, type_id id)
{
    data_type made = type_make(id);
    made.precision = type.precision;
    return made;
}

/* The zone's name as an argument. */
static status zone_argument(binder *b, const zone *z, expr **out)
{
    size_t bytes = strlen(z->name);
    char *copy = arena_copy_text(b->memory, z->name, bytes);
    value v = value_text(copy, bytes);
    return copy ? bind_constant(b, &v, -1, out) : bind_no_memory();
}

/* The call whose first argument is the session's zone. */
static status call_in_zone(binder *b, expr_op op, data_type type, expr *const *args, uint32_t count,
                           int32_t location, expr **out)
{
    expr *all[3];
    memcpy(all + 1, args, count * sizeof *args);
    TRY(zone_argument(b, b->zone, &all[0]));
    return bind_call(b, op, type, all, count + 1, location, out);
}

/* ---- casts ---- */

status bind_zone_local(binder *b, expr *arg, int32_t location, expr **out)
{
    *out = arg;
    if (!b->zone || !is_zoned(arg->type))
        return STATUS_OK;
    return call_in_zone(b, EXPR_ZONE_LOCAL, with_id(arg->type, TYPE_TIMESTAMP), &arg, 1, location,
                        out);
}

static status cast_from_zoned(binder *b, expr *arg, data_type type, int32_t location, expr **out)
{
    if (type.id == TYPE_VARCHAR)
        return call_in_zone(b, EXPR_ZONE_FORMAT, type, &arg, 1, location, out);
    TRY(bind_zone_local(b, arg, location, &arg));
    return bind_cast(b, arg, type, location, out);
}

status bind_zone_cast(binder *b, expr *arg, data_type type, int32_t location, expr **out)
{
    if (is_zoned(arg->type))
        return cast_from_zoned(b, arg, type, location, out);
    if (arg->type.id == TYPE_VARCHAR)
        return call_in_zone(b, EXPR_ZONE_READ, type, &arg, 1, location, out);
    TRY(bind_cast(b, arg, with_id(type, TYPE_TIMESTAMP), location, &arg));
    return call_in_zone(b, EXPR_ZONE_INSTANT, type, &arg, 1, location, out);
}

status bind_zone_literal(const binder *b, const value *text, data_type type, value *out)
{
    zone utc;
    bool is_one;
    char name[TYPE_NAME_BYTES];
    *out = (value){.type = type};
    zone_make_fixed(0, &utc);
    TRY(zone_parse(b->zone ? b->zone : &utc, text->text, text->bytes, type.precision, &out->i64,
                   &is_one));
    if (is_one)
        return STATUS_OK;
    return status_new(STATUS_KIND_DATA, "\"%.*s\" is not a value of type %s",
                      text->bytes > 80 ? 80 : (int)text->bytes, text->text, type_name(type, name));
}

/* ---- fields and arithmetic ---- */

status bind_zone_add(binder *b, expr *time, expr *interval, int32_t location, bool *out_done,
                     expr **out)
{
    const interval_value *v = &interval->constant.interval;
    bool has_days =
        interval->kind != EXPR_CONSTANT || interval->constant.is_null || v->months || v->days;
    *out_done = b->zone && is_zoned(time->type) && has_days;
    if (!*out_done)
        return STATUS_OK;
    expr *args[] = {time, interval};
    return call_in_zone(b, EXPR_ZONE_ADD, time->type, args, 2, location, out);
}

status bind_zone_offset(binder *b, expr *arg, int32_t location, expr **out)
{
    expr *args[2] = {NULL, arg};
    zone utc;
    zone_make_fixed(0, &utc);
    TRY(zone_argument(b, b->zone ? b->zone : &utc, &args[0]));
    return bind_call(b, EXPR_ZONE_OFFSET, type_make(TYPE_INT64), args, 2, location, out);
}

/* From hours on downwards the offset stays as it is at the instant; days and more are cut anew. */
status bind_zone_trunc(binder *b, const bind_trunc *t, expr *zone_name, expr **out)
{
    data_type local = with_id(t->arg->type, TYPE_TIMESTAMP);
    expr *args[3] = {zone_name, t->arg, NULL}, *again, *zone_again;
    again = expr_copy(b->memory, t->arg);
    zone_again = expr_copy(b->memory, zone_name);
    if (!again || !zone_again)
        return bind_no_memory();
    TRY(bind_call(b, EXPR_ZONE_LOCAL, local, args, 2, t->location, &args[1]));
    TRY(bind_call2(b, EXPR_DATE_TRUNC, local, t->field, args[1], t->location, &args[1]));
    args[0] = zone_again;
    args[2] = again;
    return t->is_part_of_day
               ? bind_call(b, EXPR_ZONE_KEEP, t->arg->type, args, 3, t->location, out)
               : bind_call(b, EXPR_ZONE_INSTANT, t->arg->type, args, 2, t->location, out);
}

status bind_zone_trunc_session(binder *b, const bind_trunc *t, bool *out_done, expr **out)
{
    expr *name;
    *out_done = b->zone && is_zoned(t->arg->type);
    if (!*out_done)
        return STATUS_OK;
    TRY(zone_argument(b, b->zone, &name));
    return bind_zone_trunc(b, t, name, out);
}

/* ---- formats ---- */

/* to_char(timestamptz, format), to_timestamp(text, format): the zone is the last argument. */
status bind_zone_format(binder *b, expr_op op, data_type type, expr *const *args, int32_t location,
                        expr **out)
{
    expr *all[] = {args[0], args[1], NULL};
    TRY(zone_argument(b, b->zone, &all[2]));
    return bind_call(b, op, type, all, 3, location, out);
}

/* ---- AT TIME ZONE ---- */

/* A text; where it is a constant, a zone's that there is. *out_utc: which is UTC. */
static status check_zone(binder *b, expr **name, int32_t location, bool *out_utc)
{
    const expr *e = *name;
    char type[TYPE_NAME_BYTES];
    zone z;
    *out_utc = false;
    location = e->position >= 0 ? e->position : location;
    if (e->type.id != TYPE_VARCHAR && e->type.id != TYPE_NULL)
        return bind_error(b, STATUS_KIND_INVALID, location, "a time zone must be a text, not %s",
                          type_name(e->type, type));
    TRY(bind_cast(b, *name, type_make(TYPE_VARCHAR), location, name));
    e = *name;
    if (e->kind != EXPR_CONSTANT || e->constant.is_null)
        return STATUS_OK;
    status st = zone_find(e->constant.text, e->constant.bytes, &z);
    int32_t position = bind_position(b, location);
    if (st)
        return position < 0 ? st : status_at(st, position);
    *out_utc = zone_is_utc_name(z.name, strlen(z.name));
    return STATUS_OK;
}

/* Changes the type, which is what a cast is where the session's zone is UTC. */
static status retype(binder *b, expr *arg, data_type type, int32_t location, expr **out)
{
    const zone *session = b->zone;
    b->zone = NULL;
    status st = bind_cast(b, arg, type, location, out);
    b->zone = session;
    return st;
}

/* AT TIME ZONE INTERVAL '2 hours': east of UTC. */
static status at_interval(binder *b, expr *arg, expr *interval, int32_t location, expr **out)
{
    bool is_instant = is_zoned(arg->type);
    const value *v = &interval->constant;
    if (interval->kind != EXPR_CONSTANT)
        return bind_unsupported(b, location, "a time zone that is an interval but no constant is");
    if (!v->is_null && (v->interval.months || v->interval.days))
        return bind_error(b, STATUS_KIND_INVALID, location,
                          "an interval that is a time zone has hours and minutes, no days");
    if (is_instant)
        TRY(retype(b, arg, with_id(arg->type, TYPE_TIMESTAMP), location, &arg));
    else
        TRY(bind_negate(b, interval, location, &interval));
    data_type type = with_id(arg->type, TYPE_TIMESTAMP_TZ);
    TRY(bind_call2(b, EXPR_TIMESTAMP_ADD_INTERVAL, arg->type, arg, interval, location, out));
    return is_instant ? STATUS_OK : retype(b, *out, type, location, out);
}

status bind_at_time_zone(binder *b, expr *name, expr *arg, int32_t location, expr **out)
{
    char type[TYPE_NAME_BYTES];
    bool is_utc;
    if (bind_is_literal(arg) || arg->type.id == TYPE_DATE)
        TRY(bind_cast(b, arg, type_make(TYPE_TIMESTAMP_TZ), location, &arg));
    if (!is_zoned(arg->type) && arg->type.id != TYPE_TIMESTAMP)
        return bind_error(b, STATUS_KIND_INVALID, location,
                          "AT TIME ZONE is of a timestamp, not of type %s",
                          type_name(arg->type, type));
    if (name->type.id == TYPE_INTERVAL)
        return at_interval(b, arg, name, location, out);
    TRY(check_zone(b, &name, location, &is_utc));
    data_type made = with_id(arg->type, is_zoned(arg->type) ? TYPE_TIMESTAMP : TYPE_TIMESTAMP_TZ);
    if (is_utc)
        return retype(b, arg, made, location, out);
    return bind_call2(b, is_zoned(arg->type) ? EXPR_ZONE_LOCAL : EXPR_ZONE_INSTANT, made, name, arg,
                      location, out);
}

status bind_zone_name(binder *b, expr **name, int32_t location)
{
    bool is_utc;
    return check_zone(b, name, location, &is_utc);
}
