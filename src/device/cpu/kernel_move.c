/* kernel_move.c - selecting, moving and hashing values (gathering them: kernel_gather.c). */
#include "base/text/uuid_text.h"
#include "base/type/bitmap_copy.h"
#include "device/cpu/kernel.h"
#include "device/kernels/kernel_ops.h"
#include "device/value/arrow_value.h"

#if defined __AVX2__
#include "device/cpu/bit_places.h"

#include <immintrin.h>
#endif

/* Appends the numbers of the set bits of one word, one after another. Returns how many. */
static inline size_t bits_to_index(uint64_t word, uint32_t first, uint32_t *rows)
{
    size_t count = 0;
    for (; word; word &= word - 1)
        rows[count++] = first + (uint32_t)__builtin_ctzll(word);
    return count;
}

#if defined __AVX512VBMI2__
static const uint8_t bit_numbers[64] = {
    0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21,
    22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43,
    44, 45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63};

/* Appends the numbers of the set bits of one word: of the bytes 0 to 63 those that the word selects, 16 at a time as row
 * numbers. Always stores 16, of more bits whole vectors. Returns how many are set. */
static inline size_t word_to_index(uint64_t word, __m512i numbers, uint32_t first, uint32_t *rows)
{
    __m512i set = _mm512_maskz_compress_epi8(word, numbers);
    __m512i start = _mm512_set1_epi32((int)first);
    size_t count = (size_t)__builtin_popcountll(word);
    _mm512_storeu_si512(rows,
                        _mm512_add_epi32(start, _mm512_cvtepu8_epi32(_mm512_castsi512_si128(set))));
    for (size_t done = 16; __builtin_expect(done < count, false); done += 16) {
        set = _mm512_alignr_epi64(set, set, 2);
        _mm512_storeu_si512(rows + done, _mm512_add_epi32(start, _mm512_cvtepu8_epi32(
                                                                     _mm512_castsi512_si128(set))));
    }
    return count;
}

/* Appends the numbers of eight words of at most one bit each. Returns how many. */
static inline size_t single_bits_to_index(__m512i words, uint32_t first, uint32_t *rows)
{
    const __m512i steps = _mm512_setr_epi64(63, 127, 191, 255, 319, 383, 447, 511);
    __mmask8 filled = _mm512_test_epi64_mask(words, words);
    __m512i bits = _mm512_sub_epi64(steps, _mm512_lzcnt_epi64(words));
    __m512i set = _mm512_maskz_compress_epi64(filled, bits);
    __m256i numbers = _mm256_add_epi32(_mm512_cvtepi64_epi32(set), _mm256_set1_epi32((int)first));
    _mm256_storeu_si256((__m256i_u *)rows, numbers);
    return (size_t)__builtin_popcount(filled);
}

/* Makes the row numbers of whole words, eight at a time. The rows that were looked at make room for whole vectors: no more
 * than as many have been found. Returns how many. */
static size_t words_to_index(const mask_to_index_arguments *a, size_t words)
{
    __m512i numbers = _mm512_loadu_si512(bit_numbers);
    uint32_t *rows = a->rows;
    for (size_t w = 0; w < words; w += 8) {
        uint32_t first = a->first_row + (uint32_t)(w * 64);
        size_t left = words - w < 8 ? words - w : 8;
        __mmask8 part = (__mmask8)((1u << left) - 1);
        __m512i eight = _mm512_maskz_loadu_epi64(part, a->mask + w);
        if (a->validity)
            eight = _mm512_and_si512(eight, _mm512_maskz_loadu_epi64(part, a->validity + w));
        if (!_mm512_test_epi64_mask(eight, eight))
            continue;
        __m512i less = _mm512_sub_epi64(eight, _mm512_set1_epi64(1));
        if (!_mm512_test_epi64_mask(eight, less)) {
            rows += single_bits_to_index(eight, first, rows);
            continue;
        }
        for (size_t i = 0; i < left; i++) {
            uint64_t word = a->mask[w + i] & (a->validity ? a->validity[w + i] : UINT64_MAX);
            rows += word_to_index(word, numbers, first + (uint32_t)(i * 64), rows);
        }
    }
    return (size_t)(rows - a->rows);
}
#define WHOLE_MASK_WORDS(count) ((count) / 64)
#elif defined __AVX2__
/* Bits of a word that take less time one after another. */
#define FEW_BITS 8

