/* status_line.h - a line on stderr's terminal that is drawn over itself: progress. */
#ifndef PISTACHIO_CLI_OUTPUT_STATUS_LINE_H
#define PISTACHIO_CLI_OUTPUT_STATUS_LINE_H

#include <stdbool.h>

/* Draws `text` (ASCII) in place of what was drawn before, cut to the terminal's width as it is now,
 * so that it never wraps. One thread at a time. */
void status_line_draw(const char *text);
/* Takes the line away, if there is one. */
void status_line_clear(void);
/* Is stderr a terminal? */
bool status_line_is_possible(void);

#endif
