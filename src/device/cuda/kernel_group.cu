/* kernel_group.cu - group numbers: by hashing, by position, by runs.
 *
 * By hashing in three launches. First each row finds its slot, or takes a free one for the row that
 * it is. Then the rows that took one become groups, in no certain order but those of a block side by side, and their
 * slots say so. Then
 * each row reads its group from its slot. So nobody compares with a group that is half written. */
#include "device/cuda/keys.cuh"

/* In a slot's lower half: a row of this launch, not a group yet. */
#define SLOT_ROW 0x80000000u

DEVICE key_shape find_shape(const groups_find_arguments &a)
{
    key_shape shape = {a.stride / 8, a.text_count, a.interval_count};
    return shape;
}

KERNEL_ALONE(groups_find)
{
    uint64_t count = kernel_count(a.count), i = kernel_row(), mask = a.slot_count - 1;
    if (i >= count)
        return;
    const uint64_t *row = key_row(a.rows, a.stride, i);
    uint64_t hash = a.hashes[i], mine = hash << 32 | SLOT_ROW | i;
    for (uint64_t at = hash & mask;; at = (at + 1) & mask) {
        word64 *place = (word64 *)&a.slots[at];
        uint64_t slot = *(volatile word64 *)place;
        if (!slot)
            slot = atomicCAS(place, (word64)0, (word64)mine);
        bool is_found = !slot;
        if (slot && slot >> 32 == hash) {
            uint32_t lower = (uint32_t)slot;
            const uint64_t *other = lower & SLOT_ROW
                                        ? key_row(a.rows, a.stride, lower & ~SLOT_ROW)
                                        : key_row(a.group_rows, a.stride, lower - 1);
            is_found = a.is_narrow || keys_are_equal(other, row, find_shape(a));
        }
        if (is_found) {
            a.out[i] = (uint32_t)at;
            return;
        }
    }
}

KERNEL_STEP_TOGETHER_WIDE(groups_find_add, groups_find)
{
    uint64_t count = kernel_count(a.count), i = kernel_row(), bytes = 0;
    uint64_t slot = i < count ? a.slots[a.out[i]] : 0;
    bool is_new = i < count && (uint32_t)slot == (SLOT_ROW | (uint32_t)i);
    uint64_t group = kernel_take_number(is_new, a.group_count);
    if (is_new) {
        uint64_t *target = (uint64_t *)(a.group_rows + group * a.stride);
        const uint64_t *row = key_row(a.rows, a.stride, i);
        for (uint32_t word = 0; word < a.stride / 8; word++)
            target[word] = row[word];
        if (a.heap)
            key_own_text(target, a.text_count, a.heap, a.heap_used);
        else if (a.heap_used)
            bytes = key_text_bytes(row, a.text_count);
        a.slots[a.out[i]] = slot >> 32 << 32 | (group + 1);
    }
    if (!a.heap && a.heap_used)
        kernel_add_total(bytes, a.heap_used);
}

KERNEL_STEP_ALONE(groups_find_number, groups_find)
{
    uint64_t count = kernel_count(a.count), i = kernel_row();
    if (i < count)
        a.out[i] = (uint32_t)a.slots[a.out[i]] - 1;
}

KERNEL_ALONE(groups_rehash)
{
    uint64_t i = kernel_row(), mask = a.slot_count - 1;
    if (i >= a.old_slot_count || !a.old_slots[i])
        return;
    uint64_t slot = a.old_slots[i];
    for (uint64_t at = slot >> 32 & mask;; at = (at + 1) & mask)
        if (atomicCAS((word64 *)&a.slots[at], (word64)0, (word64)slot) == 0)
            return;
}

/* ---- parts: counted, added up, filled; in what order a part's rows come is not said ----
 * A block counts its tile in shared memory first, where there are not too many parts for that: rows that add to
 * few words in the device's wait for each other. */

#define PARTS_SHARED 1024
#define PART_TURNS (CUDA_TILE_ROWS / CUDA_BLOCK)

DEVICE uint64_t part_row(unsigned turn)
{
    return (uint64_t)blockIdx.x * CUDA_TILE_ROWS + turn * CUDA_BLOCK + threadIdx.x;
}

/* All threads come. */
DEVICE void parts_begin(uint64_t parts, uint32_t *counts)
{
    for (uint64_t part = threadIdx.x; part < parts && parts <= PARTS_SHARED; part += CUDA_BLOCK)
        counts[part] = 0;
    __syncthreads();
}

