/* column.h - decodes one column chunk: a row group's values of one column, as a tensor.
 *
 * The host parses the page headers; kernels decompress and decode. A chunk all of whose pages are
 * dictionary-encoded becomes an INDEXED tensor over its dictionary; plain fixed-width values
 * without NULLs stay in the page where they are (host devices); strings are views into their pages.
 */
#ifndef PISTACHIO_PARQUET_COLUMN_H
#define PISTACHIO_PARQUET_COLUMN_H

#include "device/tensor.h"
#include "parquet/table.h"

/* Reads and decodes column `column` of a morsel. Kernels report damaged pages to `error` with
 * `place`; on a host device the caller looks there right after. bytes_read grows. */
CHECKED status pq_column_decode(dev_stream *stream, const pq_table *table, pq_morsel morsel,
                                uint32_t column, dev_error *error, uint32_t place,
                                uint64_t *bytes_read, tensor **out);

/* Rows [first, first + count) of a tensor, sharing its memory; first is a multiple of 64. */
CHECKED status pq_tensor_slice(tensor *t, uint64_t first, tensor **out);

#endif
