/* screen.h - what tables are printed to: a terminal of some width, or a pager that takes them whole. */
#ifndef PISTACHIO_CLI_SHELL_SCREEN_H
#define PISTACHIO_CLI_SHELL_SCREEN_H

#include "cli/shell/run.h"

#define SCREEN_MAX_ROWS 40 /* of a result without .maxrows: a window's height or little more */

/* Looks at the terminal that results go to, before a statement prints: s->output.screen is as it is now. */
void screen_look(cli_session *s);
/* Starts the pager, if one is wanted and a table goes to a terminal. Returns where the result is printed; screen_end
 * takes it. */
FILE *screen_begin(cli_session *s);
/* Waits until the user leaves the pager. */
void screen_end(cli_session *s, FILE *target);

#endif
