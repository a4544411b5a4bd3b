/* zone_moment.c - timestamps and zones. */
#include "base/time/zone_moment.h"

#include "base/text/moment_text.h"
#include "base/time/zone_rule.h"

#include <string.h>
#include <strings.h>

#define MOMENT_TEXT_MAX 200 /* no moment is written with more, but for spaces */

static int64_t seconds_of(int64_t count, unsigned precision)
{
    int64_t unit = power_of_ten_64[precision];
    return count / unit - (count % unit < 0);
}

/* An infinite moment is infinite in every zone, and no other becomes it. */
bool zone_local(const zone *z, int64_t instant, unsigned precision, zone_span *span, int64_t *out)
{
    zone_at(z, seconds_of(instant, precision), span);
    *out = instant;
    return calendar_is_infinite(instant) ||
           (!__builtin_add_overflow(instant, span->offset * power_of_ten_64[precision], out) &&
            !calendar_is_infinite(*out));
}

bool zone_instant(const zone *z, int64_t local, unsigned precision, zone_span *span, int64_t *out)
{
    int32_t offset = zone_offset_of_local(z, seconds_of(local, precision), span);
    *out = local;
    return calendar_is_infinite(local) ||
           (!__builtin_sub_overflow(local, offset * power_of_ten_64[precision], out) &&
            !calendar_is_infinite(*out));
}

size_t zone_format(const zone *z, int64_t instant, unsigned precision, zone_span *span, char *text)
{
    char offset[ZONE_SHORT_BYTES];
    zone_at(z, seconds_of(instant, precision), span);
    zone_offset_format(span->offset, offset);
    return moment_format_at(instant, precision, span->offset, offset, text);
}

size_t zone_format_value(const zone *z, const value *v, char *text, size_t room)
{
    char small[TIMESTAMP_TEXT_BYTES];
    zone_span span = {0};
    if (!z || v->is_null || v->type.id != TYPE_TIMESTAMP_TZ)
        return value_format(v, text, room);
    size_t bytes = zone_format(z, v->i64, v->type.precision, &span, small);
    if (room) {
        size_t copied = bytes < room ? bytes : room - 1;
        memcpy(text, small, copied);
        text[copied] = '\0';
    }
    return bytes;
}

/* ---- reading ---- */

static bool is_era_or_noon(const char *word, size_t bytes)
{
    static const char *const words[] = {"am", "pm", "bc", "ad"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (bytes == 2 && !strncasecmp(word, words[i], 2))
            return true;
    return false;
}

/* The letters between a date and its time stand for a space. */
static bool is_between(text_scan s)
{
    return (*s.at | 0x20) == 't' && s.end - s.at > 1 && scan_is_digit(s.at[1]);
}

/* The name of a zone behind a date or a time: from a letter, or what PostgreSQL takes as one, to a space. */
static bool zone_moment_find_name(const char *text, size_t bytes, text_scan *out)
{
    text_scan s = scan_trimmed(text, bytes);
    while (!scan_done(&s)) {
        const char *start = s.at;
        if (!(scan_is_letter(*start) || *start == '<') || is_between(s)) {
            s.at++;
            continue;
        }
        while (!scan_done(&s) && !scan_is_space(*s.at))
            s.at++;
        if (!is_era_or_noon(start, (size_t)(s.at - start))) {
            *out = (text_scan){start, s.at};
            return true;
        }
    }
    return false;
}

/* The text without the name: what is left is a local time of the zone. */
static status parse_named(const char *text, size_t bytes, unsigned precision, int64_t *out,
                          bool *out_is_one)
{
    char rest[MOMENT_TEXT_MAX];
    text_scan name, s = scan_trimmed(text, bytes);
    zone named;
    zone_span span = {0};
    int64_t local;
    bool has_zone;
    size_t length = (size_t)(s.end - s.at);
    *out_is_one = false;
    if (length > sizeof rest || !zone_moment_find_name(s.at, length, &name))
        return STATUS_OK;
    size_t before = (size_t)(name.at - s.at), behind = (size_t)(s.end - name.end);
    memcpy(rest, s.at, before);
    memcpy(rest + before, name.end, behind);
    if (!moment_parse_at(rest, before + behind, precision, false, &local, &has_zone) || has_zone)
        return STATUS_OK;
    TRY(zone_find(name.at, (size_t)(name.end - name.at), &named));
    *out_is_one = zone_instant(&named, local, precision, &span, out);
    return STATUS_OK;
}

status zone_parse(const zone *z, const char *text, size_t bytes, unsigned precision, int64_t *out,
                  bool *out_is_one)
{
    zone_span span = {0};
    bool has_zone;
    *out_is_one = moment_parse_at(text, bytes, precision, true, out, &has_zone);
    if (*out_is_one && !has_zone)
        *out_is_one = zone_instant(z, *out, precision, &span, out);
    return *out_is_one ? STATUS_OK : parse_named(text, bytes, precision, out, out_is_one);
}
