/* kernel_group_codes.c - group numbers by position: codes of small domains, and back. */
#include "device/cpu/kernel_window.h"

/* Code 0 is NULL's; one that is not below the radix is a violation. */
#define CODES(code_expression)                                                                     \
    do {                                                                                           \
        for (size_t i = 0; i < count; i++) {                                                       \
            uint64_t code = (code_expression);                                                     \
            bool is_bad = code >= a->radix;                                                        \
            bad += is_bad;                                                                         \
            uint32_t digits = (is_bad ? 0 : (uint32_t)code) * a->digit;                            \
            a->out[i] = a->combine ? a->out[i] + digits : digits;                                  \
        }                                                                                          \
    } while (0)

/* Wraps where a value lies below the minimum: large, so a violation; 0 is left to NULL. */
static inline uint64_t code_of(uint64_t value, uint64_t minimum)
{
    uint64_t code = value - minimum;
    return code == UINT64_MAX ? code : code + 1;
}

#define NUMBER(ctype)                                                                              \
    do {                                                                                           \
        const ctype *values = a->values;                                                           \
        if (!a->validity)                                                                          \
            CODES(code_of((uint64_t)(int64_t)values[i], minimum));                                 \
        else                                                                                       \
            CODES(kernel_bit(a->validity, i) ? code_of((uint64_t)(int64_t)values[i], minimum)      \
                                             : 0);                                                 \
    } while (0)

void ISA_(codes_number)(const codes_number_arguments *a)
{
    size_t count = kernel_count(a->count);
    uint64_t bad = 0, minimum = (uint64_t)a->minimum;
    switch (a->type.id) {
    case TYPE_BOOL: {
        const uint64_t *bits = a->values;
        CODES(kernel_is_valid(a->validity, i) ? code_of(kernel_bit(bits, i), minimum) : 0);
        break;
    }
    case TYPE_INT8:
        NUMBER(int8_t);
        break;
    case TYPE_UINT8:
        NUMBER(uint8_t);
        break;
    case TYPE_INT16:
        NUMBER(int16_t);
        break;
    case TYPE_UINT16:
        NUMBER(uint16_t);
        break;
    case TYPE_UINT32:
        NUMBER(uint32_t);
        break;
    case TYPE_INT32:
    case TYPE_DATE:
        NUMBER(int32_t);
        break;
    default:
        NUMBER(int64_t);
    }
    *a->violations += bad;
}

#if defined __AVX512F__
/* The ids of a short dictionary become codes in registers, which rows look up; returns how many
 * rows were. */
static size_t codes_by_vectors(const codes_index_arguments *a, size_t count)
{
    if (!a->index || !a->id_count || a->id_count > 32)
        return 0;
    __m512i one = _mm512_set1_epi32(1), digit = _mm512_set1_epi32((int)a->digit);
    window codes = load_window_4(a->ids, a->id_count);
    codes.low = _mm512_mullo_epi32(_mm512_add_epi32(codes.low, one), digit);
    codes.high = _mm512_mullo_epi32(_mm512_add_epi32(codes.high, one), digit);
    size_t i = 0;
    for (; i + 16 <= count; i += 16) {
        __m512i rows = _mm512_loadu_si512(a->index + i);
        __mmask16 known = _mm512_cmpneq_epi32_mask(rows, _mm512_set1_epi32((int)ROW_NULL));
        __m512i digits = _mm512_maskz_mov_epi32(known, look_up_4(codes, rows));
        if (a->combine)
            digits = _mm512_add_epi32(digits, _mm512_loadu_si512(a->out + i));
        _mm512_storeu_si512(a->out + i, digits);
    }
    return i;
}
#endif

static void check_ids(const codes_index_arguments *a, size_t count)
{
    size_t ids = a->index ? a->id_count : count;
    uint64_t bad = 0;
    for (size_t i = 0; i < ids; i++)
        bad += a->ids[i] != ROW_NULL && a->ids[i] + 1 >= a->radix;
    *a->violations += bad;
}

