/* aggregate_intern.h - text keys as numbers, so that grouping by them is grouping by integers. */
#ifndef PISTACHIO_EXEC_AGGREGATE_AGGREGATE_INTERN_H
#define PISTACHIO_EXEC_AGGREGATE_AGGREGATE_INTERN_H

#include "exec/aggregate/aggregate_texts.h"

#define INTERNED_BASES 8

typedef struct key_interner {
    bool is_used;   /* the key is text */
    bool is_full;   /* too many different texts */
    exec_lock lock; /* of all that follows; on hosts texts are numbered without it */
    numbered_texts texts;
    struct {
        tensor *base;
        uint64_t rows;
        row_index *ids;
    } bases[INTERNED_BASES]; /* that were numbered last */
    size_t next_base;
    uint64_t numbered, rows; /* texts of dictionaries, and rows that came with these */
    tensor *decoded; /* the texts, FLAT, decoded_rows of them, when there were decoded_count */
    uint64_t decoded_count, decoded_rows;
} key_interner;

CHECKED status key_interner_init(key_interner *interner, const device *dev, data_type type,
                                 const char *who);
void key_interner_release(key_interner *interner);
/* The key's texts as FLAT numbers, for any task. *out is NULL where that is not to be done, unless
 * it must. */
CHECKED status key_interner_encode(key_interner *interner, exec_task *task, const tensor *key,
                                   dev_count rows, bool must, tensor **out);
/* Lets what refers to the texts outlive the interner. */
CHECKED status key_interner_share(key_interner *interner, dev_stream *stream, text_heap *heap);
/* The texts behind FLAT numbers. */
CHECKED status key_interner_decode(key_interner *interner, dev_stream *stream, const tensor *ids,
                                   uint64_t rows, tensor **out);

#endif
