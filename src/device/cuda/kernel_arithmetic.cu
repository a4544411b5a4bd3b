/* kernel_arithmetic.cu - + - * / % on integers, floats and decimals, a thread a row. */
#include "device/cuda/arithmetic.cuh"

DEVICE int128 load_decimal(const void *values, uint8_t width, uint64_t i)
{
    return width == 16 ? ((const int128 *)values)[i] : ((const int64_t *)values)[i];
}

KERNEL_ALONE(arithmetic)
{
    uint64_t count = kernel_count(a.count), i = kernel_row();
    if (i >= count)
        return;
    uint64_t left = i * a.left_stride, right = i * a.right_stride;
    dev_error_code code;
    if (a.type.id == TYPE_FLOAT) {
        code = arithmetic_of_real(a.op, ((const float *)a.left)[left], ((const float *)a.right)[right],
                            a.is_checked, (float *)a.out + i);
    } else if (a.type.id == TYPE_DOUBLE) {
        code = arithmetic_of_real(a.op, ((const double *)a.left)[left], ((const double *)a.right)[right],
                            a.is_checked, (double *)a.out + i);
    } else if (a.type.id == TYPE_INT32) {
        code = arithmetic_of_32(a.op, ((const int32_t *)a.left)[left], ((const int32_t *)a.right)[right],
                          (int32_t *)a.out + i);
    } else if (a.type.width == 16) {
        code = arithmetic_of(a.op, load_decimal(a.left, a.left_width, left),
                       load_decimal(a.right, a.right_width, right), a.is_checked,
                       (int128 *)a.out + i);
    } else { /* of wide operands the lower halves: the result is known to fit */
        bool is_wide = a.left_width == 16 || a.right_width == 16;
        code = arithmetic_of(a.op, (int64_t)load_decimal(a.left, a.left_width, left),
                       (int64_t)load_decimal(a.right, a.right_width, right),
                       a.is_checked && !is_wide, (int64_t *)a.out + i);
    }
    if (code && kernel_is_valid(a.validity, i))
        kernel_fail(a.error, code, a.location, i);
}
