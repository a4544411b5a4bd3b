/* time_text.c - the texts of dates, times and timestamps for the host. */
#include "base/text/moment_text.h"

size_t date_format(int32_t days, char *text)
{
    return moment_format_date(days, text);
}

size_t time_format(int64_t microseconds, char *text)
{
    return moment_format_time(microseconds, text);
}

size_t timestamp_format(int64_t count, unsigned precision, bool is_utc, char *text)
{
    return moment_format_timestamp(count, precision, is_utc, text);
}

bool date_parse(const char *text, size_t bytes, int32_t *out_days)
{
    return moment_parse_date(text, bytes, out_days);
}

bool time_parse(const char *text, size_t bytes, int64_t *out_microseconds)
{
    return moment_parse_time(text, bytes, out_microseconds);
}

bool timestamp_parse(const char *text, size_t bytes, unsigned precision, bool with_zone,
                     int64_t *out)
{
    return moment_parse_timestamp(text, bytes, precision, with_zone, out);
}
