/* kernel_compare.cu - comparisons, ranges and IN lists: values to bitmaps, a thread a row or some. */
#include "device/cuda/numbers.cuh"

DEVICE bool compare_text(uint8_t op, const kernel_view *x, const kernel_view *y)
{
    if (op == DEV_COMPARE_EQ || op == DEV_COMPARE_NE)
        return kernel_view_equal(x, y) == (op == DEV_COMPARE_EQ);
    return kernel_number_compare(op, kernel_view_compare(x, y), 0);
}

/* Compares rows of a type whose values are wider than words. */
DEVICE bool compare_row(const compare_arguments &a, uint64_t i)
{
    uint64_t left = i * a.left_stride, right = i * a.right_stride;
    switch (a.type.id) {
    case TYPE_BOOL:
        return kernel_number_compare(a.op, (int)kernel_bit((const uint64_t *)a.left, left),
                               (int)kernel_bit((const uint64_t *)a.right, right));
    case TYPE_VARCHAR:
    case TYPE_BLOB:
        return compare_text(a.op, (const kernel_view *)a.left + left,
                            (const kernel_view *)a.right + right);
    case TYPE_INTERVAL:
        return kernel_number_compare(a.op,
                               kernel_interval_weight((const interval_value *)a.left + left),
                               kernel_interval_weight((const interval_value *)a.right + right));
    default:
        return kernel_number_compare(a.op, ((const int128 *)a.left)[left],
                                     ((const int128 *)a.right)[right]);
    }
}

/* Bit k: what the comparison says of row k. It is the same for all rows, so it is not chosen for each. */
template <class VALUE>
DEVICE unsigned compare_rows(uint8_t op, const uint64_t *left, const uint64_t *right, VALUE value_of)
{
    unsigned bits = 0;
    if (op == DEV_COMPARE_EQ || op == DEV_COMPARE_NE)
        for (unsigned k = 0; k < CUDA_ROWS; k++)
            bits |= (unsigned)kernel_number_equal(value_of(left[k]), value_of(right[k])) << k;
    else if (op == DEV_COMPARE_LT || op == DEV_COMPARE_GE)
        for (unsigned k = 0; k < CUDA_ROWS; k++)
            bits |= (unsigned)kernel_number_less(value_of(left[k]), value_of(right[k])) << k;
    else
        for (unsigned k = 0; k < CUDA_ROWS; k++)
            bits |= (unsigned)kernel_number_less(value_of(right[k]), value_of(left[k])) << k;
    return op == DEV_COMPARE_NE || op == DEV_COMPARE_LE || op == DEV_COMPARE_GE ? ~bits : bits;
}

/* Compares words of a type that has up to 8 bytes. Integers are compared by their bytes shifted up, which keeps their
 * order. */
DEVICE unsigned compare_words(const compare_arguments &a, const uint64_t *left, const uint64_t *right)
{
    unsigned above = 64 - 8 * a.type.width;
    bool is_signed = a.type.id == TYPE_INT8 || a.type.id == TYPE_INT16 || a.type.id == TYPE_INT32 ||
                     a.type.id == TYPE_DATE || a.type.width == 8;
    above = is_signed ? above : 0;
    switch (a.type.id) {
    case TYPE_FLOAT:
        return compare_rows(a.op, left, right, kernel_word_float);
    case TYPE_DOUBLE:
        return compare_rows(a.op, left, right, kernel_word_double);
    case TYPE_UINT64:
        return compare_rows(a.op, left, right, [](uint64_t word) { return word; });
    default:
        return compare_rows(a.op, left, right,
                            [=](uint64_t word) { return (int64_t)(word << above); });
    }
}

KERNEL_TOGETHER_MIDDLE(compare)
{
    uint64_t count = kernel_count(a.count), first = kernel_first_row();
    uint64_t left[CUDA_ROWS], right[CUDA_ROWS];
    unsigned bits = 0;
    if (a.type.width > 0 && a.type.width <= 8) {
        kernel_load_words(a.type.width, a.left, a.left_stride, first, count, left);
        kernel_load_words(a.type.width, a.right, a.right_stride, first, count, right);
        bits = compare_words(a, left, right);
    } else {
        for (unsigned k = 0; k < CUDA_ROWS; k++)
            bits |= (unsigned)(first + k * CUDA_WARP < count &&
                               compare_row(a, first + k * CUDA_WARP))
                    << k;
    }
    kernel_write_bits(a.out, first, count, bits);
}

DEVICE bool is_in_range(const compare_range_arguments &a, uint64_t word)
{
    if (a.type.id == TYPE_UINT64)
        return word >= (uint64_t)a.low && word <= (uint64_t)a.high;
    int64_t value = kernel_word_integer(a.type, word);
    return value >= a.low && value <= a.high;
}

KERNEL_TOGETHER(compare_range)
{
    uint64_t count = kernel_count(a.count), first = kernel_first_row(), words[CUDA_ROWS];
    unsigned bits = 0;
    kernel_load_words(a.type.width, a.values, 1, first, count, words);
    for (unsigned k = 0; k < CUDA_ROWS; k++)
        bits |= (unsigned)is_in_range(a, words[k]) << k;
    kernel_write_bits(a.out, first, count, bits);
}

/* The last item that is not above the value; items ascend. */
template <class T, class LESS>
DEVICE const T *last_not_above(const T *items, uint64_t count, const T *value, LESS is_less)
{
    while (count > 1) {
        uint64_t half = count / 2;
        items += is_less(value, items + half) ? 0 : half;
        count -= half;
    }
    return items;
}

template <class T> DEVICE bool is_number_in(const in_list_arguments &a, uint64_t i)
{
    const T *value = (const T *)a.values + i;
    const T *item =
        last_not_above((const T *)a.items, a.item_count, value,
                       [](const T *x, const T *y) { return kernel_number_less(*x, *y); });
    return kernel_number_equal(*item, *value);
}

/* Intervals of one length may look different, and are not in the order of their lengths alone. */
DEVICE bool is_interval_in(const in_list_arguments &a, uint64_t i)
{
    int128 weight = kernel_interval_weight((const interval_value *)a.values + i);
    bool found = false;
    for (uint64_t k = 0; k < a.item_count; k++)
        found |= kernel_interval_weight((const interval_value *)a.items + k) == weight;
    return found;
}

DEVICE bool is_in_list(const in_list_arguments &a, uint64_t i)
{
    const kernel_view *text = (const kernel_view *)a.values + i;
    switch (a.type.id) {
    case TYPE_FLOAT:
        return is_number_in<float>(a, i);
    case TYPE_DOUBLE:
        return is_number_in<double>(a, i);
    case TYPE_VARCHAR:
    case TYPE_BLOB:
        return kernel_view_equal(
            last_not_above((const kernel_view *)a.items, a.item_count, text,
                           [](const kernel_view *x, const kernel_view *y) {
                               return kernel_view_compare(x, y) < 0;
                           }),
            text);
    case TYPE_INTERVAL:
        return is_interval_in(a, i);
    default:
        break;
    }
    bool result = false;
    WITH_INTEGER(a.type, result = is_number_in<number>(a, i);)
    return result;
}

KERNEL_TOGETHER_WIDE(in_list)
{
    uint64_t count = kernel_count(a.count), i = kernel_row();
    kernel_write_bit(a.out, i, count, i < count && a.item_count && is_in_list(a, i));
}
