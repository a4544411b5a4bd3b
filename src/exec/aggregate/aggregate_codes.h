/* aggregate_codes.h - CODES: the group's number is made of the keys' values. */
#ifndef PISTACHIO_EXEC_AGGREGATE_AGGREGATE_CODES_H
#define PISTACHIO_EXEC_AGGREGATE_AGGREGATE_CODES_H

#include "exec/aggregate/aggregate_table.h"

/* Integers, dates and the like of at most 8 bytes, and booleans. */
bool codes_key_is_integer(data_type type);
/* Reads what key_statistics says of a FLAT column. */
CHECKED status codes_statistics(dev_stream *stream, const tensor *key, dev_count rows,
                                int64_t out[KEY_STATISTICS]);
/* Enqueues key_statistics, whose KEY_STATISTICS words are there later. */
CHECKED status codes_statistics_ask(dev_stream *stream, const tensor *key, dev_count rows,
                                    dev_fetch *out);
/* Whether a table of that domain is not too large for memory_limit. */
bool codes_table_fits(const aggregate_core *core, int source, uint64_t domain);
/* A table whose codes cover these keys and those of `old` (or NULL), of which it takes the groups;
 * or NULL where that would be too large for the rows that have come. */
CHECKED status codes_table_try(const aggregate_core *core, exec_task *task, int source,
                               const aggregate_table *old, tensor *const *keys, dev_count rows,
                               uint64_t all_rows, aggregate_table **out);
/* A table for one integer key between bounds. */
CHECKED status codes_table_dense(const aggregate_core *core, dev_stream *stream, int source,
                                 int64_t minimum, int64_t maximum, aggregate_table **out);
/* Groups of rows on their way: that all keys have codes is not known yet. */
typedef struct codes_lookup {
    row_index *groups; /* NULL: none */
    dev_buffer *violations;
    dev_fetch asked;
} codes_lookup;

/* *fits: false: some keys have no code: *out is empty. */
CHECKED status codes_lookup_start(const aggregate_core *core, exec_task *task,
                                  aggregate_table *table, tensor *const *keys, dev_count rows,
                                  bool *fits, codes_lookup *out);
/* Whether all have; the groups stay until the lookup is closed. */
CHECKED status codes_lookup_finish(dev_stream *stream, codes_lookup *lookup, bool *fits);
void codes_lookup_close(device *dev, codes_lookup *lookup); /* takes a zeroed one */
/* The groups of rows. *fits: false: some keys have no code, and nothing was done. */
CHECKED status codes_table_find(const aggregate_core *core, exec_task *task, aggregate_table *table,
                                tensor *const *keys, uint64_t rows, bool *fits, row_index **out);
void codes_table_release(const aggregate_core *core, aggregate_table *table);

#endif
