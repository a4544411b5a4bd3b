/* parse_time.c - to_date and to_timestamp: texts as dates, by PostgreSQL's formats.
 *
 * As in PostgreSQL's formatting.c: spaces around a field are passed over, what is neither letter nor digit in the format
 * stands for one such character of the text, or for none, and other characters for any one each, but not where more
 * spaces were passed over than the format has. FX ends all that. What a format does not name is that of the year 0,
 * which is 1 BC. */
#include "device/host/host.h"
#include "device/host/moment.h"
#include "device/host/template.h"
#include "device/host/zone.h"

#include <ctype.h>

/* By which calendar dates are named. */
typedef enum convention { CONVENTION_NONE, CONVENTION_GREGORIAN, CONVENTION_ISO_WEEK } convention;

/* Fields are 0 where they were not given. */
typedef struct reading {
    const char *text;
    size_t bytes, at;
    int64_t skipped; /* characters more than the format has had something for */
    bool is_exact, next_is_no_number, is_hour_12;
    convention convention;
    int64_t is_afternoon, is_before_christ;
    int64_t hour, minute, second, day_second, millisecond, microsecond;
    int64_t year, year_digits, century, month, day, year_day, week_day, week, month_week, julian;
    int64_t zone_sign, zone_hours, zone_minutes;
    unsigned decimals; /* to which seconds are rounded */
} reading;

static status parse_time_fail(const reading *r, const template_word *w, const char *what)
{
    return status_new(STATUS_KIND_DATA,
                      "\"%.*s\" does not match its format: %s for %.*s, at character %zu",
                      (int)(r->bytes < 60 ? r->bytes : 60), r->text, what,
                      (int)(w->bytes < 20 ? w->bytes : 20), w->text, r->at + 1);
}

static bool parse_time_is_over(const reading *r)
{
    return r->at >= r->bytes;
}

static bool is_space_at(const reading *r, size_t at)
{
    return at < r->bytes && isspace((unsigned char)r->text[at]);
}

static void parse_time_skip_spaces(reading *r)
{
    for (; is_space_at(r, r->at); r->at++)
        r->skipped++;
}

static bool is_mark(char c)
{
    return c > ' ' && c < 0x7f && !isalnum((unsigned char)c);
}

static void skip_character(reading *r)
{
    if (parse_time_is_over(r))
        return;
    do
        r->at++;
    while (!parse_time_is_over(r) && ((unsigned char)r->text[r->at] & 0xc0) == 0x80);
}

/* ---- fields ---- */

/* Sets a field; the same number twice is not a failure. */
static status set_field(const reading *r, const template_word *w, int64_t *field, int64_t number)
{
    if (*field && *field != number)
        return parse_time_fail(r, w, "there is another value before");
    *field = number;
    return STATUS_OK;
}

/* A number with its sign up to `end`, spaces in front of it passed over; false: there is none. */
static bool take_number(reading *r, size_t end, int64_t *out)
{
    size_t at = r->at;
    while (at < end && is_space_at(r, at))
        at++;
    bool is_negative = at < end && r->text[at] == '-';
    at += at < end && (r->text[at] == '-' || r->text[at] == '+');
    size_t first = at;
    for (*out = 0; at < end && isdigit((unsigned char)r->text[at]); at++)
        *out = *out > INT32_MAX ? *out : *out * 10 + (r->text[at] - '0');
    if (at == first)
        return false;
    *out = is_negative ? -*out : *out;
    r->at = at;
    return true;
}

/* Reads `width` characters; before a word that does not begin with a digit, or with FM, all digits that there are.
 * field may be NULL. *out_bytes (may be NULL): how many characters it had. */
