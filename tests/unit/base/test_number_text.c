/* test_number_text.c - integers, decimals and floating-point numbers to text and back.
 *
 * Expected texts of doubles, floats and booleans are PostgreSQL 15's, of decimals DuckDB's.
 * test_label: not-tsan */
#include "test.h"

#include <math.h>

static const char *decimal_text(const char *text, unsigned scale)
{
    static char out[INT128_TEXT_BYTES];
    int128 number;
    if (!decimal_parse(text, strlen(text), scale, &number))
        return "refused";
    int128_format(number, scale, out);
    return out;
}

TEST(decimal_parse_rounds_half_away_from_zero)
{
    static const struct {
        const char *text, *scale_2, *scale_0;
    } cases[] = {
        {"1.5", "1.50", "2"},
        {"-0.005", "-0.01", "0"},
        {"0.005", "0.01", "0"},
        {"0.004999", "0.00", "0"},
        {"1e3", "1000.00", "1000"},
        {"1.25e1", "12.50", "13"},
        {"-2.5", "-2.50", "-3"},
        {"-2.4999999999999999999999999999999999999999999", "-2.50", "-2"},
        {"  7 ", "7.00", "7"},
        {"+7", "7.00", "7"},
        {".5", "0.50", "1"},
        {"5.", "5.00", "5"},
        {"1e-40", "0.00", "0"},
        {"0e999999999999", "0.00", "0"},
        {"12345678901234567890.123456789", "12345678901234567890.12", "12345678901234567890"},
        {"99999999999999999999999999999999999999", "refused",
         "99999999999999999999999999999999999999"},
        {"-999999999999999999999999999999999999.99", "-999999999999999999999999999999999999.99",
         "-1000000000000000000000000000000000000"},
        {"99999999999999999999999999999999999999.5", "refused", "refused"},
        {"1e38", "refused", "refused"},
        {"1e99999999999", "refused", "refused"},
        {"", "refused", "refused"},
        {".", "refused", "refused"},
        {"-", "refused", "refused"},
        {"1e", "refused", "refused"},
        {"1e+", "refused", "refused"},
        {"1.2.3", "refused", "refused"},
        {"1 2", "refused", "refused"},
        {"0x10", "refused", "refused"},
        {"nan", "refused", "refused"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        CHECK_TEXT_EQ(decimal_text(cases[i].text, 2), cases[i].scale_2);
        CHECK_TEXT_EQ(decimal_text(cases[i].text, 0), cases[i].scale_0);
    }
}

TEST(decimal_text_reads_back)
{
    char text[INT128_TEXT_BYTES];
    for (int i = 0; i < 20000; i++) {
        unsigned scale = (unsigned)test_random_below(39);
        int128 number = (int128)((uint128)test_random() << 64 | test_random());
        number >>= test_random_below(127);
        if (number > DECIMAL_MAX || number < -DECIMAL_MAX)
            number /= 1000;
        size_t length = int128_format(number, scale, text);
        int128 back;
        CHECK_EQ(length, strlen(text));
        CHECK(length < INT128_TEXT_BYTES);
        CHECK(decimal_parse(text, length, scale, &back));
        CHECK_EQ(back, number);
    }
}

TEST(int128_text_reaches_both_ends)
{
    const int128 most = (int128)(~(uint128)0 >> 1), least = -most - 1;
    char text[INT128_TEXT_BYTES];
    int128 number;
    int128_format(most, 0, text);
    CHECK_TEXT_EQ(text, "170141183460469231731687303715884105727");
    CHECK(int128_parse(text, strlen(text), &number));
    CHECK_EQ(number, most);
    int128_format(least, 0, text);
    CHECK_TEXT_EQ(text, "-170141183460469231731687303715884105728");
    CHECK(int128_parse(text, strlen(text), &number));
    CHECK_EQ(number, least);
    int128_format(least, 38, text);
    CHECK_TEXT_EQ(text, "-1.70141183460469231731687303715884105728");
    CHECK(!int128_parse("170141183460469231731687303715884105728", 39, &number));
    CHECK(!int128_parse("-170141183460469231731687303715884105729", 40, &number));
    int128_format(0, 3, text);
    CHECK_TEXT_EQ(text, "0.000");
    int128_format(-5, 1, text);
    CHECK_TEXT_EQ(text, "-0.5");
}

TEST(int128_parse_takes_whole_numbers_only)
{
    static const char *const refused[] = {"", " ", "x", "1.5", "1e3", "--1", "+", "1 2", "0x1"};
    int128 number;
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
        CHECK(!int128_parse(refused[i], strlen(refused[i]), &number));
    CHECK(int128_parse(" \t42\n", 5, &number));
    CHECK_EQ(number, 42);
    CHECK(int128_parse("-00017", 6, &number));
    CHECK_EQ(number, -17);
}

TEST(power_of_ten_is_ten_times_the_one_before)
{
    CHECK_EQ(power_of_ten(0), 1);
    for (unsigned exponent = 1; exponent <= 38; exponent++)
        CHECK_EQ(power_of_ten(exponent), power_of_ten(exponent - 1) * 10);
}

TEST(double_text_is_postgresql_s)
{
    static const char *const cases[][2] = {
        {"0", "0"},
        {"-0", "-0"},
        {"1", "1"},
        {"-1", "-1"},
        {"0.1", "0.1"},
        {"1e15", "1e+15"},
        {"1e14", "100000000000000"},
        {"123456789012345", "123456789012345"},
        {"1234567890123456", "1.234567890123456e+15"},
        {"999999999999999.9", "999999999999999.9"},
        {"0.0001", "0.0001"},
        {"0.00001", "1e-05"},
        {"-0.00012345", "-0.00012345"},
        {"123456.789", "123456.789"},
        {"5e-324", "5e-324"},
        {"1.7976931348623157e308", "1.7976931348623157e+308"},
        {"2.2250738585072014e-308", "2.2250738585072014e-308"},
        {"9007199254740993", "9.007199254740992e+15"},
        {"0.30000000000000004", "0.30000000000000004"},
        {"100", "100"},
        {"1e22", "1e+22"},
        {"5.684341886080802e-14", "5.684341886080802e-14"},
        {"4.35", "4.35"},
        {"NaN", "NaN"},
        {"Infinity", "Infinity"},
        {"-inf", "-Infinity"},
        {"  1.5 ", "1.5"},
        {".5", "0.5"},
        {"5.", "5"},
        {"+3", "3"},
        {"-1.989032661366619e+244", "-1.989032661366619e+244"},
        {"7.761117632285041e+178", "7.761117632285041e+178"},
        {"3.980498358697587e-249", "3.980498358697587e-249"},
        {"1.3647584518757569e-192", "1.3647584518757569e-192"},
        {"6.294675241195386e-44", "6.294675241195386e-44"},
    };
    char text[DOUBLE_TEXT_BYTES];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double number;
        CHECK(double_parse(cases[i][0], strlen(cases[i][0]), &number));
        CHECK_EQ(double_format(number, text), strlen(cases[i][1]));
        CHECK_TEXT_EQ(text, cases[i][1]);
    }
}

