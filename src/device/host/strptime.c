/* strptime.c - timestamps from texts, by a format of C's as DuckDB reads it. */
#include "base/text/moment_text.h"
#include "base/time/zone.h"
#include "base/type/calendar.h"
#include "device/host/host.h"
#include "device/host/moment.h"

#include <ctype.h>

/* How weeks are counted that were read: from the first Sunday or Monday of the year, or as ISO 8601 does. */
typedef enum week_kind { WEEK_NONE, WEEK_SUNDAY, WEEK_MONDAY, WEEK_ISO } week_kind;

typedef struct reader {
    const char *text;
    size_t bytes, at;
    int64_t year, month, day, day_of_year; /* day_of_year: 0 where it was not read */
    int64_t hour, minute, second, microsecond;
    bool is_half_day, is_afternoon; /* %I, and what %p said */
    bool has_year, has_date;        /* a year; a month or a day of the month */
    week_kind week_kind;
    int64_t week_year, week, week_day; /* from 0, Sunday; -1: not read */
    bool has_offset;                   /* %z was read */
    int64_t offset;                    /* seconds east of UTC */
    size_t zone_at, zone_bytes;        /* the name of a zone that %Z read; 0 bytes: none */
} reader;

static reader reader_of(const char *text, size_t bytes)
{
    return (reader){.text = text,
                    .bytes = bytes,
                    .year = 1900,
                    .month = 1,
                    .day = 1,
                    .week_year = 1900,
                    .week = 1,
                    .week_day = -1};
}

static bool strptime_number(reader *r, unsigned digits_max, int64_t least, int64_t most,
                            int64_t *out)
{
    unsigned digits = 0;
    int64_t number = 0;
    for (; digits < digits_max && r->at < r->bytes && isdigit((unsigned char)r->text[r->at]);
         digits++)
        number = number * 10 + (r->text[r->at++] - '0');
    *out = number;
    return digits && number >= least && number <= most;
}

/* A part of a second of up to so many digits, in microseconds. */
static bool strptime_read_fraction(reader *r, unsigned digits_max, int64_t *out)
{
    size_t from = r->at;
    if (!strptime_number(r, digits_max, 0, INT64_MAX, out))
        return false;
    size_t digits = r->at - from;
    for (; digits < 6; digits++)
        *out *= 10;
    for (; digits > 6; digits--)
        *out /= 10;
    return true;
}

static size_t same_bytes(const reader *r, const char *name)
{
    size_t bytes = strlen(name);
    return r->bytes - r->at >= bytes && moment_same(r->text + r->at, name, bytes) ? bytes : 0;
}

/* One of `count` names, in full or by its first three letters; *out: its number from 0. */
static bool strptime_name(reader *r, const char *const *names, unsigned count, bool is_full,
                          int64_t *out)
{
    for (unsigned i = 0; i < count; i++) {
        char abbreviated[4] = {names[i][0], names[i][1], names[i][2], 0};
        size_t bytes = same_bytes(r, is_full ? names[i] : abbreviated);
        *out = i;
        r->at += bytes;
        if (bytes)
            return true;
    }
    return false;
}

static bool read_half(reader *r)
{
    if (!same_bytes(r, "AM") && !same_bytes(r, "PM"))
        return false;
    r->is_afternoon = (r->text[r->at] | 0x20) == 'p';
    r->is_half_day = true;
    r->at += 2;
    return true;
}

static bool read_short_year(reader *r)
{
    bool is_read = strptime_number(r, 2, 0, 99, &r->year);
    r->year += r->year >= 69 ? 1900 : 2000;
    r->has_year = true;
    r->week_kind = WEEK_NONE;
    return is_read;
}

static bool read_day_of_week(reader *r, char letter)
{
    int64_t day;
    bool is_read = letter == 'w'   ? strptime_number(r, 1, 0, 6, &day)
                   : letter == 'u' ? strptime_number(r, 1, 1, 7, &day)
                                   : strptime_name(r, moment_days, 7, letter == 'A', &day);
    bool is_from_monday = letter == 'a' || letter == 'A';
    r->week_day = (day + is_from_monday) % 7;
    return is_read;
}

