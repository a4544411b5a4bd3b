/* join_table.h - the complete build side of a join: its rows, and where each key's rows are.
 *
 *   group_table: key -> group      starts[group]      rows: build row numbers, by group
 *
 * Made once from all lanes' chunks, then only read. */
#ifndef PISTACHIO_EXEC_JOIN_TABLE_H
#define PISTACHIO_EXEC_JOIN_TABLE_H

#include "exec/group_table.h"

typedef struct join_table {
    uint32_t key_count;
    bool null_equal;
    chunk *build;                      /* columns, then keys, FLAT; NULL: no rows */
    uint64_t row_count, key_row_count; /* all rows; those whose keys are not NULL */
    uint64_t group_rows_max;           /* rows of the largest group */
    group_table groups;
    dev_buffer *starts, *rows;
    dev_buffer *matched; /* a bit per build row; or NULL */
} join_table;

CHECKED status join_table_init(join_table *table, device *dev, const data_type *types,
                               uint32_t key_count, bool null_equal);
void join_table_release(join_table *table);
/* Takes the chunks over (also on failure): columns, then keys. with_matched: makes the bitmap. */
CHECKED status join_table_build(join_table *table, dev_stream *stream, chunk **chunks,
                                size_t chunk_count, bool with_matched);
/* The group of each of `rows` probe rows, ROW_NULL for none; keys FLAT. */
CHECKED status join_table_probe(const join_table *table, dev_stream *stream, tensor *const *keys,
                                uint64_t rows, row_index **out);

#endif
