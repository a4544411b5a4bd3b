/* kernel_sort.cu - packed sort keys, and row numbers sorted by them.
 *
 * Blocks sort CUDA_BLOCK rows each; then runs are merged two by two: each row's place is how many of
 * its own run and of the other one come before it. Equal rows are told apart by their numbers, so no
 * two are equal and they stay in order. */
#include "device/cuda/numbers.cuh"
#include "device/cuda/sort_radix.h"
#include "device/cuda/sort_rows.cuh"
#include "device/value/value_code.h"

#define SIGN ((uint128)1 << 127)

DEVICE uint128 ordered(const sort_pack_arguments &a, uint64_t i)
{
    switch (a.type.id) {
    case TYPE_NULL:
        return 0;
    case TYPE_BOOL:
        return kernel_bit((const uint64_t *)a.values, i);
    case TYPE_FLOAT:
        return (uint128)value_code_of_double((double)((const float *)a.values)[i]) << 32;
    case TYPE_DOUBLE:
        return (uint128)value_code_of_double(((const double *)a.values)[i]) << 32;
    case TYPE_INTERVAL:
        return (uint128)kernel_interval_weight((const interval_value *)a.values + i) ^ SIGN;
    default:
        break;
    }
    WITH_INTEGER(a.type, return (uint128)(int128)((const number *)a.values)[i] ^ SIGN;)
}

/* The three words of row i's key. */
DEVICE void pack_row(const sort_pack_arguments &a, uint64_t i, uint64_t *key)
{
    bool is_null = a.type.id == TYPE_NULL || !kernel_is_valid(a.validity, i);
    bool is_text = a.type.id == TYPE_VARCHAR || a.type.id == TYPE_BLOB;
    kernel_view words = {0, 0};
    if (is_text) {
        words = ((const kernel_view *)a.values)[i];
    } else {
        uint128 bits = ordered(a, i);
        bits = a.is_descending ? ~bits : bits;
        words.head = (uint64_t)(bits >> 64);
        words.tail = (uint64_t)bits;
    }
    key[0] = (is_text ? SORT_KEY_TEXT : 0) | (a.is_descending ? SORT_KEY_DESCENDING : 0) |
             (is_null != a.nulls_first);
    key[1] = is_null ? 0 : words.head;
    key[2] = is_null ? 0 : words.tail;
}

/* A warp writes its rows' words one behind the other, as its lanes' own would each be a piece of another line. */
KERNEL_TOGETHER(sort_pack)
{
    __shared__ uint64_t words[CUDA_BLOCK * 3];
    uint64_t count = kernel_count(a.count), i = kernel_row();
    uint64_t *of_warp = &words[kernel_warp() * CUDA_WARP * 3];
    if (i < count)
        pack_row(a, i, &of_warp[kernel_lane() * 3]);
    __syncwarp();
    for (unsigned at = kernel_lane(); at < CUDA_WARP * 3; at += CUDA_WARP) {
        uint64_t row = i - kernel_lane() + at / 3;
        if (row < count)
            a.rows[(row * a.key_count + a.key) * 3 + at % 3] = of_warp[at];
    }
}

/* Which of the two arrays a step reads or writes: extra.step's lowest bit, so that the last step
 * writes to out. */
DEVICE uint32_t *target_of(const sort_rows_arguments &a, const cuda_extra &extra)
{
    return extra.step & 1 ? a.scratch : a.out;
}

/* Returns whether runs are merged: what the digits sorted already, as far as blocks could see, is not. */
DEVICE bool is_merged(const cuda_extra &extra)
{
    const radix_state *state = (const radix_state *)extra.scratch;
    return !state || state->is_out_of_reach;
}

/* A row's place among the block's is how many come before it. */
KERNEL_ALONE_WIDE(sort_rows)
{
    uint64_t count = kernel_count(a.count), i = kernel_row();
    uint64_t first = (uint64_t)blockIdx.x * blockDim.x;
    uint64_t end = first + blockDim.x < count ? first + blockDim.x : count, place = first;
    if (i >= count || !is_merged(extra))
        return;
    for (uint64_t k = first; k < end; k++)
        place += sort_rows_before(a, (uint32_t)k, (uint32_t)i);
    target_of(a, extra)[place] = (uint32_t)i;
}

/* extra.step / 2: the length of a run. */
KERNEL_STEP_ALONE(sort_rows_merge, sort_rows)
{
    uint64_t count = kernel_count(a.count), i = kernel_row(), run = extra.step / 2;
    if (i >= count || !is_merged(extra))
        return;
    uint32_t *target = target_of(a, extra);
    const uint32_t *source = target == a.out ? a.scratch : a.out;
    uint64_t start = i / (2 * run) * 2 * run, middle = start + run < count ? start + run : count;
    uint64_t end = middle + run < count ? middle + run : count;
    uint64_t low = i < middle ? middle : start, high = i < middle ? end : middle, other = low;
    uint32_t row = source[i];
    while (low < high) {
        uint64_t half = low + (high - low) / 2;
        if (sort_rows_before(a, source[half], row))
            low = half + 1;
        else
            high = half;
    }
    uint64_t own = i < middle ? i - start : i - middle;
    target[start + own + (low - other)] = row;
}

KERNEL_TOGETHER_MIDDLE(sort_keep)
{
    __shared__ uint64_t shared[MARKS_SHARED_WORDS];
    kernel_number_rows(
        extra, kernel_count(a.count), shared, a.out_count,
        [&](uint64_t i) {
            const uint64_t *key = a.rows + i * 3, *last = a.last;
            return key[0] != last[0]   ? key[0] < last[0]
                   : key[1] != last[1] ? key[1] < last[1]
                                       : key[2] <= last[2];
        },
        [&](uint64_t i, uint64_t before, bool is_kept) {
            if (is_kept)
                a.out[before] = (uint32_t)i;
        });
}
