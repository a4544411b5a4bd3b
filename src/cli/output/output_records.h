/* output_records.h - rows one below another, a line for each column: for rows wider than a screen.
 */
#ifndef PISTACHIO_CLI_OUTPUT_OUTPUT_RECORDS_H
#define PISTACHIO_CLI_OUTPUT_OUTPUT_RECORDS_H

#include "cli/output/output.h"

pistachio_error *output_records(pistachio_result *result, const output_options *options,
                                FILE *target, uint64_t *out_rows);

#endif
