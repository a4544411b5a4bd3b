/* real_limbs.h - floating-point numbers to digits and back without a library, on every device, for those
 * that have no strtod: slower than double_text.c, with the same results.
 *
 * A number is written out in base 10^9, with its point between two limbs, and halved or doubled until
 * its whole part is the mantissa:
 *
 *   limbs  | 0 | .. | 0 | whole | whole | . fraction | fraction | .. | rest |
 *                       ^ first          ^ POINT                            ^ LIMBS
 *
 * The last limb's lowest bit stands for all that would follow. Of the doubles none has more digits in
 * front of its point, or behind it, than there is room for, nor has any number halfway between two. */
#ifndef PISTACHIO_BASE_TEXT_REAL_LIMBS_H
#define PISTACHIO_BASE_TEXT_REAL_LIMBS_H

#include "base/text/real_text.h"

#define LIMB_DIGITS 9
#define LIMB_BASE 1000000000u
#define LIMB_POINT 36 /* 324 digits in front of it; 1.8e308 has 309 */
#define LIMBS (LIMB_POINT + 120)
#define LIMB_SHIFT_MAX 29   /* a limb has room for a power of two below its base */
#define REAL_DIGITS_MAX 310 /* of texts: an exponent beyond is infinity, or nothing */

typedef struct real_limbs {
    uint32_t limbs[LIMBS];
    int first, end; /* limbs before and from there on are zero */
} real_limbs;

PORTABLE void limbs_clear(real_limbs *r)
{
    for (int i = 0; i < LIMBS; i++)
        r->limbs[i] = 0;
    r->first = LIMB_POINT;
    r->end = LIMB_POINT;
}

PORTABLE void limbs_double(real_limbs *r, int times)
{
    uint64_t carry = 0;
    for (int i = r->end - 1; i >= r->first; i--) {
        carry += (uint64_t)r->limbs[i] << times;
        r->limbs[i] = (uint32_t)(carry % LIMB_BASE);
        carry /= LIMB_BASE;
    }
    if (carry && r->first > 0)
        r->limbs[--r->first] = (uint32_t)carry;
}

PORTABLE void limbs_halve(real_limbs *r, int times)
{
    uint64_t rest = 0, mask = ((uint64_t)1 << times) - 1;
    int i = r->first;
    for (; i < r->end || (rest && i < LIMBS); i++) {
        uint64_t number = rest * LIMB_BASE + r->limbs[i];
        r->limbs[i] = (uint32_t)(number >> times);
        rest = number & mask;
    }
    r->end = i;
    if (rest)
        r->limbs[LIMBS - 1] |= 1;
    while (r->first < r->end && !r->limbs[r->first])
        r->first++;
}

/* The number's digit that counts 10^place. */
PORTABLE void limbs_add_digit(real_limbs *r, int digit, int place)
{
    int limb =
        LIMB_POINT - 1 - (place >= 0 ? place / LIMB_DIGITS : -((-place - 1) / LIMB_DIGITS) - 1);
    int within = place - (LIMB_POINT - 1 - limb) * LIMB_DIGITS;
    if (limb >= LIMBS) {
        r->limbs[LIMBS - 1] |= digit != 0;
        r->end = digit ? LIMBS : r->end;
        return;
    }
    r->limbs[limb] += (uint32_t)(digit * ten_to_64((unsigned)within));
    r->first = limb < r->first ? limb : r->first;
    r->end = limb >= r->end ? limb + 1 : r->end;
}

/* The whole part, which is below 10^18. */
PORTABLE uint64_t limbs_whole(const real_limbs *r)
{
    return (uint64_t)r->limbs[LIMB_POINT - 2] * LIMB_BASE + r->limbs[LIMB_POINT - 1];
}

/* Compares the fraction with a half: -1, 0, 1. */
PORTABLE int limbs_compare_half(const real_limbs *r)
{
    uint32_t half = LIMB_BASE / 2, first = r->limbs[LIMB_POINT];
    if (first != half)
        return first < half ? -1 : 1;
    for (int i = LIMB_POINT + 1; i < r->end; i++)
        if (r->limbs[i])
            return 1;
    return 0;
}

