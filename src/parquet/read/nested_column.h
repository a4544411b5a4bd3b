/* nested_column.h - reads a nested column of a row group, slice by slice, on host devices: its leaves' pages to levels and
 * values, and these to lists, structs and maps. As column.h. */
#ifndef PISTACHIO_PARQUET_READ_NESTED_COLUMN_H
#define PISTACHIO_PARQUET_READ_NESTED_COLUMN_H

#include "parquet/read/column.h"

typedef struct pq_nested_column pq_nested_column;

/* use.rows is not looked at: the leaves' chunks are read whole. */
CHECKED status pq_nested_open(dev_stream *stream, const pq_table *table, pq_row_group_ref group_ref,
                              uint32_t column, pq_column_use use, pq_nested_column **out);
bool pq_nested_wait(pq_nested_column *c, void (*wake)(void *argument), void *argument);
CHECKED status pq_nested_slice(pq_nested_column *c, uint64_t first, uint64_t count, tensor **out);
uint64_t pq_nested_bytes(const pq_nested_column *c);
uint64_t pq_nested_stored_bytes(const pq_nested_column *c);
uint64_t pq_nested_cached_bytes(const pq_nested_column *c);
void pq_nested_close(pq_nested_column *c); /* takes NULL */

#endif
