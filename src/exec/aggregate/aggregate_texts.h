/* aggregate_texts.h - different texts, numbered. On host devices all tasks number texts at once: those whose hashes
 * begin alike have a table and a lock of their own. */
#ifndef PISTACHIO_EXEC_AGGREGATE_AGGREGATE_TEXTS_H
#define PISTACHIO_EXEC_AGGREGATE_AGGREGATE_TEXTS_H

#include "exec/aggregate/aggregate_hash.h"
#include "exec/sched/lock.h"

typedef struct text_shard {
    exec_lock lock;
    hash_groups texts;
} text_shard;

/* A text's number is its place in its shard's table, shifted by `bits`, and the shard. So numbers have gaps,
 * few, as shards are of about the same size. */
#define TEXT_SHARD_BITS 4

typedef struct numbered_texts {
    key_layout layout; /* of a text alone */
    uint32_t bits;     /* of a hash: there are so many shards; lazy devices: 0 */
    text_shard shards[1 << TEXT_SHARD_BITS];
    _Atomic uint64_t count, bytes; /* of texts, at most, and of the memory they take */
} numbered_texts;

CHECKED status numbered_texts_init(numbered_texts *numbered, const device *dev, data_type type,
                                   const char *who);
void numbered_texts_release(numbered_texts *numbered);
/* The numbers of the rows [first, end) of a FLAT column without NULLs go to out[first] and on. On host devices any
 * task calls it at any time; on lazy ones, as all that follows, whoever has the lock that orders the calls.
 * *added: how many had no number before; NULL: not asked, and on lazy devices nobody waits for it. */
CHECKED status numbered_texts_find(numbered_texts *numbered, exec_task *task, tensor *column,
                                   uint64_t first, uint64_t end, uint32_t *out, uint64_t *added);
/* Enqueues what numbered_texts_learn will need. */
CHECKED status numbered_texts_ask(numbered_texts *numbered, dev_stream *stream);
/* Makes the count exact. */
CHECKED status numbered_texts_learn(numbered_texts *numbered, dev_stream *stream);
/* Lets what refers to the texts outlive them. */
CHECKED status numbered_texts_share(numbered_texts *numbered, dev_stream *stream, text_heap *heap);
/* All texts so far, FLAT, at their numbers; what no text has is empty. *rows: how many, gaps counted. */
CHECKED status numbered_texts_column(numbered_texts *numbered, dev_stream *stream, tensor **out,
                                     uint64_t *rows);

#endif
