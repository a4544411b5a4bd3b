/* kernel_join.c - probing a join table, and forming pairs. */
#include "device/cpu/kernel_rows.h"
#include "device/tensor.h"

void ISA_(join_drop_nulls)(const join_drop_nulls_arguments *a)
{
    size_t count = kernel_count(a->count);
    if (!a->validity)
        return;
    for (size_t i = 0; i < count; i++)
        if (!kernel_bit(a->validity, i))
            a->groups[i] = ROW_NULL;
}

void ISA_(join_probe)(const join_probe_arguments *a)
{
    size_t count = kernel_count(a->count), stride = a->stride_words;
    uint64_t mask = a->slot_count - 1;
    for (size_t i = 0; i < count; i++) {
        if (i + PREFETCH_ROWS < count)
            __builtin_prefetch(&a->slots[a->hashes[i + PREFETCH_ROWS] & mask]);
        uint64_t hash = a->hashes[i];
        uint32_t found = ROW_NULL;
        for (uint64_t at = hash & mask; a->slots[at]; at = (at + 1) & mask) {
            uint32_t group = a->slots[at] - 1;
            if (a->group_hashes[group] == hash &&
                rows_are_equal(a->group_rows + group * stride, a->rows + i * stride, stride,
                               a->text_keys)) {
                found = group;
                break;
            }
        }
        a->out[i] = found;
    }
}

void ISA_(join_lists)(const join_lists_arguments *a)
{
    size_t count = kernel_count(a->count);
    uint32_t *starts = a->starts, largest = 0;
    uint64_t total = 0;
    /* Counts, two places further; sums make them the ends of the lists before; filling a list moves
     * its start to where it belongs. */
    for (size_t i = 0; i < count; i++)
        if (a->groups[i] != ROW_NULL)
            starts[a->groups[i] + 2]++;
    for (uint64_t g = 0; g < a->group_count; g++) {
        uint32_t size = starts[g + 2];
        largest = size > largest ? size : largest;
        total += size;
        starts[g + 2] = (uint32_t)total;
    }
    for (size_t i = 0; i < count; i++)
        if (a->groups[i] != ROW_NULL)
            a->rows[starts[a->groups[i] + 1]++] = (uint32_t)i;
    a->stats[0] = total;
    a->stats[1] = largest;
}

void ISA_(join_matched)(const join_matched_arguments *a)
{
    size_t count = kernel_count(a->count);
    for (size_t w = 0; w * 64 < count; w++) {
        uint64_t word = 0;
        size_t end = count - w * 64 < 64 ? count - w * 64 : 64;
        for (size_t i = 0; i < end; i++)
            word |= (uint64_t)(a->groups[w * 64 + i] != ROW_NULL) << i;
        a->out[w] = word;
    }
}

void ISA_(join_pairs)(const join_pairs_arguments *a)
{
    size_t count = kernel_count(a->count), made = 0;
    uint64_t row = a->cursor[0], done = a->cursor[1];
    for (; row < count && made < a->room; row++) {
        uint32_t group = a->groups[row];
        if (group == ROW_NULL)
            continue;
        uint32_t at = a->starts[group] + (uint32_t)done, end = a->starts[group + 1];
        for (; at < end && made < a->room; at++, made++) {
            a->out_probe[made] = (uint32_t)row;
            a->out_build[made] = a->rows[at];
        }
        done = at < end ? at - a->starts[group] : 0;
        if (done)
            break;
    }
    a->cursor[0] = row;
    a->cursor[1] = done;
    *a->out_count = made;
}

void ISA_(join_mark)(const join_mark_arguments *a)
{
    size_t count = kernel_count(a->count);
    for (size_t i = 0; i < count; i++) {
        uint64_t bit = (uint64_t)1 << (a->index[i] % 64), *word = &a->bits[a->index[i] / 64];
        if (!(__atomic_load_n(word, __ATOMIC_RELAXED) & bit))
            __atomic_fetch_or(word, bit, __ATOMIC_RELAXED);
    }
}

void ISA_(join_check_single)(const join_check_single_arguments *a)
{
    size_t count = kernel_count(a->count);
    for (size_t i = 0; i < count; i++)
        if (a->groups[i] != ROW_NULL && a->starts[a->groups[i] + 1] - a->starts[a->groups[i]] > 1)
            kernel_fail(a->error, DEV_ERROR_MULTIPLE_ROWS, a->place, i);
}

void ISA_(invert_bits)(const invert_bits_arguments *a)
{
    size_t count = kernel_count(a->count);
    for (size_t w = 0; w * 64 < count; w++)
        a->out[w] = ~a->bits[w] & kernel_word_mask(count, w);
}

/* Runs `body` for each key that is not NULL, as int64_t `key`. */
#define FOR_KEYS(ctype, body)                                                                      \
    do {                                                                                           \
        const ctype *keys = a->keys;                                                               \
        for (size_t i = 0; i < count; i++)                                                         \
            if (kernel_is_valid(a->validity, i)) {                                                 \
                int64_t key = (int64_t)keys[i];                                                    \
                body;                                                                              \
            }                                                                                      \
    } while (0)
#define FOR_KEYS_OF_WIDTH(body)                                                                    \
    switch (a->type.width) {                                                                       \
    case 1:                                                                                        \
        FOR_KEYS(int8_t, body);                                                                    \
        break;                                                                                     \
    case 2:                                                                                        \
        FOR_KEYS(int16_t, body);                                                                   \
        break;                                                                                     \
    case 4:                                                                                        \
        FOR_KEYS(int32_t, body);                                                                   \
        break;                                                                                     \
    default:                                                                                       \
        FOR_KEYS(int64_t, body);                                                                   \
    }

void ISA_(join_key_bounds)(const join_key_bounds_arguments *a)
{
    size_t count = kernel_count(a->count);
    int64_t low = a->bounds[0], high = a->bounds[1];
    FOR_KEYS_OF_WIDTH(low = key < low ? key : low; high = key > high ? key : high)
    a->bounds[0] = low;
    a->bounds[1] = high;
}

void ISA_(join_key_bitmap)(const join_key_bitmap_arguments *a)
{
    size_t count = kernel_count(a->count);
    FOR_KEYS_OF_WIDTH({
        uint64_t bit = (uint64_t)key - (uint64_t)a->minimum;
        a->bitmap[bit / 64] |= (uint64_t)1 << (bit % 64);
    })
}
