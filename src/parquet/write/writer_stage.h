/* writer_stage.h - values as Parquet stores them, without the NULLs. */
#ifndef PISTACHIO_PARQUET_WRITE_WRITER_STAGE_H
#define PISTACHIO_PARQUET_WRITE_WRITER_STAGE_H

#include "parquet/format/buffer.h"
#include "parquet/write/encode.h"
#include "parquet/write/writer_column.h"

/* How the column's type is stored; fails for types that Parquet has no form for. */
CHECKED status pq_column_layout(writer_column *column);
/* Rows [0, row_count) in stored form. The result points to the caller's values where they are that
 * already, else to `scratch`. */
CHECKED status pq_stage(const writer_column *column, const pq_column_values *values,
                        uint64_t row_count, pq_buffer *scratch, pq_dense *out);

/* Parquet has a form for the type. */
bool pq_writer_can_hold(data_type type);

#endif
