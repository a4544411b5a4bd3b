/* double_text.c - floating-point numbers to the shortest text that reads back, and back.
 *
 * A text of at most 15 digits (float: 6) stands for at most one double, so if 15 digits read back,
 * they without their closing zeros are the shortest; else 16 or 17 are needed. Subnormal numbers
 * have fewer digits than that, and are tried from one digit up. A power of two has twice as much
 * room above it as below: where the nearest digits fail below, the next ones above may read back.
 * The layout is PostgreSQL's: exponent form from 1e15 (float: 1e6) up and below 1e-4. Neither
 * direction depends on the locale of the program around us. */
#include "base/text_scan.h"
#include "base/type.h"

#include <float.h>
#include <locale.h>
#include <math.h>
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
static double read_double(const char *text, char **end)
{
    pthread_once(&c_locale_once, make_c_locale);
    return c_locale ? strtod_l(text, end, c_locale) : strtod(text, end);
}

static double read_float(const char *text)
{
    pthread_once(&c_locale_once, make_c_locale);
    return (double)(c_locale ? strtof_l(text, NULL, c_locale) : strtof(text, NULL));
}

/* d.ddde+xx without the locale's point: the digits, and the exponent of the first. */
typedef struct digits {
    char text[20];
    int count, exponent;
} digits;

static digits to_digits(double number, int precision)
{
    char text[40];
    digits d = {.count = 0};
    snprintf(text, sizeof text, "%.*e", precision - 1, number);
    const char *c = text;
    for (; *c && *c != 'e'; c++)
        if (scan_is_digit(*c))
            d.text[d.count++] = *c;
    d.exponent = *c == 'e' ? (int)strtol(c + 1, NULL, 10) : 0;
    return d;
}

static double from_digits(const digits *d)
{
    char text[40];
    snprintf(text, sizeof text, "%.*se%d", d->count, d->text, d->exponent - (d->count - 1));
    return read_double(text, NULL);
}

/* One more in the last digit; false where that would make a digit more. */
static bool next_digits(digits *d)
{
    int last = d->count - 1;
    while (last >= 0 && d->text[last] == '9')
        d->text[last--] = '0';
    if (last < 0)
        return false;
    d->text[last]++;
    return true;
}

/* Digits that read back as the number, of `fewest` to `most`, which always do. */
static digits shortest_digits(double magnitude, int fewest, int most, bool is_float)
{
    digits d;
    for (int precision = fewest;; precision++) {
        d = to_digits(magnitude, precision);
        for (int attempt = 0; attempt < 2; attempt++) {
            double back = from_digits(&d);
            if (precision == most || (is_float ? (double)(float)back : back) == magnitude) {
                while (d.count > 1 && d.text[d.count - 1] == '0')
                    d.count--;
                return d;
            }
            if (!next_digits(&d))
                break;
        }
    }
}

/* The digits with their point or exponent: numbers below 10^`fixed_below` are written out. */
static size_t layout(const digits *d, bool is_negative, int fixed_below, char *text)
{
    size_t length = 0;
    if (is_negative)
        text[length++] = '-';
    if (d->exponent < -4 || d->exponent >= fixed_below) {
        text[length++] = d->text[0];
        if (d->count > 1)
            text[length++] = '.';
        memcpy(text + length, d->text + 1, (size_t)d->count - 1);
        length += (size_t)d->count - 1;
        return length + (size_t)snprintf(text + length, 8, "e%c%02d", d->exponent < 0 ? '-' : '+',
                                         abs(d->exponent));
    }
    if (d->exponent < 0)
        text[length++] = '0';
    for (int place = d->exponent < 0 ? -1 : d->exponent, i = 0; place >= 0 || i < d->count;
         place--) {
        if (place == -1)
            text[length++] = '.';
        bool is_leading_zero = place > d->exponent;
        text[length++] = !is_leading_zero && i < d->count ? d->text[i++] : '0';
    }
    text[length] = '\0';
    return length;
}

static size_t format_special(double number, char *text)
{
    const char *name = isnan(number) ? "NaN" : number > 0 ? "Infinity" : "-Infinity";
    size_t length = strlen(name);
    memcpy(text, name, length + 1);
    return length;
}

size_t double_format(double number, char *text)
{
    if (!isfinite(number))
        return format_special(number, text);
    double magnitude = fabs(number);
    digits d = shortest_digits(magnitude, magnitude < DBL_MIN ? 1 : 15, 17, false);
    return layout(&d, signbit(number), 15, text);
}

size_t float_format(float number, char *text)
{
    if (!isfinite(number))
        return format_special((double)number, text);
    double magnitude = fabs((double)number);
    digits d = shortest_digits(magnitude, magnitude < FLT_MIN ? 1 : 6, 9, true);
    return layout(&d, signbit(number), 6, text);
}

/* Digits with a point and an exponent: what strtod takes, without its hexadecimal and names. */
static bool is_decimal_number(text_scan s)
{
    bool is_negative;
    int digit_count = 0;
    scan_sign(&s, &is_negative);
    for (; !scan_done(&s) && scan_is_digit(*s.at); s.at++)
        digit_count++;
    if (scan_char(&s, '.'))
        for (; !scan_done(&s) && scan_is_digit(*s.at); s.at++)
            digit_count++;
    if (digit_count == 0)
        return false;
    if (scan_char(&s, 'e') || scan_char(&s, 'E')) {
        scan_sign(&s, &is_negative);
        if (scan_done(&s) || !scan_is_digit(*s.at))
            return false;
        while (!scan_done(&s) && scan_is_digit(*s.at))
            s.at++;
    }
    return scan_done(&s);
}

static bool parse_special(text_scan s, double *out)
{
    bool is_negative;
    bool has_sign = scan_sign(&s, &is_negative);
    double number;
    if (scan_word(&s, "nan") && !has_sign)
        number = NAN;
    else if (scan_word(&s, "infinity") || scan_word(&s, "inf"))
        number = INFINITY;
    else
        return false;
    if (!scan_done(&s))
        return false;
    *out = is_negative ? -number : number;
    return true;
}

/* The nearest double, or float as a double: each is rounded to once. */
static bool parse_real(const char *text, size_t bytes, bool is_float, double *out)
{
    text_scan s = scan_trimmed(text, bytes);
    if (!is_decimal_number(s))
        return parse_special(s, out);

    char room[128];
    size_t length = (size_t)(s.end - s.at);
    char *copy = length < sizeof room ? room : mem_new(length + 1);
    if (!copy)
        return false;
    memcpy(copy, s.at, length);
    copy[length] = '\0';
    double number = is_float ? read_float(copy) : read_double(copy, NULL);
    if (copy != room)
        mem_free(copy);
    if (!isfinite(number))
        return false; /* beyond the largest */
    *out = number;
    return true;
}

bool double_parse(const char *text, size_t bytes, double *out)
{
    return parse_real(text, bytes, false, out);
}

bool float_parse(const char *text, size_t bytes, float *out)
{
    double number;
    if (!parse_real(text, bytes, true, &number))
        return false;
    *out = (float)number;
    return true;
}
