/* output_table.h - rows as an aligned table, or as Markdown. */
#ifndef PISTACHIO_CLI_OUTPUT_OUTPUT_TABLE_H
#define PISTACHIO_CLI_OUTPUT_OUTPUT_TABLE_H

#include "cli/output/output.h"

/* Widths come from the first rows (TABLE_ROWS_MEASURED); later, wider values push the line. */
pistachio_error *output_table(pistachio_result *result, const output_options *options, FILE *target,
                              uint64_t *out_rows);

#endif
