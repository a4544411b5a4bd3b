/* deleted_rows.h - sets of row numbers, as lakes keep them: the portable form of Roaring bitmaps of 64 bits.
 *
 *     count of bitmaps (8 bytes), for each: upper 32 bits of its numbers (4), a Roaring bitmap of the lower 32
 *
 * Delta's deletion vectors and those of Iceberg's Puffin files have it behind the magic number D1 D3 39 64. */
#ifndef PISTACHIO_LAKE_LOG_DELETED_ROWS_H
#define PISTACHIO_LAKE_LOG_DELETED_ROWS_H

#include "parquet/table/table.h"

typedef ARRAY(uint64_t) row_numbers;

/* Reads magic number and bitmap; appends the numbers, in the arena. CORRUPT: the bytes are not such a set, or it has more
 * than `most` numbers. */
CHECKED status deleted_rows_read(arena *a, const uint8_t *bytes, size_t count, uint64_t most,
                                 row_numbers *out);
/* Reads a set that has its length before it and a checksum behind it (both big-endian). */
CHECKED status deleted_rows_read_framed(arena *a, const uint8_t *bytes, size_t count, uint64_t most,
                                        row_numbers *out);
/* Sorts the numbers, and drops those that are there twice. */
void deleted_rows_sort(row_numbers *rows);

#endif
