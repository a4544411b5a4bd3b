/* visible_text.h - text of files and of others, as a terminal can show it: what would steer the terminal is spelled. */
#ifndef PISTACHIO_BASE_VISIBLE_TEXT_H
#define PISTACHIO_BASE_VISIBLE_TEXT_H

#include <stdbool.h>
#include <stddef.h>

/* Returns the length of the control character at the beginning of the text: 1, or 2 of those that are two bytes of
 * UTF-8 (U+0080 to U+009F); 0: the text begins with something else. */
size_t visible_control(const char *text, size_t bytes);
/* Writes the text with \n, \t, \r, and \x1b for each byte of any other control character. Returns the bytes that it
 * takes, without an end; out NULL: only counts. */
size_t visible_text(const char *text, size_t bytes, char *out);

#endif
