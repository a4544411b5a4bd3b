/* kernel_join.cu - join keys as bits, ranks and codes; build rows as lists; pairs and marks. */
#include "device/cuda/keys.cuh"

/* ---- integer keys ---- */

DEVICE uint64_t key_bit(data_type type, const void *keys, uint64_t i, int64_t minimum)
{
    return (uint64_t)kernel_load_integer(type, keys, i) - (uint64_t)minimum;
}

KERNEL_TOGETHER(join_key_bounds)
{
    uint64_t count = kernel_count(a.count), first = kernel_first_row(), words[CUDA_ROWS];
    unsigned valid = kernel_valid_rows(a.validity, first, count);
    int64_t least = INT64_MAX, most = INT64_MIN;
    kernel_load_words(a.type.width, a.keys, 1, first, count, words);
    for (unsigned k = 0; k < CUDA_ROWS; k++) {
        int64_t key = kernel_word_integer(a.type, words[k]);
        if (!(valid >> k & 1))
            continue;
        least = key < least ? key : least;
        most = key > most ? key : most;
    }
    kernel_add_total((unsigned)__popc(valid), (uint64_t *)&a.bounds[2]);
    kernel_add_bounds(least, most, &a.bounds[0], &a.bounds[1]);
}

KERNEL_ALONE(join_key_bitmap)
{
    uint64_t count = kernel_count(a.count), i = kernel_row();
    if (i < count && kernel_is_valid(a.validity, i))
        kernel_set_bit(a.bitmap, key_bit(a.type, a.keys, i, a.minimum));
}

/* Ranks: a thread takes eight words in a row. */
KERNEL_TOGETHER_MIDDLE(rank_sums)
{
    __shared__ uint64_t sums[8], tile_number, base;
    uint64_t tile = kernel_take_tile(extra.scratch, &tile_number), own = 0, total;
    uint64_t first = tile * CUDA_TILE_ROWS + threadIdx.x * 8;
    for (uint64_t w = first; w < a.word_count && w < first + 8; w++)
        own += (unsigned)__popcll(a.bitmap[w]);
    uint64_t rank = kernel_block_scan(own, sums, &total);
    rank += kernel_tile_base(extra.scratch, tile, total, &base);
    for (uint64_t w = first; w < a.word_count && w < first + 8; w++) {
        a.ranks[w] = (uint32_t)rank;
        rank += (unsigned)__popcll(a.bitmap[w]);
    }
    if (threadIdx.x == 0 && tile + 1 == extra.blocks)
        *a.out_total = base + total;
}

/* The bits of the thread's keys that stand in the bitmap, and where: at[k] / 64 is the number of words[k]. */
DEVICE unsigned find_bits(data_type type, const void *keys, const uint64_t *validity, uint64_t first,
                          uint64_t count, int64_t minimum, const uint64_t *bitmap, uint64_t bits,
                          uint64_t *at, uint64_t *words)
{
    unsigned valid = kernel_valid_rows(validity, first, count), found = 0;
    kernel_load_words(type.width, keys, 1, first, count, at);
    for (unsigned k = 0; k < CUDA_ROWS; k++) {
        at[k] = (uint64_t)kernel_word_integer(type, at[k]) - (uint64_t)minimum;
        words[k] = (valid >> k & 1) && at[k] < bits ? bitmap[at[k] / 64] : 0;
    }
    for (unsigned k = 0; k < CUDA_ROWS; k++)
        found |= (unsigned)(words[k] >> (at[k] % 64) & 1) << k;
    return found;
}

