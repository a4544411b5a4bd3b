/* test_time_text.c - the calendar; dates, times, timestamps and intervals to text and back.
 *
 * Expected values are PostgreSQL 15's (time zone UTC), of month arithmetic DuckDB's. */
#include "test.h"

TEST(calendar_goes_there_and_back_over_all_days)
{
    int32_t year, previous_year = 0;
    unsigned month, day, previous_day = 0;
    for (int64_t days = INT32_MIN; days <= INT32_MAX; days += 100003) {
        date_to_civil((int32_t)days, &year, &month, &day);
        CHECK(month >= 1 && month <= 12 && day >= 1 && day <= date_month_days(year, month));
        CHECK_EQ(date_from_civil(year, month, day), days);
    }
    for (int32_t days = -800000; days < 800000; days++) {
        date_to_civil(days, &year, &month, &day);
        CHECK_EQ(date_from_civil(year, month, day), days);
        CHECK(days == -800000 || day == previous_day + 1 || day == 1);
        CHECK(days == -800000 || year == previous_year || (month == 1 && day == 1));
        previous_day = day;
        previous_year = year;
    }
}

TEST(date_add_months_clips_to_the_last_day)
{
    static const struct {
        const char *from;
        int32_t months;
        const char *to;
    } cases[] = {
        {"1996-01-31", 1, "1996-02-29"},     {"1996-01-31", -1, "1995-12-31"},
        {"1996-01-31", 13, "1997-02-28"},    {"1996-01-31", -14, "1994-11-30"},
        {"1996-01-31", -11, "1995-02-28"},   {"1996-01-31", 24, "1998-01-31"},
        {"2000-02-29", 24, "2002-02-28"},    {"2000-02-29", -11, "1999-03-29"},
        {"1999-12-31", 1, "2000-01-31"},     {"1999-12-31", -1, "1999-11-30"},
        {"0001-01-31", -1, "0001-12-31 BC"},
    };
    char text[DATE_TEXT_BYTES];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int32_t days;
        CHECK(date_parse(cases[i].from, strlen(cases[i].from), &days));
        date_format(date_add_months(days, cases[i].months), text);
        CHECK_TEXT_EQ(text, cases[i].to);
    }
}

/* Microseconds of a timestamp that is refused. */
#define REFUSED INT64_MIN

