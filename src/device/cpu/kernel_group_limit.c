/* kernel_group_limit.c - the first rows of groups in an order. */
#include "device/cpu/kernel_text.h"

/* ---- values as numbers in their order ---- */

#define CODE_BITS 63
#define CODE_GREATEST (((uint64_t)1 << CODE_BITS) - 1)
#define CODE_NULL_LAST ((uint64_t)1 << CODE_BITS)
#define CODE_HALF ((int128)1 << (CODE_BITS - 1))

/* Returns the code of a number; one that lies outside of 63 bits is taken for the nearest that does not. */
static inline uint64_t code_of_integer(int128 number)
{
    if (number < -CODE_HALF)
        return 0;
    return number >= CODE_HALF ? CODE_GREATEST : (uint64_t)(number + CODE_HALF);
}

/* Negative ones turned round; NaN above all, -0 as 0. The last bit is lost. */
static inline uint64_t code_of_double(double number)
{
    uint64_t bits;
    if (number != number)
        return CODE_GREATEST - 1; /* turned round it is not yet that of a NULL */
    number += 0.0;
    memcpy(&bits, &number, sizeof bits);
    bits = bits >> 63 ? ~bits : bits | (uint64_t)1 << 63;
    return bits >> 1;
}

/* Its first bytes. */
static inline uint64_t code_of_text(const string_view *text)
{
    uint64_t bytes = 0;
    memcpy(&bytes, kernel_string_data(text), text->bytes < 8 ? text->bytes : 8);
    return __builtin_bswap64(bytes) >> 1;
}

static inline int128 group_limit_interval_weight(const interval_value *v)
{
    return ((int128)v->months * 30 + v->days) * 86400000000 + v->microseconds;
}

static void group_limit_settle(const order_codes_arguments *a, size_t count)
{
    for (size_t i = 0; a->is_descending && i < count; i++)
        a->out[i] = CODE_GREATEST - a->out[i];
    for (size_t i = 0; a->validity && i < count; i++)
        if (!kernel_bit(a->validity, i))
            a->out[i] = a->nulls_first ? 0 : CODE_NULL_LAST;
}

#define CODES(ctype, code)                                                                         \
    do {                                                                                           \
        const ctype *values = a->values;                                                           \
        for (size_t i = 0; i < count; i++)                                                         \
            a->out[i] = code;                                                                      \
    } while (0)
#define INTEGERS(ctype) CODES(ctype, code_of_integer(values[i]))

void ISA_(order_codes)(const order_codes_arguments *a)
{
    size_t count = kernel_count(a->count);
    bool is_signed = type_is_signed(a->type) || !type_is_integer(a->type);
    if (a->type.id == TYPE_BOOL)
        CODES(uint64_t, kernel_bit(values, i) + UINT64_C(1)); /* 0 is a NULL's */
    else if (a->type.id == TYPE_FLOAT)
        CODES(float, code_of_double((double)values[i]));
    else if (a->type.id == TYPE_DOUBLE)
        CODES(double, code_of_double(values[i]));
    else if (a->type.id == TYPE_INTERVAL)
        CODES(interval_value, code_of_integer(group_limit_interval_weight(&values[i])));
    else if (type_is_text(a->type))
        CODES(string_view, code_of_text(&values[i]));
    else if (a->type.width == 16)
        INTEGERS(int128);
    else if (a->type.width == 8 && is_signed)
        INTEGERS(int64_t);
    else if (a->type.width == 8)
        INTEGERS(uint64_t);
    else if (a->type.width == 4 && is_signed)
        INTEGERS(int32_t);
    else if (a->type.width == 4)
        INTEGERS(uint32_t);
    else if (a->type.width == 2 && is_signed)
        INTEGERS(int16_t);
    else if (a->type.width == 2)
        INTEGERS(uint16_t);
    else if (is_signed)
        INTEGERS(int8_t);
    else
        INTEGERS(uint8_t);
    group_limit_settle(a, count);
}

/* ---- the lowest codes of each group ---- */

#define AHEAD 16

/* Puts it among those before it. The last one is no more. */
static inline void group_limit_insert(uint64_t *first, uint32_t limit, uint64_t code)
{
    uint32_t at = limit - 1;
    for (; at && first[at - 1] > code; at--)
        first[at] = first[at - 1];
    first[at] = code;
}

void ISA_(groups_limit)(const groups_limit_arguments *a)
{
    size_t count = kernel_count(a->count);
    uint32_t limit = a->limit;
    for (size_t w = 0; w * 64 < count; w++) {
        uint64_t bits = 0;
        for (size_t i = w * 64; i < count && i < w * 64 + 64; i++) {
            uint64_t *first = a->first + (size_t)a->groups[i] * limit, code = a->codes[i];
            if (i + AHEAD < count)
                __builtin_prefetch(a->first + (size_t)a->groups[i + AHEAD] * limit, 1);
            bool is_lower = code < first[limit - 1];
            if (is_lower)
                group_limit_insert(first, limit, code);
            bits |= (uint64_t)(is_lower || (!a->drops_ties && code == first[limit - 1]))
                    << (i % 64);
        }
        a->out[w] = bits;
    }
}