/* Counts the rows in each part. `counts`: PARTS_SHARED shared numbers. */
template <class PART>
DEVICE void parts_count(uint64_t count, uint64_t parts, uint64_t *sizes, uint32_t *counts, PART part_of)
{
    bool is_shared = parts <= PARTS_SHARED;
    parts_begin(parts, counts);
    for (unsigned turn = 0; turn < PART_TURNS; turn++) {
        uint64_t i = part_row(turn);
        if (i < count && is_shared)
            atomicAdd(&counts[part_of(i)], 1u);
        else if (i < count)
            kernel_atomic_add(&sizes[part_of(i)], 1);
    }
    __syncthreads();
    for (uint64_t part = threadIdx.x; part < parts && is_shared; part += CUDA_BLOCK)
        if (counts[part])
            kernel_atomic_add(&sizes[part], counts[part]);
}

/* put(at, i): the place of row i. next: of each part's next row. */
template <class PART, class PUT>
DEVICE void parts_fill(uint64_t count, uint64_t parts, uint64_t *next, uint32_t *counts, PART part_of,
                       PUT put)
{
    bool is_shared = parts <= PARTS_SHARED;
    uint32_t rank[PART_TURNS];
    parts_begin(parts, counts);
    for (unsigned turn = 0; turn < PART_TURNS; turn++) {
        uint64_t i = part_row(turn);
        rank[turn] = i < count && is_shared ? atomicAdd(&counts[part_of(i)], 1u) : 0;
    }
    __syncthreads();
    for (uint64_t part = threadIdx.x; part < parts && is_shared; part += CUDA_BLOCK)
        if (counts[part])
            counts[part] = (uint32_t)kernel_atomic_add(&next[part], counts[part]);
    __syncthreads();
    for (unsigned turn = 0; turn < PART_TURNS; turn++) {
        uint64_t i = part_row(turn);
        if (i < count)
            put(is_shared ? counts[part_of(i)] + rank[turn]
                          : (uint32_t)kernel_atomic_add(&next[part_of(i)], 1), (uint32_t)i);
    }
}

DEVICE uint32_t part_of(const groups_partition_arguments &a, uint64_t i)
{
    return a.bits ? (a.hashes[i] << a.skip) >> (32 - a.bits) : 0;
}

KERNEL_TOGETHER(groups_partition)
{
    __shared__ uint32_t counts[PARTS_SHARED];
    parts_count(kernel_count(a.count), (uint64_t)1 << a.bits, extra.scratch, counts,
                [&](uint64_t i) { return part_of(a, i); });
}

/* One block: from the parts' sizes to where each begins. */
DEVICE void sum_parts(uint64_t parts, uint64_t *scratch, uint32_t *offsets, uint64_t *sums)
{
    uint64_t next = 0;
    for (uint64_t first = 0; first < parts; first += blockDim.x) {
        uint64_t part = first + threadIdx.x, total;
        uint64_t size = part < parts ? scratch[part] : 0;
        uint64_t at = next + kernel_block_scan(size, sums, &total);
        next += total;
        if (part < parts) {
            scratch[part] = at;
            offsets[part] = (uint32_t)at;
        }
        __syncthreads();
    }
    if (threadIdx.x == 0)
        offsets[parts] = (uint32_t)next;
}

KERNEL_STEP_TOGETHER(groups_partition_sum, groups_partition)
{
    __shared__ uint64_t sums[8];
    sum_parts((uint64_t)1 << a.bits, extra.scratch, a.offsets, sums);
}

KERNEL_STEP_TOGETHER(groups_partition_fill, groups_partition)
{
    __shared__ uint32_t counts[PARTS_SHARED];
    parts_fill(
        kernel_count(a.count), (uint64_t)1 << a.bits, extra.scratch, counts,
        [&](uint64_t i) { return part_of(a, i); },
        [&](uint32_t at, uint32_t i) { a.out[at] = a.first + i; });
}

KERNEL_TOGETHER(ranks_partition)
{
    __shared__ uint32_t counts[PARTS_SHARED];
    parts_count(kernel_count(a.count), a.ranks, extra.scratch, counts,
                [&](uint64_t i) { return kernel_rank_of(a.hashes[i], a.ranks); });
}

KERNEL_STEP_TOGETHER(ranks_partition_sum, ranks_partition)
{
    __shared__ uint64_t sums[8];
    sum_parts(a.ranks, extra.scratch, a.offsets, sums);
}

