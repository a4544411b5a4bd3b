/* parse_time.c - to_date and to_timestamp: texts as dates, by PostgreSQL's formats.
 *
 * Spaces in front of a field and behind it are passed over, and what is no letter or digit in the format stands for
 * any such character of the text, or for none. What a format does not name is that of 0001-01-01 00:00. */
#include "device/host/host.h"
#include "device/host/moment.h"
#include "device/host/template.h"
#include "device/host/zone.h"

#include <ctype.h>

typedef struct reading {
    const char *text;
    size_t bytes, at;
    int64_t skipped; /* spaces behind the last field for which the format has had nothing yet */
    int64_t year, month, day, hour, minute, second, microsecond;
    int64_t year_day, julian, day_second, zone_minutes; /* -1: not given */
    bool has_noon, is_afternoon, is_before_christ, has_year, has_zone, next_is_number;
} reading;

static status fail(const reading *r, const template_word *w, const char *what)
{
    return status_new(STATUS_KIND_DATA,
                      "\"%.*s\" does not match its format: %s for %.*s, at character %zu",
                      (int)(r->bytes < 60 ? r->bytes : 60), r->text, what,
                      (int)(w->bytes < 20 ? w->bytes : 20), w->text, r->at + 1);
}

static void skip_spaces(reading *r)
{
    for (; r->at < r->bytes && isspace((unsigned char)r->text[r->at]); r->at++)
        r->skipped++;
}

static bool is_mark(char c)
{
    return !isalnum((unsigned char)c) && !((unsigned char)c & 0x80);
}

/* Digits, no more than `most` of them. */
static status read_number(reading *r, const template_word *w, unsigned most, int64_t *out,
                          unsigned *out_digits)
{
    unsigned digits = 0;
    bool is_negative = false;
    *out = 0;
    skip_spaces(r);
    if (w->field == TEMPLATE_YEAR && r->at < r->bytes && r->text[r->at] == '-') {
        is_negative = true;
        r->at++;
    }
    while (r->at < r->bytes && digits < most && isdigit((unsigned char)r->text[r->at])) {
        *out = *out * 10 + (r->text[r->at++] - '0');
        digits++;
    }
    if (!digits)
        return fail(r, w, "there is no number");
    if (is_negative)
        *out = -*out;
    *out_digits = digits;
    return STATUS_OK;
}

/* One of the names, in full or its first three letters; which one. */
static status read_name(reading *r, const template_word *w, const char *const *names, int count,
                        bool is_short, int64_t *out)
{
    skip_spaces(r);
    for (int i = 0; i < count; i++) {
        size_t bytes = is_short ? 3 : strlen(names[i]);
        if (r->bytes - r->at >= bytes && moment_same(r->text + r->at, names[i], bytes)) {
            r->at += bytes;
            *out = i + 1;
            return STATUS_OK;
        }
    }
    return fail(r, w, "there is no such name");
}

/* AM or PM, AD or BC: the second one? */
static status read_either(reading *r, const template_word *w, const char *first, const char *second,
                          bool *out)
{
    skip_spaces(r);
    bool has_points = r->at + 1 < r->bytes && r->text[r->at + 1] == '.';
    char pair[2] = {0};
    if (r->at + (has_points ? 3 : 1) < r->bytes) {
        pair[0] = r->text[r->at];
        pair[1] = r->text[r->at + (has_points ? 2 : 1)];
    }
    *out = moment_same(pair, second, 2);
    if (!*out && !moment_same(pair, first, 2))
        return fail(r, w, "there is neither one nor the other");
    r->at += has_points ? 4 : 2;
    return STATUS_OK;
}

/* A year of two or three digits is the one nearest to 2020. */
static int64_t nearby_year(int64_t year, unsigned digits)
{
    if (digits >= 4 || year < 0)
        return year;
    if (digits == 3)
        return year < 100 || year >= 520 ? (year >= 520 ? year + 1000 : year + 2000) : year + 2000;
    return year < 70 ? year + 2000 : year + 1900;
}

static status read_zone(reading *r, const template_word *w)
{
    int64_t number, sign = 1;
    unsigned digits;
    if (w->field == TEMPLATE_ZONE_HOURS && r->at < r->bytes &&
        (r->text[r->at] == '+' || r->text[r->at] == '-'))
        sign = r->text[r->at++] == '-' ? -1 : 1;
    else if (w->field == TEMPLATE_ZONE_HOURS && r->skipped > 0 && r->at &&
             r->text[r->at - 1] == '-')
        sign = -1; /* which the format's space took, for one that was passed over */
    TRY(read_number(r, w, 2, &number, &digits));
    if (w->field == TEMPLATE_ZONE_HOURS)
        r->zone_minutes = sign * number * 60;
    else
        r->zone_minutes += r->zone_minutes < 0 ? -number : number;
    r->has_zone = true;
    return STATUS_OK;
}

