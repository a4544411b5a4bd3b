/* sink_group.h - rows of a row group in memory, as the writer takes them: filled from batches, kept while
 * they are encoded, filled again. */
#ifndef PISTACHIO_API_WRITE_SINK_GROUP_H
#define PISTACHIO_API_WRITE_SINK_GROUP_H

#include "exec/run.h"
#include "parquet/write/writer.h"

/* A column of the rows. */
typedef struct sink_column {
    size_t width; /* 0: a bitmap */
    bool is_text;
    char *values;
    uint64_t *validity;
} sink_column;

/* The bytes of the texts stay in batches. */
typedef struct sink_group {
    size_t column_count;
    sink_column *columns;
    ARRAY(exec_batch *) batches; /* that the rows' texts need */
    uint64_t rows, room;
    size_t pieces;     /* the writer has begun, and not ended */
    uint64_t encoding; /* bytes that are charged for them */
} sink_group;

CHECKED status sink_group_open(sink_group *group, const pq_column_schema *columns, size_t count);
void sink_group_release(sink_group *group); /* takes a zeroed one */

/* Bytes that room for so many rows takes. */
uint64_t sink_group_bytes(const sink_group *group, uint64_t room);
CHECKED status sink_group_resize(sink_group *group, uint64_t room);
void sink_group_drop_room(sink_group *group); /* of one without rows */
/* Rows [from, from + count) of a batch, for which there is room, to the end. */
void sink_group_append(sink_group *group, const exec_batch *batch, uint64_t from, uint64_t count);
/* Bytes that rows [first, first + rows) take while so many threads encode them: each column as it is stored,
 * at most as large as it is plain; and those at work once more, staged and as a page. */
uint64_t sink_group_encoding_bytes(const sink_group *group, uint64_t first, uint64_t rows,
                                   unsigned threads);
/* The columns' rows [first, first + rows), where `first` begins a word of a bitmap. */
void sink_group_view(const sink_group *group, uint64_t first, uint64_t rows, pq_column_values *out);
/* It has no rows any more; its room stays. */
void sink_group_clear(sink_group *group);

#endif
