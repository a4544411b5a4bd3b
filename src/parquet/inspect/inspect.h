/* inspect.h - prints what a Parquet file is made of, for people: `pistachio inspect`. */
#ifndef PISTACHIO_PARQUET_INSPECT_INSPECT_H
#define PISTACHIO_PARQUET_INSPECT_INSPECT_H

#include "base/status.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

typedef struct pq_inspect_options {
    bool with_pages;   /* a line per page, which reads every page header */
    bool is_one_group; /* only row group `row_group` */
    uint32_t row_group;
} pq_inspect_options;

/* Schema, row groups, column chunks (summed up over the row groups), pages. A failure to write is
 * left to the caller's look at ferror. */
CHECKED status pq_inspect(const char *path, const pq_inspect_options *options, FILE *out);

#endif