static status parse_time_read_number(reading *r, const template_word *w, size_t width,
                                     int64_t *field, size_t *out_bytes)
{
    size_t before = r->at, end;
    int64_t number;
    if (w->is_bare || w->ordinal || r->next_is_no_number) {
        if (!take_number(r, r->bytes, &number))
            return parse_time_fail(r, w, "there is no number");
    } else {
        while (is_space_at(r, r->at))
            r->at++;
        end = r->at + width;
        if (end > r->bytes)
            return parse_time_fail(r, w, "there are too few characters");
        if (!take_number(r, end, &number))
            return parse_time_fail(r, w, "there is no number");
        if (r->at < end)
            return parse_time_fail(r, w, "there are too few digits");
    }
    if (number > INT32_MAX || number < INT32_MIN)
        return parse_time_fail(r, w, "there is too large a number");
    if (out_bytes)
        *out_bytes = r->at - before;
    return field ? set_field(r, w, field, number) : STATUS_OK;
}

/* Which one of the names stands there? The first that does. */
static status parse_time_read_name(reading *r, const template_word *w, const char *const *names,
                                   int count, size_t most, int64_t *out)
{
    for (int i = 0; i < count; i++) {
        size_t bytes = strlen(names[i]);
        bytes = bytes > most ? most : bytes;
        if (r->bytes - r->at >= bytes && moment_same(r->text + r->at, names[i], bytes)) {
            r->at += bytes;
            *out = i;
            return STATUS_OK;
        }
    }
    return parse_time_fail(r, w, "there is no such name");
}

/* AM or PM, AD or BC; with points where the format has them. */
static status read_either(reading *r, const template_word *w, int64_t *field)
{
    static const char *const names[2][2][2] = {{{"am", "pm"}, {"a.m.", "p.m."}},
                                               {{"ad", "bc"}, {"a.d.", "b.c."}}};
    int64_t which;
    TRY(parse_time_read_name(r, w, names[w->field == TEMPLATE_ERA][w->digits], 2, 4, &which));
    return set_field(r, w, field, which);
}

static status read_month_roman(reading *r, const template_word *w)
{
    static const char *const names[12] = {"XII", "XI", "X",  "IX",  "VIII", "VII",
                                          "VI",  "V",  "IV", "III", "II",   "I"};
    int64_t which;
    TRY(parse_time_read_name(r, w, names, 12, 4, &which));
    return set_field(r, w, &r->month, 12 - which);
}

/* A year of less than four digits is the one nearest to 2020. */
static int64_t nearby_year(int64_t year)
{
    if (year < 70)
        return year + 2000;
    if (year < 100)
        return year + 1900;
    return year < 520 ? year + 2000 : year < 1000 ? year + 1000 : year;
}

static status read_year_comma(reading *r, const template_word *w)
{
    int64_t thousands, year = 0;
    if (!take_number(r, r->bytes, &thousands) || parse_time_is_over(r) || r->text[r->at] != ',')
        return parse_time_fail(r, w, "there are no thousands");
    r->at++;
    size_t end = r->at + 3 < r->bytes ? r->at + 3 : r->bytes;
    if (!take_number(r, end, &year) || thousands > INT32_MAX / 1000 || thousands < -1000000)
        return parse_time_fail(r, w, "there is no number");
    r->year_digits = 4;
    return set_field(r, w, &r->year, year + thousands * 1000);
}

static status read_year(reading *r, const template_word *w)
{
    size_t bytes;
    if (w->field == TEMPLATE_YEAR_COMMA)
        return read_year_comma(r, w);
    TRY(parse_time_read_number(r, w, w->digits, &r->year, &bytes));
    if (w->digits < 4 && bytes < 4)
        r->year = nearby_year(r->year);
    r->year_digits = w->digits;
    return STATUS_OK;
}

/* The sign may be the last of the marks that were passed over. */
static status read_zone_hours(reading *r, const template_word *w)
{
    char c = parse_time_is_over(r) ? '\0' : r->text[r->at];
    if (c == '+' || c == '-' || c == ' ') {
        r->zone_sign = c == '-' ? -1 : 1;
        r->at++;
    } else {
        bool is_behind_minus = r->skipped > 0 && r->at && r->text[r->at - 1] == '-';
        r->zone_sign = is_behind_minus ? -1 : 1;
    }
    return parse_time_read_number(r, w, 2, &r->zone_hours, NULL);
}

