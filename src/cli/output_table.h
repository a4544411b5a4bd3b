/* output_table.h - rows as an aligned table, or as Markdown. */
#ifndef PISTACHIO_CLI_OUTPUT_TABLE_H
#define PISTACHIO_CLI_OUTPUT_TABLE_H

#include "pistachio/pistachio.h"

#include <stdio.h>

/* Widths come from the first rows (TABLE_ROWS_MEASURED); later, wider values push the line. */
pistachio_error *output_table(pistachio_result *result, bool is_markdown, FILE *target,
                              uint64_t *out_rows);

#endif
