/* kernel_parquet_plain.c - PLAIN values of every physical type, BYTE_STREAM_SPLIT, and dense values
 * spread to rows. */
#include "device/cpu/kernel_parquet_bytes.h"

#if defined __AVX512F__
#include <immintrin.h>
#endif

#define CONVERT(source_type, target_type, expression)                                              \
    do {                                                                                           \
        target_type *out = a->out;                                                                 \
        for (uint64_t i = 0; i < count; i++) {                                                     \
            source_type x;                                                                         \
            memcpy(&x, values + i * sizeof x, sizeof x);                                           \
            out[i] = (target_type)(expression);                                                    \
        }                                                                                          \
    } while (0)

static bool convert_int32(const parquet_plain_arguments *a, const uint8_t *values, uint64_t count)
{
    switch (a->type.width) {
    case 1:
        CONVERT(int32_t, int8_t, x);
        break;
    case 2:
        CONVERT(int32_t, int16_t, x);
        break;
    case 4:
        memcpy(a->out, values, count * 4);
        break;
    case 8:
        if (a->conversion == PQ_CONVERT_MILLIS)
            CONVERT(int32_t, int64_t, (int64_t)x * 1000);
        else
            CONVERT(int32_t, int64_t, x);
        break;
    default:
        CONVERT(int32_t, int128, x);
    }
    return true;
}

/* False: a time is out of range. */
static bool convert_int64(const parquet_plain_arguments *a, const uint8_t *values, uint64_t count)
{
    bool is_outside = false;
    if (a->conversion == PQ_CONVERT_MILLIS)
        CONVERT(int64_t, int64_t,
                (is_outside |= x > INT64_MAX / 1000 || x < INT64_MIN / 1000, (uint64_t)x * 1000));
    else if (a->conversion == PQ_CONVERT_NANOS)
        CONVERT(int64_t, int64_t, x / 1000);
    else if (a->type.width == 16)
        CONVERT(int64_t, int128, x);
    else
        memcpy(a->out, values, count * 8);
    return !is_outside;
}

/* Julian day 2440588 is 1970-01-01; nanoseconds of the day come first. */
static bool convert_int96(const parquet_plain_arguments *a, const uint8_t *values, uint64_t count)
{
    int64_t *out = a->out;
    bool is_outside = false;
    for (uint64_t i = 0; i < count; i++) {
        int64_t nanoseconds, microseconds;
        int32_t day;
        memcpy(&nanoseconds, values + i * 12, 8);
        memcpy(&day, values + i * 12 + 8, 4);
        is_outside |=
            __builtin_mul_overflow((int64_t)day - 2440588, (int64_t)86400000000, &microseconds);
        is_outside |= __builtin_add_overflow(microseconds, nanoseconds / 1000, &out[i]);
    }
    return !is_outside;
}

static bool convert_fixed(const parquet_plain_arguments *a, const uint8_t *values, uint64_t count)
{
    byte_sink sink = {a->conversion, a->type.width, a->out};
    bool is_right = true;
    for (uint64_t i = 0; i < count; i++)
        is_right &= byte_sink_store(&sink, i, values + i * a->type_length, a->type_length);
    return is_right;
}

/* Each value is behind its length, 4 bytes. */
static bool convert_byte_array(const parquet_plain_arguments *a, const uint8_t *at,
                               const uint8_t *end, uint64_t count)
{
    byte_sink sink = {a->conversion, a->type.width, a->out};
    bool is_right = true;
    for (uint64_t i = 0; i < count; i++) {
        uint32_t length;
        if (end - at < 4)
            return false;
        memcpy(&length, at, 4);
        at += 4;
        if (length > (uint64_t)(end - at))
            return false;
        is_right &= byte_sink_store(&sink, i, at, length);
        at += length;
    }
    return is_right;
}

static const uint8_t stored_bytes[] = {
    [PQ_INT32] = 4, [PQ_INT64] = 8, [PQ_INT96] = 12, [PQ_FLOAT] = 4, [PQ_DOUBLE] = 8};

/* Bits past the count become zero. */
static void copy_bits_plain(const uint8_t *values, uint64_t count, uint64_t *out)
{
    if (!count)
        return;
    out[(count - 1) / 64] = 0;
    memcpy(out, values, (count + 7) / 8);
    out[(count - 1) / 64] &= kernel_word_mask(count, (count - 1) / 64);
}

static bool parquet_plain_convert(const parquet_plain_arguments *a, const uint8_t *values,
                                  const uint8_t *end, uint64_t count)
{
    switch (a->physical) {
    case PQ_BOOLEAN:
        copy_bits_plain(values, count, a->out);
        return true;
    case PQ_INT32:
        return convert_int32(a, values, count);
    case PQ_INT64:
        return convert_int64(a, values, count);
    case PQ_INT96:
        return convert_int96(a, values, count);
    case PQ_FIXED_LEN_BYTE_ARRAY:
        return convert_fixed(a, values, count);
    case PQ_BYTE_ARRAY:
        return convert_byte_array(a, values, end, count);
    case PQ_FLOAT:
        if (a->type.width == 8) {
            CONVERT(float, double, x);
            return true;
        }
        memcpy(a->out, values, count * 4);
        return true;
    default:
        memcpy(a->out, values, count * 8);
        return true;
    }
}

