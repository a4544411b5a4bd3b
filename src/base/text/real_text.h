/* real_text.h - what the texts of floating-point numbers look like, on every device; which digits they
 * have is another matter (double_text.c, real_limbs.h).
 *
 * The layout is PostgreSQL's: exponent form from 1e15 (float: 1e6) up and below 1e-4. */
#ifndef PISTACHIO_BASE_TEXT_REAL_TEXT_H
#define PISTACHIO_BASE_TEXT_REAL_TEXT_H

#include "base/text/text_print.h"
#include "base/text/text_scan.h"

#include <math.h>

/* Digits, and the exponent of the first. */
typedef struct real_digits {
    char text[20];
    int count, exponent;
} real_digits;

/* One more in the last digit; false where that would make a digit more. */
PORTABLE bool real_next_digits(real_digits *d)
{
    int last = d->count - 1;
    while (last >= 0 && d->text[last] == '9')
        d->text[last--] = '0';
    if (last < 0)
        return false;
    d->text[last]++;
    return true;
}

PORTABLE void real_cut_zeros(real_digits *d)
{
    while (d->count > 1 && d->text[d->count - 1] == '0')
        d->count--;
}

/* The digits with their point or exponent: numbers below 10^`fixed_below` are written out. */
PORTABLE size_t real_layout(const real_digits *d, bool is_negative, int fixed_below, char *text)
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
        text_print p = {text, length};
        print_text(&p, d->exponent < 0 ? "e-" : "e+");
        print_number(&p, (uint64_t)(d->exponent < 0 ? -d->exponent : d->exponent), 2);
        return print_end(&p);
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

PORTABLE size_t real_format_special(double number, char *text)
{
    text_print p = {text, 0};
    print_text(&p, isnan(number) ? "NaN" : number > 0 ? "Infinity" : "-Infinity");
    return print_end(&p);
}

/* Digits with a point and an exponent: no hexadecimal, no names. */
PORTABLE bool real_is_decimal(text_scan s)
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

PORTABLE bool real_parse_special(text_scan s, double *out)
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

#endif
