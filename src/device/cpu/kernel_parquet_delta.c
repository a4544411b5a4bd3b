/* kernel_parquet_delta.c - DELTA_BINARY_PACKED integers, and byte arrays whose lengths and shared
 * prefixes are such integers.
 *
 *   header:  values per block, miniblocks per block, number of values, first value
 *   block:   least delta, a bit width per miniblock, the miniblocks: delta - least delta, packed
 *
 * Values wrap around. Miniblocks behind the last value may be missing. */
#include "device/cpu/kernel_parquet_bytes.h"

#if defined __AVX512VBMI__
#include <immintrin.h>
#endif

static inline uint64_t unpack_delta(const uint8_t *packed, uint64_t i, unsigned width)
{
    uint64_t bit = i * width, word;
    unsigned shift = bit % 8;
    packed += bit / 8;
    memcpy(&word, packed, 8);
    word >>= shift;
    if (shift + width > 64)
        word |= (uint64_t)packed[8] << (64 - shift);
    return width == 64 ? word : word & (((uint64_t)1 << width) - 1);
}

#if defined __AVX512VBMI__
/* Widest differences whose bytes, from the one their first bit is in, fill a lane at most. */
#define WIDTH_MAX_4 25
#define WIDTH_MAX_8 57

/* 16 differences a turn, which are 2 * width bytes: each lane takes its bytes, shifts and masks;
 * then sums over the lanes before. Differences that make no whole vector stay: how many were done.
 */