KERNEL_ALONE(rank_find)
{
    uint64_t count = kernel_count(a.count), first = kernel_first_row();
    uint64_t at[CUDA_ROWS], words[CUDA_ROWS];
    uint32_t groups[CUDA_ROWS];
    unsigned found = find_bits(a.type, a.keys, a.validity, first, count, a.minimum, a.bitmap,
                               a.bits, at, words);
    for (unsigned k = 0; k < CUDA_ROWS; k++)
        groups[k] = a.ranks && (found >> k & 1) ? a.ranks[at[k] / 64] : 0;
    for (unsigned k = 0; k < CUDA_ROWS; k++) {
        uint64_t i = first + k * CUDA_WARP, below = words[k] & (((uint64_t)1 << (at[k] % 64)) - 1);
        if (i < count)
            a.out[i] = !(found >> k & 1) ? ROW_NULL
                       : a.ranks         ? groups[k] + (uint32_t)__popcll(below)
                                         : 0;
    }
}

KERNEL_TOGETHER(filter_bitmap)
{
    uint64_t count = kernel_count(a.count), first = kernel_first_row();
    uint64_t at[CUDA_ROWS], words[CUDA_ROWS];
    kernel_write_bits(a.out, first, count,
                      find_bits(a.type, a.keys, a.validity, first, count, a.minimum, a.bitmap,
                                a.bits, at, words));
}

/* ---- Bloom filters: device/cpu/kernel_bloom.h says which bits a hash has ---- */

DEVICE uint64_t bloom_block(uint64_t hash, uint64_t block_count)
{
    return (hash >> 20) & (block_count - 1);
}

DEVICE uint64_t bloom_bits(uint64_t hash)
{
    return (uint64_t)1 << (hash & 63) | (uint64_t)1 << (hash >> 6 & 63) |
           (uint64_t)1 << (hash >> 12 & 63);
}

KERNEL_ALONE(bloom_add)
{
    uint64_t count = kernel_count(a.count), i = kernel_row();
    if (i < count && kernel_is_valid(a.validity, i))
        atomicOr((word64 *)&a.blocks[bloom_block(a.hashes[i], a.block_count)],
                 (word64)bloom_bits(a.hashes[i]));
}

KERNEL_TOGETHER(filter_bloom)
{
    uint64_t count = kernel_count(a.count), first = kernel_first_row();
    uint64_t hashes[CUDA_ROWS], blocks[CUDA_ROWS];
    unsigned valid = kernel_valid_rows(a.validity, first, count), found = 0;
    kernel_load_rows<uint64_t>(a.hashes, 1, first, count, hashes);
    for (unsigned k = 0; k < CUDA_ROWS; k++)
        blocks[k] = valid >> k & 1 ? a.blocks[bloom_block(hashes[k], a.block_count)] : 0;
    for (unsigned k = 0; k < CUDA_ROWS; k++)
        found |= (unsigned)!(bloom_bits(hashes[k]) & ~blocks[k]) << k;
    kernel_write_bits(a.out, first, count, found);
}

/* ---- codes ---- */

KERNEL_ALONE(code_pack)
{
    uint64_t count = kernel_count(a.count), i = kernel_row();
    if (i >= count)
        return;
    uint64_t digit = key_bit(a.type, a.keys, i, a.minimum), before = a.combine ? a.out[i] : 1;
    bool has_code = digit < a.range && before && kernel_is_valid(a.validity, i);
    a.out[i] = has_code ? (before - 1) * a.range + digit + 1 : 0;
}

/* Adds how many codes the thread has, and how many of them are new: one addition of the block for each. */
DEVICE void count_inserted(uint64_t *stats, unsigned codes, unsigned added)
{
    __shared__ word64 both;
    if (threadIdx.x == 0)
        both = 0;
    __syncthreads();
    uint64_t sum = kernel_warp_sum((uint64_t)codes << 32 | added);
    if (kernel_lane() == 0 && sum)
        atomicAdd(&both, (word64)sum);
    __syncthreads();
    if (threadIdx.x == 0 && both) {
        kernel_atomic_add(&stats[0], both >> 32);
        kernel_atomic_add(&stats[1], both & UINT32_MAX);
    }
}

/* Gives the codes of the thread's rows, 0 behind the count, and where there is none. Without codes they are made from
 * keys, as code_pack makes them. Returns a bit for each that there is. */
