/* aggregate_hash.h - groups by hash: packed rows of keys, numbered in the order in which they first come.
 *
 * Nobody waits for the number of groups: on lazy devices `count` is what was known plus the rows
 * that were looked up since, and new groups' long strings stay where they came from, which is kept,
 * until hash_groups_learn(). Who looks up a chunk asks behind it (hash_groups_ask) and learns with
 * the next one. On host devices all is known at once. */
#ifndef PISTACHIO_EXEC_AGGREGATE_AGGREGATE_HASH_H
#define PISTACHIO_EXEC_AGGREGATE_AGGREGATE_HASH_H

#include "exec/keys/key_layout.h"
#include "exec/keys/text_heap.h"

typedef struct hash_groups {
    const key_layout *layout;
    const char *who;
    bool borrows_text;                    /* long strings are not copied */
    uint64_t count, capacity, slot_count; /* count: at most so many */
    dev_buffer *rows, *slots;
    dev_buffer *hashes; /* of rows that are passed on */
    dev_buffer *words; /* on the device, [0]: count; [1]: bytes of long strings not copied so far */
    text_heap heap;
    bool is_behind;  /* rows were looked up since it was learnt how many groups there are */
    dev_fetch asked; /* the words */
    uint64_t owned, owned_bytes; /* groups, the first, whose strings are in the heap; words[1] */
    ARRAY(string_heap *) lent;   /* of what was looked up since */
} hash_groups;

void hash_groups_init(hash_groups *groups, const key_layout *layout, const char *who);
void hash_groups_release(hash_groups *groups);
/* The count's copy to the host is enqueued, to be there when it is learnt. */
CHECKED status hash_groups_ask(hash_groups *groups, dev_stream *stream);
/* Makes the count exact, awaiting it if need be, and copies strings to the heap. */
CHECKED status hash_groups_learn(hash_groups *groups, dev_stream *stream);
/* Room for `capacity` rows in all. */
CHECKED status hash_groups_reserve_rows(hash_groups *groups, dev_stream *stream, uint64_t capacity);
/* Room for that many groups to be looked up, so that the directory need not grow up to there. */
CHECKED status hash_groups_expect(hash_groups *groups, dev_stream *stream, uint64_t count);
/* Room for the long strings of packed rows. */
CHECKED status hash_groups_reserve_text(hash_groups *groups, dev_stream *stream,
                                        const uint8_t *rows, uint64_t count);
/* Packed rows, and the FLAT columns that they were packed from, whose strings they refer to. */
typedef struct packed_rows {
    const uint8_t *rows;
    dev_count count;
    tensor *const *columns; /* column_count of them */
    uint32_t column_count;
} packed_rows;

/* The groups of packed rows; those that are new are added. */
CHECKED status hash_groups_find(hash_groups *groups, dev_stream *stream, const packed_rows *rows,
                                uint32_t *out);
/* Finds groups as hash_groups_find() does, of keys whose hashes are known already. */
CHECKED status hash_groups_find_hashed(hash_groups *groups, dev_stream *stream,
                                       const packed_rows *rows, const uint32_t *hashes,
                                       uint32_t *out);
/* Rows are passed on: each may be a group of its own, whether there is an equal one or not; out: their
 * numbers. Host devices. */
CHECKED status hash_groups_pass(hash_groups *groups, dev_stream *stream, const packed_rows *rows,
                                uint32_t *out);
/* From now on, of rows that are passed on, those that are equal and near each other are one group. */
CHECKED status hash_groups_pass_once(hash_groups *groups, dev_stream *stream);
/* No more rows will come: memory that only looking up needs goes. */
void hash_groups_seal(hash_groups *groups);

#endif
