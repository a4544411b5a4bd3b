/* run.h - statements and commands of a text or a stream, one after another. */
#ifndef PISTACHIO_CLI_SHELL_RUN_H
#define PISTACHIO_CLI_SHELL_RUN_H

#include "cli/output/output.h"
#include "storage/output_file.h"

#define CLI_DEPTH_MAX 16 /* of files that read files */

/* The state that a user of the program works with, in the shell or without it. */
typedef struct cli_session {
    pistachio_connection *connection;
    output_options output;
    uint32_t max_rows;  /* of a table on a terminal; 0: all */
    uint32_t max_width; /* of it, in cells; 0: the terminal's */
    bool has_pager;     /* tables on a terminal are shown by $PAGER */
    bool is_once;       /* the target is that of one statement */
    bool is_repeat;     /* \\watch runs the last statement, which stays the last one */
    FILE *target;       /* where results go */
    output_file *file;  /* whose stream that is; NULL: standard output (target.h) */
    bool has_timer;
    bool is_interactive; /* signals cancel statements, and do not end the program */
    bool is_done;        /* a command asked for the end */
    unsigned depth;      /* of files that are being read */
    char *last_sql;      /* what \e edits and \watch repeats, or NULL; owned */
} cli_session;

/* All: 0, or 1 after printing the first failure; what follows it is not run. 1 also after a failure
 * to write to the target, which is left in it (ferror) and not printed. */
int cli_run_text(cli_session *session, const char *text);
int cli_run_stream(cli_session *session, FILE *source);
/* "-": standard input. */
int cli_run_file(cli_session *session, const char *path);
/* Prints an error and frees it; with the line that it is about where `text`, in which the statement
 * begins `start` bytes from the front, is given. */
void cli_report(pistachio_error *error, const char *text, size_t start);
/* Closes the target (cli_target_close); 1, with a message, if what was written is not all there. */
int cli_session_end(cli_session *session, bool is_good);

#endif
