/* aggregate_rows.h - HASH by row numbers: several keys that are columns of the same rows are one number. */
#ifndef PISTACHIO_EXEC_AGGREGATE_AGGREGATE_ROWS_H
#define PISTACHIO_EXEC_AGGREGATE_AGGREGATE_ROWS_H

#include "exec/aggregate/aggregate_table.h"

#include <pthread.h>

/* Which keys stand for rows of a base is the same for all tasks, and found out by the first. */
typedef struct row_keys {
    pthread_mutex_t lock;
    bool is_set;
    bool *is_row;       /* of each key: it is a column of the base */
    uint32_t *position; /* of each other key: where it is in the layout; 0 is the row's number */
    key_layout layout;
} row_keys;

CHECKED status row_keys_init(row_keys *rows, uint32_t key_count);
void row_keys_release(row_keys *rows);

/* The keys as columns of the row layout, if several are the same rows of a base that lasts: the rows'
 * number, then the other keys, text coded. out: references; all NULL where that cannot be. */
CHECKED status rows_encode(const aggregate_core *core, exec_task *task, tensor *const *keys,
                           dev_count rows, tensor **out);
/* The table is of rows of these keys' base. */
bool rows_table_takes(const aggregate_core *core, const aggregate_table *table,
                      tensor *const *keys);
/* A table for the rows of these keys' base, or of another table's. */
CHECKED status rows_table_new(const aggregate_core *core, dev_stream *stream, int source,
                              tensor *const *keys, aggregate_table **out);
CHECKED status rows_table_like(const aggregate_core *core, dev_stream *stream,
                               const aggregate_table *other, uint64_t capacity,
                               aggregate_table **out);
/* Notes that some rows of these keys may be missing from the base. */
void rows_table_note_nulls(const aggregate_core *core, aggregate_table *table, tensor *const *keys);
/* A key of groups, by their packed rows. */
CHECKED status rows_table_key(const aggregate_core *core, dev_stream *stream,
                              const aggregate_table *table, const uint8_t *packed, uint64_t count,
                              uint32_t key, tensor **out);
/* All tables are of rows of the same bases. */
bool rows_tables_agree(const aggregate_core *core, aggregate_table *const *tables, size_t count);
/* Whether some key alone shows that no two groups of the tables have equal keys (aggregate_rows_distinct.c). */
CHECKED status rows_tables_are_distinct(const aggregate_core *core, exec_task *task,
                                        aggregate_table *const *tables, size_t count, bool *out);
void rows_table_release(const aggregate_core *core, aggregate_table *table);

#endif
