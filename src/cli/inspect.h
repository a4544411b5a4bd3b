/* inspect.h - `pistachio inspect FILE...`. */
#ifndef PISTACHIO_CLI_INSPECT_H
#define PISTACHIO_CLI_INSPECT_H

/* The words behind "inspect"; returns the program's exit status. */
int cli_inspect(int count, char **words);

#endif
