/* kernel_aggregate_bits.c - bits of integers put together, and doubles multiplied, by group. */
#include "device/cpu/kernel_aggregate.h"

#define PUT_BITS(ctype, operation)                                                                 \
    do {                                                                                           \
        const ctype *values = a->values;                                                           \
        ctype *states = a->states;                                                                 \
        FOR_ROWS(a, count, {                                                                       \
            ctype *state = &states[a->groups ? a->groups[i] : 0];                                  \
            *state = (ctype)(*state operation values[i]);                                          \
        });                                                                                        \
    } while (0)

#define PUT_BITS_OF(operation)                                                                     \
    do {                                                                                           \
        if (a->width == 1)                                                                         \
            PUT_BITS(uint8_t, operation);                                                          \
        else if (a->width == 2)                                                                    \
            PUT_BITS(uint16_t, operation);                                                         \
        else if (a->width == 4)                                                                    \
            PUT_BITS(uint32_t, operation);                                                         \
        else                                                                                       \
            PUT_BITS(uint64_t, operation);                                                         \
    } while (0)

static void multiply(const aggregate_bits_arguments *a, size_t count)
{
    const double *values = a->values;
    double *states = a->states;
    FOR_ROWS(a, count, states[a->groups ? a->groups[i] : 0] *= values[i]);
}

void ISA_(aggregate_bits)(const aggregate_bits_arguments *a)
{
    size_t count = kernel_count(a->count);
    if (a->op == '*')
        multiply(a, count);
    else if (a->op == '&')
        PUT_BITS_OF(&);
    else if (a->op == '|')
        PUT_BITS_OF(|);
    else
        PUT_BITS_OF(^);
}
