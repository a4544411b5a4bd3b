/* over.cuh - inside the kernels of window functions: how values compare, rows that are numbered by marks. */
#ifndef PISTACHIO_DEVICE_CUDA_OVER_CUH
#define PISTACHIO_DEVICE_CUDA_OVER_CUH

#include "device/cuda/numbers.cuh"

/* NaN comes last and equals itself. */
template <class T> DEVICE int over_order(T x, T y)
{
    return kernel_number_less(y, x) - kernel_number_less(x, y);
}

/* Below zero: value i of left comes before value j of right. */
DEVICE int over_compare(data_type type, const void *left, uint64_t i, const void *right, uint64_t j)
{
    switch (type.id) {
    case TYPE_BOOL:
        return kernel_bit((const uint64_t *)left, i) - kernel_bit((const uint64_t *)right, j);
    case TYPE_FLOAT:
        return over_order(((const float *)left)[i], ((const float *)right)[j]);
    case TYPE_DOUBLE:
        return over_order(((const double *)left)[i], ((const double *)right)[j]);
    case TYPE_INTERVAL:
        return over_order(kernel_interval_weight((const interval_value *)left + i),
                          kernel_interval_weight((const interval_value *)right + j));
    case TYPE_VARCHAR:
    case TYPE_BLOB:
        return kernel_view_compare((const kernel_view *)left + i, (const kernel_view *)right + j);
    default:
        break;
    }
    WITH_INTEGER(type, return over_order(((const number *)left)[i], ((const number *)right)[j]);)
}

/* put(i, number, is_marked) of each row of the block's tile: number says how many rows are marked up to
 * and with row i. As kernel_number_rows. */
#define OVER_SHARED_WORDS MARKS_SHARED_WORDS
template <class MARK, class PUT>
DEVICE void over_number_marks(const cuda_extra &extra, uint64_t count, uint64_t *shared,
                              uint64_t *out_total, MARK is_marked, PUT put)
{
    kernel_number_rows(extra, count, shared, out_total, is_marked,
                       [&](uint64_t i, uint64_t before, bool is_row) {
                           put(i, before + is_row, is_row);
                       });
}

#endif