TEST(timestamps_and_dates_are_postgresql_s)
{
    static const struct {
        const char *text, *printed;
        int64_t microseconds;
        int32_t days;
    } cases[] = {
        {"1995-03-15 13:14:15.123456", "1995-03-15 13:14:15.123456+00", 795273255123456, 9204},
        {"1995-03-15T13:14:15Z", "1995-03-15 13:14:15+00", 795273255000000, 9204},
        {"1995-03-15 13:14:15+02", "1995-03-15 11:14:15+00", 795266055000000, 9204},
        {"1969-12-31 23:59:59.5", "1969-12-31 23:59:59.5+00", -500000, -1},
        {"0001-01-01 00:00:00", "0001-01-01 00:00:00+00", -62135596800000000, -719162},
        {"294246-12-31 00:00:00", "294246-12-31 00:00:00+00", 9223371158400000000, 106751981},
        {"1995-03-15 13:14:15-03:30", "1995-03-15 16:44:15+00", 795285855000000, 9204},
        {"1995-03-15 24:00:00", "1995-03-16 00:00:00+00", 795312000000000, 9204},
        {"1995-03-15 13:14", "1995-03-15 13:14:00+00", 795273240000000, 9204},
        {"1995-03-15 1:14 PM", "1995-03-15 13:14:00+00", 795273240000000, 9204},
        {"1995-03-15 12:00 AM", "1995-03-15 00:00:00+00", 795225600000000, 9204},
        {"1995-03-15", "1995-03-15 00:00:00+00", 795225600000000, 9204},
        {"19950315", "1995-03-15 00:00:00+00", 795225600000000, 9204},
        {"19950315T10:11:12", "1995-03-15 10:11:12+00", 795262272000000, 9204},
        {"0044-03-15 12:00:00 BC", "0044-03-15 12:00:00+00 BC", -63517780800000000, -735160},
        {"2020-12-31 23:59:59.9999999", "2021-01-01 00:00:00+00", 1609459200000000, 18627},
        {"2020-12-31 23:59:60", "2021-01-01 00:00:00+00", 1609459200000000, 18627},
        {"2020-1-5 3:4:5", "2020-01-05 03:04:05+00", 1578193445000000, 18266},
        {"epoch", "1970-01-01 00:00:00+00", 0, 0},
        {"99999-01-01", "99999-01-01 00:00:00+00", 3093496444800000000, 35804357},
        {"1995/3/5", "1995-03-05 00:00:00+00", 794361600000000, 9194},
        {"1995.03.05", "1995-03-05 00:00:00+00", 794361600000000, 9194},
        {"1995-03-15 10:00:00 UTC", "1995-03-15 10:00:00+00", 795261600000000, 9204},
        {"1995-03-15 10:00:00+0530", "1995-03-15 04:30:00+00", 795241800000000, 9204},
        {"4713-01-01 BC", "4713-01-01 00:00:00+00 BC", -210863520000000000, -2440550},
        {"5874897-12-31", "", REFUSED, 2145042905},
        {"2020-12-31 25:00:00", "", REFUSED, INT32_MIN},
        {"2020-12-31 10:60:00", "", REFUSED, INT32_MIN},
        {"2020-13-01", "", REFUSED, INT32_MIN},
        {"2020-00-01", "", REFUSED, INT32_MIN},
        {"2020-02-30", "", REFUSED, INT32_MIN},
        {"1900-02-29", "", REFUSED, INT32_MIN},
        {"5881581-01-01", "", REFUSED, INT32_MIN},
        {"0000-01-01 BC", "", REFUSED, INT32_MIN},
        {"1995-03-15 garbage", "", REFUSED, INT32_MIN},
        {"1995-03/15", "", REFUSED, INT32_MIN},
        {"1996-W01", "", REFUSED, INT32_MIN},
        {"", "", REFUSED, INT32_MIN},
        {"x", "", REFUSED, INT32_MIN},
        {"infinity", "infinity", INT64_MAX, INT32_MAX},
        {" -Inf ", "-infinity", -INT64_MAX, -INT32_MAX},
        {"+infinity", "", REFUSED, INT32_MIN},
        {"5881580-07-10", "", REFUSED, INT32_MAX - 1},
        {"5881580-07-11", "", REFUSED, INT32_MIN},
    };
    char text[TIMESTAMP_TEXT_BYTES];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int64_t microseconds = REFUSED;
        int32_t days = INT32_MIN;
        size_t bytes = strlen(cases[i].text);
        timestamp_parse(cases[i].text, bytes, 6, true, &microseconds);
        CHECK_EQ(microseconds, cases[i].microseconds);
        date_parse(cases[i].text, bytes, &days);
        CHECK_EQ(days, cases[i].days);
        if (microseconds == REFUSED)
            continue;
        CHECK_EQ(timestamp_format(microseconds, 6, true, text), strlen(cases[i].printed));
        CHECK_TEXT_EQ(text, cases[i].printed);
    }
}

TEST(timestamps_have_nanoseconds_where_asked)
{
    char text[TIMESTAMP_TEXT_BYTES];
    int64_t count;
    CHECK(timestamp_parse("1969-12-31 23:59:59.999999999", 29, 9, true, &count));
    CHECK_EQ(count, -1);
    timestamp_format(count, 9, false, text);
    CHECK_TEXT_EQ(text, "1969-12-31 23:59:59.999999999");
    CHECK(!timestamp_parse("2300-01-01", 10, 9, true, &count)); /* beyond 2262 */
    /* The first and the last that fit, and their neighbours. */
    CHECK(timestamp_parse("1677-09-21 00:12:43.145224192", 29, 9, true, &count));
    CHECK(count == INT64_MIN);
    CHECK(!timestamp_parse("1677-09-21 00:12:43.145224191", 29, 9, true, &count));
    CHECK(timestamp_parse("2262-04-11 23:47:16.854775806", 29, 9, true, &count));
    CHECK(count == INT64_MAX - 1);
    CHECK(!timestamp_parse("2262-04-11 23:47:16.854775807", 29, 9, true, &count)); /* infinity */
    timestamp_format(INT64_MIN, 6, true, text);
    CHECK_TEXT_EQ(text, "290309-12-21 19:59:05.224192+00 BC");
    timestamp_format(INT64_MAX - 1, 6, true, text);
    CHECK_TEXT_EQ(text, "294247-01-10 04:00:54.775806+00");
    timestamp_format(INT64_MAX, 6, true, text);
    CHECK_TEXT_EQ(text, "infinity");
}