/* Notes that the day is said by month and day: weeks mean nothing then. */
static bool note_date(reader *r, bool is_read)
{
    r->has_date = true;
    r->week_kind = WEEK_NONE;
    return is_read;
}

static bool strptime_read_month_name(reader *r, bool is_full)
{
    bool is_read = strptime_name(r, moment_months, 12, is_full, &r->month);
    r->month++;
    return note_date(r, is_read);
}

static bool strptime_read_year(reader *r)
{
    r->has_year = true;
    r->week_kind = WEEK_NONE;
    return strptime_number(r, 4, 0, 9999, &r->year);
}

/* Begins to count by weeks; false: by other weeks, or by the day of the year, it is counted already. */
static bool begin_weeks(reader *r, week_kind kind)
{
    if (r->day_of_year || (r->week_kind && r->week_kind != kind))
        return false;
    if (!r->has_date)
        r->week_kind = kind;
    return true;
}

static bool read_week(reader *r, week_kind kind)
{
    if (kind == WEEK_ISO && r->has_year && !r->has_date)
        return false; /* its year is %G */
    return strptime_number(r, 2, 0, 53, &r->week) && begin_weeks(r, kind);
}

static bool read_week_year(reader *r)
{
    bool is_read = strptime_number(r, 4, 0, 9999, &r->week_year);
    return is_read && (r->has_year || begin_weeks(r, WEEK_ISO));
}

static bool read_day_of_year(reader *r)
{
    return strptime_number(r, 3, 1, 366, &r->day_of_year) && !r->week_kind;
}

/* Reads two digits, and no fewer. */
static bool read_pair(reader *r, int64_t most, int64_t *out)
{
    size_t from = r->at;
    return strptime_number(r, 2, 0, most, out) && r->at == from + 2;
}

/* Reads +HH, +HHMM or +HH:MM. */
static bool strptime_read_offset(reader *r)
{
    int64_t hours, minutes = 0;
    char sign = r->at < r->bytes ? r->text[r->at++] : 0;
    if ((sign != '+' && sign != '-') || !read_pair(r, 23, &hours))
        return false;
    bool has_colon = r->at < r->bytes && r->text[r->at] == ':';
    bool has_minutes = has_colon || (r->at < r->bytes && isdigit((unsigned char)r->text[r->at]));
    r->at += has_colon;
    if (has_minutes && !read_pair(r, 59, &minutes))
        return false;
    r->has_offset = true;
    r->offset = (sign == '-' ? -1 : 1) * (hours * 60 + minutes) * 60;
    return true;
}

/* Reads the name of a zone. */
static bool read_zone(reader *r)
{
    size_t from = r->at;
    while (r->at < r->bytes && (isalnum((unsigned char)r->text[r->at]) ||
                                (r->text[r->at] && strchr("/_+-", r->text[r->at]))))
        r->at++;
    r->zone_at = from;
    r->zone_bytes = r->at - from;
    return r->zone_bytes;
}

static bool read_hour_of_half(reader *r)
{
    bool is_read = strptime_number(r, 2, 1, 12, &r->hour);
    r->hour %= 12;
    return is_read;
}

static bool read_letters(reader *r, const char *letters);

