/* serve.h - `pistachio serve`. */
#ifndef PISTACHIO_CLI_SERVE_H
#define PISTACHIO_CLI_SERVE_H

/* Runs the server of pistachio-serve.so with the words after the command; returns the exit status. */
int cli_serve(int count, char **words);

#endif