TEST(times_are_postgresql_s)
{
    static const struct {
        const char *text, *printed;
        int64_t microseconds;
    } cases[] = {
        {"12:34:56.789", "12:34:56.789", 45296789000},
        {"24:00:00", "24:00:00", 86400000000},
        {"1:02", "01:02:00", 3720000000},
        {"23:59:59.9999999", "24:00:00", 86400000000},
        {"12:00 pm", "12:00:00", 43200000000},
        {"12:00:00 am", "00:00:00", 0},
        {"10:00:00.5", "10:00:00.5", 36000500000},
        {"24:00:01", "", REFUSED},
        {"13:00 pm", "", REFUSED},
        {"00:60", "", REFUSED},
        {"x", "", REFUSED},
        {"12", "", REFUSED},
    };
    char text[TIMESTAMP_TEXT_BYTES];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int64_t microseconds = REFUSED;
        time_parse(cases[i].text, strlen(cases[i].text), &microseconds);
        CHECK_EQ(microseconds, cases[i].microseconds);
        if (microseconds == REFUSED)
            continue;
        time_format(microseconds, text);
        CHECK_TEXT_EQ(text, cases[i].printed);
    }
}

TEST(intervals_are_postgresql_s)
{
    static const char *const cases[][2] = {
        {"1 year 2 mons", "1 year 2 mons"},
        {"90 days", "90 days"},
        {"1 day 02:03:04", "1 day 02:03:04"},
        {"P1Y2M", "1 year 2 mons"},
        {"1.5 days", "1 day 12:00:00"},
        {"-1 day", "-1 days"},
        {"1 day ago", "-1 days"},
        {"3 weeks", "21 days"},
        {"1.5 months", "1 mon 15 days"},
        {"-02:30:00", "-02:30:00"},
        {"1 decade", "10 years"},
        {"1-2", "1 year 2 mons"},
        {"-1-2", "-1 years -2 mons"},
        {"90", "00:01:30"},
        {"1 year -1 day", "1 year -1 days"},
        {"-1 year 1 day", "-1 years +1 day"},
        {"-1 year -2 mons +3 days -04:05:06.789", "-1 years -2 mons +3 days -04:05:06.789"},
        {"P1Y2M3DT4H5M6.7S", "1 year 2 mons 3 days 04:05:06.7"},
        {"1.5 weeks", "10 days 12:00:00"},
        {"0.25 years", "3 mons"},
        {"100:00:00", "100:00:00"},
        {"1 century 2 hours", "100 years 02:00:00"},
        {"0 days", "00:00:00"},
        {"1.1 seconds", "00:00:01.1"},
        {"PT36H", "36:00:00"},
        {"P-1Y", "-1 years"},
        {"5 minutes 3.25 sec", "00:05:03.25"},
        {"2 millenniums", "2000 years"},
        {"1 mon 15:04", "1 mon 15:04:00"},
        {"1h 3m", "01:03:00"},
        {"1.75 mons", "1 mon 22 days 12:00:00"},
        {"-1.5 days", "-1 days -12:00:00"},
        {"1000000 hours", "1000000:00:00"},
        {"-0.1 s", "-00:00:00.1"},
        {"  2   DAYS  ", "2 days"},
        {"@ 1 minute ago", "-00:01:00"},
        {"1 day 1", "1 day 00:00:01"},
        {"x", "refused"},
        {"", "refused"},
        {"1 parsec", "refused"},
        {"1 day 2:61:00", "refused"},
        {"P", "refused"},
        {"P1Y2", "refused"},
        {"9999999999999 years", "refused"},
        {"99999999999999999999 days", "refused"},
        {"1..5 days", "refused"},
        {"ago", "refused"},
        {"2020-01-01", "refused"},
        {"-1-2-3", "refused"},
        {"1-2 3", "1 year 2 mons 00:00:03"},
        {"1-2 -3", "1 year 2 mons -00:00:03"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[INTERVAL_TEXT_BYTES] = "refused";
        interval_value interval;
        if (interval_parse(cases[i][0], strlen(cases[i][0]), &interval))
            CHECK_EQ(interval_format(interval, text), strlen(text));
        CHECK_TEXT_EQ(text, cases[i][1]);
    }
}

TEST(interval_text_reads_back)
{
    for (int i = 0; i < 20000; i++) {
        interval_value back, interval = {(int32_t)test_random() >> test_random_below(32),
                                         (int32_t)test_random() >> test_random_below(32),
                                         (int64_t)test_random() >> test_random_below(64)};
        char text[INTERVAL_TEXT_BYTES];
        size_t length = interval_format(interval, text);
        CHECK(length < sizeof text);
        CHECK(interval_parse(text, length, &back));
        CHECK_EQ(back.months, interval.months);
        CHECK_EQ(back.days, interval.days);
        CHECK_EQ(back.microseconds, interval.microseconds);
    }
}
