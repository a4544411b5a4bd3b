/* kernel_narrow_select.c - values of 1, 2 and 4 bytes whose bit is set, in full width: all are read, one after another, which
 * takes less time than to go to each where many are selected. */
#include "device/cpu/kernel.h"

#if defined __AVX512VBMI2__
#include <immintrin.h>

/* Values of one word that fit a short store: a whole vector's mostly crosses from one cache line into the next. */
#define FEW_OF(to) (sizeof(__m128i) / sizeof(to))

/* Takes the values of whole words as long as there is room for the vectors that are stored. `lanes` values are compressed at
 * once, `step` of them widened and stored, and the next ones turned to the front by `turn` words of 8 bytes. Returns the words
 * that were taken. */
#define SELECT(from, to, lanes, from_mask, compress, step, widen, add, set1, turn)                 \
    static size_t select_words_##from##_##to(const from *values, const uint64_t *mask,             \
                                             size_t words, to **out, const to *end, to origin)     \
    {                                                                                              \
        __m512i start = set1(origin);                                                              \
        to *at = *out;                                                                             \
        size_t w = 0;                                                                              \
        for (; w < words; w++) {                                                                   \
            size_t all = (size_t)__builtin_popcountll(mask[w]), room = (size_t)(end - at);         \
            if (room < 64 && (all > FEW_OF(to) || room < all + FEW_OF(to)))                        \
                break;                                                                             \
            for (size_t part = 0; part < 64; part += (lanes)) {                                    \
                from_mask bits = (from_mask)(mask[w] >> part);                                     \
                size_t count = (size_t)__builtin_popcountll(bits);                                 \
                __m512i some = compress(bits, _mm512_loadu_si512(values + w * 64 + part));         \
                __m512i wide = add(start, widen(some));                                            \
                if (count <= FEW_OF(to))                                                           \
                    _mm_storeu_si128((__m128i_u *)at, _mm512_castsi512_si128(wide));               \
                else                                                                               \
                    _mm512_storeu_si512(at, wide);                                                 \
                for (size_t done = (step); done < count; done += (step)) {                         \
                    some = _mm512_alignr_epi64(some, some, turn);                                  \
                    _mm512_storeu_si512(at + done, add(start, widen(some)));                       \
                }                                                                                  \
                at += count;                                                                       \
            }                                                                                      \
        }                                                                                          \
        *out = at;                                                                                 \
        return w;                                                                                  \
    }
#define SET1_8(x) _mm512_set1_epi8((char)(x))
#define SET1_16(x) _mm512_set1_epi16((short)(x))
#define SET1_32(x) _mm512_set1_epi32((int)(x))
#define SET1_64(x) _mm512_set1_epi64((long long)(x))
#define SAME(x) (x)
#define BYTES_16(x) _mm512_cvtepu8_epi16(_mm512_castsi512_si256(x))
#define BYTES_32(x) _mm512_cvtepu8_epi32(_mm512_castsi512_si128(x))
#define BYTES_64(x) _mm512_cvtepu8_epi64(_mm512_castsi512_si128(x))
#define SHORTS_32(x) _mm512_cvtepu16_epi32(_mm512_castsi512_si256(x))
#define SHORTS_64(x) _mm512_cvtepu16_epi64(_mm512_castsi512_si128(x))
#define WORDS_64(x) _mm512_cvtepu32_epi64(_mm512_castsi512_si256(x))
#define FROM_8(to, ...) SELECT(uint8_t, to, 64, __mmask64, _mm512_maskz_compress_epi8, __VA_ARGS__)
#define FROM_16(to, ...)                                                                           \
    SELECT(uint16_t, to, 32, __mmask32, _mm512_maskz_compress_epi16, __VA_ARGS__)
#define FROM_32(to, ...)                                                                           \
    SELECT(uint32_t, to, 16, __mmask16, _mm512_maskz_compress_epi32, __VA_ARGS__)
#define TO_8 _mm512_add_epi8, SET1_8
#define TO_16 _mm512_add_epi16, SET1_16
#define TO_32 _mm512_add_epi32, SET1_32
#define TO_64 _mm512_add_epi64, SET1_64
FROM_8(uint8_t, 64, SAME, TO_8, 0)
FROM_8(uint16_t, 32, BYTES_16, TO_16, 4)
FROM_8(uint32_t, 16, BYTES_32, TO_32, 2)
FROM_8(uint64_t, 8, BYTES_64, TO_64, 1)
FROM_16(uint16_t, 32, SAME, TO_16, 0)
FROM_16(uint32_t, 16, SHORTS_32, TO_32, 4)
FROM_16(uint64_t, 8, SHORTS_64, TO_64, 2)
FROM_32(uint32_t, 16, SAME, TO_32, 0)
FROM_32(uint64_t, 8, WORDS_64, TO_64, 4)
#define SELECT_WORDS(from, to, ...) select_words_##from##_##to(__VA_ARGS__)
#define SELECT_COUNT(a, count) ((count) / 64)
#elif defined __AVX2__
#include <immintrin.h>

