/* output.h - prints a result in one of the formats. */
#ifndef PISTACHIO_CLI_OUTPUT_H
#define PISTACHIO_CLI_OUTPUT_H

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

/* False: there is no format of that name. */
bool output_format_parse(const char *name, output_format *out);
/* "table, csv, ..." */
extern const char output_format_names[];

/* Takes all batches of the result; of one without columns, prints in a table's place what the
 * statement did (pistachio_tag). *out_rows counts the rows. A failure to write is left in the
 * target (ferror), and ends the printing. */
pistachio_error *output_print(pistachio_result *result, output_format format, FILE *target,
                              uint64_t *out_rows);

#endif
