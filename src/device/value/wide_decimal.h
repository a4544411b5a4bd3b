/* wide_decimal.h - decimals of more digits than the type has, as doubles. */
#ifndef PISTACHIO_DEVICE_VALUE_WIDE_DECIMAL_H
#define PISTACHIO_DEVICE_VALUE_WIDE_DECIMAL_H

#include "base/type/portable.h"

#include <math.h>

#define WIDE_DECIMAL_BYTES                                                                         \
    16 /* those that count: 2^-120 of the value is less than a double tells */

/* Big-endian two's complement of any length, divided by 10^scale. */
PORTABLE double wide_decimal_double(const uint8_t *bytes, uint32_t length, unsigned scale)
{
    uint8_t sign = length && bytes[0] & 0x80 ? 0xff : 0;
    uint64_t high = sign ? ~(uint64_t)0 : 0, low = high;
    while (length > 1 && bytes[0] == sign && !((bytes[1] ^ sign) & 0x80)) {
        bytes++;
        length--;
    }
    uint32_t count = length < WIDE_DECIMAL_BYTES ? length : WIDE_DECIMAL_BYTES;
    for (uint32_t i = 0; i < count; i++) {
        high = high << 8 | low >> 56;
        low = low << 8 | bytes[i];
    }
    double number = (double)(int128)((uint128)high << 64 | low);
    if (length > count)
        number = ldexp(number, (int)(8 * (length - count < 1024 ? length - count : 1024)));
    return number / pow(10, (double)scale);
}

#endif
