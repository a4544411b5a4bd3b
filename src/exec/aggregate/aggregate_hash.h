/* aggregate_hash.h - groups by hash: packed rows of keys, numbered in the order in which they first come. */
#ifndef PISTACHIO_EXEC_AGGREGATE_AGGREGATE_HASH_H
#define PISTACHIO_EXEC_AGGREGATE_AGGREGATE_HASH_H

#include "exec/keys/key_layout.h"
#include "exec/keys/text_heap.h"

typedef struct hash_groups {
    const key_layout *layout;
    const char *who;
    bool borrows_text; /* long strings are not copied */
    uint64_t count, capacity, slot_count;
    dev_buffer *rows, *slots;
    dev_buffer *words; /* [0]: count, on the device */
    text_heap heap;
} hash_groups;

void hash_groups_init(hash_groups *groups, const key_layout *layout, const char *who);
void hash_groups_release(hash_groups *groups);
/* Room for `capacity` rows in all. */
CHECKED status hash_groups_reserve_rows(hash_groups *groups, dev_stream *stream, uint64_t capacity);
/* Room for that many groups to be looked up, so that the directory need not grow up to there. */
CHECKED status hash_groups_expect(hash_groups *groups, dev_stream *stream, uint64_t count);
/* Room for the long strings of packed rows. */
CHECKED status hash_groups_reserve_text(hash_groups *groups, dev_stream *stream,
                                        const uint8_t *rows, uint64_t count);
/* The groups of packed rows; those that are new are added. */
CHECKED status hash_groups_find(hash_groups *groups, dev_stream *stream, const uint8_t *rows,
                                uint64_t count, uint32_t *out);
/* The same where their hashes are known already. */
CHECKED status hash_groups_find_hashed(hash_groups *groups, dev_stream *stream, const uint8_t *rows,
                                       const uint32_t *hashes, uint64_t count, uint32_t *out);
/* No more rows will come: memory that only looking up needs goes. */
void hash_groups_seal(hash_groups *groups);

#endif
