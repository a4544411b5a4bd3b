/* kernel_aggregate_finish.c - states of counts, sums and booleans to results. */
#include "device/cpu/kernel.h"

/* The values of a word's rows that have none. */
static void clear_values(const aggregate_validity_arguments *a, size_t w, uint64_t invalid)
{
    char *values = a->values;
    if (!a->width) {
        ((uint64_t *)a->values)[w] &= ~invalid;
        return;
    }
    for (; invalid; invalid &= invalid - 1)
        memset(values + (w * 64 + (size_t)__builtin_ctzll(invalid)) * a->width, 0, a->width);
}

void ISA_(aggregate_validity)(const aggregate_validity_arguments *a)
{
    size_t count = kernel_count(a->count);
    for (size_t w = 0; w * 64 < count; w++) {
        uint64_t bits = 0;
        for (size_t i = w * 64; i < count && i < w * 64 + 64; i++)
            bits |= (uint64_t)(a->states[i] >= a->least) << (i % 64);
        a->out[w] = bits;
        clear_values(a, w, ~bits & kernel_word_mask(count, w));
    }
}

void ISA_(aggregate_present)(const aggregate_present_arguments *a)
{
    size_t count = kernel_count(a->count);
    for (size_t w = 0; w * 64 < count; w++) {
        uint64_t bits = 0;
        for (size_t i = w * 64; i < count && i < w * 64 + 64; i++) {
            bool is_there = (a->counts && a->counts[i]) || (a->marks && a->marks[i]);
            bits |= (uint64_t)is_there << (i % 64);
        }
        a->out[w] = bits;
    }
}

#define STORE(ctype)                                                                               \
    do {                                                                                           \
        ctype *out = a->out;                                                                       \
        for (size_t i = 0; i < count; i++) {                                                       \
            int128 sum = a->state_width == 8 ? ((const int64_t *)a->states)[i]                     \
                                             : ((const int128 *)a->states)[i];                     \
            out[i] = (ctype)sum;                                                                   \
            has_overflow |= sum != (int128)out[i];                                                 \
        }                                                                                          \
    } while (0)

void ISA_(aggregate_finish_sum)(const aggregate_finish_sum_arguments *a)
{
    size_t count = kernel_count(a->count);
    bool has_overflow = false;
    if (a->type.width == 16 || a->type.id == TYPE_DECIMAL) {
        int128 bound = 1;
        for (unsigned digit = 0; digit < a->type.precision; digit++)
            bound *= 10;
        for (size_t i = 0; i < count; i++) {
            int128 sum = a->state_width == 8 ? ((const int64_t *)a->states)[i]
                                             : ((const int128 *)a->states)[i];
            has_overflow |= sum >= bound || sum <= -bound;
            if (a->type.width == 16)
                ((int128 *)a->out)[i] = sum;
            else
                ((int64_t *)a->out)[i] = (int64_t)sum;
        }
    } else {
        switch (a->type.width) {
        case 1:
            STORE(int8_t);
            break;
        case 2:
            STORE(int16_t);
            break;
        case 4:
            STORE(int32_t);
            break;
        default:
            STORE(int64_t);
        }
    }
    if (has_overflow)
        kernel_fail(a->error, DEV_ERROR_OVERFLOW, a->location, 0);
}

void ISA_(aggregate_finish_bool)(const aggregate_finish_bool_arguments *a)
{
    size_t count = kernel_count(a->count);
    for (size_t w = 0; w * 64 < count; w++) {
        uint64_t bits = 0;
        for (size_t i = w * 64; i < count && i < w * 64 + 64; i++)
            bits |= (uint64_t)(a->states[i] & 1) << (i % 64);
        a->out[w] = bits;
    }
}
