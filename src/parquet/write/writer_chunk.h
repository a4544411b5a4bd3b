/* writer_chunk.h - one column of one row group to pages. */
#ifndef PISTACHIO_PARQUET_WRITE_WRITER_CHUNK_H
#define PISTACHIO_PARQUET_WRITE_WRITER_CHUNK_H

#include "device/tensor.h"
#include "parquet/write/writer_column.h"

CHECKED status pq_chunk_encode(const writer_column *column, const pq_writer_options *options,
                               const pq_column_values *values, uint64_t row_count,
                               pq_chunk_scratch *scratch, pq_written_chunk *out);
void pq_chunk_scratch_release(pq_chunk_scratch *scratch);
void pq_chunk_release(pq_written_chunk *chunk);

#endif
