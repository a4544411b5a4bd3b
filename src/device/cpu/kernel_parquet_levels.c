/* kernel_parquet_levels.c - definition levels, dictionary codes, booleans in runs. */
#include "device/cpu/kernel_parquet.h"

#if defined __AVX512VBMI__
#include <immintrin.h>
#endif

/* Bits from the first on; those past the count become zero. */
static int64_t unpack_words(hybrid *h, uint64_t count, uint64_t *bits)
{
    if (count)
        bits[(count - 1) / 64] = 0;
    return unpack_bits(h, count, bits, 0);
}

/* BIT_PACKED levels go from the most significant bit down. */
static int64_t unpack_old_levels(const uint8_t *bytes, uint32_t row_count, uint64_t *validity,
                                 uint64_t at)
{
    int64_t valid = 0;
    for (uint32_t i = 0; i < row_count; i++) {
        bool bit = bytes[i / 8] >> (7 - i % 8) & 1;
        if (validity)
            set_bits(validity, at + i, 1, bit);
        valid += bit;
    }
    return valid;
}

/* To validity from bit `at` on, which may be NULL. Returns how many are 1, or -1; sets where the
 * values begin. */
static int64_t parquet_levels_read_levels(const uint8_t *page, uint32_t page_bytes,
                                          parquet_level_form form, uint32_t start, uint32_t bytes,
                                          uint32_t row_count, uint64_t *validity, uint64_t at,
                                          uint32_t *out_end)
{
    int64_t valid = -1;
    if (form == PARQUET_LEVEL_BITS) {
        bytes = row_count / 8 + (row_count % 8 > 0);
    } else if (form == PARQUET_LEVEL_LENGTH_RUNS && page_bytes >= 4) {
        memcpy(&bytes, page, 4);
        start = 4;
    } else if (form == PARQUET_LEVEL_LENGTH_RUNS) {
        bytes = UINT32_MAX;
    }
    if (start <= page_bytes && bytes <= page_bytes - start) {
        hybrid h = {page + start, page + start + bytes, 1};
        valid = form == PARQUET_LEVEL_BITS ? unpack_old_levels(page, row_count, validity, at)
                                           : unpack_bits(&h, row_count, validity, at);
    }
    *out_end = valid < 0 ? page_bytes : start + bytes;
    return valid;
}

void ISA_(parquet_levels)(const parquet_levels_arguments *a)
{
    parquet_level_form form = a->is_bit_packed ? PARQUET_LEVEL_BITS
                              : a->with_length ? PARQUET_LEVEL_LENGTH_RUNS
                                               : PARQUET_LEVEL_RUNS;
    uint32_t end;
    if (a->row_count)
        a->validity[(a->row_count - 1) / 64] = 0;
    int64_t valid = parquet_levels_read_levels(a->page, a->page_bytes, form, a->level_start,
                                               a->level_bytes, a->row_count, a->validity, 0, &end);
    if (valid < 0) {
        kernel_fail(a->error, DEV_ERROR_CORRUPT, a->location, a->level_start);
        set_bits(a->validity, 0, a->row_count, false);
        valid = 0;
    }
    a->words[0] = (uint64_t)valid;
    a->words[1] = end;
}

/* The levels of one page among many. */
static void read_page_levels(const parquet_batch_levels_arguments *a, parquet_page *p)
{
    const uint8_t *page =
        p->is_compressed ? a->unpacked + p->unpacked_at : a->stored + p->stored_at;
    int64_t valid = parquet_levels_read_levels(
        page, p->unpacked_bytes, (parquet_level_form)p->level_form, p->level_start, p->level_bytes,
        p->row_count, a->validity, p->first_row, &p->values_at);
    if (valid < 0 || (p->levels == PARQUET_LEVELS_CHECK && valid != p->row_count)) {
        kernel_fail(a->error, DEV_ERROR_CORRUPT, p->location, p->level_start);
        if (a->validity)
            set_bits(a->validity, p->first_row, p->row_count, false);
        valid = 0;
        p->values_at = p->unpacked_bytes;
    }
    p->valid_count = (uint32_t)valid;
}

void ISA_(parquet_batch_levels)(const parquet_batch_levels_arguments *a)
{
    for (uint32_t i = 0; i < a->page_count; i++) {
        parquet_page *p = &a->pages[i];
        if (p->kind == PARQUET_PAGE_DICTIONARY)
            continue;
        if (p->levels != PARQUET_LEVELS_NONE)
            read_page_levels(a, p);
        else if (a->validity)
            set_bits(a->validity, p->first_row, p->row_count, true);
    }
    if (a->validity && a->row_count % 64)
        a->validity[a->row_count / 64] &= kernel_word_mask(a->row_count % 64, 0);
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
        is_right = unpack_words(&h, count, a->out) >= 0;
    }
    if (!is_right && count) {
        set_bits(a->out, 0, count, false);
        kernel_fail(a->error, DEV_ERROR_CORRUPT, a->location, a->words[1]);
    }
}

/* ---- dictionary codes ---- */