static bool read_letter(reader *r, char letter)
{
    switch (letter) {
    case 'a':
    case 'A':
    case 'u':
    case 'w':
        return read_day_of_week(r, letter);
    case 'b':
    case 'h':
    case 'B':
        return strptime_read_month_name(r, letter == 'B');
    case 'd':
        return note_date(r, strptime_number(r, 2, 1, 31, &r->day));
    case 'f':
        return strptime_read_fraction(r, 6, &r->microsecond);
    case 'n':
        return strptime_read_fraction(r, 9, &r->microsecond);
    case 'g':
        return strptime_read_fraction(r, 3, &r->microsecond);
    case 'H':
        return strptime_number(r, 2, 0, 23, &r->hour);
    case 'I':
        return read_hour_of_half(r);
    case 'G':
        return read_week_year(r);
    case 'j':
        return read_day_of_year(r);
    case 'm':
        return note_date(r, strptime_number(r, 2, 1, 12, &r->month));
    case 'M':
        return strptime_number(r, 2, 0, 59, &r->minute);
    case 'p':
        return read_half(r);
    case 'S':
        return strptime_number(r, 2, 0, 59, &r->second);
    case 'T':
    case 'X':
        return read_letters(r, "H:M:S");
    case 'x':
        return read_letters(r, "Y-m-d");
    case 'c':
        return read_letters(r, "Y-m-d H:M:S");
    case 'U':
        return read_week(r, WEEK_SUNDAY);
    case 'V':
        return read_week(r, WEEK_ISO);
    case 'W':
        return read_week(r, WEEK_MONDAY);
    case 'y':
        return read_short_year(r);
    case 'Y':
        return strptime_read_year(r);
    case 'z':
        return strptime_read_offset(r);
    case 'Z':
        return read_zone(r);
    default:
        return false;
    }
}

/* Reads several letters, and what stands between them. */
static bool read_letters(reader *r, const char *letters)
{
    for (; *letters; letters++) {
        bool is_letter = isalpha((unsigned char)*letters);
        if (is_letter ? !read_letter(r, *letters)
                      : r->at >= r->bytes || r->text[r->at++] != *letters)
            return false;
    }
    return true;
}

static void strptime_skip_space(reader *r)
{
    while (r->at < r->bytes && isspace((unsigned char)r->text[r->at]))
        r->at++;
}

/* Reads the character, or white space if that is what is wanted. */
static bool read_character(reader *r, char wanted)
{
    if (isspace((unsigned char)wanted)) {
        bool has_space = r->at < r->bytes && isspace((unsigned char)r->text[r->at]);
        strptime_skip_space(r);
        return has_space;
    }
    return r->at < r->bytes && r->text[r->at++] == wanted;
}

static status strptime_check(const string_view *view)
{
    const char *format = string_data(view);
    if (!view->bytes)
        return status_new(STATUS_KIND_DATA, "the format of strptime is empty");
    for (size_t at = 0; at < view->bytes; at++) {
        if (format[at] != '%')
            continue;
        at += at + 1 < view->bytes && format[at + 1] == '-';
        if (++at >= view->bytes || !format[at] ||
            !strchr("aAbBcdfgGhHIjmMnpSTuUVwWxXyYzZ%", format[at]))
            return status_new(STATUS_KIND_DATA,
                              "strptime does not know the format \"%.*s\" from character %zu on",
                              (int)(view->bytes < 60 ? view->bytes : 60), format, at + 1);
    }
    return STATUS_OK;
}

static bool strptime_read(reader *r, const string_view *view)
{
    const char *format = string_data(view);
    strptime_skip_space(r);
    for (size_t at = 0; at < view->bytes; at++) {
        if (format[at] != '%') {
            if (!read_character(r, format[at]))
                return false;
            continue;
        }
        at += format[at + 1] == '-';
        at++;
        if (format[at] == '%' ? !read_character(r, '%') : !read_letter(r, format[at]))
            return false;
    }
    strptime_skip_space(r);
    return r->at == r->bytes;
}

/* The day of the week of a day since 1970, from 0, Sunday. */
static int64_t week_day_of(int64_t day)
{
    return ((day + 4) % 7 + 7) % 7;
}

/* The day that a week and a day of it say; without one, the week's first. */
static int64_t day_of_week(const reader *r)
{
    if (r->week_kind == WEEK_ISO) {
        int64_t fourth = calendar_from_civil((int32_t)r->week_year, 1, 4);
        int64_t monday = fourth - (week_day_of(fourth) + 6) % 7;
        return monday + (r->week - 1) * 7 + (r->week_day < 0 ? 0 : (r->week_day + 6) % 7);
    }
    int64_t first = calendar_from_civil((int32_t)r->year, 1, 1), day = week_day_of(first);
    int64_t from = r->week_kind == WEEK_MONDAY; /* the week begins on it */
    int64_t begin = first + (7 + from - day) % 7;
    return begin + (r->week - 1) * 7 + (r->week_day < 0 ? 0 : (r->week_day + 7 - from) % 7);
}