/* Milliseconds and microseconds may both be given. */
static status read_fraction(reading *r, const template_word *w)
{
    int64_t fraction;
    unsigned digits;
    TRY(read_number(r, w, w->digits, &fraction, &digits));
    for (; digits < 6; digits++)
        fraction *= 10;
    r->microsecond += fraction;
    return STATUS_OK;
}

static status read_year(reading *r, const template_word *w)
{
    unsigned digits, most = w->digits == 4 && !r->next_is_number ? 6 : w->digits;
    if (w->field == TEMPLATE_YEAR_COMMA) {
        int64_t thousands;
        TRY(read_number(r, w, 3, &thousands, &digits));
        if (r->at >= r->bytes || r->text[r->at] != ',')
            return fail(r, w, "there is no comma");
        r->at++;
        TRY(read_number(r, w, 3, &r->year, &digits));
        r->year += thousands * 1000;
    } else {
        TRY(read_number(r, w, most, &r->year, &digits));
        r->year =
            nearby_year(r->year, w->digits < 4 ? (digits < w->digits ? digits : w->digits) : 4);
    }
    r->has_year = true;
    return STATUS_OK;
}

static status read_word(reading *r, const template_word *w)
{
    int64_t ignored;
    unsigned digits;
    switch (w->field) {
    case TEMPLATE_HOUR_12:
    case TEMPLATE_HOUR_24:
        return read_number(r, w, 2, &r->hour, &digits);
    case TEMPLATE_MINUTE:
        return read_number(r, w, 2, &r->minute, &digits);
    case TEMPLATE_SECOND:
        return read_number(r, w, 2, &r->second, &digits);
    case TEMPLATE_FRACTION:
        return read_fraction(r, w);
    case TEMPLATE_DAY_SECOND:
        return read_number(r, w, 5, &r->day_second, &digits);
    case TEMPLATE_NOON:
        r->has_noon = true;
        return read_either(r, w, "am", "pm", &r->is_afternoon);
    case TEMPLATE_ERA:
        return read_either(r, w, "ad", "bc", &r->is_before_christ);
    case TEMPLATE_YEAR:
    case TEMPLATE_YEAR_COMMA:
        return read_year(r, w);
    case TEMPLATE_MONTH_NAME:
    case TEMPLATE_MONTH_SHORT:
        return read_name(r, w, moment_months, 12, w->field == TEMPLATE_MONTH_SHORT, &r->month);
    case TEMPLATE_MONTH:
        return read_number(r, w, 2, &r->month, &digits);
    case TEMPLATE_DAY_NAME:
    case TEMPLATE_DAY_SHORT:
        return read_name(r, w, moment_days, 7, w->field == TEMPLATE_DAY_SHORT, &ignored);
    case TEMPLATE_YEAR_DAY:
        return read_number(r, w, 3, &r->year_day, &digits);
    case TEMPLATE_DAY:
        return read_number(r, w, 2, &r->day, &digits);
    case TEMPLATE_JULIAN:
        return read_number(r, w, 9, &r->julian, &digits);
    case TEMPLATE_WEEK_DAY:
    case TEMPLATE_QUARTER:
        return read_number(r, w, 1, &ignored, &digits);
    case TEMPLATE_ZONE_HOURS:
    case TEMPLATE_ZONE_MINUTES:
        return read_zone(r, w);
    default:
        return fail(r, w, "no date can be read");
    }
}

/* What stands in a format besides fields. */
static void read_text(reading *r, const template_word *w)
{
    if (!w->is_quoted && is_mark(*w->text)) {
        bool is_there = r->at < r->bytes && is_mark(r->text[r->at]);
        r->at += is_there;
        r->skipped -= !is_there;
        return;
    }
    for (size_t i = 0; i < w->bytes && r->at < r->bytes; i++)
        if (r->skipped > 0)
            r->skipped--;
        else
            r->at++;
}

/* ---- the date that comes of it ---- */

static bool is_in(int64_t number, int64_t low, int64_t high)
{
    return number >= low && number <= high;
}