void ISA_(codes_index)(const codes_index_arguments *a)
{
    size_t count = kernel_count(a->count), i = 0;
    const uint32_t *ids = a->ids, *index = a->index;
    uint32_t digit = a->digit, *out = a->out;
    bool combine = a->combine;
    if (a->violations)
        check_ids(a, count);
#if defined __AVX512F__
    i = codes_by_vectors(a, count);
#endif
    if (!index) {
        for (; i < count; i++)
            out[i] = (combine ? out[i] : 0) + (ids[i] + 1) * digit;
        return;
    }
    for (; i < count; i++)
        out[i] = (combine ? out[i] : 0) + (index[i] == ROW_NULL ? 0 : (ids[index[i]] + 1) * digit);
}

/* ---- back ---- */

static inline uint32_t digit_at(const uint32_t *codes, uint32_t first, uint32_t digit,
                                uint32_t radix, size_t i)
{
    return (codes ? codes[i] : first + (uint32_t)i) / digit % radix;
}

#define VALUES(ctype)                                                                              \
    do {                                                                                           \
        ctype *out = a->out;                                                                       \
        for (size_t i = 0; i < count; i++) {                                                       \
            uint32_t code = digit_at(a->codes, a->first, a->digit, a->radix, i);                   \
            out[i] = (ctype)(code ? minimum + code - 1 : 0);                                       \
        }                                                                                          \
    } while (0)

void ISA_(codes_to_number)(const codes_to_number_arguments *a)
{
    size_t count = kernel_count(a->count);
    uint64_t minimum = (uint64_t)a->minimum;
    for (size_t w = 0; w * 64 < count; w++) {
        uint64_t valid = 0, bits = 0;
        for (size_t i = w * 64; i < count && i < w * 64 + 64; i++) {
            uint32_t code = digit_at(a->codes, a->first, a->digit, a->radix, i);
            valid |= (uint64_t)(code != 0) << (i % 64);
            bits |= (uint64_t)(code && ((minimum + code - 1) & 1)) << (i % 64);
        }
        a->out_validity[w] = valid;
        if (a->type.id == TYPE_BOOL)
            ((uint64_t *)a->out)[w] = bits;
    }
    switch (a->type.width) {
    case 1:
        VALUES(uint8_t);
        break;
    case 2:
        VALUES(uint16_t);
        break;
    case 4:
        VALUES(uint32_t);
        break;
    case 8:
        VALUES(uint64_t);
        break;
    default:
        break;
    }
}

void ISA_(codes_to_index)(const codes_to_index_arguments *a)
{
    size_t count = kernel_count(a->count);
    for (size_t i = 0; i < count; i++) {
        uint32_t code = digit_at(a->codes, a->first, a->digit, a->radix, i);
        a->out[i] = code ? code - 1 : ROW_NULL;
    }
}

void ISA_(codes_shift)(const codes_shift_arguments *a)
{
    size_t count = kernel_count(a->count);
    for (size_t i = 0; i < count; i++)
        a->out[i] = a->codes[i] + a->shift;
}

void ISA_(codes_present)(const codes_present_arguments *a)
{
    size_t count = kernel_count(a->count), i = 0;
    uint64_t present = 0;
#if defined __AVX512F__
    __m512i one = _mm512_set1_epi64(1), all = _mm512_setzero_si512();
    for (; i + 8 <= count; i += 8) {
        __m256i groups = _mm256_loadu_si256((const __m256i *)(a->groups + i));
        all = _mm512_or_si512(all, _mm512_sllv_epi64(one, _mm512_cvtepu32_epi64(groups)));
    }
    present = (uint64_t)_mm512_reduce_or_epi64(all);
#endif
    for (; i < count; i++)
        present |= (uint64_t)1 << (a->groups[i] & 63);
    *a->out = present;
}
