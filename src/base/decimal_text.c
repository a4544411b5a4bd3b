/* decimal_text.c - 128-bit integers and decimals to text and back. */
#include "base/text_scan.h"
#include "base/type.h"

#include <assert.h>

const int64_t power_of_ten_64[19] = {1,
                                     10,
                                     100,
                                     1000,
                                     10000,
                                     100000,
                                     1000000,
                                     10000000,
                                     100000000,
                                     1000000000,
                                     10000000000,
                                     100000000000,
                                     1000000000000,
                                     10000000000000,
                                     100000000000000,
                                     1000000000000000,
                                     10000000000000000,
                                     100000000000000000,
                                     1000000000000000000};

int128 power_of_ten(unsigned exponent)
{
    assert(exponent <= 38);
    if (exponent <= 18)
        return power_of_ten_64[exponent];
    if (exponent <= 36)
        return (int128)power_of_ten_64[18] * power_of_ten_64[exponent - 18];
    return (int128)power_of_ten_64[18] * power_of_ten_64[18] * power_of_ten_64[exponent - 36];
}

size_t int128_format(int128 number, unsigned scale, char *text)
{
    assert(scale <= 38);
    uint128 rest = number < 0 ? -(uint128)number : (uint128)number;
    char reversed[INT128_TEXT_BYTES];
    size_t digits = 0;

    /* 64-bit division is several times as fast, and nearly every number fits. */
    while (rest > UINT64_MAX) {
        reversed[digits++] = (char)('0' + (int)(rest % 10));
        rest /= 10;
    }
    for (uint64_t low = (uint64_t)rest; low; low /= 10)
        reversed[digits++] = (char)('0' + low % 10);
    while (digits <= scale)
        reversed[digits++] = '0';

    size_t length = 0;
    if (number < 0)
        text[length++] = '-';
    while (digits > 0) {
        if (digits == scale)
            text[length++] = '.';
        text[length++] = reversed[--digits];
    }
    text[length] = '\0';
    return length;
}

/* *number = *number * 10 + digit; false when it leaves 128 bits. Signed, as `negative` says, so
 * that the least integer can be read. */
static bool append_digit(int128 *number, int digit, bool is_negative)
{
    return !__builtin_mul_overflow(*number, (int128)10, number) &&
           !(is_negative ? __builtin_sub_overflow(*number, (int128)digit, number)
                         : __builtin_add_overflow(*number, (int128)digit, number));
}

bool int128_parse(const char *text, size_t bytes, int128 *out)
{
    text_scan s = scan_trimmed(text, bytes);
    bool is_negative;
    scan_sign(&s, &is_negative);
    if (scan_done(&s))
        return false;
    int128 number = 0;
    for (; !scan_done(&s); s.at++)
        if (!scan_is_digit(*s.at) || !append_digit(&number, *s.at - '0', is_negative))
            return false;
    *out = number;
    return true;
}

/* e+12: clipped to a million, which is beyond every number that fits. */
static bool scan_exponent(text_scan *s, int *out)
{
    *out = 0;
    if (!scan_char(s, 'e') && !scan_char(s, 'E'))
        return true;
    bool is_negative;
    scan_sign(s, &is_negative);
    if (scan_done(s) || !scan_is_digit(*s->at))
        return false;
    int exponent = 0;
    for (; !scan_done(s) && scan_is_digit(*s->at); s->at++)
        if (exponent < 1000000)
            exponent = exponent * 10 + (*s->at - '0');
    *out = is_negative ? -exponent : exponent;
    return true;
}

bool decimal_parse(const char *text, size_t bytes, unsigned scale, int128 *out)
{
    text_scan s = scan_trimmed(text, bytes);
    bool is_negative;
    scan_sign(&s, &is_negative);

    const char *whole = s.at;
    while (!scan_done(&s) && scan_is_digit(*s.at))
        s.at++;
    const char *whole_end = s.at, *fraction = s.at, *fraction_end = s.at;
    if (scan_char(&s, '.')) {
        fraction = s.at;
        while (!scan_done(&s) && scan_is_digit(*s.at))
            s.at++;
        fraction_end = s.at;
    }
    int exponent;
    if (whole == whole_end && fraction == fraction_end)
        return false;
    if (!scan_exponent(&s, &exponent) || !scan_done(&s))
        return false;

    /* Digit i of whole and fraction together counts 10^(whole digits - 1 - i + exponent). */
    int64_t whole_digits = whole_end - whole, digits = whole_digits + (fraction_end - fraction);
    int64_t kept = whole_digits + exponent + (int64_t)scale; /* digits before the rounding place */
    int128 number = 0;
    for (int64_t i = 0; i < kept; i++) {
        if (i >= digits && number == 0)
            break; /* zero, however many zeros follow */
        char c = i >= digits ? '0' : i < whole_digits ? whole[i] : fraction[i - whole_digits];
        if (!append_digit(&number, c - '0', false))
            return false;
    }
    if (kept >= 0 && kept < digits) {
        char c = kept < whole_digits ? whole[kept] : fraction[kept - whole_digits];
        number += c >= '5';
    }
    if (number > DECIMAL_MAX)
        return false;
    *out = is_negative ? -number : number;
    return true;
}
