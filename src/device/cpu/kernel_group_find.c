/* kernel_group_find.c - group numbers by hashing: open addressing over packed keys. */
#include "device/cpu/kernel_keys.h"

/* Rows are taken in blocks, each in passes, so that a block's cache misses overlap: slots are
 * fetched two blocks ahead; a block ahead they are followed to one with the row's hash, the candidate, and
 * the group that it names is fetched; then its long strings; then all is looked at. */
#define BLOCK_ROWS 64
/* Directories up to this size stay in the cache by themselves. */
#define CACHED_SLOTS (1u << 14)
#define NO_CANDIDATE UINT32_MAX

/* heap_used NULL: strings are borrowed; heap NULL: they are only counted. */
static inline __attribute__((always_inline)) void
group_find_add_group(uint8_t *target, const uint8_t *row, size_t words, size_t text_count,
                     char *heap, uint64_t *heap_used)
{
    row_copy(target, row, words);
    for (size_t k = 0; heap_used && k < text_count; k++)
        if (heap)
            kernel_own_text(target + k * 16, heap, heap_used);
        else
            *heap_used += kernel_long_bytes(target + k * 16);
}

/* Facts that all passes over a block share; the constants of its shape are arguments, so that the compiler makes
 * passes of their own for each. */
typedef struct find_pass {
    const groups_find_arguments *a;
    uint64_t mask;
    uint32_t candidates[2 * BLOCK_ROWS]; /* of this block and the next, by the rows' numbers */
} find_pass;

static inline uint32_t *candidate_of(find_pass *pass, size_t row)
{
    return &pass->candidates[row % (2 * (size_t)BLOCK_ROWS)];
}

/* Follows the directory from where the row's hash begins; the group is added where there is none. */
static inline __attribute__((always_inline)) uint32_t
group_find_row(const groups_find_arguments *a, const uint8_t *row, uint32_t hash, uint64_t *groups,
               size_t words, size_t text_count, size_t interval_count)
{
    uint64_t mask = a->slot_count - 1;
    size_t stride = words * 8;
    for (uint64_t at = hash & mask;; at = (at + 1) & mask) {
        uint64_t slot = a->slots[at];
        if (!slot) {
            group_find_add_group(a->group_rows + *groups * stride, row, words, text_count, a->heap,
                                 a->heap_used);
            a->slots[at] = (uint64_t)hash << 32 | ++*groups;
            return (uint32_t)(*groups - 1);
        }
        uint32_t group = (uint32_t)slot - 1;
        if (slot >> 32 == hash &&
            keys_are_equal(a->group_rows + group * stride, row, words, text_count, interval_count))
            return group;
    }
}

static inline __attribute__((always_inline)) uint64_t
find_block(const groups_find_arguments *a, size_t start, size_t end, uint64_t groups, size_t words,
           size_t text_count, size_t interval_count)
{
    for (size_t i = start; i < end; i++)
        a->out[i] = group_find_row(a, a->rows + i * words * 8, a->hashes[i], &groups, words,
                                   text_count, interval_count);
    return groups;
}

static void prefetch_slots(const groups_find_arguments *a, size_t start, size_t end)
{
    uint64_t mask = a->slot_count - 1;
    for (size_t i = start; i < end; i++)
        __builtin_prefetch(&a->slots[a->hashes[i] & mask]);
}

static inline __attribute__((always_inline)) void find_candidates(find_pass *pass, size_t start,
                                                                  size_t end, size_t words)
{
    const groups_find_arguments *a = pass->a;
    uint64_t mask = a->slot_count - 1;
    for (size_t i = start; i < end; i++) {
        uint32_t hash = a->hashes[i];
        uint64_t at = hash & mask, slot = a->slots[at];
        while (slot && slot >> 32 != hash) {
            at = (at + 1) & mask;
            slot = a->slots[at];
        }
        *candidate_of(pass, i) = (uint32_t)slot - 1; /* an empty slot has none */
        __builtin_prefetch(slot ? a->group_rows + (size_t)((uint32_t)slot - 1) * words * 8
                                : a->rows);
    }
}

