/* kernel_parquet_levels.c - definition levels, dictionary codes, booleans in runs. */
#include "device/cpu/kernel_parquet.h"

#if defined __AVX512VBMI__
#include <immintrin.h>
#endif

/* Runs of single bits; bits past the count become zero. Returns how many are 1, or -1. */
static int64_t unpack_bits(hybrid *h, uint64_t count, uint64_t *bits)
{
    uint64_t done = 0, ones = 0;
    if (count)
        bits[(count - 1) / 64] = 0;
    while (done < count) {
        hybrid_run run;
        if (!next_run(h, &run))
            return -1;
        uint64_t more = run.count < count - done ? run.count : count - done;
        if (run.is_packed) {
            ones += copy_packed_bits(bits, done, run.packed, more);
        } else {
            if (run.value > 1)
                return -1;
            set_bits(bits, done, more, run.value);
            ones += run.value ? more : 0;
        }
        done += more;
    }
    return (int64_t)ones;
}

/* BIT_PACKED levels go from the most significant bit down. */
static int64_t unpack_old_levels(const uint8_t *bytes, uint32_t row_count, uint64_t *validity)
{
    int64_t valid = 0;
    if (row_count)
        validity[(row_count - 1) / 64] = 0;
    for (uint32_t i = 0; i < row_count; i++) {
        bool bit = bytes[i / 8] >> (7 - i % 8) & 1;
        set_bits(validity, i, 1, bit);
        valid += bit;
    }
    return valid;
}

void ISA_(parquet_levels)(const parquet_levels_arguments *a)
{
    uint32_t start = a->level_start, bytes = a->level_bytes;
    int64_t valid = -1;
    if (a->is_bit_packed) {
        bytes = a->row_count / 8 + (a->row_count % 8 > 0);
    } else if (a->with_length && a->page_bytes >= 4) {
        memcpy(&bytes, a->page, 4);
        start = 4;
    } else if (a->with_length) {
        bytes = UINT32_MAX;
    }
    if (start <= a->page_bytes && bytes <= a->page_bytes - start) {
        hybrid h = {a->page + start, a->page + start + bytes, 1};
        valid = a->is_bit_packed ? unpack_old_levels(a->page, a->row_count, a->validity)
                                 : unpack_bits(&h, a->row_count, a->validity);
    }
    if (valid < 0) {
        kernel_fail(a->error, DEV_ERROR_CORRUPT, a->place, start);
        set_bits(a->validity, 0, a->row_count, false);
        valid = 0;
        start = a->page_bytes;
        bytes = 0;
    }
    a->words[0] = (uint64_t)valid;
    a->words[1] = start + bytes;
}

void ISA_(parquet_booleans)(const parquet_booleans_arguments *a)
{
    uint64_t count = a->words[0];
    const uint8_t *at, *end;
    uint32_t bytes;
    bool is_right = page_values(a->page, a->page_bytes, a->words, &at, &end) && end - at >= 4;
    if (is_right) {
        memcpy(&bytes, at, 4);
        at += 4;
        hybrid h = {at, bytes < (size_t)(end - at) ? at + bytes : end, 1};
        is_right = unpack_bits(&h, count, a->out) >= 0;
    }
    if (!is_right && count) {
        set_bits(a->out, 0, count, false);
        kernel_fail(a->error, DEV_ERROR_CORRUPT, a->place, a->words[1]);
    }
}

/* `count` codes of `width` bits; returns the largest. At `packed` there are readable bytes past the
 * end (device.h). */
static uint32_t unpack_codes(const uint8_t *packed, unsigned width, size_t count, uint32_t *out)
{
    uint32_t mask = width == 32 ? UINT32_MAX : ((uint32_t)1 << width) - 1, largest = 0;
    size_t i = 0;
#if defined __AVX512VBMI__
    if (width && width <= 25) {
        /* 16 codes are 2 * width bytes: bring each code's four bytes to its lane, shift, mask. */
        uint8_t bytes[64];
        uint32_t shifts[16];
        for (unsigned lane = 0; lane < 16; lane++) {
            shifts[lane] = lane * width % 8;
            for (unsigned b = 0; b < 4; b++)
                bytes[lane * 4 + b] = (uint8_t)(lane * width / 8 + b);
        }
        __m512i order = _mm512_loadu_si512(bytes), shift = _mm512_loadu_si512(shifts);
        __m512i masks = _mm512_set1_epi32((int)mask), most = _mm512_setzero_si512();
        for (; i + 16 <= count; i += 16, packed += 2 * width) {
            __m512i raw = _mm512_permutexvar_epi8(order, _mm512_loadu_si512(packed));
            __m512i codes = _mm512_and_si512(_mm512_srlv_epi32(raw, shift), masks);
            most = _mm512_max_epu32(most, codes);
            _mm512_storeu_si512(out + i, codes);
        }
        largest = _mm512_reduce_max_epu32(most);
        count -= i;
        out += i;
        i = 0;
    }
#endif
    for (; i < count; i++) {
        uint64_t word, bit = (uint64_t)i * width;
        memcpy(&word, packed + bit / 8, 8);
        out[i] = (uint32_t)(word >> (bit % 8)) & mask;
        largest = out[i] > largest ? out[i] : largest;
    }
    return largest;
}

static uint32_t repeat_code(uint32_t code, size_t count, uint32_t *out)
{
    for (size_t i = 0; i < count; i++)
        out[i] = code;
    return code;
}

void ISA_(parquet_codes)(const parquet_codes_arguments *a)
{
    uint64_t count = a->words[0], done = 0;
    const uint8_t *at, *end;
    bool is_right = page_values(a->page, a->page_bytes, a->words, &at, &end);
    if (count && is_right) {
        is_right = at < end && *at <= 32;
        hybrid h = {at + 1, end, is_right ? *at : 0};
        while (is_right && done < count) {
            hybrid_run run;
            is_right = next_run(&h, &run);
            if (!is_right)
                break;
            uint64_t more = run.count < count - done ? run.count : count - done;
            uint32_t largest = run.is_packed
                                   ? unpack_codes(run.packed, h.bit_width, more, a->out + done)
                                   : repeat_code(run.value, more, a->out + done);
            is_right = largest < a->dictionary_rows;
            done += more;
        }
    }
    if (!is_right) {
        memset(a->out, 0, count * sizeof *a->out);
        kernel_fail(a->error, DEV_ERROR_CORRUPT, a->place, a->words[1]);
    }
}
