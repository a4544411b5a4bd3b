/* key_layout.h - keys packed as rows of bytes, as grouping and joining by hash want them.
 *
 * A row has texts first, then intervals, then values by falling width, so that all is aligned, then
 * bits that say which keys are NULL. */
#ifndef PISTACHIO_EXEC_KEYS_KEY_LAYOUT_H
#define PISTACHIO_EXEC_KEYS_KEY_LAYOUT_H

#include "exec/sched/operator.h"

/* Which text keys have numbers of texts instead of texts. */
typedef enum text_coding { CODED_NONE, CODED_SOME, CODED_ALL } text_coding;

typedef struct key_layout {
    uint32_t count, stride, text_count, interval_count;
    bool has_nulls, is_padded; /* is_padded: rows start out as zeros */
    bool is_narrow;            /* of at most four bytes, padded to a word: equal where hashes are */
    text_coding coding;        /* the type of a key that is coded is the numbers' */
    bool is_row;               /* instead of keys there is the number of a row that has them */
    data_type *types;
    uint32_t *offsets, *null_bits;
} key_layout;

/* has_nulls: with NULL bits. */
CHECKED status key_layout_init(key_layout *layout, const data_type *types, uint32_t count,
                               bool has_nulls);
void key_layout_release(key_layout *layout);
/* The first `rows` rows of FLAT columns, packed: memory of *owner. */
CHECKED status key_layout_pack(const key_layout *layout, exec_task *task, tensor *const *keys,
                               dev_count rows, const uint8_t **out, dev_buffer **owner);
/* Key `key` of packed rows, FLAT. Text needs a heap still. */
CHECKED status key_layout_unpack(const key_layout *layout, dev_stream *stream, const uint8_t *rows,
                                 uint64_t count, uint32_t key, tensor **out);
CHECKED status key_layout_hash(const key_layout *layout, dev_stream *stream, const uint8_t *rows,
                               dev_count count, dev_buffer **out);

#endif