/* Makes of a time the instant at which the clock of the zone shows it; false: the zone is not known. */
static bool leave_zone(const reader *r, int64_t *time)
{
    zone z;
    zone_span span = {0};
    const char *name = r->text + r->zone_at;
    int64_t second = *time / CALENDAR_SECOND - (*time % CALENDAR_SECOND < 0);
    if (zone_is_utc_name(name, r->zone_bytes))
        return true;
    status st = zone_find(name, r->zone_bytes, &z);
    if (!st)
        *time -= zone_offset_of_local(&z, second, &span) * CALENDAR_SECOND;
    bool is_known = !st;
    status_free(st);
    return is_known;
}

/* False: there is no such day. */
static bool timestamp_of(const reader *r, int64_t *out)
{
    int64_t days;
    if (r->day > calendar_month_days((int32_t)r->year, (unsigned)r->month) ||
        (r->is_half_day && r->hour > 12))
        return false;
    days = calendar_from_civil((int32_t)r->year, (unsigned)r->month, (unsigned)r->day);
    if (r->day_of_year) {
        days = calendar_from_civil((int32_t)r->year, 1, 1) + r->day_of_year - 1;
        if (days >= calendar_from_civil((int32_t)r->year + 1, 1, 1))
            return false;
    }
    if (r->week_kind)
        days = day_of_week(r);
    int64_t hour = r->is_half_day ? r->hour % 12 + (r->is_afternoon ? 12 : 0) : r->hour;
    *out = days * CALENDAR_DAY + ((hour * 60 + r->minute) * 60 + r->second) * CALENDAR_SECOND +
           r->microsecond;
    if (!r->has_offset)
        return !r->zone_bytes || leave_zone(r, out);
    *out -= r->offset * CALENDAR_SECOND;
    return true;
}

status strptime_check_format(const char *format, size_t bytes)
{
    string_view view = string_view_make(format, (uint32_t)bytes);
    return strptime_check(&view);
}

bool strptime_text(const char *text, size_t bytes, const char *format, size_t format_bytes,
                   int64_t *out)
{
    string_view view = string_view_make(format, (uint32_t)format_bytes);
    reader r = reader_of(text, bytes);
    return strptime_read(&r, &view) && timestamp_of(&r, out);
}

static status strptime_parse(const host_call *c, uint64_t row, bool *is_read, int64_t *out)
{
    const string_view *view = host_text(c, 0, row), *format = host_text(c, 1, row);
    reader r = reader_of(string_data(view), view->bytes);
    bool is_negative;
    TRY(strptime_check(format));
    *is_read = strptime_read(&r, format) && timestamp_of(&r, out);
    if (!*is_read && scan_infinity(string_data(view), view->bytes, &is_negative)) {
        *is_read = true;
        *out = is_negative ? -INT64_MAX : INT64_MAX;
    }
    return STATUS_OK;
}

status host_strptime(host_call *c, uint64_t row)
{
    const string_view *view = host_text(c, 0, row), *format = host_text(c, 1, row);
    bool is_read;
    int64_t timestamp;
    TRY(strptime_parse(c, row, &is_read, &timestamp));
    if (!is_read)
        return status_hint(status_new(STATUS_KIND_DATA, "\"%.*s\" is not of the format \"%.*s\"",
                                      (int)(view->bytes < 60 ? view->bytes : 60), string_data(view),
                                      (int)(format->bytes < 60 ? format->bytes : 60),
                                      string_data(format)),
                           "try_strptime gives NULL for such texts");
    host_put_integer(c, row, timestamp);
    return STATUS_OK;
}

status host_try_strptime(host_call *c, uint64_t row)
{
    bool is_read;
    int64_t timestamp;
    TRY(strptime_parse(c, row, &is_read, &timestamp));
    if (is_read)
        host_put_integer(c, row, timestamp);
    else
        host_put_null(c, row);
    return STATUS_OK;
}
