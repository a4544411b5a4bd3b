/* generate.h - TPC-H's tables as Parquet files: the rows of the TPC's own generator. */
#ifndef PISTACHIO_TPCH_GENERATE_H
#define PISTACHIO_TPCH_GENERATE_H

#include "base/status.h"

#include <stdbool.h>
#include <stdint.h>

#define TPCH_SCALE_MIN 0.0001
#define TPCH_SCALE_MAX 10000.0

typedef struct tpch_generate_options {
    double scale;       /* TPCH_SCALE_MIN to TPCH_SCALE_MAX */
    const char *folder; /* created where it does not exist */
    unsigned parts;     /* files a table; 0: one, folder/table.parquet; else
                           folder/table/part-0000.parquet, ... (region and nation have one) */
    unsigned threads;
    /* Optional: called now and then, from any thread but never two at once. */
    void (*progress)(const char *table, uint64_t row_groups_done, uint64_t row_groups,
                     uint64_t bytes, void *context);
    void *context;
} tpch_generate_options;

/* Writes all tables. Each file appears under its name when it is whole; on failure the files not
 * yet whole are removed. Memory: the text of comments (300 MiB) and a row group for each thread. */
CHECKED status tpch_generate(const tpch_generate_options *options, uint64_t *out_bytes);

#endif
