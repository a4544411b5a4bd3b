/* group_table.h - distinct keys, numbered from 0 in the order of their first appearance.
 *
 *   slots: group number + 1, open addressing     groups, contiguous, grown by doubling
 *   +---+---+---+---+---+---+                    +------+------+----------+
 *   | 2 | 0 | 1 | 0 | 0 | 3 |                    | hash | null | key, key |
 *   +---+---+---+---+---+---+                    +------+------+----------+
 *
 * Not thread-safe: each lane has its own, merged at the end. Text of keys is copied to heaps of the
 * table. */
#ifndef PISTACHIO_EXEC_GROUP_TABLE_H
#define PISTACHIO_EXEC_GROUP_TABLE_H

#include "device/tensor.h"

typedef struct group_table {
    device *dev;
    const char *who; /* in a memory limit's error */
    uint32_t key_count, stride_words;
    data_type *types;
    uint64_t text_keys;
    uint64_t count; /* groups */
    uint64_t capacity, slot_count;
    dev_buffer *slots, *rows, *hashes;
    dev_buffer *words; /* [0] groups, [1] heap bytes used */
    dev_buffer *heap;  /* the one that is being filled */
    uint64_t heap_used;
    ARRAY(dev_buffer *) heaps;
} group_table;

/* types are copied. */
CHECKED status group_table_init(group_table *table, device *dev, const char *who,
                                const data_type *types, uint32_t key_count);
void group_table_release(group_table *table);
/* The group of each row (exactly `rows` of them, below 2^31): an index with a reference. The
 * columns are FLAT. */
CHECKED status group_table_find(group_table *table, dev_stream *stream, tensor *const *keys,
                                uint64_t rows, row_index **out);
/* The group here of each of another table's groups [first, first + count). */
CHECKED status group_table_merge(group_table *table, dev_stream *stream, const group_table *other,
                                 uint64_t first, uint64_t count, row_index **out);
/* Key `key` of groups [first, first + count), FLAT. */
CHECKED status group_table_key(const group_table *table, dev_stream *stream, uint32_t key,
                               uint64_t first, uint64_t count, tensor **out);
uint64_t group_table_bytes(const group_table *table);

#endif