/* How codes of one width are unpacked, made once a page: its runs may be short. */
typedef struct unpacker {
    unsigned width;
    uint32_t mask, largest; /* of the codes so far, but for what `most` has */
#if defined __AVX512VBMI__
    /* 16 codes are 2 * width bytes: bring each code's four bytes to its lane, shift, mask. */
    __m512i order, shift, masks, most;
#endif
} unpacker;

static inline unpacker unpacker_of(unsigned width)
{
    unpacker u = {.width = width, .mask = width == 32 ? UINT32_MAX : ((uint32_t)1 << width) - 1};
#if defined __AVX512VBMI__
    uint8_t bytes[64];
    uint32_t shifts[16];
    for (unsigned lane = 0; lane < 16; lane++) {
        shifts[lane] = lane * width % 8;
        for (unsigned b = 0; b < 4; b++)
            bytes[lane * 4 + b] = (uint8_t)(lane * width / 8 + b);
    }
    u.order = _mm512_loadu_si512(bytes);
    u.shift = _mm512_loadu_si512(shifts);
    u.masks = _mm512_set1_epi32((int)u.mask);
    u.most = _mm512_setzero_si512();
#endif
    return u;
}

#if defined __AVX512VBMI__
/* Up to 25 bits wide, a code is within four bytes wherever it begins. */
#define VECTOR_WIDTH_MAX 25

static inline __m512i unpack_vector(const unpacker *u, const uint8_t *packed)
{
    __m512i raw = _mm512_permutexvar_epi8(u->order, _mm512_loadu_si512(packed));
    return _mm512_and_si512(_mm512_srlv_epi32(raw, u->shift), u->masks);
}

static inline __mmask16 first_lanes(size_t count)
{
    return (__mmask16)((1u << count) - 1);
}

static inline void unpack_vectors(unpacker *u, const uint8_t *packed, size_t count, uint32_t *out)
{
    size_t i = 0;
    for (; i + 16 <= count; i += 16, packed += (size_t)2 * u->width) {
        __m512i codes = unpack_vector(u, packed);
        u->most = _mm512_max_epu32(u->most, codes);
        _mm512_storeu_si512(out + i, codes);
    }
    if (i < count) {
        __mmask16 lanes = first_lanes(count - i);
        __m512i codes = unpack_vector(u, packed);
        u->most = _mm512_mask_max_epu32(u->most, lanes, u->most, codes);
        _mm512_mask_storeu_epi32(out + i, lanes, codes);
    }
}
#endif

/* At `packed` there are readable bytes past the end (device.h). */
static inline void unpack_codes(unpacker *u, const uint8_t *packed, size_t count, uint32_t *out)
{
#if defined __AVX512VBMI__
    if (u->width <= VECTOR_WIDTH_MAX) {
        unpack_vectors(u, packed, count, out);
        return;
    }
#endif
    for (size_t i = 0; i < count; i++) {
        uint64_t word, bit = (uint64_t)i * u->width;
        memcpy(&word, packed + bit / 8, 8);
        out[i] = (uint32_t)(word >> (bit % 8)) & u->mask;
        u->largest = out[i] > u->largest ? out[i] : u->largest;
    }
}

static inline void repeat_code(unpacker *u, uint32_t code, size_t count, uint32_t *out)
{
    u->largest = code > u->largest ? code : u->largest;
    size_t i = 0;
#if defined __AVX512VBMI__
    __m512i codes = _mm512_set1_epi32((int)code);
    for (; i + 16 <= count; i += 16)
        _mm512_storeu_si512(out + i, codes);
    _mm512_mask_storeu_epi32(out + i, first_lanes(count - i), codes);
#else
    for (; i < count; i++)
        out[i] = code;
#endif
}

static inline uint32_t parquet_levels_largest_code(const unpacker *u)
{
#if defined __AVX512VBMI__
    uint32_t most = _mm512_reduce_max_epu32(u->most);
    return most > u->largest ? most : u->largest;
#else
    return u->largest;
#endif
}

void ISA_(parquet_codes)(const parquet_codes_arguments *a)
{
    uint64_t count = a->words[0], done = 0;
    const uint8_t *at, *end;
    bool is_right = page_values(a->page, a->page_bytes, a->words, &at, &end);
    if (count && is_right) {
        is_right = at < end && *at <= 32;
        hybrid h = {at + 1, end, is_right ? *at : 0};
        unpacker u = unpacker_of(h.bit_width);
        while (is_right && done < count) {
            hybrid_run run;
            is_right = next_run(&h, &run);
            if (!is_right)
                break;
            uint64_t more = run.count < count - done ? run.count : count - done;
            if (run.is_packed)
                unpack_codes(&u, run.packed, more, a->out + done);
            else
                repeat_code(&u, run.value, more, a->out + done);
            done += more;
        }
        is_right &= parquet_levels_largest_code(&u) < a->dictionary_rows;
    }
    if (!is_right) {
        memset(a->out, 0, count * sizeof *a->out);
        kernel_fail(a->error, DEV_ERROR_CORRUPT, a->location, a->words[1]);
    }
}