PORTABLE int bits_of(uint64_t number)
{
    int bits = 0;
    for (; number; number >>= 1)
        bits++;
    return bits;
}

/* To `bits` binary digits, of which the last counts at least 2^least; ties to even. */
PORTABLE double limbs_round(real_limbs *r, int bits, int least)
{
    int exponent = 0;
    if (r->first >= r->end)
        return 0;
    for (; r->first < LIMB_POINT - 2; exponent += LIMB_SHIFT_MAX)
        limbs_halve(r, LIMB_SHIFT_MAX);
    uint64_t whole = limbs_whole(r);
    for (int more = bits_of(whole) - bits; more > 0; more = bits_of(whole) - bits) {
        more = more < LIMB_SHIFT_MAX ? more : LIMB_SHIFT_MAX;
        limbs_halve(r, more);
        exponent += more;
        whole = limbs_whole(r);
    }
    for (int missing = bits - bits_of(whole); missing > 0 && exponent > least;
         missing = bits - bits_of(whole)) {
        missing = missing < LIMB_SHIFT_MAX ? missing : LIMB_SHIFT_MAX;
        missing = missing < exponent - least ? missing : exponent - least;
        limbs_double(r, missing);
        exponent -= missing;
        whole = limbs_whole(r);
    }
    int order = limbs_compare_half(r);
    whole += order > 0 || (order == 0 && (whole & 1));
    return ldexp((double)whole, exponent);
}

#define DOUBLE_BITS 53
#define DOUBLE_LEAST (-1074)
#define FLOAT_BITS 24
#define FLOAT_LEAST (-149)

PORTABLE double limbs_round_to(real_limbs *r, bool is_float)
{
    return is_float ? limbs_round(r, FLOAT_BITS, FLOAT_LEAST)
                    : limbs_round(r, DOUBLE_BITS, DOUBLE_LEAST);
}

/* ---- from text ---- */

/* Reads d.ddd: where each digit counts, given the exponent after them. False: there are so many that it is beyond all
 * numbers. */
PORTABLE bool limbs_read(text_scan s, real_limbs *r, int exponent)
{
    bool is_negative, has_digit = false;
    int64_t place = exponent - 1;
    scan_sign(&s, &is_negative);
    for (const char *c = s.at; c < s.end && scan_is_digit(*c); c++)
        place++;
    for (; s.at < s.end && (scan_is_digit(*s.at) || *s.at == '.'); s.at++) {
        if (*s.at == '.')
            continue;
        has_digit = has_digit || *s.at != '0';
        if (has_digit && place >= REAL_DIGITS_MAX)
            return false;
        if (*s.at != '0')
            limbs_add_digit(r, *s.at - '0',
                            place < -LIMBS * LIMB_DIGITS ? -LIMBS * LIMB_DIGITS : (int)place);
        place--;
    }
    return true;
}

/* e+12, behind the digits; clipped to what is beyond every number. */
PORTABLE int real_exponent(text_scan s)
{
    int64_t exponent = 0;
    bool is_negative = false;
    while (s.at < s.end && (*s.at | 0x20) != 'e')
        s.at++;
    if (scan_done(&s))
        return 0;
    s.at++;
    scan_sign(&s, &is_negative);
    for (; !scan_done(&s) && scan_is_digit(*s.at); s.at++)
        if (exponent < 1000000000)
            exponent = exponent * 10 + (*s.at - '0');
    return (int)(is_negative ? -exponent : exponent);
}

/* As double_parse and float_parse (a float as a double). */
PORTABLE bool real_parse(const char *text, size_t bytes, bool is_float, double *out)
{
    text_scan s = scan_trimmed(text, bytes);
    real_limbs r;
    if (!real_is_decimal(s))
        return real_parse_special(s, out);
    limbs_clear(&r);
    if (!limbs_read(s, &r, real_exponent(s)))
        return false;
    double number = limbs_round_to(&r, is_float);
    if (is_float ? !isfinite((float)number) : !isfinite(number))
        return false;
    *out = *s.at == '-' ? -number : number;
    return true;
}

/* ---- to text ---- */