/* Makes the row numbers of whole words, eight at a time: the rows that were looked at make room for as many. Returns how many
 * there are. */
static size_t words_to_index(const mask_to_index_arguments *a, size_t words)
{
    uint32_t *rows = a->rows;
    for (size_t w = 0; w < words; w++) {
        uint64_t word = a->mask[w] & (a->validity ? a->validity[w] : UINT64_MAX);
        uint32_t first = a->first_row + (uint32_t)(w * 64);
        if (__builtin_popcountll(word) <= FEW_BITS) {
            rows += bits_to_index(word, first, rows);
            continue;
        }
        for (; word; word >>= 8, first += 8) {
            __m128i places = _mm_loadl_epi64((const __m128i_u *)&bit_places[word & 255]);
            _mm256_storeu_si256((__m256i_u *)rows, _mm256_add_epi32(_mm256_set1_epi32((int)first),
                                                                    _mm256_cvtepu8_epi32(places)));
            rows += __builtin_popcountll(word & 255);
        }
    }
    return (size_t)(rows - a->rows);
}
#define WHOLE_MASK_WORDS(count) ((count) / 64)
#else
#define words_to_index(a, words) ((size_t)0)
#define WHOLE_MASK_WORDS(count) ((size_t)0)
#endif

void ISA_(mask_to_index)(const mask_to_index_arguments *a)
{
    size_t count = kernel_count(a->count), whole = WHOLE_MASK_WORDS(count);
    size_t found = words_to_index(a, whole);
    for (size_t w = whole; w * 64 < count; w++) {
        uint64_t word = a->mask[w] & kernel_word_mask(count, w);
        if (a->validity)
            word &= a->validity[w];
        found += bits_to_index(word, a->first_row + (uint32_t)(w * 64), a->rows + found);
    }
    *a->out_count = found;
}

void ISA_(repeat_rows)(const repeat_rows_arguments *a)
{
    size_t count = kernel_count(a->count), made = 0;
    uint64_t row = a->cursor[0], done = a->cursor[1];
    while (row < count) {
        bool is_valid = kernel_is_valid(a->validity, row) && a->counts[row] > 0;
        uint64_t wanted = is_valid ? (uint64_t)a->counts[row] : 0;
        for (; done < wanted && made < a->room; done++)
            a->out[made++] = (uint32_t)row;
        if (done < wanted)
            break;
        row++;
        done = 0;
    }
    a->cursor[0] = row;
    a->cursor[1] = done;
    a->cursor[2] = made;
}

void ISA_(count_up)(const count_up_arguments *a)
{
    size_t count = kernel_count(a->count);
    for (size_t i = 0; i < count; i++)
        a->out[i] = a->first + (uint32_t)i;
}

void ISA_(index_to_zero)(const index_to_zero_arguments *a)
{
    size_t count = kernel_count(a->count);
    for (size_t i = 0; i < count; i++)
        a->out[i] = a->index[i] == ROW_NULL ? ROW_NULL : 0;
}

/* `count` values of a width from 1 to 16 bytes. */
static void repeat(uint8_t width, const void *source, size_t count, void *out)
{
    uint64_t words[2] = {0, 0};
    memcpy(words, source, width);
    switch (width) {
    case 1:
        memset(out, (int)words[0], count);
        break;
    case 2:
        for (size_t i = 0; i < count; i++)
            ((uint16_t *)out)[i] = (uint16_t)words[0];
        break;
    case 4:
        for (size_t i = 0; i < count; i++)
            ((uint32_t *)out)[i] = (uint32_t)words[0];
        break;
    case 8:
        for (size_t i = 0; i < count; i++)
            ((uint64_t *)out)[i] = words[0];
        break;
    default:
        for (size_t i = 0; i < count; i++)
            memcpy((char *)out + i * 16, words, 16);
    }
}