template <class A>
DEVICE unsigned load_codes(const A &a, uint64_t first, uint64_t count, uint64_t *codes)
{
    unsigned are_codes = 0;
    if (a.codes) {
        kernel_load_rows<uint64_t>(a.codes, 1, first, count, codes);
    } else {
        unsigned valid = kernel_valid_rows(a.validity, first, count);
        kernel_load_words(a.type.width, a.keys, 1, first, count, codes);
        for (unsigned k = 0; k < CUDA_ROWS; k++) {
            uint64_t digit = (uint64_t)kernel_word_integer(a.type, codes[k]) - (uint64_t)a.minimum;
            codes[k] = digit < a.range && (valid >> k & 1) ? digit + 1 : 0;
        }
    }
    for (unsigned k = 0; k < CUDA_ROWS; k++)
        are_codes |= (unsigned)(codes[k] != 0) << k;
    return are_codes;
}

/* A thread's codes are put in together: a swap takes long, and no row waits for another one's. */
KERNEL_TOGETHER(code_insert)
{
    uint64_t count = kernel_count(a.count), first = kernel_first_row(), codes[CUDA_ROWS];
    uint32_t at[CUDA_ROWS], slots = (uint32_t)a.slot_count;
    unsigned are_codes = load_codes(a, first, count, codes), left = are_codes, added = 0;
    unsigned is_pair = a.row_bits == DEV_SLOT_PAIR, shift = is_pair ? 0 : a.row_bits;
    for (unsigned k = 0; k < CUDA_ROWS; k++)
        at[k] = (uint32_t)kernel_slot_of(kernel_mix(codes[k]), a.slot_count);
    while (left) {
        word64 there[CUDA_ROWS];
        for (unsigned k = 0; k < CUDA_ROWS; k++) {
            uint64_t row = a.first_row + (uint32_t)(first + k * CUDA_WARP);
            word64 *slot = (word64 *)&a.slots[(uint64_t)at[k] << is_pair];
            there[k] = 0;
            if (left >> k & 1)
                there[k] = atomicCAS(slot, (word64)0,
                                     (word64)(codes[k] << shift | (shift ? row : 0)));
        }
        for (unsigned k = 0; k < CUDA_ROWS; k++) {
            bool is_left = left >> k & 1, is_new = is_left && !there[k];
            added += is_new;
            if (is_new && is_pair)
                a.slots[2 * (uint64_t)at[k] + 1] = a.first_row + (uint32_t)(first + k * CUDA_WARP);
            if (is_new || there[k] >> shift == codes[k])
                left &= ~(1u << k);
            else if (is_left)
                at[k] = at[k] + 1 == slots ? 0 : at[k] + 1;
        }
    }
    for (unsigned k = 0; k < CUDA_ROWS; k++)
        if (first + k * CUDA_WARP < count)
            a.out[first + k * CUDA_WARP] = are_codes >> k & 1 ? at[k] : ROW_NULL;
    count_inserted(a.stats, (unsigned)__popc(are_codes), added);
}

/* The first slot of the part in which a code is looked up. */
DEVICE uint32_t code_part(const code_find_arguments &a, uint64_t hash)
{
    return a.parts > 1 ? kernel_rank_of(hash, a.parts) * (uint32_t)a.slot_count : 0;
}

