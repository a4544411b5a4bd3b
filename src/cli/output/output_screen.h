/* output_screen.h - a table that fits a terminal: at most so many rows and columns, the middle ones left out. */
#ifndef PISTACHIO_CLI_OUTPUT_OUTPUT_SCREEN_H
#define PISTACHIO_CLI_OUTPUT_OUTPUT_SCREEN_H

#include "cli/output/output.h"

/* Keeps the rows that are shown until the last has come, so that their widths are known. */
pistachio_error *output_screen_table(pistachio_result *result, const output_options *options,
                                     FILE *target, uint64_t *out_rows);

#endif