void ISA_(spread)(const spread_arguments *a)
{
    repeat(a->width, a->source, kernel_count(a->count), a->out);
}

void ISA_(fill)(const fill_arguments *a)
{
    size_t count = kernel_count(a->count);
    uint64_t words[2] = {a->value_low, a->value_high};
    if (a->width) {
        repeat(a->width, words, count, a->out);
        return;
    }
    uint64_t *out = a->out;
    for (size_t w = 0; w * 64 < count; w++)
        out[w] = a->value_low & 1 ? kernel_word_mask(count, w) : 0;
}

/* ---- hashing ---- */

#define NULL_HASH 0x9ae16a3b2f90404full

static inline uint64_t move_hash_bytes(const char *data, size_t bytes)
{
    uint64_t hash = bytes * 0x9e3779b97f4a7c15ull, word;
    for (; bytes >= 8; bytes -= 8, data += 8) {
        memcpy(&word, data, 8);
        hash = (hash ^ kernel_mix(word)) * 0x9fb21c651e98df25ull;
    }
    word = 0;
    memcpy(&word, data, bytes);
    return kernel_mix(hash ^ word);
}

/* 16-byte numbers that fit 8 bytes hash like those. */
static inline uint64_t move_hash_wide(int128 number)
{
    int64_t low = (int64_t)number;
    if (low == number)
        return kernel_mix((uint64_t)low);
    return kernel_mix((uint64_t)low ^ kernel_mix((uint64_t)(number >> 64) + 1));
}

static inline uint64_t move_hash_double(double number)
{
    uint64_t bits;
    if (number == 0)
        number = 0; /* -0 too */
    if (number != number)
        return NULL_HASH + 1;
    memcpy(&bits, &number, sizeof bits);
    return kernel_mix(bits);
}

#define HASH_LOOP(expression)                                                                      \
    do {                                                                                           \
        if (!a->validity && !a->combine) {                                                         \
            for (size_t i = 0; i < count; i++)                                                     \
                out[i] = (expression);                                                             \
        } else {                                                                                   \
            for (size_t i = 0; i < count; i++) {                                                   \
                uint64_t hash = kernel_is_valid(a->validity, i) ? (expression) : NULL_HASH;        \
                out[i] = a->combine ? kernel_mix(out[i] * 0x9e3779b97f4a7c15ull + hash) : hash;    \
            }                                                                                      \
        }                                                                                          \
    } while (0)
#define HASH_INTEGER(ctype)                                                                        \
    do {                                                                                           \
        const ctype *values = a->values;                                                           \
        HASH_LOOP(kernel_mix((uint64_t)(int64_t)values[i]));                                       \
    } while (0)

void ISA_(hash_values)(const hash_values_arguments *a)
{
    size_t count = kernel_count(a->count);
    uint64_t *out = a->out;
    switch (a->type.id) {
    case TYPE_NULL:
        HASH_LOOP(NULL_HASH);
        break;
    case TYPE_BOOL: {
        const uint64_t *bits = a->values;
        HASH_LOOP(kernel_mix(kernel_bit(bits, i)));
        break;
    }
    case TYPE_INT8:
        HASH_INTEGER(int8_t);
        break;
    case TYPE_UINT8:
        HASH_INTEGER(uint8_t);
        break;
    case TYPE_INT16:
        HASH_INTEGER(int16_t);
        break;
    case TYPE_UINT16:
        HASH_INTEGER(uint16_t);
        break;
    case TYPE_UINT32:
        HASH_INTEGER(uint32_t);
        break;
    case TYPE_INT32:
    case TYPE_DATE:
        HASH_INTEGER(int32_t);
        break;
    case TYPE_FLOAT: {
        const float *values = a->values;
        HASH_LOOP(move_hash_double((double)values[i]));
        break;
    }
    case TYPE_DOUBLE: {
        const double *values = a->values;
        HASH_LOOP(move_hash_double(values[i]));
        break;
    }
    case TYPE_VARCHAR:
    case TYPE_BLOB: {
        const string_view *values = a->values;
        HASH_LOOP(move_hash_bytes(kernel_string_data(&values[i]), values[i].bytes));
        break;
    }
    case TYPE_INTERVAL: {
        const interval_value *values = a->values;
        HASH_LOOP(move_hash_wide(((int128)values[i].months * 30 + values[i].days) * 86400000000 +
                                 values[i].microseconds));
        break;
    }
    default:
        if (a->type.width == 16) {
            const int128 *values = a->values;
            HASH_LOOP(move_hash_wide(values[i]));
        } else {
            HASH_INTEGER(int64_t);
        }
    }
}

