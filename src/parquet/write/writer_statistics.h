/* writer_statistics.h - least and greatest values of a column chunk or page. */
#ifndef PISTACHIO_PARQUET_WRITE_WRITER_STATISTICS_H
#define PISTACHIO_PARQUET_WRITE_WRITER_STATISTICS_H

#include "parquet/write/encode.h"
#include "parquet/write/writer_column.h"

void pq_measure(const writer_column *column, const pq_dense *dense, pq_written_statistics *out);
/* Which of two bounds of the column is lower: -1, 0, 1. */
int pq_bound_compare(const writer_column *column, const pq_bound *a, const pq_bound *b);

#endif