/* Digits behind a point: 25 is 0.25. */
static status read_fraction(reading *r, const template_word *w, int64_t *field, size_t places)
{
    size_t bytes;
    TRY(parse_time_read_number(r, w, w->digits, field, &bytes));
    for (; bytes < places; bytes++)
        *field *= 10;
    return STATUS_OK;
}

/* Sunday is 1. */
static status read_iso_week_day(reading *r, const template_word *w)
{
    TRY(parse_time_read_number(r, w, 1, &r->week_day, NULL));
    r->week_day = r->week_day + 1 > 7 ? 1 : r->week_day + 1;
    return STATUS_OK;
}

static status read_day_name(reading *r, const template_word *w)
{
    int64_t which; /* Monday is 0 */
    TRY(parse_time_read_name(r, w, moment_days, 7, w->field == TEMPLATE_DAY_SHORT ? 3 : SIZE_MAX,
                             &which));
    TRY(set_field(r, w, &r->week_day,
                  (which + 1) % 7)); /* one less than it becomes, as in PostgreSQL */
    r->week_day = (which + 1) % 7 + 1;
    return STATUS_OK;
}

static status read_month_name(reading *r, const template_word *w)
{
    int64_t which;
    bool is_short = w->field == TEMPLATE_MONTH_SHORT;
    TRY(parse_time_read_name(r, w, moment_months, 12, is_short ? 3 : SIZE_MAX, &which));
    return set_field(r, w, &r->month, which + 1);
}

static status read_word(reading *r, const template_word *w)
{
    switch (w->field) {
    case TEMPLATE_EXACT:
        r->is_exact = true;
        return STATUS_OK;
    case TEMPLATE_HOUR_12:
    case TEMPLATE_HOUR_24:
        r->is_hour_12 |= w->field == TEMPLATE_HOUR_12;
        return parse_time_read_number(r, w, 2, &r->hour, NULL);
    case TEMPLATE_MINUTE:
        return parse_time_read_number(r, w, 2, &r->minute, NULL);
    case TEMPLATE_SECOND:
        return parse_time_read_number(r, w, 2, &r->second, NULL);
    case TEMPLATE_FRACTION:
        if (w->digits == 3 && w->bytes == 2) /* MS */
            return read_fraction(r, w, &r->millisecond, 3);
        if (w->bytes == 3) /* FF1 */
            r->decimals = w->digits;
        return read_fraction(r, w, &r->microsecond, 6);
    case TEMPLATE_DAY_SECOND:
        return parse_time_read_number(r, w, w->bytes, &r->day_second, NULL);
    case TEMPLATE_NOON:
        r->is_hour_12 = true;
        return read_either(r, w, &r->is_afternoon);
    case TEMPLATE_ERA:
        return read_either(r, w, &r->is_before_christ);
    case TEMPLATE_YEAR:
    case TEMPLATE_ISO_YEAR:
    case TEMPLATE_YEAR_COMMA:
        return read_year(r, w);
    case TEMPLATE_MONTH_NAME:
    case TEMPLATE_MONTH_SHORT:
        return read_month_name(r, w);
    case TEMPLATE_MONTH_ROMAN:
        return read_month_roman(r, w);
    case TEMPLATE_MONTH:
        return parse_time_read_number(r, w, 2, &r->month, NULL);
    case TEMPLATE_DAY_NAME:
    case TEMPLATE_DAY_SHORT:
        return read_day_name(r, w);
    case TEMPLATE_YEAR_DAY:
    case TEMPLATE_ISO_YEAR_DAY:
        return parse_time_read_number(r, w, 3, &r->year_day, NULL);
    case TEMPLATE_DAY:
        return parse_time_read_number(r, w, 2, &r->day, NULL);
    case TEMPLATE_WEEK_DAY:
        return parse_time_read_number(r, w, 1, &r->week_day, NULL);
    case TEMPLATE_ISO_WEEK_DAY:
        return read_iso_week_day(r, w);
    case TEMPLATE_MONTH_WEEK:
        return parse_time_read_number(r, w, 1, &r->month_week, NULL);
    case TEMPLATE_WEEK:
    case TEMPLATE_ISO_WEEK:
        return parse_time_read_number(r, w, 2, &r->week, NULL);
    case TEMPLATE_CENTURY:
        return parse_time_read_number(r, w, 2, &r->century, NULL);
    case TEMPLATE_JULIAN:
        return parse_time_read_number(r, w, 1, &r->julian, NULL);
    case TEMPLATE_QUARTER: /* says nothing */
        return parse_time_read_number(r, w, 1, NULL, NULL);
    case TEMPLATE_ZONE_HOURS:
        return read_zone_hours(r, w);
    case TEMPLATE_ZONE_MINUTES:
        r->zone_sign = r->zone_sign ? r->zone_sign : 1;
        return parse_time_read_number(r, w, 2, &r->zone_minutes, NULL);
    default:
        return parse_time_fail(r, w, "no date can be read");
    }
}

