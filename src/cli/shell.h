/* shell.h - the interactive shell: editing, history, completion, and commands of its own. */
#ifndef PISTACHIO_CLI_SHELL_H
#define PISTACHIO_CLI_SHELL_H

#include "cli/run.h"

/* Reads statements from the terminal until its end. Returns the program's exit status. */
int cli_shell(pistachio_connection *connection, cli_options *options);

#endif
