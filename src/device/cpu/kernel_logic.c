/* kernel_logic.c - three-valued logic on bitmaps, and choosing between columns by one. */
#include "device/cpu/kernel.h"
#include "device/kernels/kernel_ops.h"

/* Word w of an operand; a constant's first bit fills it. */
static inline uint64_t operand_word(const uint64_t *bits, uint8_t stride, size_t w)
{
    if (!bits)
        return ~(uint64_t)0;
    return stride ? bits[w] : -(bits[0] & 1);
}

#define EACH_WORD(expression)                                                                      \
    for (size_t w = 0; w * 64 < count; w++) {                                                      \
        uint64_t x = operand_word(a->left, a->left_stride, w);                                     \
        uint64_t x_valid = operand_word(a->left_validity, a->left_stride, w);                      \
        uint64_t y = operand_word(a->right, a->right_stride, w);                                   \
        uint64_t y_valid = operand_word(a->right_validity, a->right_stride, w);                    \
        (void)x, (void)x_valid, (void)y, (void)y_valid;                                            \
        a->out[w] = (expression)&kernel_word_mask(count, w);                                       \
    }

/* AND is NULL unless both are known or one is false; OR likewise with true. */
static void and_or(const logic_arguments *a, size_t count)
{
    uint64_t flip = a->op == DEV_LOGIC_OR ? ~(uint64_t)0 : 0; /* OR is AND of the negations */
    for (size_t w = 0; w * 64 < count; w++) {
        uint64_t mask = kernel_word_mask(count, w);
        uint64_t x = operand_word(a->left, a->left_stride, w) ^ flip;
        uint64_t x_valid = operand_word(a->left_validity, a->left_stride, w);
        uint64_t y = operand_word(a->right, a->right_stride, w) ^ flip;
        uint64_t y_valid = operand_word(a->right_validity, a->right_stride, w);
        uint64_t is_false = (x_valid & ~x) | (y_valid & ~y);
        a->out[w] = (~is_false ^ flip) & mask;
        if (a->out_validity)
            a->out_validity[w] = (is_false | (x_valid & y_valid)) & mask;
    }
}

/* ANDs two bitmaps of a row each, not constants, whole vectors at a time. */
static void and_validities(const logic_arguments *a, size_t count)
{
    const uint64_t *left = a->left_validity, *right = a->right_validity;
    size_t words = (count + 63) / 64;
    if (!left || !right || !a->left_stride || !a->right_stride || !words) {
        EACH_WORD(x_valid & y_valid)
        return;
    }
    for (size_t w = 0; w < words; w++)
        a->out[w] = left[w] & right[w];
    a->out[words - 1] &= kernel_word_mask(count, words - 1);
}

void ISA_(logic)(const logic_arguments *a)
{
    size_t count = kernel_count(a->count);
    switch ((dev_logic_op)a->op) {
    case DEV_LOGIC_AND:
    case DEV_LOGIC_OR:
        and_or(a, count);
        break;
    case DEV_LOGIC_NOT:
        EACH_WORD(~x)
        break;
    case DEV_LOGIC_IS_TRUE:
        EACH_WORD(x & x_valid)
        break;
    case DEV_LOGIC_IS_FALSE:
        EACH_WORD(~x & x_valid)
        break;
    case DEV_LOGIC_IS_NULL:
        EACH_WORD(~x_valid)
        break;
    case DEV_LOGIC_IS_NOT_NULL:
        EACH_WORD(x_valid)
        break;
    case DEV_LOGIC_BOTH_VALID:
        and_validities(a, count);
        break;
    case DEV_LOGIC_BUT_NOT:
        EACH_WORD((x & x_valid) & ~(y & y_valid))
        break;
    case DEV_LOGIC_SAME:
        EACH_WORD((x & x_valid & y_valid) | (~x_valid & ~y_valid))
        break;
    case DEV_LOGIC_DIFFERENT:
        EACH_WORD(~((x & x_valid & y_valid) | (~x_valid & ~y_valid)))
        break;
    }
}

