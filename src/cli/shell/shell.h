/* shell.h - the interactive shell: editing, history, completion, and commands of its own. */
#ifndef PISTACHIO_CLI_SHELL_SHELL_H
#define PISTACHIO_CLI_SHELL_SHELL_H

#include "cli/shell/run.h"

/* Reads statements and commands from the terminal until its end. Returns the program's exit status: a statement that
 * failed is not a failure of the shell. */
int cli_shell(cli_session *session);

#endif
