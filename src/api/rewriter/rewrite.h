/* rewrite.h - Parquet files written anew so that they scan fast: `pistachio rewrite`. */
#ifndef PISTACHIO_API_REWRITER_REWRITE_H
#define PISTACHIO_API_REWRITER_REWRITE_H

#include "parquet/write/writer.h"

#include <stdio.h>

/* How one column, or all of them, are stored. */
typedef struct api_rewrite_column {
    const char *name; /* NULL: every column without an entry of its own */
    pq_choice choice; /* rule and profile are those of the options below */
    bool bloom_filter;
} api_rewrite_column;

typedef struct api_rewrite_options {
    const char *const *inputs; /* files, patterns, folders */
    size_t input_count;
    const char *output; /* a file, or a folder: see docs/REWRITER.md */

    /* One of these three is given; the others are 0. Sizes are in bytes of the input's values,
     * uncompressed. */
    uint64_t group_rows, group_count, group_bytes;
    uint64_t page_bytes;      /* 0: 1 MiB */
    uint64_t page_rows;       /* at most so many in a page; 0: no bound */
    uint64_t pages_per_chunk; /* at least so many, in a full row group; 0: as page_bytes says */
    bool page_v2, no_page_index, no_statistics, no_checksums;
    const char *sort; /* columns as in ORDER BY, or NULL */

    api_rewrite_column all;
    const api_rewrite_column *columns;
    size_t column_count;

    unsigned threads;
    uint64_t memory_bytes; /* 0: the setting memory_limit's default */
    FILE *report;          /* CSV, a line per form tried; or NULL */
    /* Optional; one call at a time. */
    void (*progress)(uint64_t rows_done, uint64_t rows_all, void *context);
    void *context;
} api_rewrite_options;

typedef struct api_rewrite_totals {
    uint64_t files, rows, bytes_read, bytes_written; /* bytes: of whole files */
} api_rewrite_totals;

/* Each file is replaced whole or not at all. The first failure ends it all; files that were
 * finished before stay. */
CHECKED status api_rewrite(const api_rewrite_options *options, api_rewrite_totals *out);

#endif