/* ---- strings ---- */

void ISA_(string_bytes)(const string_bytes_arguments *a)
{
    size_t count = kernel_count(a->count);
    uint64_t total = 0;
    for (size_t i = 0; i < count; i++)
        if (a->values[i].bytes > STRING_INLINE_BYTES && kernel_is_valid(a->validity, i))
            total += a->values[i].bytes;
    *a->out_total += total;
}

void ISA_(count_bits)(const count_bits_arguments *a)
{
    uint64_t total = 0;
    for (uint64_t w = 0; w < a->word_count; w++)
        total += (uint64_t)__builtin_popcountll(a->bits[w]);
    *a->out_total += total;
}

void ISA_(string_copy)(const string_copy_arguments *a)
{
    size_t count = kernel_count(a->count);
    uint64_t used = *a->heap_used;
    for (size_t i = 0; i < count; i++) {
        string_view view = a->values[i];
        if (!kernel_is_valid(a->validity, i)) {
            memset(&view, 0, sizeof view);
        } else if (view.bytes > STRING_INLINE_BYTES) {
            memcpy(a->heap + used, kernel_string_data(&view), view.bytes);
            view.data = a->heap + used - KERNEL_STRING_OFFSET;
            used += view.bytes;
        }
        a->out[i] = view;
    }
    *a->heap_used = used;
}

void ISA_(string_point)(const string_point_arguments *a)
{
    size_t count = kernel_count(a->count);
    for (size_t i = 0; i < count; i++) {
        string_view view = a->values[i];
        if (view.bytes > STRING_INLINE_BYTES)
            view.data = a->heap - KERNEL_STRING_OFFSET + ((uint64_t)(uintptr_t)view.data - a->from);
        a->out[i] = view;
    }
}

void ISA_(string_offsets)(const string_offsets_arguments *a)
{
    size_t count = kernel_count(a->count);
    int64_t at = 0;
    for (size_t i = 0; i < count; i++) {
        a->out[i] = at;
        at += kernel_is_valid(a->validity, i) ? a->values[i].bytes : 0;
    }
    a->out[count] = at;
}

void ISA_(string_place)(const string_place_arguments *a)
{
    size_t count = kernel_count(a->count);
    for (size_t i = 0; i < count; i++)
        if (kernel_is_valid(a->validity, i))
            memcpy(a->out + a->offsets[i], kernel_string_data(&a->values[i]), a->values[i].bytes);
}

static void make_arrow_intervals(const arrow_values_arguments *a, size_t count)
{
    const interval_value *intervals = a->values;
    arrow_interval *out = a->out;
    for (size_t i = 0; i < count; i++) {
        out[i] = (arrow_interval){0};
        if (kernel_is_valid(a->validity, i) && !arrow_interval_make(intervals[i], &out[i]))
            kernel_fail(a->error, DEV_ERROR_NANOSECONDS, a->location, i);
    }
}

static void make_arrow_uuids(const arrow_values_arguments *a, size_t count)
{
    const int128 *uuids = a->values;
    uint8_t *out = a->out;
    for (size_t i = 0; i < count; i++, out += UUID_BYTES)
        if (kernel_is_valid(a->validity, i))
            uuid_to_bytes(uuids[i], out);
        else
            memset(out, 0, UUID_BYTES);
}

void ISA_(arrow_values)(const arrow_values_arguments *a)
{
    size_t count = kernel_count(a->count);
    if (a->type.id == TYPE_INTERVAL)
        make_arrow_intervals(a, count);
    else
        make_arrow_uuids(a, count);
}

