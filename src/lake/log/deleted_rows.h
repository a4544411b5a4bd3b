/* deleted_rows.h - sets of row numbers, as lakes keep them: the portable form of Roaring bitmaps of 64 bits.
 *
 *     count of bitmaps (8 bytes), for each: upper 32 bits of its numbers (4), a Roaring bitmap of the lower 32
 *
 * Delta's deletion vectors and those of Iceberg's Puffin files have it behind the magic number D1 D3 39 64. */
#ifndef PISTACHIO_LAKE_LOG_DELETED_ROWS_H
#define PISTACHIO_LAKE_LOG_DELETED_ROWS_H

#include "parquet/table/table_deletes.h"

/* A list that grows, charged to the statement's budget. */
typedef struct row_numbers {
    pq_deletes *deletes; /* NULL: nothing is charged */
    uint64_t charged;
    uint64_t *items;
    size_t count, capacity;
} row_numbers;

CHECKED status row_numbers_add(row_numbers *list, uint64_t row);
/* Gives back what was charged. */
void row_numbers_release(row_numbers *list);
/* Makes the list's numbers, sorted and each once, a data file's, in the arena. The list is empty afterwards. */
CHECKED status row_numbers_finish(row_numbers *list, arena *a, pq_deleted_rows *out);

/* Reads magic number and bitmap; appends the numbers. CORRUPT: the bytes are not such a set, or it has more than `most`
 * numbers. */
CHECKED status deleted_rows_read(const uint8_t *bytes, size_t count, uint64_t most,
                                 row_numbers *out);
/* Reads a set that has its length before it and a checksum behind it (both big-endian). */
CHECKED status deleted_rows_read_framed(const uint8_t *bytes, size_t count, uint64_t most,
                                        row_numbers *out);

#endif