KERNEL_STEP_TOGETHER(ranks_partition_fill, ranks_partition)
{
    __shared__ uint32_t counts[PARTS_SHARED];
    parts_fill(
        kernel_count(a.count), a.ranks, extra.scratch, counts,
        [&](uint64_t i) { return kernel_rank_of(a.hashes[i], a.ranks); },
        [&](uint32_t at, uint32_t i) { a.out[at] = i; });
}

/* ---- by position ---- */

DEVICE void put_code(uint32_t *out, uint64_t i, bool combine, uint32_t digits)
{
    out[i] = (combine ? out[i] : 0) + digits;
}

DEVICE int64_t code_value(data_type type, const void *values, uint64_t i)
{
    return type.id == TYPE_BOOL ? (int64_t)kernel_bit((const uint64_t *)values, i)
                                : kernel_load_integer(type, values, i);
}

KERNEL_ALONE(codes_number)
{
    uint64_t count = kernel_count(a.count), first = kernel_first_row(), words[CUDA_ROWS];
    unsigned valid = kernel_valid_rows(a.validity, first, count);
    if (a.type.width)
        kernel_load_words(a.type.width, a.values, 1, first, count, words);
    for (unsigned k = 0; k < CUDA_ROWS; k++) {
        uint64_t i = first + k * CUDA_WARP, code = 0;
        if (valid >> k & 1) {
            /* Wraps where a value lies below the minimum: large, so a violation; 0 is left to NULL. */
            code = (uint64_t)(a.type.width ? kernel_word_integer(a.type, words[k])
                                           : code_value(a.type, a.values, i)) -
                   (uint64_t)a.minimum;
            code += code == UINT64_MAX ? 0 : 1;
        }
        if (code >= a.radix) {
            kernel_atomic_add(a.violations, 1);
            code = 0;
        }
        if (i < count)
            put_code(a.out, i, a.combine, (uint32_t)code * a.digit);
    }
}

KERNEL_ALONE(codes_index)
{
    uint64_t count = kernel_count(a.count), first = kernel_first_row();
    uint32_t rows[CUDA_ROWS], codes[CUDA_ROWS];
    for (unsigned k = 0; k < CUDA_ROWS; k++) {
        uint64_t i = first + k * CUDA_WARP;
        rows[k] = i >= count ? ROW_NULL : a.index ? a.index[i] : (uint32_t)i;
    }
    for (unsigned k = 0; k < CUDA_ROWS; k++)
        codes[k] = rows[k] == ROW_NULL ? 0 : a.ids[rows[k]] + 1;
    for (unsigned k = 0; k < CUDA_ROWS; k++) {
        uint64_t i = first + k * CUDA_WARP;
        if (a.violations && codes[k] >= a.radix) {
            kernel_atomic_add(a.violations, 1);
            codes[k] = 0;
        }
        if (i < count)
            put_code(a.out, i, a.combine, codes[k] * a.digit);
    }
}

DEVICE uint32_t digit_at(const uint32_t *codes, uint32_t first, uint32_t digit, uint32_t radix,
                         uint64_t i)
{
    return (codes ? codes[i] : first + (uint32_t)i) / digit % radix;
}

KERNEL_TOGETHER(codes_to_number)
{
    uint64_t count = kernel_count(a.count), i = kernel_row();
    uint32_t code = i < count ? digit_at(a.codes, a.first, a.digit, a.radix, i) : 0;
    uint64_t number = code ? (uint64_t)a.minimum + code - 1 : 0;
    kernel_write_bit(a.out_validity, i, count, code);
    if (a.type.id == TYPE_BOOL) {
        kernel_write_bit((uint64_t *)a.out, i, count, number & 1);
    } else if (i < count && a.type.width) {
        WITH_WIDTH(a.type.width, memcpy((bytes *)a.out + i, &number,
                                        sizeof(bytes) < 8 ? sizeof(bytes) : 8);)
    }
}

KERNEL_ALONE(codes_to_index)
{
    uint64_t count = kernel_count(a.count), i = kernel_row();
    if (i >= count)
        return;
    uint32_t code = digit_at(a.codes, a.first, a.digit, a.radix, i);
    a.out[i] = code ? code - 1 : ROW_NULL;
}

