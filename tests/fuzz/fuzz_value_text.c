/* fuzz_value_text.c - what a parser of values takes prints as a text that it takes again, to the
 * same value. */
#include "base/type/type.h"
#include "fuzz.h"

static void check_numbers(const char *text, size_t length)
{
    char printed[INT128_TEXT_BYTES], double_text[DOUBLE_TEXT_BYTES];
    int128 number, again;
    unsigned scale = length % 39;
    if (decimal_parse(text, length, scale, &number)) {
        size_t bytes = int128_format(number, scale, printed);
        FUZZ_CHECK(decimal_parse(printed, bytes, scale, &again) && again == number);
    }
    if (int128_parse(text, length, &number)) {
        size_t bytes = int128_format(number, 0, printed);
        FUZZ_CHECK(int128_parse(printed, bytes, &again) && again == number);
    }
    double real, real_again;
    if (double_parse(text, length, &real)) {
        size_t bytes = double_format(real, double_text);
        FUZZ_CHECK(bytes < DOUBLE_TEXT_BYTES && double_parse(double_text, bytes, &real_again));
        FUZZ_CHECK(memcmp(&real, &real_again, sizeof real) == 0 || real != real);
    }
    bool truth;
    (void)bool_parse(text, length, &truth);
}

static void check_times(const char *text, size_t length)
{
    char printed[INTERVAL_TEXT_BYTES];
    int32_t days, days_again;
    if (date_parse(text, length, &days)) {
        size_t bytes = date_format(days, printed);
        FUZZ_CHECK(bytes < DATE_TEXT_BYTES && date_parse(printed, bytes, &days_again) &&
                   days == days_again);
    }
    int64_t count, count_again;
    if (time_parse(text, length, &count)) {
        size_t bytes = time_format(count, printed);
        FUZZ_CHECK(time_parse(printed, bytes, &count_again) && count == count_again);
    }
    for (unsigned precision = 6; precision <= 9; precision += 3)
        if (timestamp_parse(text, length, precision, true, &count)) {
            size_t bytes = timestamp_format(count, precision, true, printed);
            FUZZ_CHECK(bytes < TIMESTAMP_TEXT_BYTES);
            FUZZ_CHECK(timestamp_parse(printed, bytes, precision, true, &count_again));
            FUZZ_CHECK(count == count_again);
        }
    interval_value interval, interval_again;
    if (interval_parse(text, length, &interval)) {
        size_t bytes = interval_format(interval, printed);
        FUZZ_CHECK(bytes < INTERVAL_TEXT_BYTES && interval_parse(printed, bytes, &interval_again));
        FUZZ_CHECK(interval.months == interval_again.months &&
                   interval.days == interval_again.days &&
                   interval.microseconds == interval_again.microseconds);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    check_numbers((const char *)bytes, length);
    check_times((const char *)bytes, length);
    return 0;
}
