/* gather.h - a column's bytes in several row groups, side by side in blocks of pinned memory: several threads copy them from the
 * page cache, and one copy for each block takes them to the device.
 *
 *     the file   ..[row group 1 ..column..]..[row group 2 ..column..]..
 *     a block              [column][column]                                    */
#ifndef PISTACHIO_PARQUET_READ_GATHER_H
#define PISTACHIO_PARQUET_READ_GATHER_H

#include "parquet/read/batch.h"

/* Starts reading the column's bytes for those parts that have no kept pages, as far as their fetches have not read them ahead. out: an array for as many
 * fetches as there are parts, each NULL or the caller's. What there is no memory for is not read. */
CHECKED status pq_gather_start(device *dev, const pq_table *table, uint32_t column,
                               const pq_batch_part *parts, uint32_t count, pq_fetch **out);

#endif