/* ---- formats ---- */

static convention convention_of(template_field field)
{
    switch (field) {
    case TEMPLATE_YEAR:
    case TEMPLATE_YEAR_COMMA:
    case TEMPLATE_MONTH_NAME:
    case TEMPLATE_MONTH_SHORT:
    case TEMPLATE_MONTH:
    case TEMPLATE_MONTH_ROMAN:
    case TEMPLATE_YEAR_DAY:
    case TEMPLATE_DAY:
    case TEMPLATE_WEEK_DAY:
    case TEMPLATE_MONTH_WEEK:
    case TEMPLATE_WEEK:
        return CONVENTION_GREGORIAN;
    case TEMPLATE_ISO_YEAR:
    case TEMPLATE_ISO_YEAR_DAY:
    case TEMPLATE_ISO_WEEK_DAY:
    case TEMPLATE_ISO_WEEK:
        return CONVENTION_ISO_WEEK;
    default:
        return CONVENTION_NONE;
    }
}

static bool has_ordinal(template_field field)
{
    switch (field) {
    case TEMPLATE_NOON:
    case TEMPLATE_ERA:
    case TEMPLATE_MONTH_NAME:
    case TEMPLATE_MONTH_SHORT:
    case TEMPLATE_MONTH_ROMAN:
    case TEMPLATE_DAY_NAME:
    case TEMPLATE_DAY_SHORT:
    case TEMPLATE_ZONE_HOURS:
    case TEMPLATE_ZONE_MINUTES:
    case TEMPLATE_EXACT:
        return false;
    default:
        return true;
    }
}

/* Before it a number ends after its own width. */
static bool parse_time_is_number(const template_word *w)
{
    switch (w->field) {
    case TEMPLATE_TEXT:
        return isdigit((unsigned char)*w->text);
    case TEMPLATE_ZONE:
    case TEMPLATE_OFFSET:
        return false;
    default:
        return has_ordinal(w->field) || w->field == TEMPLATE_ZONE_MINUTES;
    }
}

/* Reads over the text in a format between fields. */
static void parse_time_read_text(reading *r, const template_word *w)
{
    bool is_separator = !w->is_quoted && (is_mark(*w->text) || isspace((unsigned char)*w->text));
    if (r->is_exact) {
        skip_character(r);
    } else if (is_separator) {
        bool is_there =
            !parse_time_is_over(r) && (is_mark(r->text[r->at]) || is_space_at(r, r->at));
        r->at += is_there;
        r->skipped -= !is_there;
    } else if (r->skipped > 0) {
        r->skipped--;
    } else {
        skip_character(r);
    }
}