void ISA_(copy_bits)(const copy_bits_arguments *a)
{
    bitmap_copy(a->target, a->target_at, a->source, a->source_at, kernel_count(a->count));
}

#if defined __AVX512DQ__
#define HAS_RANK_VECTORS 1
/* Each vector of rows is gone through once for each rank. */
#define VECTOR_RANKS 8
/* dev_rank_of's. */
#define RANK_FACTOR UINT64_C(0x9e3779b97f4a7c15)

static inline __m256i eight_ranks(const uint64_t *hashes, unsigned ranks)
{
    __m512i factor = _mm512_set1_epi64((int64_t)RANK_FACTOR);
    __m512i mixed = _mm512_mullo_epi64(_mm512_loadu_si512(hashes), factor);
    __m512i high = _mm512_srli_epi64(mixed, 32);
    return _mm512_cvtepi64_epi32(
        _mm512_srli_epi64(_mm512_mul_epu32(high, _mm512_set1_epi64(ranks)), 32));
}

/* The ranks of 16 hashes. */
static inline __m512i vector_ranks(const uint64_t *hashes, unsigned ranks)
{
    return _mm512_inserti64x4(_mm512_castsi256_si512(eight_ranks(hashes, ranks)),
                              eight_ranks(hashes + 8, ranks), 1);
}

/* Counts whole vectors of rows, each rank's one place further. */
static inline size_t count_vectors(const ranks_partition_arguments *a, size_t count)
{
    size_t i = 0;
    for (; i + 16 <= count; i += 16) {
        __m512i of = vector_ranks(a->hashes + i, a->ranks);
        for (unsigned r = 0; r < a->ranks; r++)
            a->offsets[r + 1] += (unsigned)__builtin_popcount(
                _mm512_cmpeq_epi32_mask(of, _mm512_set1_epi32((int)r)));
    }
    return i;
}

/* Puts their numbers where each rank's next one belongs. */
static inline size_t put_vectors(const ranks_partition_arguments *a, size_t count)
{
    size_t i = 0;
    __m512i numbers = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    for (; i + 16 <= count; i += 16) {
        __m512i of = vector_ranks(a->hashes + i, a->ranks);
        for (unsigned r = 0; r < a->ranks; r++) {
            __mmask16 mine = _mm512_cmpeq_epi32_mask(of, _mm512_set1_epi32((int)r));
            unsigned rows = (unsigned)__builtin_popcount(mine);
            _mm512_mask_storeu_epi32(a->out + a->offsets[r], (__mmask16)((1u << rows) - 1),
                                     _mm512_maskz_compress_epi32(mine, numbers));
            a->offsets[r] += rows;
        }
        numbers = _mm512_add_epi32(numbers, _mm512_set1_epi32(16));
    }
    return i;
}
#else
#define HAS_RANK_VECTORS 0
#endif

void ISA_(ranks_partition)(const ranks_partition_arguments *a)
{
    size_t count = kernel_count(a->count), ranks = a->ranks, counted = 0, put = 0;
    uint32_t *offsets = a->offsets;
    memset(offsets, 0, (ranks + 1) * sizeof *offsets);
#if HAS_RANK_VECTORS
    if (ranks <= VECTOR_RANKS)
        counted = count_vectors(a, count);
#endif
    for (size_t i = counted; i < count; i++)
        offsets[dev_rank_of(a->hashes[i], a->ranks) + 1]++;
    for (size_t r = 0; r < ranks; r++)
        offsets[r + 1] += offsets[r];
#if HAS_RANK_VECTORS
    if (ranks <= VECTOR_RANKS)
        put = put_vectors(a, count);
#endif
    for (size_t i = put; i < count; i++)
        a->out[offsets[dev_rank_of(a->hashes[i], a->ranks)]++] = (uint32_t)i;
    /* Each offset has moved on to the next rank's. */
    memmove(offsets + 1, offsets, ranks * sizeof *offsets);
    offsets[0] = 0;
}