/* A thread's codes are looked up together; a row that stands beside its code is read with it. */
KERNEL_ALONE(code_find)
{
    uint64_t count = kernel_count(a.count), first = kernel_first_row(), codes[CUDA_ROWS];
    uint32_t at[CUDA_ROWS], rows[CUDA_ROWS];
    unsigned are_codes = load_codes(a, first, count, codes), left = are_codes, found = 0;
    unsigned is_pair = a.row_bits == DEV_SLOT_PAIR, shift = is_pair ? 0 : a.row_bits;
    for (unsigned k = 0; k < CUDA_ROWS; k++) {
        uint64_t hash = kernel_mix(codes[k]);
        at[k] = code_part(a, hash) + (uint32_t)kernel_slot_of(hash, a.slot_count);
    }
    while (left) {
        uint64_t there[CUDA_ROWS], beside[CUDA_ROWS];
        for (unsigned k = 0; k < CUDA_ROWS; k++) {
            const uint64_t *slot = &a.slots[(uint64_t)at[k] << is_pair];
            there[k] = left >> k & 1 ? slot[0] : 0;
            beside[k] = (left >> k & 1) && is_pair && a.gives_rows ? slot[1] : 0;
        }
        for (unsigned k = 0; k < CUDA_ROWS; k++) {
            if (!(left >> k & 1))
                continue;
            bool is_found = there[k] >> shift == codes[k];
            if (is_found || !there[k]) {
                rows[k] = !a.gives_rows ? at[k]
                          : is_pair     ? (uint32_t)beside[k]
                                        : (uint32_t)(there[k] & (((uint64_t)1 << shift) - 1));
                found |= (unsigned)is_found << k;
                left &= ~(1u << k);
            } else {
                uint32_t part = code_part(a, kernel_mix(codes[k]));
                at[k] = at[k] + 1 == part + (uint32_t)a.slot_count ? part : at[k] + 1;
            }
        }
    }
    for (unsigned k = 0; k < CUDA_ROWS; k++)
        if (first + k * CUDA_WARP < count)
            a.out[first + k * CUDA_WARP] = found >> k & 1 ? rows[k] : ROW_NULL;
}

/* ---- packed keys ---- */

KERNEL_TOGETHER(packed_insert)
{
    uint64_t count = kernel_count(a.count), i = kernel_row(), mask = a.slot_count - 1;
    key_shape shape = {a.stride / 8, a.text_count, a.interval_count};
    bool is_new = false;
    if (i < count) {
        uint64_t row = a.first_row + i, hash = a.hashes[i], at = hash & mask;
        const uint64_t *key = key_row(a.rows, a.stride, row);
        for (;; at = (at + 1) & mask) {
            uint64_t there =
                atomicCAS((word64 *)&a.slots[at], (word64)0, (word64)(hash << 32 | (row + 1)));
            is_new = !there;
            if (is_new || (there >> 32 == hash &&
                           keys_are_equal(key_row(a.rows, a.stride, (uint32_t)there - 1), key,
                                          shape)))
                break;
        }
        a.out[i] = (uint32_t)at;
    }
    count_inserted(a.stats, i < count, is_new);
}

KERNEL_ALONE(packed_find)
{
    uint64_t count = kernel_count(a.count), i = kernel_row(), mask = a.slot_count - 1;
    key_shape shape = {a.stride / 8, a.text_count, a.interval_count};
    if (i >= count)
        return;
    uint64_t hash = a.hashes[i];
    uint32_t found = ROW_NULL;
    for (uint64_t at = hash & mask; a.slots[at] && found == ROW_NULL; at = (at + 1) & mask)
        if (a.slots[at] >> 32 == hash &&
            keys_are_equal(key_row(a.build_rows, a.stride, (uint32_t)a.slots[at] - 1),
                           key_row(a.rows, a.stride, i), shape))
            found = a.gives_rows ? (uint32_t)a.slots[at] - 1 : (uint32_t)at;
    a.out[i] = found;
}

/* ---- lists ---- */

KERNEL_ALONE(join_drop_nulls)
{
    uint64_t count = kernel_count(a.count), i = kernel_row();
    if (i < count && !kernel_is_valid(a.validity, i))
        a.groups[i] = ROW_NULL;
}

KERNEL_ALONE(scatter_rows)
{
    uint64_t count = kernel_count(a.count), i = kernel_row();
    if (i < count && a.groups[i] != ROW_NULL)
        a.rows[a.groups[i]] = a.first_row + (uint32_t)i;
}

KERNEL_ALONE(join_list_count)
{
    uint64_t count = kernel_count(a.count), i = kernel_row();
    if (i < count && a.groups[i] != ROW_NULL)
        atomicAdd((unsigned *)&a.starts[a.groups[i] + 2], 1u);
}