#include "device/cpu/bit_places.h"

/* Takes the values of whole words as long as there is room for the eight that are stored at a time: `compress` puts those of
 * eight values whose bit of `bits` is set in front, `widen` adds the origin and stores all. Returns the words that were taken. */
#define SELECT(from, to, compress, widen)                                                          \
    static size_t select_words_##from##_##to(const from *values, const uint64_t *mask,             \
                                             size_t words, to **out, const to *end, to origin)     \
    {                                                                                              \
        to *at = *out;                                                                             \
        size_t w = 0;                                                                              \
        for (; w < words; w++) {                                                                   \
            uint64_t word = mask[w];                                                               \
            if (!word)                                                                             \
                continue;                                                                          \
            if ((size_t)(end - at) < (size_t)__builtin_popcountll(word) + 8)                       \
                break;                                                                             \
            for (const from *from_eight = values + w * 64, *behind = from_eight + 64;              \
                 from_eight < behind; from_eight += 8, word >>= 8) {                               \
                widen(at, compress(from_eight, word & 255), origin);                               \
                at += __builtin_popcountll(word & 255);                                            \
            }                                                                                      \
        }                                                                                          \
        *out = at;                                                                                 \
        return w;                                                                                  \
    }

static inline __m128i places_of(uint64_t bits)
{
    return _mm_loadl_epi64((const __m128i_u *)&bit_places[bits]);
}

static inline __m128i compress_8(const uint8_t *values, uint64_t bits)
{
    return _mm_shuffle_epi8(_mm_loadl_epi64((const __m128i_u *)values), places_of(bits));
}

/* Two bytes for each place. */
static inline __m128i compress_16(const uint16_t *values, uint64_t bits)
{
    __m128i places = _mm_cvtepu8_epi16(places_of(bits));
    __m128i bytes =
        _mm_add_epi16(_mm_mullo_epi16(places, _mm_set1_epi16(0x202)), _mm_set1_epi16(0x100));
    return _mm_shuffle_epi8(_mm_loadu_si128((const __m128i_u *)values), bytes);
}

static inline __m256i compress_32(const uint32_t *values, uint64_t bits)
{
    return _mm256_permutevar8x32_epi32(_mm256_loadu_si256((const __m256i_u *)values),
                                       _mm256_cvtepu8_epi32(places_of(bits)));
}

static inline void store_wide(void *out, __m256i values)
{
    _mm256_storeu_si256(out, values);
}

static inline void bytes_to_8(uint8_t *out, __m128i v, uint8_t origin)
{
    _mm_storel_epi64((__m128i_u *)out, _mm_add_epi8(v, _mm_set1_epi8((char)origin)));
}

static inline void bytes_to_16(uint16_t *out, __m128i v, uint16_t origin)
{
    _mm_storeu_si128((__m128i_u *)out,
                     _mm_add_epi16(_mm_cvtepu8_epi16(v), _mm_set1_epi16((short)origin)));
}

static inline void bytes_to_32(uint32_t *out, __m128i v, uint32_t origin)
{
    store_wide(out, _mm256_add_epi32(_mm256_cvtepu8_epi32(v), _mm256_set1_epi32((int)origin)));
}

static inline void bytes_to_64(uint64_t *out, __m128i v, uint64_t origin)
{
    __m256i start = _mm256_set1_epi64x((long long)origin);
    store_wide(out, _mm256_add_epi64(_mm256_cvtepu8_epi64(v), start));
    store_wide(out + 4, _mm256_add_epi64(_mm256_cvtepu8_epi64(_mm_srli_si128(v, 4)), start));
}

static inline void shorts_to_16(uint16_t *out, __m128i v, uint16_t origin)
{
    _mm_storeu_si128((__m128i_u *)out, _mm_add_epi16(v, _mm_set1_epi16((short)origin)));
}

static inline void shorts_to_32(uint32_t *out, __m128i v, uint32_t origin)
{
    store_wide(out, _mm256_add_epi32(_mm256_cvtepu16_epi32(v), _mm256_set1_epi32((int)origin)));
}