/* The number in full. */
PORTABLE void limbs_of(double magnitude, real_limbs *r)
{
    int exponent;
    uint64_t whole = (uint64_t)ldexp(frexp(magnitude, &exponent), DOUBLE_BITS);
    exponent -= DOUBLE_BITS;
    limbs_clear(r);
    r->limbs[LIMB_POINT - 1] = (uint32_t)(whole % LIMB_BASE);
    r->limbs[LIMB_POINT - 2] = (uint32_t)(whole / LIMB_BASE);
    r->first = LIMB_POINT - 2;
    for (int shift; exponent > 0; exponent -= shift) {
        shift = exponent < LIMB_SHIFT_MAX ? exponent : LIMB_SHIFT_MAX;
        limbs_double(r, shift);
    }
    for (int shift; exponent < 0; exponent += shift) {
        shift = -exponent < LIMB_SHIFT_MAX ? -exponent : LIMB_SHIFT_MAX;
        limbs_halve(r, shift);
    }
    while (r->first < r->end && !r->limbs[r->first])
        r->first++;
}

/* Digit `at` of those from limb `first` on. */
PORTABLE int limbs_digit(const real_limbs *r, int first, int at)
{
    int limb = first + at / LIMB_DIGITS;
    uint32_t divisor = (uint32_t)ten_to_64((unsigned)(LIMB_DIGITS - 1 - at % LIMB_DIGITS));
    return limb < LIMBS ? (int)(r->limbs[limb] / divisor % 10) : 0;
}

PORTABLE bool limbs_are_zero_behind(const real_limbs *r, int first, int at)
{
    for (; at < (r->end - first) * LIMB_DIGITS; at++)
        if (limbs_digit(r, first, at))
            return false;
    return true;
}

/* The nearest digits, ties to even. */
PORTABLE real_digits limbs_to_digits(const real_limbs *r, int precision)
{
    real_digits d;
    int first = r->first, zeros = 0;
    d.count = precision;
    d.exponent = 0;
    while (zeros < LIMB_DIGITS - 1 && first < r->end && !limbs_digit(r, first, zeros))
        zeros++;
    d.exponent = (LIMB_POINT - first) * LIMB_DIGITS - 1 - zeros;
    for (int i = 0; i < precision; i++)
        d.text[i] = (char)('0' + limbs_digit(r, first, zeros + i));
    int next = limbs_digit(r, first, zeros + precision);
    bool is_tie = next == 5 && limbs_are_zero_behind(r, first, zeros + precision + 1);
    bool rounds_up = is_tie ? (d.text[precision - 1] - '0') & 1 : next >= 5;
    if (rounds_up && !real_next_digits(&d)) {
        d.text[0] = '1'; /* of nines; the others became zeros */
        d.exponent++;
    }
    return d;
}

PORTABLE double limbs_from_digits(const real_digits *d, bool is_float)
{
    real_limbs r;
    limbs_clear(&r);
    for (int i = 0; i < d->count; i++)
        limbs_add_digit(&r, d->text[i] - '0', d->exponent - i);
    return limbs_round_to(&r, is_float);
}

/* As double_text.c's: digits that read back as the number, of `fewest` to `most`, which always do. */
PORTABLE real_digits limbs_shortest(double magnitude, int fewest, int most, bool is_float)
{
    real_limbs r;
    real_digits d;
    limbs_of(magnitude, &r);
    for (int precision = fewest;; precision++) {
        d = limbs_to_digits(&r, precision);
        for (int attempt = 0; attempt < 2; attempt++) {
            if (precision == most || limbs_from_digits(&d, is_float) == magnitude) {
                real_cut_zeros(&d);
                return d;
            }
            if (!real_next_digits(&d))
                break;
        }
    }
}

/* As double_format and float_format. */
PORTABLE size_t real_format(double number, bool is_float, char *text)
{
    if (!isfinite(number))
        return real_format_special(number, text);
    double magnitude = fabs(number);
    real_digits d = {{'0'}, 1, 0};
    if (magnitude > 0)
        d = is_float ? limbs_shortest(magnitude, magnitude < 0x1p-126 ? 1 : 6, 9, true)
                     : limbs_shortest(magnitude, magnitude < 0x1p-1022 ? 1 : 15, 17, false);
    return real_layout(&d, signbit(number), is_float ? 6 : 15, text);
}

#endif
