/* kernel_over.cu - window functions: where partitions, peers and frames begin and end; numbers of rows
 * in them, and rows at a distance. A thread a row. What depends on all rows before is a scan first, which
 * leaves its results at word extra.step of the scratch, behind its own words. */
#include "device/cuda/over.cuh"

/* ---- partitions and peers ---- */

DEVICE bool differs(data_type type, const void *left, bool left_valid, uint64_t i,
                    const void *right, bool right_valid, uint64_t j)
{
    if (!left_valid || !right_valid)
        return left_valid != right_valid;
    return over_compare(type, left, i, right, j) != 0;
}

DEVICE bool changes_at(const over_changes_arguments &a, uint64_t i)
{
    bool is_valid = kernel_is_valid(a.validity, i);
    if (i)
        return differs(a.type, a.values, is_valid, i, a.values, kernel_is_valid(a.validity, i - 1),
                       i - 1);
    return !a.previous ||
           differs(a.type, a.values, is_valid, 0, a.previous,
                   kernel_is_valid(a.previous_validity, a.previous_row), a.previous_row);
}

/* A warp reads the bits that it alone writes. */
KERNEL_TOGETHER(over_changes)
{
    uint64_t count = kernel_count(a.count), i = kernel_row();
    bool is_set = i < count && a.combine && kernel_bit(a.out, i);
    kernel_write_bit(a.out, i, count, i < count && (is_set || changes_at(a, i)));
}

KERNEL_TOGETHER(over_last_change)
{
    uint64_t count = kernel_count(a.count), w = kernel_row(), last = 0;
    if (w * 64 < count) {
        uint64_t word = a.bits[w] & kernel_word_mask(count, w);
        last = word ? w * 64 + 64 - (uint64_t)__clzll((long long)word) : 0;
    }
    for (unsigned step = 16; step; step /= 2) {
        uint64_t other = __shfl_xor_sync(ALL_LANES, last, step);
        last = other > last ? other : last;
    }
    if (kernel_lane() == 0 && last)
        atomicMax((word64 *)a.out, (word64)last);
}

/* Scratch: how many runs there are, then where each begins. */
KERNEL_TOGETHER(over_runs)
{
    __shared__ uint64_t shared[OVER_SHARED_WORDS];
    uint64_t *total = extra.scratch + extra.step;
    uint32_t *starts = (uint32_t *)(total + 1);
    over_number_marks(
        extra, kernel_count(a.count), shared, total,
        [&](uint64_t i) { return i == 0 || kernel_bit(a.bits, i); },
        [&](uint64_t i, uint64_t number, bool is_start) {
            a.from[i] = (uint32_t)number - 1;
            if (is_start)
                starts[number - 1] = (uint32_t)i;
        });
}

KERNEL_STEP_ALONE(over_runs_find, over_runs)
{
    uint64_t count = kernel_count(a.count), i = kernel_row();
    const uint64_t *total = extra.scratch + extra.step;
    const uint32_t *starts = (const uint32_t *)(total + 1);
    if (i >= count)
        return;
    uint32_t run = a.from[i];
    a.from[i] = starts[run];
    a.to[i] = run + 1 < *total ? starts[run + 1] : (uint32_t)count;
}

/* ---- bounds ---- */

DEVICE uint32_t clamp_row(int64_t at, uint32_t from, uint32_t to)
{
    return at < (int64_t)from ? from : at > (int64_t)to ? to : (uint32_t)at;
}

/* So that no sum with a number of rows overflows. */
DEVICE int64_t bounded(int64_t distance)
{
    int64_t most = (int64_t)1 << 40;
    return distance > most ? most : distance < -most ? -most : distance;
}

KERNEL_ALONE(over_rows_bound)
{
    uint64_t count = kernel_count(a.count), i = kernel_row();
    if (i < count)
        a.out[i] = clamp_row((int64_t)i + bounded(a.distance), a.from[i], a.to[i]);
}

