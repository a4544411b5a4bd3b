/* kernel_time.cu - fields of dates and times, cutting them, and arithmetic with intervals; a thread a
 * row. */
#include "device/cuda/kernel.cuh"
#include "device/value/time_value.h"

KERNEL_ALONE(date_part)
{
    uint64_t count = kernel_count(a.count), i = kernel_row();
    if (i >= count)
        return;
    if (a.part == DEV_PART_EPOCH || a.part == DEV_PART_JULIAN)
        ((double *)a.out)[i] = a.part == DEV_PART_EPOCH ? date_part_epoch(&a, i) : date_part_julian(&a, i);
    else if (a.type.id == TYPE_DATE)
        ((int64_t *)a.out)[i] =
            part_of_date((dev_date_part)a.part, ((const int32_t *)a.values)[i]);
    else
        ((int64_t *)a.out)[i] = date_part_row(&a, i);
}

KERNEL_ALONE(date_trunc)
{
    uint64_t count = kernel_count(a.count), i = kernel_row();
    int64_t result = 0;
    if (i >= count)
        return;
    if (!date_trunc_row(&a, i, &result) && kernel_is_valid(a.validity, i))
        kernel_fail(a.error, DEV_ERROR_OVERFLOW, a.location, i);
    a.out[i] = result;
}

KERNEL_ALONE(time_arithmetic)
{
    uint64_t count = kernel_count(a.count), i = kernel_row();
    if (i >= count || time_arithmetic_row(&a, i))
        return;
    if (kernel_is_valid(a.validity, i))
        kernel_fail(a.error, DEV_ERROR_OVERFLOW, a.location, i);
    size_t width = time_arithmetic_width((dev_time_op)a.op);
    memset((char *)a.out + i * width, 0, width);
}