TEST(double_parse_refuses_what_is_none)
{
    static const char *const cases[] = {"1e400", "0x10", "1e", "",          "abc",  "1 2",
                                        "--3",   ".",    "e5", "infinityx", "nan1", "+-1"};
    double number;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        CHECK(!double_parse(cases[i], strlen(cases[i]), &number));
}

/* Texts of at most fifteen digits (float: seven) are read in another way than longer ones. */
TEST(short_numbers_are_read_as_strtod_reads_them)
{
    static const char *const texts[] = {".5",
                                        "5.",
                                        "-0",
                                        "-.25",
                                        "+7.125",
                                        "0.1",
                                        "000000000000.1",
                                        "999999999999999",
                                        "0.00000000000001",
                                        "99999999.9999999"};
    double number;
    float single;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        CHECK(double_parse(texts[i], strlen(texts[i]), &number));
        CHECK(number == strtod(texts[i], NULL) && !signbit(number) == (*texts[i] != '-'));
    }
    uint64_t state = 7;
    for (int i = 0; i < 20000; i++) {
        char text[40];
        state = state * UINT64_C(6364136223846793005) + 1442695040888963407u;
        unsigned long long whole = state >> (14 + i % 44);
        int length = snprintf(text, sizeof text, "%.*f", i % 12, (double)whole / pow(10, i % 9));
        CHECK(double_parse(text, (size_t)length, &number) && number == strtod(text, NULL));
        CHECK(float_parse(text, (size_t)length, &single) && single == strtof(text, NULL));
    }
    CHECK(!double_parse(".", 1, &number) && !double_parse("-", 1, &number));
    CHECK(!double_parse("1.2.3", 5, &number) && !double_parse("", 0, &number));
}

TEST(double_parse_reads_long_texts)
{
    char text[3000];
    double number;
    memset(text, '0', sizeof text);
    memcpy(text, "1.", 2);
    CHECK(double_parse(text, sizeof text, &number));
    CHECK_EQ(number, 1.0);
}

