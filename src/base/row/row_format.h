/* row_format.h - the formats in which rows become text, for COPY and for printing them. */
#ifndef PISTACHIO_BASE_ROW_ROW_FORMAT_H
#define PISTACHIO_BASE_ROW_ROW_FORMAT_H

#include "base/time/zone.h"

#include <stdbool.h>
#include <stddef.h>

/* A file of each is known by its name's ending: .csv, .tsv, .json, .jsonl. */
typedef enum row_format {
    ROW_CSV,
    ROW_TSV,  /* tabs between values; \t \n \r \\ in them; \N is NULL */
    ROW_JSON, /* an array of objects */
    ROW_JSONL /* an object a line */
} row_format;
#define ROW_FORMAT_COUNT 4

const char *row_format_name(row_format format);
/* In any case of letters. False: there is no format of that name. */
bool row_format_find(const char *name, size_t bytes, row_format *out);

/* How rows are written. row_style_default: csv as RFC 4180 has it. */
typedef struct row_style {
    row_format format;
    bool has_header;       /* csv, tsv: a line of the columns' names comes first */
    char delimiter;        /* csv: between values */
    const char *null_text; /* csv: stands for NULL; borrowed */
    const zone *zone;      /* of timestamps with time zone; borrowed; NULL: UTC */
} row_style;

row_style row_style_default(row_format format);

#endif