static status read_field(reading *r, const template_word *w)
{
    convention named = convention_of(w->field);
    if (named && r->convention && named != r->convention)
        return status_new(STATUS_KIND_DATA, "a format cannot have both %s and ISO weeks",
                          "Gregorian dates");
    r->convention = named ? named : r->convention;
    TRY(read_word(r, w));
    if (w->ordinal && has_ordinal(w->field)) {
        skip_character(r);
        skip_character(r);
    }
    if (!r->is_exact) {
        r->skipped = 0;
        parse_time_skip_spaces(r);
    }
    return STATUS_OK;
}

static status parse_time_read_all(host_call *c, uint64_t row, reading *r)
{
    const string_view *text = host_text(c, 0, row);
    template_scan s = template_begin(c, row);
    template_word w, next;
    *r = (reading){.text = string_data(text), .bytes = text->bytes};
    bool has = template_next(&s, &w), is_first = true;
    for (; has && !parse_time_is_over(r); w = next, is_first = false) {
        has = template_next(&s, &next);
        r->next_is_no_number = !has || !parse_time_is_number(&next);
        if (!r->is_exact && w.field != TEMPLATE_EXACT && (is_first || w.field != TEMPLATE_TEXT))
            parse_time_skip_spaces(r);
        if (w.field == TEMPLATE_TEXT)
            parse_time_read_text(r, &w);
        else
            TRY(read_field(r, &w));
    }
    return STATUS_OK;
}

/* ---- the date that comes of it ---- */

#define DAY_OF_1970 2440588

static bool is_in(int64_t number, int64_t low, int64_t high)
{
    return number >= low && number <= high;
}

static status parse_time_out_of_range(const reading *r, const char *what)
{
    return status_new(STATUS_KIND_DATA, "\"%.*s\" is not a %s: a field is out of range",
                      (int)(r->bytes < 60 ? r->bytes : 60), r->text, what);
}

/* The date that the fields say, and which of them were given. */
typedef struct dated {
    int64_t year, month, day; /* year 0 is 1 BC */
    bool has_year, has_month, has_day;
} dated;

/* Returns the year in a century, both as given. */
static int64_t year_of_century(int64_t year, int64_t century)
{
    if (year == 0)
        return century * 100 + (century < 0);
    return century >= 0 ? year + (century - 1) * 100 : (century + 1) * 100 - year + 1;
}

static void set_year(const reading *r, dated *d)
{
    int64_t century = r->is_before_christ ? -r->century : r->century;
    if (r->year && r->century && r->year_digits <= 2) {
        d->year = year_of_century(r->year % 100, century);
    } else if (r->year) {
        d->year = r->is_before_christ ? -r->year : r->year;
        d->year += d->year < 0;
    } else if (century) {
        d->year = century > 0 ? (century - 1) * 100 + 1 : century * 100 + 1;
    }
    d->has_year = r->year || century;
}

static void set_date(dated *d, int64_t days)
{
    int32_t year;
    unsigned month, day;
    calendar_to_civil((int32_t)days, &year, &month, &day);
    *d = (dated){year, month, day, true, true, true};
}

/* The Monday that an ISO week begins with. */
static int64_t iso_week_begin(int64_t year, int64_t week)
{
    int64_t fourth = calendar_from_civil((int32_t)year, 1, 4);
    return fourth - ((fourth + 3) % 7 + 7) % 7 + (week - 1) * 7;
}

static void set_year_day(dated *d, int64_t year_day)
{
    int64_t month = 1, before = 0, bytes;
    for (; month <= 12; month++, before += bytes) {
        bytes = calendar_month_days((int32_t)d->year, (unsigned)month);
        if (year_day <= before + bytes)
            break;
    }
    d->month = d->month <= 1 ? month : d->month;
    d->day = d->day <= 1 ? year_day - before : d->day;
    d->has_month = d->has_day = true;
}