TEST(double_text_reads_back)
{
    char text[DOUBLE_TEXT_BYTES];
    for (int i = 0; i < 50000; i++) {
        uint64_t bits = test_random();
        double number, back;
        memcpy(&number, &bits, sizeof number);
        if (!isfinite(number))
            continue;
        size_t length = double_format(number, text);
        CHECK(length < DOUBLE_TEXT_BYTES);
        CHECK(double_parse(text, length, &back));
        CHECK(memcmp(&number, &back, sizeof number) == 0);
    }
    for (int exponent = -1074; exponent < 1024; exponent++) {
        double number = ldexp(1, exponent), back;
        CHECK(double_parse(text, double_format(number, text), &back));
        CHECK_EQ(back, number);
    }
}

TEST(float_text_is_postgresql_s)
{
    static const struct {
        float number;
        const char *text;
    } cases[] = {
        {0.1f, "0.1"},
        {16777216.0f, "1.6777216e+07"},
        {1e6f, "1e+06"},
        {999999.0f, "999999"},
        {123456.7f, "123456.7"},
        {1e-5f, "1e-05"},
        {3.4028235e38f, "3.4028235e+38"},
        {1.4e-45f, "1e-45"},
        {0.3f, "0.3"},
        {1234567.9f, "1.2345679e+06"},
        {1.4506018140654547e-33f, "1.4506018e-33"},
        {17499.701171875f, "17499.701"},
        {3.198457079633954e-06f, "3.198457e-06"},
        {-INFINITY, "-Infinity"},
        {NAN, "NaN"},
    };
    char text[DOUBLE_TEXT_BYTES];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        CHECK_EQ(float_format(cases[i].number, text), strlen(cases[i].text));
        CHECK_TEXT_EQ(text, cases[i].text);
    }
}

TEST(bool_parse_takes_postgresql_s_words)
{
    static const char *const right[] = {"t", "TRUE", " yes ", "on",  "1", "tru", "y",
                                        "f", "no",   "of",    "off", "0", "n",   "False"};
    static const char *const wrong[] = {"o", "2", "", "truex", "yesno", "tf"};
    bool truth;
    for (size_t i = 0; i < sizeof right / sizeof *right; i++) {
        CHECK(bool_parse(right[i], strlen(right[i]), &truth));
        CHECK_EQ(truth, i < 7);
    }
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        CHECK(!bool_parse(wrong[i], strlen(wrong[i]), &truth));
}

/* The C library reads a decimal's text to the nearest double and float. */
TEST(decimals_become_the_nearest_double_and_float)
{
    for (int i = 0; i < 200000; i++) {
        char text[INT128_TEXT_BYTES];
        unsigned scale = (unsigned)test_random_below(39),
                 digits = 1 + (unsigned)test_random_below(38);
        int128 number =
            (int128)((uint128)test_random() << 64 | test_random()) % power_of_ten(digits);
        if (i % 4 == 0) { /* beside what lies halfway between two floats */
            number =
                (int128)(2 * ((1 << 23) + test_random_below(1 << 23)) + 1) * power_of_ten(10) / 2;
            scale = 10;
            number += (int128)test_random_below(3) - 1;
        }
        int128_format(number, scale, text);
        double expected = strtod(text, NULL);
        float narrow = strtof(text, NULL);
        if (decimal_to_double(number, scale) != expected)
            test_fail(__FILE__, __LINE__, "%s is %.17g, expected %.17g", text,
                      decimal_to_double(number, scale), expected);
        if (decimal_to_float(number, scale) != narrow)
            test_fail(__FILE__, __LINE__, "%s is %.9g, expected %.9g", text,
                      (double)decimal_to_float(number, scale), (double)narrow);
    }
    CHECK(decimal_to_double(DECIMAL_MAX, 0) == 1e38 && decimal_to_float(-DECIMAL_MAX, 0) == -1e38f);
    CHECK(decimal_to_double(1, 38) == 1e-38 && decimal_to_float(1, 38) == 1e-38f);
    CHECK(decimal_to_double(0, 38) == 0 && !signbit(decimal_to_float(0, 38)));
}

/* The double nearest to this text lies halfway between two floats; the text is above. */
TEST(floats_are_not_read_by_way_of_doubles)
{
    static const char text[] = "1.00000005960464477539062500000000001";
    float number;
    CHECK(float_parse(text, strlen(text), &number));
    CHECK(number == 1.00000012f);
    CHECK(!float_parse("4e38", 4, &number) && float_parse("-inf", 4, &number) && isinf(number));
}