static uint64_t add_vectors_4(const uint8_t *packed, unsigned width, uint64_t count, uint64_t least,
                              uint64_t *last, uint32_t *out)
{
    const __m512i lanes = _mm512_set_epi32(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
    const __m512i lowest = _mm512_set4_epi32(0x0c0c0c0c, 0x08080808, 0x04040404, 0);
    const __m512i bytes = _mm512_set1_epi32(0x03020100), zero = _mm512_setzero_si512();
    __m512i bits = _mm512_mullo_epi32(lanes, _mm512_set1_epi32((int)width));
    __m512i shift = _mm512_and_si512(bits, _mm512_set1_epi32(7));
    __m512i order = _mm512_add_epi8(_mm512_shuffle_epi8(_mm512_srli_epi32(bits, 3), lowest), bytes);
    __m512i mask = _mm512_set1_epi32((int)(((uint32_t)1 << width) - 1));
    __m512i lows = _mm512_set1_epi32((int)least), sum = _mm512_set1_epi32((int)*last);
    uint64_t i = 0;
    for (; i + 16 <= count; i += 16, packed += (size_t)2 * width) {
        __m512i x = _mm512_permutexvar_epi8(order, _mm512_loadu_si512(packed));
        x = _mm512_and_si512(_mm512_srlv_epi32(x, shift), mask);
        x = _mm512_add_epi32(x, lows);
        x = _mm512_add_epi32(x, _mm512_alignr_epi32(x, zero, 15));
        x = _mm512_add_epi32(x, _mm512_alignr_epi32(x, zero, 14));
        x = _mm512_add_epi32(x, _mm512_alignr_epi32(x, zero, 12));
        x = _mm512_add_epi32(x, _mm512_alignr_epi32(x, zero, 8));
        _mm512_storeu_si512(out + i, _mm512_add_epi32(x, sum));
        sum = _mm512_add_epi32(sum, _mm512_permutexvar_epi32(_mm512_set1_epi32(15), x));
    }
    *last = (uint32_t)_mm_cvtsi128_si32(_mm512_castsi512_si128(sum));
    return i;
}

/* Adds 8 differences of `width` bytes a turn. */
static uint64_t add_vectors_8(const uint8_t *packed, unsigned width, uint64_t count, uint64_t least,
                              uint64_t *last, uint64_t *out)
{
    const __m512i lanes = _mm512_set_epi64(7, 6, 5, 4, 3, 2, 1, 0), zero = _mm512_setzero_si512();
    const __m512i lowest = _mm512_set4_epi32(0x08080808, 0x08080808, 0, 0);
    const __m512i bytes = _mm512_set1_epi64(0x0706050403020100);
    __m512i bits = _mm512_mul_epu32(lanes, _mm512_set1_epi64(width));
    __m512i shift = _mm512_and_si512(bits, _mm512_set1_epi64(7));
    __m512i order = _mm512_add_epi8(_mm512_shuffle_epi8(_mm512_srli_epi64(bits, 3), lowest), bytes);
    __m512i mask = _mm512_set1_epi64((long long)(((uint64_t)1 << width) - 1));
    __m512i lows = _mm512_set1_epi64((long long)least), sum = _mm512_set1_epi64((long long)*last);
    uint64_t i = 0;
    for (; i + 8 <= count; i += 8, packed += width) {
        __m512i x = _mm512_permutexvar_epi8(order, _mm512_loadu_si512(packed));
        x = _mm512_and_si512(_mm512_srlv_epi64(x, shift), mask);
        x = _mm512_add_epi64(x, lows);
        x = _mm512_add_epi64(x, _mm512_alignr_epi64(x, zero, 7));
        x = _mm512_add_epi64(x, _mm512_alignr_epi64(x, zero, 6));
        x = _mm512_add_epi64(x, _mm512_alignr_epi64(x, zero, 4));
        _mm512_storeu_si512(out + i, _mm512_add_epi64(x, sum));
        sum = _mm512_add_epi64(sum, _mm512_permutexvar_epi64(_mm512_set1_epi64(7), x));
    }
    *last = (uint64_t)_mm_cvtsi128_si64(_mm512_castsi512_si128(sum));
    return i;
}
#endif

/* Values done .. done + count of the output from one miniblock. */
static uint64_t unpack_miniblock(const uint8_t *packed, unsigned width, uint64_t count,
                                 uint64_t least, uint64_t last, uint8_t out_width, void *out,
                                 uint64_t done)
{
    uint64_t i = 0;
    if (out_width == 4) {
        uint32_t *target = (uint32_t *)out + done;
#if defined __AVX512VBMI__
        if (width <= WIDTH_MAX_4)
            i = add_vectors_4(packed, width, count, least, &last, target);
#endif
        for (; i < count; i++) {
            last += least + unpack_delta(packed, i, width);
            target[i] = (uint32_t)last;
        }
    } else {
        uint64_t *target = (uint64_t *)out + done;
#if defined __AVX512VBMI__
        if (width <= WIDTH_MAX_8)
            i = add_vectors_8(packed, width, count, least, &last, target);
#endif
        for (; i < count; i++) {
            last += least + unpack_delta(packed, i, width);
            target[i] = last;
        }
    }
    return last;
}

/* Decodes exactly `count` values; *at moves behind them. */
static bool read_deltas(const uint8_t **at, const uint8_t *end, uint64_t count, uint8_t width,
                        void *out)
{
    delta_header h;
    if (!read_delta_header(at, end, &h) || h.count != count)
        return false;
    if (!count)
        return true;
    uint64_t done = 1, last = (uint64_t)h.first, per_miniblock = h.block_values / h.miniblocks;
    if (width == 4)
        *(uint32_t *)out = (uint32_t)last;
    else
        *(uint64_t *)out = last;
    while (done < count) {
        int64_t least;
        if (!read_zigzag(at, end, &least) || (uint64_t)(end - *at) < h.miniblocks)
            return false;
        const uint8_t *widths = *at;
        *at += h.miniblocks;
        for (uint64_t m = 0; m < h.miniblocks && done < count; m++) {
            uint64_t bytes = per_miniblock / 8 * widths[m], left = (uint64_t)(end - *at);
            uint64_t more = count - done < per_miniblock ? count - done : per_miniblock;
            /* The last miniblock's padding may be missing. */
            if (widths[m] > 64 || (more * widths[m] + 7) / 8 > left)
                return false;
            last = unpack_miniblock(*at, widths[m], more, (uint64_t)least, last, width, out, done);
            done += more;
            *at += bytes < left ? bytes : left;
        }
    }
    return true;
}

void ISA_(parquet_delta)(const parquet_delta_arguments *a)
{
    uint64_t count = a->words[0];
    const uint8_t *at, *end;
    /* A page without values may have no header either. */
    bool is_right = page_values(a->page, a->page_bytes, a->words, &at, &end) &&
                    ((!count && at == end) || read_deltas(&at, end, count, a->width, a->out));
    if (!is_right) {
        memset(a->out, 0, count * a->width);
        kernel_fail(a->error, DEV_ERROR_CORRUPT, a->location, a->words[1]);
    }
    if (a->out_end)
        *a->out_end = is_right ? (uint64_t)(at - a->page) : a->page_bytes;
}

/* ---- byte arrays ---- */

void ISA_(parquet_prefix_bytes)(const parquet_prefix_bytes_arguments *a)
{
    uint64_t count = a->words[0], total = 0, suffixes = 0, before = 0;
    bool is_right = *a->start <= a->page_bytes;
    for (uint64_t i = 0; i < count && is_right; i++) {
        int64_t prefix = a->prefixes[i], suffix = a->suffixes[i];
        is_right = prefix >= 0 && suffix >= 0 && (uint64_t)prefix <= before &&
                   prefix + suffix <= INT32_MAX;
        before = (uint64_t)(prefix + suffix);
        total += before;
        suffixes += (uint64_t)suffix;
    }
    if (!is_right || suffixes > a->page_bytes - *a->start) {
        kernel_fail(a->error, DEV_ERROR_CORRUPT, a->location, a->words[1]);
        total = 0;
    }
    *a->out_bytes = total;
}

void ISA_(parquet_prefix_copy)(const parquet_prefix_copy_arguments *a)
{
    uint64_t count = a->words[0];
    const uint8_t *suffix = a->page + *a->start, *before = a->out;
    uint8_t *out = a->out;
    if (!*a->bytes) {
        memset(a->lengths, 0, count * sizeof *a->lengths);
        return;
    }
    for (uint64_t i = 0; i < count; i++) {
        uint32_t prefix = (uint32_t)a->prefixes[i], more = (uint32_t)a->lengths[i];
        memcpy(out, before, prefix);
        memcpy(out + prefix, suffix, more);
        a->lengths[i] = (int32_t)(prefix + more);
        before = out;
        out += prefix + more;
        suffix += more;
    }
}

void ISA_(parquet_strings)(const parquet_strings_arguments *a)
{
    uint64_t count = a->words[0], bytes = a->source_bytes ? *a->source_bytes : a->page_bytes;
    uint64_t at = a->start ? *a->start : 0;
    byte_sink sink = {a->conversion, a->type.width, a->out};
    bool is_right = true;
    for (uint64_t i = 0; i < count && is_right; i++) {
        int64_t length = a->lengths[i];
        is_right = length >= 0 && (uint64_t)length <= bytes - at &&
                   (!a->type_length || (uint64_t)length == a->type_length) &&
                   byte_sink_store(&sink, i, a->source + at, (uint32_t)length);
        at += (uint64_t)length;
    }
    if (!is_right) {
        memset(a->out, 0, count * a->type.width);
        kernel_fail(a->error, DEV_ERROR_CORRUPT, a->location, at);
    }
}
