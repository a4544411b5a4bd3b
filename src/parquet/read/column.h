/* column.h - reads one column chunk: a row group's values of one column, slice by slice. For host
 * devices; others use it to read and parse only, and take many at once (batch.h).
 *
 * The host parses the page headers; kernels decompress and decode a page when the first slice needs
 * rows of it, and it is let go when a slice lies behind it. A dictionary-encoded slice is an
 * INDEXED tensor over the dictionary; plain fixed-width values without NULLs stay in the page where
 * they are; strings are views into their pages. */
#ifndef PISTACHIO_PARQUET_READ_COLUMN_H
#define PISTACHIO_PARQUET_READ_COLUMN_H

#include "device/tensor.h"
#include "parquet/read/fetch.h"
#include "parquet/table/table.h"

typedef struct pq_column pq_column;

/* Messages of DEV_ERROR_BOUNDS and DEV_ERROR_CHECKSUM for the user. */
#define PQ_BOUNDS_MESSAGE "it has a value outside of the bounds in the file's footer"
#define PQ_CHECKSUM_MESSAGE "its checksum is wrong"
#define PQ_CHECKSUM_HINT "SET page_checksums = 'ignore' reads what is there"

typedef struct pq_column_use {
    /* Kernels report damaged pages to `error`; it becomes a failure with its place at once. */
    dev_error *error;
    /* The table's range of the column is relied on: values outside of it are an error. */
    bool check_bounds;
    /* Texts that are not UTF-8 have U+FFFD in the place of wrong bytes; else they are an error. */
    bool replaces_text;
    bool ignores_checksums;
    /* Optional: where the bytes may be, or come, already. It must stay until the column is open. */
    pq_fetch *fetch;
    /* Optional, likewise: bytes that are read for this column, with those of other row groups (gather.h). */
    pq_fetch *gathered;
    /* The rows that slices will be of, to read no more than the pages that hold them; NULL: any.
     * It need not stay. */
    const pq_row_list *rows;
    /* Leaves of a nested column that are read, at least one; the others are NULL. NULL: all are read. It must stay until the
     * column is open. */
    const bool *leaves;
} pq_column_use;

/* Starts reading the bytes of a morsel's column. */
CHECKED status pq_column_open(dev_stream *stream, const pq_table *table, pq_row_group_ref group_ref,
                              uint32_t column, pq_column_use use, pq_column **out);
/* As storage_read_wait: false: the bytes are there. What follows blocks until they are. */
bool pq_column_wait(pq_column *c, void (*wake)(void *argument), void *argument);
/* Rows [first, first + count) of the row group, count > 0; a slice begins where the last one did,
 * or later. The tensor has a reference for the caller. */
CHECKED status pq_column_slice(pq_column *c, uint64_t first, uint64_t count, tensor **out);
/* The compressed bytes of the column chunk that are read; and how many of them it takes from
 * storage itself, and from the page cache: none where they were read ahead. */
uint64_t pq_column_bytes(const pq_column *c);
uint64_t pq_column_stored_bytes(const pq_column *c);
uint64_t pq_column_cached_bytes(const pq_column *c);
void pq_column_close(pq_column *c); /* takes NULL */

#endif