static status day_of(reading *r, int32_t *out)
{
    int64_t year = r->has_year ? r->year : r->is_before_christ ? 1 : 1;
    if (r->is_before_christ)
        year = 1 - year;
    else if (year < 0)
        year++;
    if (r->julian >= 0) {
        *out = (int32_t)(r->julian - 2440588);
        return STATUS_OK;
    }
    bool is_date = is_in(year, -4712, 294276) && is_in(r->month, 1, 12) && is_in(r->day, 1, 31) &&
                   (r->year_day < 0 || is_in(r->year_day, 1, 366)) &&
                   r->day <= calendar_month_days((int32_t)year, (unsigned)r->month);
    if (!is_date)
        return status_new(STATUS_KIND_DATA, "\"%.*s\" is no date: a field is out of range",
                          (int)(r->bytes < 60 ? r->bytes : 60), r->text);
    *out = r->year_day >= 0
               ? calendar_from_civil((int32_t)year, 1, 1) + (int32_t)r->year_day - 1
               : calendar_from_civil((int32_t)year, (unsigned)r->month, (unsigned)r->day);
    return STATUS_OK;
}

static status time_of(reading *r, int64_t *out)
{
    if (r->has_noon && is_in(r->hour, 1, 12))
        r->hour = r->hour % 12 + (r->is_afternoon ? 12 : 0);
    else if (r->has_noon)
        r->hour = -1;
    if (r->day_second >= 0) {
        r->hour = r->day_second / 3600;
        r->minute = r->day_second / 60 % 60;
        r->second = r->day_second % 60;
    }
    if (!is_in(r->hour, 0, 23) || !is_in(r->minute, 0, 59) || !is_in(r->second, 0, 59))
        return status_new(STATUS_KIND_DATA, "\"%.*s\" is no time of a day: a field is out of range",
                          (int)(r->bytes < 60 ? r->bytes : 60), r->text);
    *out = ((r->hour * 60 + r->minute) * 60 + r->second) * CALENDAR_SECOND + r->microsecond;
    return STATUS_OK;
}

/* A word of digits, before which a year ends after its own. */
static bool is_number(const template_word *w)
{
    switch (w->field) {
    case TEMPLATE_TEXT:
        return isdigit((unsigned char)*w->text);
    case TEMPLATE_NOON:
    case TEMPLATE_ERA:
    case TEMPLATE_MONTH_NAME:
    case TEMPLATE_MONTH_SHORT:
    case TEMPLATE_MONTH_ROMAN:
    case TEMPLATE_DAY_NAME:
    case TEMPLATE_DAY_SHORT:
    case TEMPLATE_ZONE:
        return false;
    default:
        return true;
    }
}

static status read_all(host_call *c, uint64_t row, reading *r)
{
    const string_view *text = host_text(c, 0, row);
    template_scan s = template_begin(c, row);
    template_word w, next;
    *r = (reading){.text = string_data(text),
                   .bytes = text->bytes,
                   .month = 1,
                   .day = 1,
                   .year_day = -1,
                   .julian = -1,
                   .day_second = -1};
    for (bool has = template_next(&s, &w); has; w = next) {
        has = template_next(&s, &next);
        r->next_is_number = has && is_number(&next);
        if (w.field == TEMPLATE_TEXT) {
            read_text(r, &w);
            continue;
        }
        /* What is left out at the end is as it would be in front of the year 1. */
        skip_spaces(r);
        if (r->at >= r->bytes)
            break;
        TRY(read_word(r, &w));
        if (w.ordinal)
            r->at += r->at + 1 < r->bytes ? 2 : 0;
        r->skipped = 0;
        skip_spaces(r);
    }
    return STATUS_OK;
}

status host_to_date(host_call *c, uint64_t row)
{
    reading r;
    TRY(read_all(c, row, &r));
    return day_of(&r, (int32_t *)c->values + row);
}

/* *out_has_zone: it is an instant, as the text has an offset. */
static status read_moment(host_call *c, uint64_t row, int64_t *out, bool *out_has_zone)
{
    reading r;
    int32_t day;
    int64_t time;
    TRY(read_all(c, row, &r));
    TRY(day_of(&r, &day));
    TRY(time_of(&r, &time));
    *out = day * CALENDAR_DAY + time - r.zone_minutes * 60 * CALENDAR_SECOND;
    *out_has_zone = r.has_zone;
    return STATUS_OK;
}

status host_to_timestamp(host_call *c, uint64_t row)
{
    bool has_zone;
    return read_moment(c, row, (int64_t *)c->values + row, &has_zone);
}

/* Without an offset it is of the zone of the third argument. */
status host_zone_to_timestamp(host_call *c, uint64_t row)
{
    int64_t moment;
    bool has_zone;
    TRY(read_moment(c, row, &moment, &has_zone));
    if (!has_zone)
        return host_zone_put_instant(c, 2, row, moment);
    host_put_integer(c, row, moment);
    return STATUS_OK;
}
