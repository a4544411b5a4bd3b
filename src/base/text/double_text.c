/* double_text.c - floating-point numbers to the shortest text that reads back, and back.
 *
 * A text of at most 15 digits (float: 6) stands for at most one double, so if 15 digits read back,
 * they without their closing zeros are the shortest; else 16 or 17 are needed. Subnormal numbers
 * have fewer digits than that, and are tried from one digit up. A power of two has twice as much
 * room above it as below: where the nearest digits fail below, the next ones above may read back.
 * Neither direction depends on the locale of the program around us. */
#include "base/text/real_text.h"

#include <float.h>
#include <locale.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static locale_t c_locale;
static pthread_once_t c_locale_once = PTHREAD_ONCE_INIT;

static void make_c_locale(void)
{
    c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
}

/* strtod as in the C locale, of a text with a closing NUL. */
static double double_text_read_double(const char *text, char **end)
{
    pthread_once(&c_locale_once, make_c_locale);
    return c_locale ? strtod_l(text, end, c_locale) : strtod(text, end);
}

static double double_text_read_float(const char *text)
{
    pthread_once(&c_locale_once, make_c_locale);
    return (double)(c_locale ? strtof_l(text, NULL, c_locale) : strtof(text, NULL));
}

static real_digits to_digits(double number, int precision)
{
    char text[40];
    real_digits d = {.count = 0};
    snprintf(text, sizeof text, "%.*e", precision - 1, number);
    const char *c = text;
    for (; *c && *c != 'e'; c++)
        if (scan_is_digit(*c))
            d.text[d.count++] = *c;
    d.exponent = *c == 'e' ? (int)strtol(c + 1, NULL, 10) : 0;
    return d;
}

static double from_digits(const real_digits *d)
{
    char text[40];
    snprintf(text, sizeof text, "%.*se%d", d->count, d->text, d->exponent - (d->count - 1));
    return double_text_read_double(text, NULL);
}

#define EASY_PLACES 12
#define EASY_MOST 1e15 /* numbers of fifteen digits are exact */

/* A whole number of at most fifteen digits over a power of ten, both exact: their quotient is rounded once,
 * as reading the text is, so that if it is the number the digits are right. */
static bool find_easy_digits(double magnitude, real_digits *d)
{
    double unit = 1, whole = magnitude;
    int places = 0;
    for (; places <= EASY_PLACES; places++, unit *= 10) {
        whole = nearbyint(magnitude * unit);
        if (whole >= EASY_MOST)
            return false;
        if (whole / unit == magnitude)
            break;
    }
    if (places > EASY_PLACES || whole < 1)
        return false;
    char reversed[20];
    for (uint64_t rest = (uint64_t)whole; rest; rest /= 10)
        reversed[d->count++] = (char)('0' + rest % 10);
    for (int i = 0; i < d->count; i++)
        d->text[i] = reversed[d->count - 1 - i];
    d->exponent = d->count - 1 - places;
    real_cut_zeros(d);
    return true;
}

/* Digits that read back as the number, of `fewest` to `most`, which always do. */
static real_digits shortest_digits(double magnitude, int fewest, int most, bool is_float)
{
    real_digits d;
    for (int precision = fewest;; precision++) {
        d = to_digits(magnitude, precision);
        for (int attempt = 0; attempt < 2; attempt++) {
            double back = from_digits(&d);
            if (precision == most || (is_float ? (double)(float)back : back) == magnitude) {
                real_cut_zeros(&d);
                return d;
            }
            if (!real_next_digits(&d))
                break;
        }
    }
}

size_t double_format(double number, char *text)
{
    if (!isfinite(number))
        return real_format_special(number, text);
    double magnitude = fabs(number);
    real_digits d = {.count = 0};
    if (!find_easy_digits(magnitude, &d))
        d = shortest_digits(magnitude, magnitude < DBL_MIN ? 1 : 15, 17, false);
    return real_layout(&d, signbit(number), 15, text);
}

size_t float_format(float number, char *text)
{
    if (!isfinite(number))
        return real_format_special((double)number, text);
    double magnitude = fabs((double)number);
    real_digits d = shortest_digits(magnitude, magnitude < FLT_MIN ? 1 : 6, 9, true);
    return real_layout(&d, signbit(number), 6, text);
}

/* Reads at most fifteen digits without an exponent (float: seven): a whole number over a power of ten, both exact, so that
 * their quotient is rounded once. */
static bool read_short(text_scan s, bool is_float, double *out)
{
    static const double powers[] = {1,   1e1, 1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                    1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};
    ptrdiff_t most = is_float ? 7 : 15;
    bool is_negative = false;
    uint64_t whole = 0;
    scan_sign(&s, &is_negative);
    const char *start = s.at, *point = NULL;
    for (; !scan_done(&s); s.at++) {
        if (scan_is_digit(*s.at))
            whole = whole * 10 + (uint64_t)(*s.at - '0');
        else if (*s.at == '.' && !point)
            point = s.at;
        else
            return false;
    }
    ptrdiff_t digits = s.end - start - (point != NULL), places = point ? s.end - point - 1 : 0;
    if (digits < 1 || digits > most)
        return false;
    double number =
        is_float ? (double)((float)whole / (float)powers[places]) : (double)whole / powers[places];
    *out = is_negative ? -number : number;
    return true;
}

/* The nearest double, or float as a double: each is rounded to once. */
static bool double_text_parse_real(const char *text, size_t bytes, bool is_float, double *out)
{
    text_scan s = scan_trimmed(text, bytes);
    if (read_short(s, is_float, out))
        return true;
    if (!real_is_decimal(s))
        return real_parse_special(s, out);

    char room[128];
    size_t length = (size_t)(s.end - s.at);
    char *copy = length < sizeof room ? room : mem_new(length + 1);
    if (!copy)
        return false;
    memcpy(copy, s.at, length);
    copy[length] = '\0';
    double number = is_float ? double_text_read_float(copy) : double_text_read_double(copy, NULL);
    if (copy != room)
        mem_free(copy);
    if (!isfinite(number))
        return false; /* beyond the largest */
    *out = number;
    return true;
}

bool double_parse(const char *text, size_t bytes, double *out)
{
    return double_text_parse_real(text, bytes, false, out);
}

bool float_parse(const char *text, size_t bytes, float *out)
{
    double number;
    if (!double_text_parse_real(text, bytes, true, &number))
        return false;
    *out = (float)number;
    return true;
}