/* Sums in place: a thread takes eight groups in a row. */
KERNEL_TOGETHER_MIDDLE(join_list_sums)
{
    __shared__ uint64_t sums[8], tile_number, base;
    uint64_t tile = kernel_take_tile(extra.scratch, &tile_number), own = 0, total;
    uint64_t first = tile * CUDA_TILE_ROWS + threadIdx.x * 8;
    uint32_t largest = 0;
    for (uint64_t g = first; g < a.group_count && g < first + 8; g++) {
        uint32_t size = a.starts[g + 2];
        largest = size > largest ? size : largest;
        own += size;
    }
    uint64_t sum = kernel_block_scan(own, sums, &total);
    sum += kernel_tile_base(extra.scratch, tile, total, &base);
    for (uint64_t g = first; g < a.group_count && g < first + 8; g++) {
        sum += a.starts[g + 2];
        a.starts[g + 2] = (uint32_t)sum;
    }
    if (largest)
        atomicMax((word64 *)&a.stats[1], (word64)largest);
    if (threadIdx.x == 0 && tile + 1 == extra.blocks)
        a.stats[0] = base + total;
}

/* In what order a group's rows come is not said. */
KERNEL_ALONE(join_list_fill)
{
    uint64_t count = kernel_count(a.count), i = kernel_row();
    if (i < count && a.groups[i] != ROW_NULL)
        a.rows[atomicAdd((unsigned *)&a.starts[a.groups[i] + 1], 1u)] = a.first_row + (uint32_t)i;
}

KERNEL_TOGETHER(join_matched)
{
    uint64_t count = kernel_count(a.count), i = kernel_row();
    kernel_write_bit(a.out, i, count, i < count && a.groups[i] != ROW_NULL);
}

KERNEL_ALONE(join_seen)
{
    uint64_t count = kernel_count(a.count), w = kernel_row();
    if (w * 64 >= count)
        return;
    uint64_t mask = a.mask[w], seen = a.seen[w];
    if (a.is_single && (mask & seen))
        kernel_fail(a.error, DEV_ERROR_MULTIPLE_ROWS, a.location, w * 64);
    a.mask[w] = a.seen[w] = mask | seen;
}

KERNEL_TOGETHER(join_pairs_total)
{
    uint64_t count = kernel_count(a.count), i = kernel_row(), pairs = 0;
    if (i < count && a.groups[i] != ROW_NULL)
        pairs = a.starts[a.groups[i] + 1] - a.starts[a.groups[i]];
    kernel_add_total(pairs, a.out_total);
}

/* ---- rows, each as often as it says, from a cursor on ----
 * extra.scratch begins with the cursor as it was, since a block sets the new one while others still
 * read; then comes the scan. */
#define CURSOR_WORDS 2

/* `size` is how many row i has in all; at most room + 1 count. Gives the places [*at, *end) that the
 * row has, of copies from *done on; the row in which the room ends sets the cursor. */
DEVICE void cursor_places(const cuda_extra &extra, uint64_t count, uint64_t i, uint64_t size,
                          uint64_t room, uint64_t *cursor, uint64_t *sums, uint64_t *shared,
                          uint64_t tile, uint64_t *out_count, uint64_t *at, uint64_t *end,
                          uint64_t *done)
{
    const uint64_t *old = extra.scratch;
    uint64_t total;
    *done = i == old[0] ? old[1] : 0;
    uint64_t left = i < old[0] || i >= count || size <= *done ? 0 : size - *done;
    left = left > room ? room + 1 : left;
    uint64_t before = kernel_block_scan(left, sums, &total);
    uint64_t base = kernel_tile_base(extra.scratch + CURSOR_WORDS, tile, total, shared);
    before += base;
    *at = before < room ? before : room;
    *end = before + left < room ? before + left : room;
    if (left && before < room && before + left >= room) {
        bool is_whole = before + left == room;
        cursor[0] = is_whole ? i + 1 : i;
        cursor[1] = is_whole ? 0 : *done + (room - before);
    }
    if (threadIdx.x == 0 && tile + 1 == extra.blocks) {
        bool has_more = base + total >= room;
        *out_count = has_more ? room : base + total;
        if (!has_more) {
            cursor[0] = count;
            cursor[1] = 0;
        }
    }
}

