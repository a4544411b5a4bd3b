/* command.h - commands with a dot or a backslash: in the shell, in scripts, in a pipe, behind -c.
 */
#ifndef PISTACHIO_CLI_SHELL_COMMAND_H
#define PISTACHIO_CLI_SHELL_COMMAND_H

#include "cli/shell/run.h"

/* Runs a command: one line, which is changed. 0, or 1 after printing why it failed. */
int command_run(cli_session *session, char *line);
/* Returns the index-th name that a command has, without dot or backslash; NULL: there are fewer. */
const char *command_name(unsigned index);

#endif