/* ---- choosing ---- */

static inline uint64_t condition_word(const choose_arguments *a, size_t w)
{
    return a->condition[w] & (a->condition_validity ? a->condition_validity[w] : ~(uint64_t)0);
}

static void choose_bits(const choose_arguments *a, const uint64_t *first, const uint64_t *second,
                        size_t count, uint64_t *out)
{
    for (size_t w = 0; w * 64 < count; w++) {
        uint64_t condition = condition_word(a, w);
        uint64_t word = (operand_word(first, a->first_stride, w) & condition) |
                        (operand_word(second, a->second_stride, w) & ~condition);
        out[w] = word & kernel_word_mask(count, w);
    }
}

#define CHOOSE_LOOP(x, y)                                                                          \
    for (size_t w = 0; w * 64 < count; w++) {                                                      \
        uint64_t condition = condition_word(a, w);                                                 \
        size_t end = count - w * 64 < 64 ? count - w * 64 : 64;                                    \
        for (size_t k = 0; k < end; k++) {                                                         \
            size_t i = w * 64 + k;                                                                 \
            out[i] = condition >> k & 1 ? (x) : (y);                                               \
        }                                                                                          \
    }
#define CHOOSE(ctype)                                                                              \
    do {                                                                                           \
        const ctype *first = a->first, *second = a->second;                                        \
        ctype *out = a->out;                                                                       \
        ctype one = first[0], other = second[0];                                                   \
        if (a->first_stride && a->second_stride)                                                   \
            CHOOSE_LOOP(first[i], second[i])                                                       \
        else if (a->first_stride)                                                                  \
            CHOOSE_LOOP(first[i], other)                                                           \
        else if (a->second_stride)                                                                 \
            CHOOSE_LOOP(one, second[i])                                                            \
        else                                                                                       \
            CHOOSE_LOOP(one, other)                                                                \
    } while (0)

typedef struct pair {
    uint64_t low, high;
} pair;

void ISA_(choose)(const choose_arguments *a)
{
    size_t count = kernel_count(a->count);
    if (!count)
        return;
    switch (a->width) {
    case 0:
        choose_bits(a, a->first, a->second, count, a->out);
        break;
    case 1:
        CHOOSE(uint8_t);
        break;
    case 2:
        CHOOSE(uint16_t);
        break;
    case 4:
        CHOOSE(uint32_t);
        break;
    case 8:
        CHOOSE(uint64_t);
        break;
    default:
        CHOOSE(pair);
    }
    if (a->out_validity)
        choose_bits(a, a->first_validity, a->second_validity, count, a->out_validity);
}

#define SCATTER(ctype)                                                                             \
    do {                                                                                           \
        const ctype *values = a->values;                                                           \
        ctype *out = a->out;                                                                       \
        for (size_t i = 0; i < count; i++)                                                         \
            out[a->index[i]] = values[i * a->stride];                                              \
    } while (0)

static void scatter_bits(const scatter_arguments *a, const uint64_t *bits, size_t count,
                         uint64_t *out)
{
    for (size_t i = 0; i < count; i++)
        out[a->index[i] / 64] |= (uint64_t)kernel_is_valid(bits, i * a->stride)
                                 << (a->index[i] % 64);
}

void ISA_(scatter)(const scatter_arguments *a)
{
    size_t count = kernel_count(a->count);
    switch (a->width) {
    case 0:
        scatter_bits(a, a->values, count, a->out);
        break;
    case 1:
        SCATTER(uint8_t);
        break;
    case 2:
        SCATTER(uint16_t);
        break;
    case 4:
        SCATTER(uint32_t);
        break;
    case 8:
        SCATTER(uint64_t);
        break;
    default:
        SCATTER(pair);
    }
    if (a->out_validity)
        scatter_bits(a, a->validity, count, a->out_validity);
}
