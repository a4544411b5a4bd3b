/* strptime.c - timestamps from texts, by a format of C's as DuckDB reads it. */
#include "base/calendar.h"
#include "device/host/host.h"
#include "device/host/moment.h"

#include <ctype.h>

typedef struct reader {
    const char *text;
    size_t bytes, at;
    int64_t year, month, day, day_of_year; /* day_of_year: 0 where it was not read */
    int64_t hour, minute, second, microsecond;
    bool is_half_day, is_afternoon; /* %I, and what %p said */
} reader;

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
static bool read_fraction(reader *r, unsigned digits_max, int64_t *out)
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
    return is_read;
}

static bool read_day_of_week(reader *r, char letter)
{
    int64_t day;
    return letter == 'w'   ? strptime_number(r, 1, 0, 6, &day)
           : letter == 'u' ? strptime_number(r, 1, 1, 7, &day)
                           : strptime_name(r, moment_days, 7, letter == 'A', &day);
}

static bool read_month_name(reader *r, bool is_full)
{
    bool is_read = strptime_name(r, moment_months, 12, is_full, &r->month);
    r->month++;
    return is_read;
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
        return read_month_name(r, letter == 'B');
    case 'd':
        return strptime_number(r, 2, 1, 31, &r->day);
    case 'f':
        return read_fraction(r, 9, &r->microsecond);
    case 'g':
        return read_fraction(r, 3, &r->microsecond);
    case 'H':
        return strptime_number(r, 2, 0, 23, &r->hour);
    case 'I':
        return read_hour_of_half(r);
    case 'j':
        return strptime_number(r, 3, 1, 366, &r->day_of_year);
    case 'm':
        return strptime_number(r, 2, 1, 12, &r->month);
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
    case 'y':
        return read_short_year(r);
    case 'Y':
        return strptime_number(r, 4, 0, 9999, &r->year);
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
        if (++at >= view->bytes || !format[at] || !strchr("aAbBcdfghHIjmMpSTuwxXyY%", format[at]))
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

/* False: there is no such day. */
static bool timestamp_of(const reader *r, int64_t *out)
{
    int64_t days;
    if (r->day > calendar_month_days((int32_t)r->year, (unsigned)r->month))
        return false;
    days = calendar_from_civil((int32_t)r->year, (unsigned)r->month, (unsigned)r->day);
    if (r->day_of_year) {
        days = calendar_from_civil((int32_t)r->year, 1, 1) + r->day_of_year - 1;
        if (days >= calendar_from_civil((int32_t)r->year + 1, 1, 1))
            return false;
    }
    int64_t hour = r->is_half_day ? r->hour % 12 + (r->is_afternoon ? 12 : 0) : r->hour;
    *out = days * CALENDAR_DAY + ((hour * 60 + r->minute) * 60 + r->second) * CALENDAR_SECOND +
           r->microsecond;
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
    reader r = {.text = text, .bytes = bytes, .year = 1900, .month = 1, .day = 1};
    return strptime_read(&r, &view) && timestamp_of(&r, out);
}

static status strptime_parse(const host_call *c, uint64_t row, bool *is_read, int64_t *out)
{
    const string_view *view = host_text(c, 0, row), *format = host_text(c, 1, row);
    reader r = {
        .text = string_data(view), .bytes = view->bytes, .year = 1900, .month = 1, .day = 1};
    TRY(strptime_check(format));
    *is_read = strptime_read(&r, format) && timestamp_of(&r, out);
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