/* Calls put(place, thread) for each of the places that the block's rows have, a lane for each, side by side: rows may have
 * none, or all. `places`: CUDA_BLOCK + 1 shared numbers. All threads come. */
template <typename put_function>
DEVICE void put_places(uint64_t at, uint64_t end, uint64_t *places, put_function put)
{
    places[threadIdx.x] = at;
    if (threadIdx.x == CUDA_BLOCK - 1)
        places[CUDA_BLOCK] = end;
    __syncthreads();
    for (uint64_t k = places[0] + threadIdx.x; k < places[CUDA_BLOCK]; k += CUDA_BLOCK) {
        unsigned thread = 0; /* the last one whose places begin at k or before */
        for (unsigned step = CUDA_BLOCK / 2; step; step /= 2)
            thread += places[thread + step] <= k ? step : 0;
        put(k, thread);
    }
}

KERNEL_TOGETHER_WIDE(join_pairs)
{
    __shared__ uint64_t sums[8], tile_number, base, places[CUDA_BLOCK + 1], from[CUDA_BLOCK];
    uint64_t count = kernel_count(a.count), at, end, done;
    uint64_t tile = kernel_take_tile(extra.scratch + CURSOR_WORDS, &tile_number);
    uint64_t i = tile * CUDA_BLOCK + threadIdx.x;
    uint32_t group = i < count ? a.groups[i] : ROW_NULL, start = 0, size = 0;
    if (group != ROW_NULL) {
        start = a.starts[group];
        size = a.starts[group + 1] - start;
    }
    cursor_places(extra, count, i, size, a.room, a.cursor, sums, &base, tile, a.out_count, &at, &end,
                  &done);
    from[threadIdx.x] = start + done - at;
    put_places(at, end, places, [&](uint64_t k, unsigned thread) {
        a.out_probe[k] = (uint32_t)(tile * CUDA_BLOCK + thread);
        a.out_build[k] = a.rows[from[thread] + k];
    });
}

KERNEL_TOGETHER_WIDE(repeat_rows)
{
    __shared__ uint64_t sums[8], tile_number, base, places[CUDA_BLOCK + 1];
    uint64_t count = kernel_count(a.count), at, end, done, size = 0;
    uint64_t tile = kernel_take_tile(extra.scratch + CURSOR_WORDS, &tile_number);
    uint64_t i = tile * CUDA_BLOCK + threadIdx.x;
    if (i < count && kernel_is_valid(a.validity, i) && a.counts[i] > 0)
        size = (uint64_t)a.counts[i];
    cursor_places(extra, count, i, size, a.room, a.cursor, sums, &base, tile, &a.cursor[2], &at,
                  &end, &done);
    put_places(at, end, places, [&](uint64_t k, unsigned thread) {
        a.out[k] = (uint32_t)(tile * CUDA_BLOCK + thread);
    });
}

KERNEL_TOGETHER_MIDDLE(join_pairs_unique)
{
    __shared__ uint64_t shared[MARKS_SHARED_WORDS];
    kernel_number_rows(
        extra, kernel_count(a.count), shared, a.out_count,
        [&](uint64_t i) { return a.groups[i] != ROW_NULL; },
        [&](uint64_t i, uint64_t before, bool is_pair) {
            if (!is_pair)
                return;
            a.out_probe[before] = (uint32_t)i;
            if (a.out_build)
                a.out_build[before] = a.rows ? a.rows[a.groups[i]] : a.groups[i];
        });
}

/* ---- ranges ---- */

