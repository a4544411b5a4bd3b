/* parquet_reader.h - a Parquet file opened on a device, for tests of what is read of it. */
#ifndef PISTACHIO_PARQUET_READER_H
#define PISTACHIO_PARQUET_READER_H

#include "device_test.h"
#include "parquet/read/column.h"

typedef struct parquet_reader {
    mem_budget *budget; /* without a limit */
    device *dev;
    dev_stream *stream;
    dev_buffer *error; /* two words */
    pq_table *table;
} parquet_reader;

/* device: an instruction set of the CPU's, or "simulated". */
void parquet_reader_open(parquet_reader *r, const char *path, const char *device);
/* Fails if memory of the budget is in use then. */
void parquet_reader_close(parquet_reader *r);
/* A column of the first row group; use.error is the reader's. */
pq_column *parquet_reader_column(parquet_reader *r, uint32_t number, pq_column_use use);

#endif
