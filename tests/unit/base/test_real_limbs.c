/* test_real_limbs.c - digits of floating-point numbers without a library: as with one, for numbers of
 * every size, halves between two numbers, and texts that are not numbers. */
#include "base/text/real_limbs.h"
#include "test.h"

#include <float.h>

static void check_text(const char *text, size_t bytes)
{
    double expected = 0, number = 0;
    float narrow = 0;
    bool fits = double_parse(text, bytes, &expected);
    CHECK_EQ(real_parse(text, bytes, false, &number), fits);
    if (memcmp(&number, &expected, 8) && !(isnan(number) && isnan(expected)))
        test_fail(__FILE__, __LINE__, "%.*s is %a, expected %a", (int)bytes, text, number,
                  expected);
    fits = float_parse(text, bytes, &narrow);
    number = 0;
    CHECK_EQ(real_parse(text, bytes, true, &number), fits);
    if ((float)number != narrow && !(isnan(number) && isnan(narrow)))
        test_fail(__FILE__, __LINE__, "%.*s is %a, expected %a", (int)bytes, text, number,
                  (double)narrow);
}

static void check_number(double number)
{
    char expected[DOUBLE_TEXT_BYTES], text[DOUBLE_TEXT_BYTES];
    size_t bytes = double_format(number, expected);
    CHECK_EQ(real_format(number, false, text), bytes);
    CHECK_TEXT_EQ(text, expected);
    check_text(text, bytes);
    bytes = float_format((float)number, expected);
    CHECK_EQ(real_format((double)(float)number, true, text), bytes);
    CHECK_TEXT_EQ(text, expected);
}

static double random_double(void)
{
    uint64_t bits = test_random();
    double number;
    memcpy(&number, &bits, sizeof number);
    return number;
}

TEST(random_numbers_have_the_same_digits)
{
    for (int i = 0; i < 2000; i++) {
        check_number(random_double());
        check_number((double)(int64_t)test_random_below(1000000) / 100);
    }
}

TEST(extremes_have_the_same_digits)
{
    static const double numbers[] = {0.0,
                                     -0.0,
                                     DBL_MAX,
                                     DBL_MIN,
                                     FLT_MAX,
                                     FLT_MIN,
                                     5e-324,
                                     1e-45,
                                     1e15,
                                     1e16,
                                     1e-4,
                                     1e-5,
                                     123456,
                                     1234567,
                                     0.1,
                                     1e22,
                                     1e23,
                                     5e-323,
                                     9.5e-323,
                                     1e300,
                                     9007199254740992,
                                     INFINITY,
                                     -INFINITY,
                                     NAN,
                                     9.999999999999999e22,
                                     2e-44};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        check_number(numbers[i]);
    for (int e = -1074; e < 1024; e++) { /* powers of two have twice as much room above them */
        check_number(ldexp(1, e));
        check_number(nextafter(ldexp(1, e), 0));
    }
}

/* The text of the number halfway to the next one, in full; and one with a digit more. */
static void check_halfway(double number)
{
    char text[1200];
    long double half = ((long double)number + (long double)nextafter(number, INFINITY)) / 2;
    int bytes = snprintf(text, sizeof text, "%.1100Lf", half);
    while (text[bytes - 1] == '0')
        bytes--;
    check_text(text, (size_t)bytes);
    text[bytes] = '1';
    check_text(text, (size_t)bytes + 1);
}

TEST(halves_go_to_the_even_number)
{
    for (int i = 0; i < 300; i++) {
        double number = fabs(random_double());
        if (isfinite(number) && number > 1e-290 && number < 1e90)
            check_halfway(number);
    }
    check_halfway(0x1p-1022);
    check_halfway(1.0);
}

TEST(texts_that_are_numbers_and_that_are_none)
{
    static const char *const texts[] = {"0",
                                        "-0",
                                        ".5",
                                        "5.",
                                        "1e5",
                                        "1e+5",
                                        "1e-5",
                                        "+1",
                                        " 12 ",
                                        "1e400",
                                        "-1e400",
                                        "1e-400",
                                        "0e999999999999",
                                        "1e-99999999999",
                                        "3.4028236e38",
                                        "3.5e38",
                                        "1.7976931348623157e308",
                                        "1.7976931348623159e308",
                                        "2.4703282292062327e-324",
                                        "2.4703282292062328e-324",
                                        "000000000000000000000000000000000000001.5",
                                        "0.00000000000000000000000000000000000000000000001e60",
                                        "9007199254740993",
                                        "9007199254740992.999999999999999999999999",
                                        "NaN",
                                        "nan",
                                        "-nan",
                                        "inf",
                                        "-Infinity",
                                        "infinit",
                                        "",
                                        " ",
                                        ".",
                                        "e5",
                                        "1e",
                                        "1e+",
                                        "1 2",
                                        "0x10",
                                        "1.2.3",
                                        "--1",
                                        "1,5"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        check_text(texts[i], strlen(texts[i]));
}
