/* row_writer.h - a result's rows as csv, tsv, json or jsonl: what COPY writes, and the program's
 * --format prints. */
#ifndef PISTACHIO_API_WRITE_ROW_WRITER_H
#define PISTACHIO_API_WRITE_ROW_WRITER_H

#include "api/write/row_team.h"
#include "api/write/row_text.h"
#include "pistachio/pistachio.h"

/* One thread at a time. */
typedef struct api_row_writer {
    api_row_text text;
    const char **names;
    text_out out;
    api_row_team *team; /* NULL: rows become text one after the other */
    uint64_t row_count; /* added so far */
    bool has_begun;
} api_row_writer;

/* Result and target are borrowed. threads: that make text; 1: the caller's. Closed also on failure. */
CHECKED status api_row_writer_open(api_row_writer *writer, const pistachio_result *result,
                                   row_style style, FILE *target, unsigned threads);
void api_row_writer_close(api_row_writer *writer);
/* Writes a batch of the result; the second takes it over. What comes before the rows, as a
 * header, is written with the first batch, so that a query that fails before it has rows leaves nothing. A
 * failure to write is left in the target (ferror), here and below. */
void api_row_writer_add(api_row_writer *writer, const pistachio_batch *batch);
void api_row_writer_take(api_row_writer *writer, exec_batch *rows);
/* Writes what comes after the last row; before it too, if there was no batch. */
void api_row_writer_end(api_row_writer *writer);

#endif