static inline void prefetch_text(const uint8_t *key)
{
    string_view view;
    memcpy(&view, key, sizeof view);
    if (view.bytes <= STRING_INLINE_BYTES)
        return;
    const char *data = kernel_string_data(&view);
    __builtin_prefetch(data);
    __builtin_prefetch(data + (view.bytes > 64 ? 64 : view.bytes - 1));
    if (view.bytes > 64)
        __builtin_prefetch(data + (view.bytes > 128 ? 128 : view.bytes - 1));
}

/* Prefetches the texts of groups, and of rows as well: those of rows that were ordered by hash lie anywhere. */
static inline __attribute__((always_inline)) void
prefetch_texts(find_pass *pass, size_t start, size_t end, size_t words, size_t text_count)
{
    const groups_find_arguments *a = pass->a;
    for (size_t i = start; i < end; i++) {
        uint32_t candidate = *candidate_of(pass, i);
        for (size_t k = 0; k < text_count; k++) {
            if (candidate != NO_CANDIDATE)
                prefetch_text(a->group_rows + (size_t)candidate * words * 8 + k * 16);
            prefetch_text(a->rows + i * words * 8 + k * 16);
        }
    }
}

/* The candidates are known. */
static inline __attribute__((always_inline)) uint64_t check_block(find_pass *pass, size_t start,
                                                                  size_t end, uint64_t groups,
                                                                  size_t words, size_t text_count,
                                                                  size_t interval_count)
{
    const groups_find_arguments *a = pass->a;
    size_t stride = words * 8;
    for (size_t i = start; i < end; i++) {
        const uint8_t *row = a->rows + i * stride;
        uint32_t candidate = *candidate_of(pass, i);
        if (candidate == NO_CANDIDATE || !keys_are_equal(a->group_rows + (size_t)candidate * stride,
                                                         row, words, text_count, interval_count))
            candidate =
                group_find_row(a, row, a->hashes[i], &groups, words, text_count, interval_count);
        a->out[i] = candidate;
    }
    return groups;
}

static inline size_t block_end(size_t start, size_t count)
{
    return start >= count || count - start < BLOCK_ROWS ? count : start + BLOCK_ROWS;
}

/* Rows that are equal where their hashes are: slots alone are looked at, fetched two blocks ahead. */
static void find_narrow(const groups_find_arguments *a)
{
    size_t count = kernel_count(a->count), next = block_end(0, count);
    uint64_t mask = a->slot_count - 1, groups = *a->group_count, *slots = a->slots;
    bool is_large = a->slot_count > CACHED_SLOTS;
    if (is_large)
        prefetch_slots(a, 0, block_end(next, count));
    for (size_t start = 0, end = next; start < count; start = end, end = next) {
        next = block_end(end, count);
        if (is_large)
            prefetch_slots(a, next, block_end(next, count));
        for (size_t i = start; i < end; i++) {
            uint64_t hash = a->hashes[i], at = hash & mask;
            while (slots[at] && slots[at] >> 32 != hash)
                at = (at + 1) & mask;
            if (!slots[at]) {
                row_copy(a->group_rows + groups * 8, a->rows + i * 8, 1);
                slots[at] = hash << 32 | ++groups;
            }
            a->out[i] = (uint32_t)slots[at] - 1;
        }
    }
    *a->group_count = groups;
}

static inline __attribute__((always_inline)) void group_find_all(const groups_find_arguments *a,
                                                                 size_t words, size_t text_count,
                                                                 size_t interval_count)
{
    size_t count = kernel_count(a->count), next = block_end(0, count);
    find_pass pass = {.a = a};
    uint64_t groups = *a->group_count;
    if (a->slot_count <= CACHED_SLOTS) {
        *a->group_count = find_block(a, 0, count, groups, words, text_count, interval_count);
        return;
    }
    prefetch_slots(a, 0, block_end(next, count));
    find_candidates(&pass, 0, next, words);
    for (size_t start = 0, end = next; start < count; start = end, end = next) {
        next = block_end(end, count);
        prefetch_slots(a, next, block_end(next, count));
        find_candidates(&pass, end, next, words);
        if (text_count)
            prefetch_texts(&pass, start, end, words, text_count);
        groups = check_block(&pass, start, end, groups, words, text_count, interval_count);
    }
    *a->group_count = groups;
}