KERNEL_ALONE(range_values)
{
    uint64_t count = kernel_count(a.count), i = kernel_row();
    if (i >= count)
        return;
    const uint64_t *key = a.rows + ((uint64_t)a.index[i] * a.key_count + a.key) * 3;
    a.out[2 * i] = key[1];
    a.out[2 * i + 1] = key[2];
}

/* Below zero: the value at a place comes before the bound. */
DEVICE int range_order(const uint64_t *values, bool is_text, uint32_t place, const uint64_t *bound)
{
    const uint64_t *value = values + 2 * (uint64_t)place;
    if (is_text)
        return kernel_view_compare((const kernel_view *)value, (const kernel_view *)bound);
    if (value[0] != bound[0])
        return value[0] < bound[0] ? -1 : 1;
    return value[1] < bound[1] ? -1 : value[1] > bound[1];
}

/* The first of the places [first, end) whose value comes behind the bound, or not before it. */
DEVICE uint32_t range_place(const uint64_t *values, bool is_text, uint32_t first, uint32_t end,
                            const uint64_t *bound, bool is_behind)
{
    while (first < end) {
        uint32_t middle = first + (end - first) / 2;
        if (range_order(values, is_text, middle, bound) < (is_behind ? 1 : 0))
            first = middle + 1;
        else
            end = middle;
    }
    return first;
}

KERNEL_ALONE(range_find)
{
    uint64_t count = kernel_count(a.count), i = kernel_row();
    if (i >= count)
        return;
    uint32_t group = a.groups[i];
    a.groups[i] = ROW_NULL;
    if (group == ROW_NULL || (a.lower && (a.lower[i * 3] & 1)) ||
        (a.upper && (a.upper[i * 3] & 1)))
        return;
    uint32_t first = a.starts[group + 1], end = a.starts[group + 2];
    if (a.lower)
        first = range_place(a.values, a.is_text, first, end, a.lower + i * 3 + 1,
                            a.lower_is_strict);
    if (a.upper)
        end = range_place(a.values, a.is_text, first, end, a.upper + i * 3 + 1,
                          !a.upper_is_strict);
    if (first == end)
        return;
    a.out[2 * i] = first;
    a.out[2 * i + 1] = end;
    a.groups[i] = (uint32_t)(2 * i);
}

/* ---- ranges of two values ---- */

KERNEL_ALONE(range_ranks)
{
    uint64_t count = kernel_count(a.count), i = kernel_row();
    if (i < count)
        a.out[a.order[i]] = (uint32_t)(a.is_upper ? count - 1 - i : i);
}

KERNEL_ALONE(range_tops)
{
    uint64_t count = kernel_count(a.count), i = kernel_row();
    if (i >= count)
        return;
    uint64_t end = (i + 1) * 64 < a.height_count ? (i + 1) * 64 : a.height_count;
    uint32_t top = 0;
    for (uint64_t k = i * 64; k < end; k++)
        top = a.heights[k] > top ? a.heights[k] : top;
    a.out[i] = top;
}

/* The first of the places [place, end) that is high enough; `end` or beyond: none. */
template <typename arguments>
DEVICE uint64_t range_next(const arguments &a, uint64_t place, uint64_t end, uint32_t least)
{
    while (place < end) {
        if (place % 4096 == 0 && a.tops_of_tops[place / 4096] < least)
            place += 4096;
        else if (place % 64 == 0 && a.tops[place / 64] < least)
            place += 64;
        else if (a.heights[place] >= least)
            break;
        else
            place++;
    }
    return place;
}

KERNEL_ALONE(range_narrow)
{
    uint64_t count = kernel_count(a.count), i = kernel_row();
    if (i >= count)
        return;
    uint32_t group = a.groups[i], values = (uint32_t)a.value_count;
    a.groups[i] = ROW_NULL;
    if (group == ROW_NULL || (a.bounds[i * 3] & 1))
        return;
    uint32_t *places = a.places + group;
    uint32_t least = range_place(a.values, a.is_text, 0, values, a.bounds + i * 3 + 1,
                                 a.is_strict != a.is_upper);
    least = a.is_upper ? values - least : least;
    uint64_t first = range_next(a, places[0], places[1], least);
    if (first >= places[1])
        return;
    places[0] = (uint32_t)first;
    a.out_least[i] = least;
    a.groups[i] = group;
}

