/* run.h - statements of a text or a stream, one after another, their results printed. */
#ifndef PISTACHIO_CLI_RUN_H
#define PISTACHIO_CLI_RUN_H

#include "cli/output.h"
#include "storage/output_file.h"

typedef struct cli_options {
    output_format format;
    FILE *target;      /* for results */
    output_file *file; /* whose stream that is; NULL: standard output (target.h) */
    bool has_timer;
} cli_options;

/* Both: 0, or 1 after printing the first failure; what follows it is not run. 1 also after a
 * failure to write to the target, which is left in it (ferror) and not printed. */
int cli_run_text(pistachio_connection *connection, const char *sql, const cli_options *options);
int cli_run_stream(pistachio_connection *connection, FILE *source, const cli_options *options);
/* Prints an error, with the line of the SQL it is about if `sql` is given, and frees it. */
void cli_report(pistachio_error *error, const char *sql);

#endif
