/* kernel_arithmetic.cu - + - * / % on integers, floats and decimals: of up to 64 bits some rows a thread; those
 * that take 128 bits have a kernel of their own, as they take more registers. */
#include "device/cuda/arithmetic.cuh"

/* Computes a word of two words. */
DEVICE dev_error_code arithmetic_of_words(const arithmetic_arguments &a, uint64_t left, uint64_t right,
                                          uint64_t *out)
{
    dev_error_code code;
    *out = 0;
    if (a.type.id == TYPE_FLOAT) {
        float result;
        code = arithmetic_of_real(a.op, kernel_word_float(left), kernel_word_float(right),
                                  a.is_checked, &result);
        memcpy(out, &result, sizeof result);
    } else if (a.type.id == TYPE_DOUBLE) {
        double result;
        code = arithmetic_of_real(a.op, kernel_word_double(left), kernel_word_double(right),
                                  a.is_checked, &result);
        memcpy(out, &result, sizeof result);
    } else if (a.type.id == TYPE_INT32) {
        int32_t result;
        code = arithmetic_of_32(a.op, (int32_t)left, (int32_t)right, &result);
        *out = (uint32_t)result;
    } else {
        int64_t result;
        code = arithmetic_of(a.op, (int64_t)left, (int64_t)right, a.is_checked, &result);
        *out = (uint64_t)result;
    }
    return code;
}

KERNEL_ALONE(arithmetic)
{
    uint64_t count = kernel_count(a.count), first = kernel_first_row();
    uint64_t left[CUDA_ROWS], right[CUDA_ROWS], result;
    kernel_load_words(a.type.width, a.left, a.left_stride, first, count, left);
    kernel_load_words(a.type.width, a.right, a.right_stride, first, count, right);
    KERNEL_UNROLLED
    for (unsigned k = 0; k < CUDA_ROWS; k++) {
        uint64_t i = first + k * CUDA_WARP;
        dev_error_code code = arithmetic_of_words(a, left[k], right[k], &result);
        if (code && i < count && kernel_is_valid(a.validity, i))
            kernel_fail(a.error, code, a.location, i);
        if (i < count && a.type.width == 4)
            ((uint32_t *)a.out)[i] = (uint32_t)result;
        else if (i < count)
            ((uint64_t *)a.out)[i] = result;
    }
}

DEVICE int128 load_decimal(const void *values, uint8_t width, uint64_t i)
{
    return width == 16 ? ((const int128 *)values)[i] : ((const int64_t *)values)[i];
}

KERNEL_STEP_ALONE(arithmetic_wide, arithmetic)
{
    uint64_t count = kernel_count(a.count), i = kernel_row();
    if (i >= count)
        return;
    int128 left = load_decimal(a.left, a.left_width, i * a.left_stride);
    int128 right = load_decimal(a.right, a.right_width, i * a.right_stride);
    dev_error_code code;
    if (a.type.width == 16) /* else of the lower halves: the result is known to fit */
        code = arithmetic_of(a.op, left, right, a.is_checked, (int128 *)a.out + i);
    else
        code = arithmetic_of(a.op, (int64_t)left, (int64_t)right, false, (int64_t *)a.out + i);
    if (code && kernel_is_valid(a.validity, i))
        kernel_fail(a.error, code, a.location, i);
}
