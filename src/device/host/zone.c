/* zone.c - timestamps and time zones: AT TIME ZONE, and what the session's zone makes of casts, fields and
 * arithmetic. A zone is a text; that of the row before is at hand. */
#include "device/host/zone.h"

#include "device/host/template.h"
#include "device/value/zone_value.h"

typedef struct zone_state {
    zone zone;
    zone_span at, local; /* near the last instant, near the last local time */
    bool has_zone;
    size_t name_bytes;
    char name[ZONE_NAME_BYTES]; /* as the row had it */
} zone_state;

static status zone_begin(host_call *c)
{
    c->state = mem_new(sizeof(zone_state));
    return c->state ? STATUS_OK : status_no_memory("time zone", sizeof(zone_state));
}

static void zone_end(host_call *c)
{
    mem_free(c->state);
}

const host_function_ops host_zone_ops = {.begin = zone_begin, .end = zone_end};
const host_function_ops host_zone_template_ops = {
    .plan = template_plan, .begin = zone_begin, .end = zone_end};

static status take_zone(host_call *c, uint32_t arg, uint64_t row, zone_state **out)
{
    zone_state *s = c->state;
    const string_view *name = host_text(c, arg, row);
    *out = s;
    if (s->has_zone && name->bytes == s->name_bytes &&
        !memcmp(string_data(name), s->name, s->name_bytes))
        return STATUS_OK;
    s->has_zone = false;
    s->at = s->local = (zone_span){0};
    TRY(zone_find(string_data(name), name->bytes, &s->zone));
    s->has_zone = name->bytes < sizeof s->name;
    if (s->has_zone) {
        memcpy(s->name, string_data(name), name->bytes);
        s->name_bytes = name->bytes;
    }
    return STATUS_OK;
}

static status zone_out_of_range(void)
{
    return status_new(STATUS_KIND_DATA, "timestamp out of range");
}

static unsigned precision_of(const host_call *c, uint32_t arg)
{
    return c->args[arg].type.precision;
}

/* ---- AT TIME ZONE ---- */

status host_zone_local(host_call *c, uint64_t row)
{
    zone_state *s;
    TRY(take_zone(c, 0, row, &s));
    return zone_local(&s->zone, host_integer(c, 1, row), precision_of(c, 1), &s->at,
                      (int64_t *)c->values + row)
               ? STATUS_OK
               : zone_out_of_range();
}

status host_zone_instant(host_call *c, uint64_t row)
{
    zone_state *s;
    TRY(take_zone(c, 0, row, &s));
    return zone_instant(&s->zone, host_integer(c, 1, row), precision_of(c, 1), &s->local,
                        (int64_t *)c->values + row)
               ? STATUS_OK
               : zone_out_of_range();
}

status host_zone_put_instant(host_call *c, uint32_t arg, uint64_t row, int64_t local)
{
    zone_state *s;
    TRY(take_zone(c, arg, row, &s));
    return zone_instant(&s->zone, local, c->type.precision, &s->local, (int64_t *)c->values + row)
               ? STATUS_OK
               : zone_out_of_range();
}

/* ---- parts of it ---- */

/* The instant at which the offset that the zone has at the third argument makes a clock show the second: what a
 * part of an hour is cut to lies on the same side of a change of the clock. */
status host_zone_keep(host_call *c, uint64_t row)
{
    zone_state *s;
    int64_t instant = host_integer(c, 2, row), shown;
    TRY(take_zone(c, 0, row, &s));
    bool is_right = zone_local(&s->zone, instant, precision_of(c, 2), &s->at, &shown);
    int64_t offset = s->at.offset * power_of_ten_64[c->type.precision];
    if (calendar_is_infinite(instant))
        shown = instant;
    else
        is_right &= !__builtin_sub_overflow(host_integer(c, 1, row), offset, &shown);
    host_put_integer(c, row, shown);
    return is_right ? STATUS_OK : zone_out_of_range();
}

/* Seconds east of UTC. */
status host_zone_offset(host_call *c, uint64_t row)
{
    zone_state *s;
    int64_t shown;
    if (host_put_null_of_infinite(c, 1, row))
        return STATUS_OK;
    TRY(take_zone(c, 0, row, &s));
    if (!zone_local(&s->zone, host_integer(c, 1, row), precision_of(c, 1), &s->at, &shown))
        return zone_out_of_range();
    host_put_integer(c, row, s->at.offset);
    return STATUS_OK;
}

status host_zone_add(host_call *c, uint64_t row)
{
    zone_state *s;
    TRY(take_zone(c, 0, row, &s));
    const interval_value *interval =
        (const interval_value *)c->args[2].values + row * c->args[2].stride;
    return zone_add(&s->zone, host_integer(c, 1, row), precision_of(c, 1), interval,
                    (int64_t *)c->values + row)
               ? STATUS_OK
               : zone_out_of_range();
}

/* ---- texts ---- */

status host_zone_format(host_call *c, uint64_t row)
{
    zone_state *s;
    char text[TIMESTAMP_TEXT_BYTES];
    TRY(take_zone(c, 0, row, &s));
    size_t bytes = zone_format(&s->zone, host_integer(c, 1, row), precision_of(c, 1), &s->at, text);
    return host_put_text(c, row, text, bytes);
}

status host_zone_read(host_call *c, uint64_t row)
{
    zone_state *s;
    bool is_one;
    const string_view *text = host_text(c, 1, row);
    TRY(take_zone(c, 0, row, &s));
    TRY(zone_parse(&s->zone, string_data(text), text->bytes, c->type.precision,
                   (int64_t *)c->values + row, &is_one));
    if (is_one)
        return STATUS_OK;
    char type[TYPE_NAME_BYTES];
    return status_new(STATUS_KIND_DATA, "\"%.*s\" is not a value of type %s",
                      text->bytes > 80 ? 80 : (int)text->bytes, string_data(text),
                      type_name(c->type, type));
}

status host_zone_show(host_call *c, uint32_t arg, uint64_t row, int64_t *out,
                      const zone_span **out_span)
{
    zone_state *s;
    int64_t instant = host_integer(c, 0, row);
    TRY(take_zone(c, arg, row, &s));
    *out_span = &s->at;
    if (precision_of(c, 0) == 9 && !calendar_is_infinite(instant))
        instant = instant / 1000 - (instant % 1000 < 0);
    return zone_local(&s->zone, instant, 6, &s->at, out) ? STATUS_OK : zone_out_of_range();
}
