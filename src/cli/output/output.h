/* output.h - prints a result in one of the formats. */
#ifndef PISTACHIO_CLI_OUTPUT_OUTPUT_H
#define PISTACHIO_CLI_OUTPUT_OUTPUT_H

#include "pistachio/pistachio.h"

#include <stdio.h>

typedef enum output_format {
    OUTPUT_TABLE,
    OUTPUT_CSV,
    OUTPUT_TSV,
    OUTPUT_JSON,
    OUTPUT_JSONL,
    OUTPUT_MARKDOWN,
    OUTPUT_NONE
} output_format;

#define OUTPUT_NULL_BYTES 64

/* The terminal that tables are printed to. */
typedef struct output_screen {
    bool is_terminal;
    uint32_t max_rows; /* more are left out of the middle; 0: all are printed */
    size_t columns;    /* cells of a line; 0: lines are as long as rows are */
} output_screen;

typedef struct output_options {
    output_format format;
    bool has_records;                  /* tables: a line for each column, rows one below another */
    char null_text[OUTPUT_NULL_BYTES]; /* tables and Markdown: what NULL looks like */
    output_screen screen;
} output_options;

/* False: there is no format of that name. */
bool output_format_parse(const char *name, output_format *out);
/* "table, csv, ..." */
extern const char output_format_names[];

/* Whether a write to the target has failed; why the first did is kept for output_take_failure(). */
bool output_has_failed(FILE *target);
/* errno of the first failure that output_has_failed() has seen since the last call; 0: none. */
int output_take_failure(void);

/* Takes all batches of the result; of one without columns, prints in a table's place what the
 * statement did (pistachio_tag). *out_rows counts the rows. A failure to write is left in the
 * target (ferror), and ends the printing. */
pistachio_error *output_print(pistachio_result *result, const output_options *options, FILE *target,
                              uint64_t *out_rows);

#endif