void ISA_(groups_find)(const groups_find_arguments *a)
{
    if (a->is_narrow)
        find_narrow(a);
    else if (a->stride == 16 && a->text_count == 1)
        group_find_all(a, 2, 1, 0);
    else if (a->text_count || a->interval_count)
        group_find_all(a, a->stride / 8, a->text_count, a->interval_count);
    else if (a->stride == 8)
        group_find_all(a, 1, 0, 0);
    else if (a->stride == 16)
        group_find_all(a, 2, 0, 0);
    else if (a->stride == 24)
        group_find_all(a, 3, 0, 0);
    else
        group_find_all(a, a->stride / 8, 0, 0);
}

/* ---- rows that are passed on ---- */

static inline __attribute__((always_inline)) void
pass_all(const groups_pass_arguments *a, size_t words, size_t text_count, size_t interval_count)
{
    size_t count = kernel_count(a->count), stride = a->stride;
    uint64_t mask = a->slot_count - 1, groups = *a->group_count;
    for (size_t i = 0; i < count; i++) {
        const uint8_t *row = a->rows + i * stride;
        uint32_t hash = a->hashes[i];
        uint64_t *slot = &a->slots[hash & mask];
        uint32_t group = (uint32_t)*slot - 1;
        if (!*slot || *slot >> 32 != hash ||
            !keys_are_equal(a->group_rows + group * stride, row, words, text_count,
                            interval_count)) {
            group = (uint32_t)groups++;
            group_find_add_group(a->group_rows + group * stride, row, words, text_count, a->heap,
                                 a->heap_used);
            a->group_hashes[group] = hash;
            *slot = (uint64_t)hash << 32 | groups;
        }
        a->out[i] = group;
    }
    *a->group_count = groups;
}

void ISA_(groups_pass)(const groups_pass_arguments *a)
{
    if (a->text_count || a->interval_count)
        pass_all(a, a->stride / 8, a->text_count, a->interval_count);
    else if (a->stride == 8)
        pass_all(a, 1, 0, 0);
    else if (a->stride == 16)
        pass_all(a, 2, 0, 0);
    else
        pass_all(a, a->stride / 8, 0, 0);
}

/* ---- directories ---- */

void ISA_(groups_rehash)(const groups_rehash_arguments *a)
{
    uint64_t mask = a->slot_count - 1;
    for (uint64_t i = 0; i < a->old_slot_count; i++) {
        uint64_t slot = a->old_slots[i];
        if (!slot)
            continue;
        uint64_t at = slot >> 32 & mask;
        while (a->slots[at])
            at = (at + 1) & mask;
        a->slots[at] = slot;
    }
}

void ISA_(groups_partition)(const groups_partition_arguments *a)
{
    size_t count = kernel_count(a->count), parts = (size_t)1 << a->bits;
    uint32_t *offsets = a->offsets;
    memset(offsets, 0, (parts + 1) * sizeof *offsets);
    /* A shift by 32 is not defined: one part takes all. */
#define PART(hash) (a->bits ? ((hash) << a->skip) >> (32 - a->bits) : 0)
    for (size_t i = 0; i < count; i++)
        offsets[PART(a->hashes[i]) + 1]++;
    for (size_t p = 0; p < parts; p++)
        offsets[p + 1] += offsets[p];
    for (size_t i = 0; i < count; i++)
        a->out[offsets[PART(a->hashes[i])]++] = a->first + (uint32_t)i;
#undef PART
    /* Each offset has moved on to the next part's. */
    memmove(offsets + 1, offsets, parts * sizeof *offsets);
    offsets[0] = 0;
}