KERNEL_ALONE(codes_shift)
{
    uint64_t count = kernel_count(a.count), i = kernel_row();
    if (i < count)
        a.out[i] = a.codes[i] + a.shift;
}

KERNEL_TOGETHER(codes_present)
{
    uint64_t count = kernel_count(a.count), i = kernel_row();
    uint64_t bits = i < count ? (uint64_t)1 << (a.groups[i] & 63) : 0;
    for (unsigned step = 16; step; step /= 2)
        bits |= __shfl_xor_sync(ALL_LANES, bits, step);
    if (kernel_lane() == 0 && (bits & ~*(const volatile word64 *)a.out))
        atomicOr((word64 *)a.out, (word64)bits);
}

/* ---- what a column looks like: begun, added to by blocks, ended ---- */

KERNEL_ALONE(key_statistics)
{
    uint64_t count = kernel_count(a.count);
    if (threadIdx.x)
        return;
    for (unsigned k = 0; k < KEY_STATISTICS; k++)
        a.out[k] = 0;
    a.out[KEY_MINIMUM] = INT64_MAX;
    a.out[KEY_MAXIMUM] = INT64_MIN;
    a.out[KEY_FIRST] = count ? code_value(a.type, a.values, 0) : 0;
    a.out[KEY_LAST] = count ? code_value(a.type, a.values, count - 1) : 0;
}

KERNEL_STEP_TOGETHER(key_statistics_add, key_statistics)
{
    uint64_t count = kernel_count(a.count), values = 0, falls = 0, changes = 0;
    int64_t minimum = INT64_MAX, maximum = INT64_MIN;
    for (unsigned turn = 0; turn < CUDA_TILE_ROWS / CUDA_BLOCK; turn++) {
        uint64_t i = (uint64_t)blockIdx.x * CUDA_TILE_ROWS + turn * CUDA_BLOCK + threadIdx.x;
        if (i >= count || !kernel_is_valid(a.validity, i))
            continue;
        int64_t x = code_value(a.type, a.values, i);
        int64_t before = i ? code_value(a.type, a.values, i - 1) : x;
        minimum = x < minimum ? x : minimum;
        maximum = x > maximum ? x : maximum;
        values++;
        falls += x < before;
        changes += x != before;
    }
    kernel_add_total(values, (uint64_t *)&a.out[KEY_VALUES]);
    kernel_add_total(falls, (uint64_t *)&a.out[KEY_IS_ASCENDING]); /* for now */
    kernel_add_total(changes, (uint64_t *)&a.out[KEY_CHANGES]);
    kernel_add_bounds(minimum, maximum, &a.out[KEY_MINIMUM], &a.out[KEY_MAXIMUM]);
}

KERNEL_STEP_ALONE(key_statistics_end, key_statistics)
{
    uint64_t count = kernel_count(a.count), valid = (uint64_t)a.out[KEY_VALUES];
    if (threadIdx.x)
        return;
    a.out[KEY_IS_ASCENDING] = count && !a.out[KEY_IS_ASCENDING];
    if (!valid)
        a.out[KEY_MINIMUM] = a.out[KEY_MAXIMUM] = 0;
    if (count && (valid < count || a.type.id == TYPE_BOOL)) {
        a.out[KEY_HAS_NULLS] = 1;
        a.out[KEY_IS_ASCENDING] = a.out[KEY_FIRST] = a.out[KEY_LAST] = a.out[KEY_CHANGES] = 0;
    }
}

/* ---- runs ---- */

KERNEL_TOGETHER(runs_mark)
{
    uint64_t count = kernel_count(a.count), i = kernel_row();
    key_shape shape = {a.stride / 8, a.text_count, a.interval_count};
    bool differs = false;
    if (i < count) {
        const uint64_t *before =
            i ? key_row(a.rows, a.stride, i - 1) : (const uint64_t *)a.previous;
        differs = !before || !keys_are_equal(key_row(a.rows, a.stride, i), before, shape);
    }
    kernel_write_bit(a.out, i, count, differs);
}

KERNEL_TOGETHER_MIDDLE(runs_number)
{
    __shared__ uint64_t shared[MARKS_SHARED_WORDS];
    const uint32_t *bits = (const uint32_t *)a.bits;
    kernel_number_bits(
        extra, kernel_count(a.count), shared, NULL, [&](uint64_t w) { return bits[w]; },
        [&](uint64_t i, uint64_t before, bool is_set) {
            a.out[i] = (uint32_t)(a.first + before + is_set);
        });
}
