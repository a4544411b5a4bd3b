/* decimal_text.c - powers of ten, and the texts of 128-bit integers and decimals for the host. */
#include "base/text/number_text.h"

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
    return number_format(number, scale, text);
}

bool int128_parse(const char *text, size_t bytes, int128 *out)
{
    return number_parse_integer(text, bytes, out);
}

bool decimal_parse(const char *text, size_t bytes, unsigned scale, int128 *out)
{
    return number_parse_decimal(text, bytes, scale, out);
}