/* Scratch: how many runs there are. out: the number of each row's run, from 1. */
KERNEL_TOGETHER(over_groups_bound)
{
    __shared__ uint64_t shared[OVER_SHARED_WORDS];
    over_number_marks(
        extra, kernel_count(a.count), shared, extra.scratch + extra.step,
        [&](uint64_t i) { return a.peer_from[i] == i; },
        [&](uint64_t i, uint64_t number, bool is_start) {
            a.out[i] = (uint32_t)number;
            if (is_start)
                a.run_starts[number - 1] = (uint32_t)i;
        });
}

KERNEL_STEP_ALONE(over_groups_bound_find, over_groups_bound)
{
    uint64_t count = kernel_count(a.count), i = kernel_row();
    if (i >= count)
        return;
    int64_t total = (int64_t)extra.scratch[extra.step];
    int64_t run = (int64_t)a.out[i] - 1 + bounded(a.distance) + a.is_end;
    uint32_t at = run < 0 ? 0 : run >= total ? (uint32_t)count : a.run_starts[run];
    a.out[i] = clamp_row(at, a.from[i], a.to[i]);
}

/* Key k of the partition comes before row i's limit, or (is_end) does not come after it. */
DEVICE bool is_outside(const over_range_bound_arguments &a, uint64_t k, uint64_t i)
{
    bool has_key = kernel_is_valid(a.keys_validity, k);
    bool has_limit = kernel_is_valid(a.limits_validity, i);
    int order = (has_limit - has_key) * (a.nulls_first ? -1 : 1);
    if (has_key && has_limit) {
        order = over_compare(a.type, a.keys, k, a.limits, i);
        order = a.is_descending ? -order : order;
    }
    return order < 0 || (a.is_end && order == 0);
}

/* The keys of a partition are in order. */
KERNEL_ALONE(over_range_bound)
{
    uint64_t count = kernel_count(a.count), i = kernel_row();
    if (i >= count)
        return;
    uint32_t low = a.from[i], high = a.to[i];
    while (low < high) {
        uint32_t half = low + (high - low) / 2;
        if (is_outside(a, half, i))
            low = half + 1;
        else
            high = half;
    }
    a.out[i] = low;
}

/* ---- what is left out ---- */

DEVICE uint32_t least(uint32_t x, uint32_t y)
{
    return x < y ? x : y;
}

DEVICE uint32_t most(uint32_t x, uint32_t y)
{
    return x > y ? x : y;
}

KERNEL_ALONE(over_exclude)
{
    uint64_t count = kernel_count(a.count), i = kernel_row();
    if (i >= count)
        return;
    uint32_t row = (uint32_t)i, begin = a.from[i], to = most(a.to[i], begin);
    uint32_t hole_from = a.hole_from ? a.hole_from[i] : row;
    uint32_t hole_to = a.hole_to ? a.hole_to[i] : row + 1;
    uint32_t from = a.is_row ? row : a.is_behind ? hole_to : begin;
    uint32_t end = a.is_row ? row + 1 : a.is_behind ? to : hole_from;
    from = least(most(from, begin), to);
    end = least(most(end, begin), to);
    a.out_from[i] = from;
    a.out_to[i] = most(from, end);
}

/* ---- numbers of rows ---- */

/* dense_rank: scratch gets the number of runs of peers up to each row. */
KERNEL_STEP_TOGETHER_WIDE(over_number_runs, over_number)
{
    __shared__ uint64_t shared[OVER_SHARED_WORDS];
    uint32_t *runs = (uint32_t *)(extra.scratch + extra.step);
    over_number_marks(
        extra, kernel_count(a.count), shared, NULL,
        [&](uint64_t i) { return a.peer_from[i] == i; },
        [&](uint64_t i, uint64_t number, bool) { runs[i] = (uint32_t)number; });
}

DEVICE double percent_rank(uint32_t from, uint32_t to, uint32_t peer_from)
{
    return to - from > 1 ? (double)(peer_from - from) / (double)(to - from - 1) : 0;
}

