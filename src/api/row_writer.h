/* row_writer.h - a result's rows as csv, tsv, json or jsonl: what COPY writes, and the program's
 * --format prints. */
#ifndef PISTACHIO_API_ROW_WRITER_H
#define PISTACHIO_API_ROW_WRITER_H

#include "base/row_format.h"
#include "pistachio/pistachio.h"

#include <stdio.h>

/* Zero but for the first three. All is borrowed; one thread at a time. */
typedef struct api_row_writer {
    const pistachio_result *result;
    FILE *target;
    row_style style;
    uint64_t row_count; /* written so far */
    bool has_begun;
} api_row_writer;

/* Writes a batch of the result. What comes before the rows, as a header, is written with the first
 * batch, so that a query that fails before it has rows leaves nothing. A failure to write is left
 * in the target (ferror), here and below. */
void api_row_writer_add(api_row_writer *writer, const pistachio_batch *batch);
/* What comes behind the last row; before it too, if there was no batch. */
void api_row_writer_end(api_row_writer *writer);

#endif
