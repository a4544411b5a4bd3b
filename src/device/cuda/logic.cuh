/* logic.cuh - three-valued logic of 64 rows: values and validities as words. */
#ifndef PISTACHIO_DEVICE_CUDA_LOGIC_CUH
#define PISTACHIO_DEVICE_CUDA_LOGIC_CUH

#include "device/cuda/kernel.cuh"

/* AND is NULL unless both are known or one is false; OR likewise with true: OR is AND of the
 * negations. */
DEVICE uint64_t logic_and_or(uint8_t op, uint64_t x, uint64_t x_valid, uint64_t y, uint64_t y_valid,
                             uint64_t *out_valid)
{
    uint64_t flip = op == DEV_LOGIC_OR ? ~(uint64_t)0 : 0;
    uint64_t is_false = (x_valid & ~(x ^ flip)) | (y_valid & ~(y ^ flip));
    *out_valid = is_false | (x_valid & y_valid);
    return ~is_false ^ flip;
}

/* The others. */
DEVICE uint64_t logic_word(uint8_t op, uint64_t x, uint64_t x_valid, uint64_t y, uint64_t y_valid)
{
    uint64_t is_same = (x & x_valid & y_valid) | (~x_valid & ~y_valid);
    switch (op) {
    case DEV_LOGIC_NOT:
        return ~x;
    case DEV_LOGIC_IS_TRUE:
        return x & x_valid;
    case DEV_LOGIC_IS_FALSE:
        return ~x & x_valid;
    case DEV_LOGIC_IS_NULL:
        return ~x_valid;
    case DEV_LOGIC_IS_NOT_NULL:
        return x_valid;
    case DEV_LOGIC_BOTH_VALID:
        return x_valid & y_valid;
    case DEV_LOGIC_BUT_NOT:
        return (x & x_valid) & ~(y & y_valid);
    case DEV_LOGIC_SAME:
        return is_same;
    default:
        return ~is_same;
    }
}

#endif