KERNEL_ALONE(over_number)
{
    uint64_t count = kernel_count(a.count), i = kernel_row();
    if (i >= count)
        return;
    const uint32_t *runs = (const uint32_t *)(extra.scratch + extra.step);
    int64_t *numbers = (int64_t *)a.out;
    double *parts = (double *)a.out;
    uint32_t from = a.from[i];
    switch ((over_number_op)a.op) {
    case OVER_ROW_NUMBER:
        numbers[i] = (int64_t)(i - from) + 1;
        break;
    case OVER_RANK:
        numbers[i] = (int64_t)(a.peer_from[i] - from) + 1;
        break;
    case OVER_DENSE_RANK:
        numbers[i] = (int64_t)(runs[i] - runs[from]) + 1;
        break;
    case OVER_PERCENT_RANK:
        parts[i] = percent_rank(from, a.to[i], a.peer_from[i]);
        break;
    case OVER_CUME_DIST:
        parts[i] = (double)(a.peer_to[i] - from) / (double)(a.to[i] - from);
        break;
    }
}

/* The first `rows % buckets` buckets have a row more than the others. */
DEVICE int32_t bucket_of(uint64_t row, uint64_t rows, uint64_t buckets)
{
    uint64_t size = rows / buckets, larger = rows % buckets;
    uint64_t in_larger = larger * (size + 1);
    return (int32_t)(row < in_larger ? row / (size + 1) : larger + (row - in_larger) / size) + 1;
}

KERNEL_TOGETHER(over_tile)
{
    uint64_t count = kernel_count(a.count), i = kernel_row();
    bool is_valid = false;
    if (i < count) {
        uint32_t first = a.from[i];
        is_valid = kernel_is_valid(a.validity, first);
        int64_t buckets = is_valid ? a.buckets[first] : 1;
        if (buckets <= 0) {
            kernel_fail(a.error, DEV_ERROR_ARGUMENT, a.location, i);
            buckets = 1;
        }
        a.out[i] = is_valid ? bucket_of(i - first, a.to[i] - first, (uint64_t)buckets) : 0;
    }
    kernel_write_bit(a.out_validity, i, count, is_valid);
}

/* ---- rows of others ---- */

KERNEL_ALONE(over_shift)
{
    uint64_t count = kernel_count(a.count), i = kernel_row();
    if (i >= count)
        return;
    int64_t distance = bounded(a.distances ? a.distances[i] : 1);
    int64_t row = (int64_t)i + (a.is_back ? -distance : distance);
    if (!kernel_is_valid(a.validity, i))
        a.out[i] = ROW_NULL;
    else if (row >= (int64_t)a.from[i] && row < (int64_t)a.to[i])
        a.out[i] = (uint32_t)row;
    else
        a.out[i] = a.has_default ? (uint32_t)(a.count.bound + i) : ROW_NULL;
}

DEVICE uint32_t part_rows(const uint32_t *from, const uint32_t *to, uint64_t i)
{
    return from && to[i] > from[i] ? to[i] - from[i] : 0;
}

/* Row `number` of the frame, from 0; or the last. */
DEVICE uint32_t frame_row(const over_nth_arguments &a, uint64_t i, uint64_t number)
{
    const uint32_t *from[] = {a.from_0, a.from_1, a.from_2};
    const uint32_t *to[] = {a.to_0, a.to_1, a.to_2};
    uint32_t found = ROW_NULL;
    for (unsigned part = 0; part < 3; part++) {
        uint32_t rows = part_rows(from[part], to[part], i);
        if (a.is_last)
            found = rows ? to[part][i] - 1 : found;
        else if (number < rows)
            return from[part][i] + (uint32_t)number;
        number -= rows;
    }
    return found;
}

KERNEL_ALONE(over_nth)
{
    uint64_t count = kernel_count(a.count), i = kernel_row();
    if (i >= count)
        return;
    bool is_valid = kernel_is_valid(a.validity, i);
    int64_t number = a.numbers && is_valid ? a.numbers[i] : 1;
    if (number <= 0) {
        kernel_fail(a.error, DEV_ERROR_ARGUMENT, a.location, i);
        number = 1;
    }
    a.out[i] = is_valid ? frame_row(a, i, (uint64_t)number - 1) : ROW_NULL;
}
