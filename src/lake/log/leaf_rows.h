/* leaf_rows.h - reads a column chunk of a Parquet file on the host, with its repetition and definition levels: for the
 * files that lakes keep their own state in (checkpoints, positions, equal values), whose leaves lie in structs, lists and
 * maps. What queries read goes another way (parquet/read). */
#ifndef PISTACHIO_LAKE_LOG_LEAF_ROWS_H
#define PISTACHIO_LAKE_LOG_LEAF_ROWS_H

#include "parquet/table/footer.h"

/* A value, or the place of one that is missing. */
typedef struct leaf_value {
    const uint8_t *
        bytes; /* as PLAIN has them, without their length; a boolean is a byte. NULL: it is missing */
    uint32_t count;
    uint16_t repetition, definition;
} leaf_value;

typedef ARRAY(leaf_value) leaf_values;

/* Reads all values of the leaf in a row group; they live as long as the arena. Failures do not name the file. */
CHECKED status leaf_read(arena *a, const file *f, const pq_metadata *m, uint32_t row_group,
                         uint32_t leaf, leaf_values *out);
/* Returns about how many bytes leaf_read takes. */
uint64_t leaf_read_bytes(const pq_metadata *m, uint32_t row_group, uint32_t leaf);
/* Returns the number of the leaf of that path ("add.path"), or whose path begins and ends so; -1: there is none. */
int leaf_find(const pq_metadata *m, const char *begin, const char *end);

/* ---- leaf_delta.c ---- */

typedef struct leaf_bytes {
    const uint8_t *at, *end;
} leaf_bytes;

/* Decodes at most `count` numbers, of which the block has as many as it says; moves behind it. */
CHECKED status leaf_decode_delta(arena *a, leaf_bytes *from, size_t count, int64_t **out,
                                 size_t *out_count);
/* Decodes texts behind their lengths, or behind what they have in common with the text before. */
CHECKED status leaf_decode_texts(arena *a, leaf_bytes *from, size_t count, bool has_prefixes,
                                 leaf_value *out);

#endif
