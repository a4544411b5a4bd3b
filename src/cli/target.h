/* target.h - where results go: standard output, or a file. */
#ifndef PISTACHIO_CLI_TARGET_H
#define PISTACHIO_CLI_TARGET_H

#include "cli/run.h"

/* To a file from now on, as output_file_open says; it fails and leaves the target as it was, or the
 * target must be closed. */
CHECKED status cli_target_open(cli_options *options, const char *path, bool may_be_cut);
/* All is written; a file is there, if is_good, else as it was before. Results go to standard output
 * from now on. */
CHECKED status cli_target_close(cli_options *options, bool is_good);

#endif