/* Weeks and days of weeks and years, as far as they say the date. */
static status set_days(const reading *r, dated *d)
{
    bool is_iso = r->convention == CONVENTION_ISO_WEEK;
    int64_t year_day = r->year_day;
    if (r->week && is_iso)
        set_date(d, iso_week_begin(d->year, r->week) + (r->week_day == 0  ? 0
                                                        : r->week_day > 1 ? r->week_day - 2
                                                                          : 6));
    else if (r->week)
        year_day = (r->week - 1) * 7 + 1;
    int64_t day = r->month_week ? (r->month_week - 1) * 7 + 1 : r->day;
    d->day = day ? day : d->day;
    d->has_day |= day != 0;
    d->month = r->month ? r->month : d->month;
    d->has_month |= r->month != 0;
    if (!year_day || (d->month > 1 && d->day > 1))
        return STATUS_OK;
    if (!d->year && !r->is_before_christ)
        return status_new(STATUS_KIND_DATA, "a day of a year needs the year");
    if (is_iso)
        set_date(d, iso_week_begin(d->year, 1) - 1 + year_day);
    else
        set_year_day(d, year_day);
    return STATUS_OK;
}

static status day_of(const reading *r, int32_t *out)
{
    dated d = {0, 1, 1, false, false, false};
    set_year(r, &d);
    bool is_year = r->julian || is_in(d.year, -4713, 300000);
    if (!is_year || !is_in(r->julian, 0, 110000000) || !is_in(r->week, -1000, 1000) ||
        !is_in(r->year_day, -10000, 10000))
        return parse_time_out_of_range(r, "date");
    if (r->julian)
        set_date(&d, r->julian - DAY_OF_1970);
    TRY(set_days(r, &d));
    bool is_date = is_in(d.year, -4713, 294276) && is_in(d.month, 1, 12) && is_in(d.day, 1, 31);
    if (is_date && d.has_year && d.has_month && d.has_day)
        is_date = d.day <= calendar_month_days((int32_t)d.year, (unsigned)d.month);
    if (!is_date)
        return parse_time_out_of_range(r, "date");
    *out = calendar_from_civil((int32_t)d.year, (unsigned)d.month, 1) + (int32_t)d.day - 1;
    return *out < -DAY_OF_1970 ? parse_time_out_of_range(r, "date") : STATUS_OK;
}

static status parse_time_of(const reading *r, int64_t *out)
{
    int64_t hour = r->hour, minute = r->minute, second = r->second;
    if (!hour)
        hour = r->day_second / 3600;
    if (!minute)
        minute = r->day_second % 3600 / 60;
    if (!second)
        second = r->day_second % 60;
    if (r->is_hour_12)
        hour = is_in(hour, 1, 12) ? hour % 12 + (r->is_afternoon ? 12 : 0) : -1;
    int64_t fraction = r->millisecond * 1000 + r->microsecond;
    if (!is_in(hour, 0, 23) || !is_in(minute, 0, 59) || !is_in(second, 0, 59) ||
        !is_in(fraction, 0, CALENDAR_SECOND - 1) || !is_in(r->zone_hours, 0, 15) ||
        !is_in(r->zone_minutes, 0, 59))
        return parse_time_out_of_range(r, "time of day");
    *out = ((hour * 60 + minute) * 60 + second) * CALENDAR_SECOND + fraction;
    return STATUS_OK;
}

status host_to_date(host_call *c, uint64_t row)
{
    reading r;
    int64_t time; /* must be one, too */
    TRY(parse_time_read_all(c, row, &r));
    TRY(day_of(&r, (int32_t *)c->values + row));
    return parse_time_of(&r, &time);
}

/* *out_has_zone: it is an instant, as the text has an offset. */
static status read_moment(host_call *c, uint64_t row, int64_t *out, bool *out_has_zone)
{
    reading r;
    int32_t day;
    int64_t time;
    TRY(parse_time_read_all(c, row, &r));
    TRY(day_of(&r, &day));
    TRY(parse_time_of(&r, &time));
    int64_t offset = r.zone_sign * (r.zone_hours * 60 + r.zone_minutes) * 60 * CALENDAR_SECOND;
    *out = day * CALENDAR_DAY + time - offset;
    if (r.decimals)
        *out = moment_rounded(*out, power_of_ten_64[6 - r.decimals]);
    *out_has_zone = r.zone_sign != 0;
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