static inline void shorts_to_64(uint64_t *out, __m128i v, uint64_t origin)
{
    __m256i start = _mm256_set1_epi64x((long long)origin);
    store_wide(out, _mm256_add_epi64(_mm256_cvtepu16_epi64(v), start));
    store_wide(out + 4, _mm256_add_epi64(_mm256_cvtepu16_epi64(_mm_srli_si128(v, 8)), start));
}

static inline void words_to_32(uint32_t *out, __m256i v, uint32_t origin)
{
    store_wide(out, _mm256_add_epi32(v, _mm256_set1_epi32((int)origin)));
}

static inline void words_to_64(uint64_t *out, __m256i v, uint64_t origin)
{
    __m256i start = _mm256_set1_epi64x((long long)origin);
    store_wide(out, _mm256_add_epi64(_mm256_cvtepu32_epi64(_mm256_castsi256_si128(v)), start));
    store_wide(out + 4,
               _mm256_add_epi64(_mm256_cvtepu32_epi64(_mm256_extracti128_si256(v, 1)), start));
}
SELECT(uint8_t, uint16_t, compress_8, bytes_to_16)
SELECT(uint8_t, uint32_t, compress_8, bytes_to_32)
SELECT(uint8_t, uint64_t, compress_8, bytes_to_64)
SELECT(uint16_t, uint16_t, compress_16, shorts_to_16)
SELECT(uint16_t, uint32_t, compress_16, shorts_to_32)
SELECT(uint16_t, uint64_t, compress_16, shorts_to_64)
SELECT(uint32_t, uint32_t, compress_32, words_to_32)
SELECT(uint32_t, uint64_t, compress_32, words_to_64)
SELECT(uint8_t, uint8_t, compress_8, bytes_to_8)
#define SELECT_WORDS(from, to, ...) select_words_##from##_##to(__VA_ARGS__)
/* Rows, of which fewer than one in so many are selected, whose bits are looked for one after another. */
#define SELECT_FEWEST 12
#define SELECT_COUNT(a, count) ((a)->selected * SELECT_FEWEST < (count) ? 0 : (count) / 64)
#else
#define SELECT_WORDS(from, to, ...) ((size_t)0)
#endif

#define SELECT_ALL(from, to)                                                                       \
    static void select_##from##_##to(const widen_selected_arguments *a)                            \
    {                                                                                              \
        size_t count = kernel_count(a->count);                                                     \
        const from *values = a->values;                                                            \
        to origin = (to)a->origin, *out = a->out;                                                  \
        size_t w = SELECT_WORDS(from, to, values, a->mask, SELECT_COUNT(a, count), &out,           \
                                (const to *)a->out + a->selected, origin);                         \
        for (; w * 64 < count; w++)                                                                \
            for (uint64_t word = a->mask[w] & kernel_word_mask(count, w); word; word &= word - 1)  \
                *out++ = (to)(origin + values[w * 64 + (size_t)__builtin_ctzll(word)]);            \
    }
SELECT_ALL(uint8_t, uint8_t)
SELECT_ALL(uint8_t, uint16_t)
SELECT_ALL(uint8_t, uint32_t)
SELECT_ALL(uint8_t, uint64_t)
SELECT_ALL(uint16_t, uint16_t)
SELECT_ALL(uint16_t, uint32_t)
SELECT_ALL(uint16_t, uint64_t)
SELECT_ALL(uint32_t, uint32_t)
SELECT_ALL(uint32_t, uint64_t)

/* Two widths in one number. */
#define PAIR(narrow, wide) ((narrow) << 4 | (wide))
void ISA_(widen_selected)(const widen_selected_arguments *a)
{
    switch (PAIR(a->width, a->out_width)) {
    case PAIR(1, 1):
        return select_uint8_t_uint8_t(a);
    case PAIR(1, 2):
        return select_uint8_t_uint16_t(a);
    case PAIR(1, 4):
        return select_uint8_t_uint32_t(a);
    case PAIR(1, 8):
        return select_uint8_t_uint64_t(a);
    case PAIR(2, 2):
        return select_uint16_t_uint16_t(a);
    case PAIR(2, 4):
        return select_uint16_t_uint32_t(a);
    case PAIR(2, 8):
        return select_uint16_t_uint64_t(a);
    case PAIR(4, 4):
        return select_uint32_t_uint32_t(a);
    default:
        return select_uint32_t_uint64_t(a);
    }
}