void ISA_(parquet_plain)(const parquet_plain_arguments *a)
{
    uint64_t count = a->words[0], needed = 0;
    const uint8_t *values, *end;
    bool is_right = page_values(a->page, a->page_bytes, a->words, &values, &end);
    if (a->physical == PQ_BOOLEAN)
        needed = (count + 7) / 8;
    else if (a->physical == PQ_FIXED_LEN_BYTE_ARRAY)
        needed = count * a->type_length;
    else if (a->physical != PQ_BYTE_ARRAY)
        needed = count * stored_bytes[a->physical];
    is_right = is_right && needed <= (uint64_t)(end - values) &&
               parquet_plain_convert(a, values, end, count);
    if (!is_right) {
        memset(a->out, 0, type_values_bytes(a->type, count));
        kernel_fail(a->error, DEV_ERROR_CORRUPT, a->location, a->words[1]);
    }
}

/* ---- BYTE_STREAM_SPLIT ---- */

void ISA_(parquet_split)(const parquet_split_arguments *a)
{
    uint64_t count = a->words[0];
    size_t width = a->width;
    const uint8_t *values, *end;
    if (!page_values(a->page, a->page_bytes, a->words, &values, &end) ||
        (uint64_t)(end - values) / width < count) {
        memset(a->out, 0, count * width);
        kernel_fail(a->error, DEV_ERROR_CORRUPT, a->location, a->words[1]);
        return;
    }
    if (width == 4) {
        for (uint64_t i = 0; i < count; i++)
            for (size_t b = 0; b < 4; b++)
                a->out[i * 4 + b] = values[b * count + i];
    } else if (width == 8) {
        for (uint64_t i = 0; i < count; i++)
            for (size_t b = 0; b < 8; b++)
                a->out[i * 8 + b] = values[b * count + i];
    } else {
        for (size_t b = 0; b < width; b++)
            for (uint64_t i = 0; i < count; i++)
                a->out[i * width + b] = values[b * count + i];
    }
}

/* ---- NULLs among the values ---- */

#define SPREAD(type)                                                                               \
    do {                                                                                           \
        const type *dense = a->dense;                                                              \
        type *out = a->out;                                                                        \
        size_t next = 0;                                                                           \
        for (uint32_t i = 0; i < a->row_count; i++)                                                \
            out[i] = kernel_bit(a->validity, i) ? dense[next++] : (type)a->fill_low;               \
    } while (0)

static void parquet_plain_spread_bits(const parquet_spread_arguments *a)
{
    const uint64_t *dense = a->dense;
    uint64_t *out = a->out;
    size_t next = 0;
    for (uint32_t first = 0; first < a->row_count; first += 64) {
        uint64_t word = 0;
        for (uint64_t valid = a->validity[first / 64]; valid; valid &= valid - 1)
            word |= (uint64_t)kernel_bit(dense, next++) << __builtin_ctzll(valid);
        out[first / 64] = word;
    }
}

#if defined __AVX512F__
/* Reads a vector past the last dense value, which is harmless (device.h). */
static void spread_4(const parquet_spread_arguments *a)
{
    const uint32_t *dense = a->dense;
    uint32_t *out = a->out;
    __m512i fill = _mm512_set1_epi32((int)a->fill_low);
    for (uint32_t i = 0; i < a->row_count; i += 16) {
        __mmask16 valid = (__mmask16)(a->validity[i / 64] >> (i % 64));
        __m512i values = _mm512_mask_expand_epi32(fill, valid, _mm512_loadu_si512(dense));
        unsigned left = a->row_count - i;
        _mm512_mask_storeu_epi32(out + i, left >= 16 ? 0xffff : (__mmask16)((1u << left) - 1),
                                 values);
        dense += __builtin_popcount(valid);
    }
}

static void spread_8(const parquet_spread_arguments *a)
{
    const uint64_t *dense = a->dense;
    uint64_t *out = a->out;
    __m512i fill = _mm512_set1_epi64((long long)a->fill_low);
    for (uint32_t i = 0; i < a->row_count; i += 8) {
        __mmask8 valid = (__mmask8)(a->validity[i / 64] >> (i % 64));
        __m512i values = _mm512_mask_expand_epi64(fill, valid, _mm512_loadu_si512(dense));
        unsigned left = a->row_count - i;
        _mm512_mask_storeu_epi64(out + i, left >= 8 ? 0xff : (__mmask8)((1u << left) - 1), values);
        dense += __builtin_popcount(valid);
    }
}
#else
static void spread_4(const parquet_spread_arguments *a)
{
    SPREAD(uint32_t);
}

static void spread_8(const parquet_spread_arguments *a)
{
    SPREAD(uint64_t);
}
#endif

void ISA_(parquet_spread)(const parquet_spread_arguments *a)
{
    switch (a->width) {
    case 0:
        parquet_plain_spread_bits(a);
        break;
    case 1:
        SPREAD(uint8_t);
        break;
    case 2:
        SPREAD(uint16_t);
        break;
    case 4:
        spread_4(a);
        break;
    case 8:
        spread_8(a);
        break;
    default:
        SPREAD(uint128);
    }
}
