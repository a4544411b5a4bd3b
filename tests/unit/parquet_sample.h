/* parquet_sample.h - a table of every type, by formula, for tests of reader and writer.
 *
 * tests/parquet/check_written.py computes the same values for other engines to compare with. */
#ifndef PISTACHIO_TEST_PARQUET_SAMPLE_H
#define PISTACHIO_TEST_PARQUET_SAMPLE_H

#include "parquet/write/writer.h"
#include "test.h"

enum { SAMPLE_ROWS = 5000, SAMPLE_COLUMNS_MAX = 64 };

typedef struct sample {
    arena *memory;
    size_t column_count;
    pq_column_schema schema[SAMPLE_COLUMNS_MAX];
    pq_column_values values[SAMPLE_COLUMNS_MAX];
} sample;

/* Columns required ("r_int32") and with NULLs at rows 3, 10, 17 ... ("n_int32") of each type. */
void sample_make(sample *s);
void sample_free(sample *s);

#endif
