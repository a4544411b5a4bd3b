/* scan_chunk.h - how many rows of a table are a chunk. */
#ifndef PISTACHIO_EXEC_SCAN_SCAN_CHUNK_H
#define PISTACHIO_EXEC_SCAN_SCAN_CHUNK_H

#include "exec/sched/query.h"

/* Returns how many rows a chunk of the scan has: the device's choice, or fewer where a table has few chunks, or the host little memory. It
 * depends on the table, not on what is read of it, so that chunks are alike each time. */
uint64_t scan_chunk_rows(const exec_query *query, const plan_node *plan);

/* Returns how many rows a chunk has, between `least` and `most`, of a table of `rows` rows that take `row_bytes` each in its files,
 * with `memory_bytes` of the host's, 0: any number. */
uint64_t scan_chunk_even(uint64_t rows, uint64_t row_bytes, uint64_t tasks, uint64_t memory_bytes,
                         uint64_t least, uint64_t most);

#endif
