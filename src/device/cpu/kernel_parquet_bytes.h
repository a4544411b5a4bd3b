/* kernel_parquet_bytes.h - one value of BYTE_ARRAY or FIXED_LEN_BYTE_ARRAY, converted. */
#ifndef PISTACHIO_DEVICE_CPU_KERNEL_PARQUET_BYTES_H
#define PISTACHIO_DEVICE_CPU_KERNEL_PARQUET_BYTES_H

#include "base/text/uuid_text.h"
#include "device/cpu/kernel_parquet.h"
#include "device/value/wide_decimal.h"

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

/* Big-endian two's complement. False: more than 128 bits. Reads 16 bytes, which may be past the
 * page's last one (device.h). */
static inline bool read_big_endian(const uint8_t *bytes, uint32_t length, int128 *out)
{
    uint8_t sign = length && bytes[0] & 0x80 ? 0xff : 0;
    while (length > 16) {
        if (*bytes != sign || ((bytes[1] ^ sign) & 0x80))
            return false;
        bytes++;
        length--;
    }
    uint64_t high, low;
    memcpy(&high, bytes, 8);
    memcpy(&low, bytes + 8, 8);
    uint128 number = (uint128)__builtin_bswap64(high) << 64 | __builtin_bswap64(low);
    *out = length ? (int128)number >> 8 * (16 - length) : 0;
    return true;
}

/* The view of `length` bytes. As string_view_make, but without branches on short lengths: reads up
 * to STRING_INLINE_BYTES bytes, which may be past the page's last one (device.h). */
static inline string_view view_of(const uint8_t *bytes, uint32_t length)
{
    uint32_t prefix;
    uint64_t rest;
    string_view view;
    memcpy(&prefix, bytes, 4);
    if (length > STRING_INLINE_BYTES) {
        rest = (uint64_t)((const char *)bytes - KERNEL_STRING_OFFSET);
    } else {
        unsigned first = length < 4 ? length : 4, more = length - first;
        memcpy(&rest, bytes + 4, 8);
        prefix &= (uint32_t)(((uint64_t)1 << 8 * first) - 1);
        rest &= more == 8 ? ~(uint64_t)0 : ((uint64_t)1 << 8 * more) - 1;
    }
    uint64_t words[2] = {length | (uint64_t)prefix << 32, rest};
    memcpy(&view, words, sizeof view);
    return view;
}

/* False: the value does not fit the type. */
static inline bool byte_sink_store(const byte_sink *sink, uint64_t i, const uint8_t *bytes,
                                   uint32_t length)
{
    if (sink->conversion == PQ_CONVERT_NONE) {
        ((string_view *)sink->out)[i] = view_of(bytes, length);
        return true;
    }
    if (sink->conversion == PQ_CONVERT_HALF) {
        uint16_t half = 0;
        memcpy(&half, bytes, 2);
        ((float *)sink->out)[i] = half_to_float(half);
        return true;
    }
    if (sink->conversion >= PQ_CONVERT_WIDE) {
        ((double *)sink->out)[i] =
            wide_decimal_double(bytes, length, sink->conversion - PQ_CONVERT_WIDE);
        return true;
    }
    if (sink->conversion == PQ_CONVERT_INTERVAL) {
        uint32_t parts[3] = {0};
        memcpy(parts, bytes, length < sizeof parts ? length : sizeof parts);
        ((interval_value *)sink->out)[i] =
            (interval_value){(int32_t)parts[0], (int32_t)parts[1], (int64_t)parts[2] * 1000};
        return length == sizeof parts;
    }
    int128 number;
    bool is_right = read_big_endian(bytes, length, &number);
    if (sink->conversion == PQ_CONVERT_UUID)
        ((int128 *)sink->out)[i] = (int128)((uint128)number ^ UUID_SIGN);
    else if (sink->width == 16)
        ((int128 *)sink->out)[i] = number;
    else
        ((int64_t *)sink->out)[i] = (int64_t)number;
    return is_right && (sink->width == 16 || number == (int64_t)number);
}

#endif
