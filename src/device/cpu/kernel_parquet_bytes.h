/* kernel_parquet_bytes.h - one value of BYTE_ARRAY or FIXED_LEN_BYTE_ARRAY, converted. */
#ifndef PISTACHIO_DEVICE_CPU_KERNEL_PARQUET_BYTES_H
#define PISTACHIO_DEVICE_CPU_KERNEL_PARQUET_BYTES_H

#include "device/cpu/kernel_parquet.h"

typedef struct byte_sink {
    uint8_t conversion, width; /* of the type */
    void *out;
} byte_sink;

static inline float half_to_float(uint16_t half)
{
    uint32_t sign = (uint32_t)(half >> 15) << 31, exponent = half >> 10 & 31, bits;
    uint32_t fraction = half & 1023;
    float result;
    if (exponent == 31) {
        bits = sign | 0x7f800000 | fraction << 13;
    } else if (exponent) {
        bits = sign | (exponent + 112) << 23 | fraction << 13;
    } else {
        result = (float)fraction / 16777216.0f;
        return sign ? -result : result;
    }
    memcpy(&result, &bits, sizeof result);
    return result;
}

/* Big-endian two's complement. False: more than 128 bits. */
static inline bool read_big_endian(const uint8_t *bytes, uint32_t length, int128 *out)
{
    uint8_t sign = length && bytes[0] & 0x80 ? 0xff : 0;
    while (length > 16) {
        if (*bytes != sign || ((bytes[1] ^ sign) & 0x80))
            return false;
        bytes++;
        length--;
    }
    uint128 number = sign ? ~(uint128)0 : 0;
    for (uint32_t i = 0; i < length; i++)
        number = number << 8 | bytes[i];
    *out = (int128)number;
    return true;
}

/* False: the value does not fit the type. */
static inline bool byte_sink_store(const byte_sink *sink, uint64_t i, const uint8_t *bytes,
                                   uint32_t length)
{
    if (sink->conversion == CONVERT_NONE) {
        string_view view = string_view_make((const char *)bytes, length);
        if (length > STRING_INLINE_BYTES)
            view.data -= KERNEL_STRING_OFFSET;
        ((string_view *)sink->out)[i] = view;
        return true;
    }
    if (sink->conversion == CONVERT_HALF) {
        uint16_t half = 0;
        memcpy(&half, bytes, 2);
        ((float *)sink->out)[i] = half_to_float(half);
        return true;
    }
    int128 number;
    bool is_right = read_big_endian(bytes, length, &number);
    if (sink->width == 16)
        ((int128 *)sink->out)[i] = number;
    else
        ((int64_t *)sink->out)[i] = (int64_t)number;
    return is_right && (sink->width == 16 || number == (int64_t)number);
}

#endif