/* How many of row i's places are high enough. */
template <typename arguments> DEVICE uint64_t range_size(const arguments &a, uint64_t i)
{
    uint64_t size = 0, place = a.places[a.groups[i]], end = a.places[a.groups[i] + 1];
    while ((place = range_next(a, place, end, a.least[i])) < end) {
        size++;
        place++;
    }
    return size;
}

KERNEL_TOGETHER(range_pairs_total)
{
    uint64_t count = kernel_count(a.count), i = kernel_row(), pairs = 0;
    if (i < count && a.groups[i] != ROW_NULL)
        pairs = range_size(a, i);
    kernel_add_total(pairs, a.out_total);
}

/* cursor[1]: how many of the row's pairs are done. */
KERNEL_TOGETHER_WIDE(range_pairs)
{
    __shared__ uint64_t sums[8], tile_number, base;
    uint64_t count = kernel_count(a.count), at, end, done;
    uint64_t tile = kernel_take_tile(extra.scratch + CURSOR_WORDS, &tile_number);
    uint64_t i = tile * CUDA_BLOCK + threadIdx.x;
    uint64_t size = i < count && a.groups[i] != ROW_NULL ? range_size(a, i) : 0;
    cursor_places(extra, count, i, size, a.room, a.cursor, sums, &base, tile, a.out_count, &at, &end,
                  &done);
    uint64_t place = at < end ? a.places[a.groups[i]] : 0;
    uint64_t last = at < end ? a.places[a.groups[i] + 1] : 0;
    for (uint64_t k = 0; at < end; k++, place++) {
        place = range_next(a, place, last, a.least[i]);
        if (k < done)
            continue;
        a.out_probe[at] = (uint32_t)i;
        a.out_build[at++] = a.rows[place];
    }
}

/* ---- marks ---- */

KERNEL_ALONE(join_mark)
{
    uint64_t count = kernel_count(a.count), i = kernel_row();
    if (i < count && a.index[i] != ROW_NULL)
        kernel_set_bit(a.bits, a.index[i]);
}

KERNEL_ALONE(join_mark_rows)
{
    uint64_t i = kernel_row(), group = a.first_group + i;
    if (i >= a.group_count || !kernel_bit(a.groups, group))
        return;
    uint64_t from = a.starts ? a.starts[group] : group;
    uint64_t end = a.starts ? a.starts[group + 1] : group + 1;
    for (uint64_t at = from; at < end; at++)
        kernel_set_bit(a.bits, a.rows ? a.rows[at] : at);
}

KERNEL_ALONE(join_check_single)
{
    uint64_t count = kernel_count(a.count), i = kernel_row();
    if (i < count && a.groups[i] != ROW_NULL &&
        a.starts[a.groups[i] + 1] - a.starts[a.groups[i]] > 1)
        kernel_fail(a.error, DEV_ERROR_MULTIPLE_ROWS, a.location, i);
}

KERNEL_ALONE(join_copy_bits)
{
    uint64_t count = kernel_count(a.count), w = kernel_row();
    if (w * 64 >= count)
        return;
    uint64_t word = (a.source ? a.source[w] : ~(uint64_t)0) & kernel_word_mask(count, w);
    unsigned shift = a.target_at % 64;
    word64 *target = (word64 *)a.target + a.target_at / 64 + w;
    if (word << shift)
        atomicOr(target, (word64)(word << shift));
    if (shift && word >> (64 - shift))
        atomicOr(target + 1, (word64)(word >> (64 - shift)));
}

KERNEL_ALONE(join_spread_nulls)
{
    uint64_t count = kernel_count(a.count), i = kernel_row();
    if (i < count && !kernel_bit(a.validity, i))
        a.hashes[i] = (uint32_t)i * 2654435769u;
}
