/* target.h - where results go: standard output, or a file. */
#ifndef PISTACHIO_CLI_SHELL_TARGET_H
#define PISTACHIO_CLI_SHELL_TARGET_H

#include "cli/shell/run.h"

/* To a file from now on, which is opened as output_file_open says; what they went to before is
 * closed as good, which may fail as well. If the file cannot be opened they go where they went. */
CHECKED status cli_target_open(cli_session *session, const char *path, bool may_be_cut);
/* Flushes what has been written, for others to see. After a failure to write to a file results go to standard
 * output. */
CHECKED status cli_target_flush(cli_session *session);
/* All is written; a file is there, if is_good, else as it was before. Results go to standard output
 * from now on. */
CHECKED status cli_target_close(cli_session *session, bool is_good);

#endif
