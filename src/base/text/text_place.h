/* text_place.h - a place in a text, as people are shown it: the line, and a mark below the place. */
#ifndef PISTACHIO_BASE_TEXT_TEXT_PLACE_H
#define PISTACHIO_BASE_TEXT_TEXT_PLACE_H

#include <stddef.h>

#define TEXT_PLACE_LINE 200 /* bytes of a line that are shown */
#define TEXT_PLACE_BYTES (2 * TEXT_PLACE_LINE + 64)

/* Writes "line 2: select nam from t", and "^" in a line of its own below byte `at` of the text, which may be its end.
 * Stars stand for a secret: what follows a word like TOKEN or a_secret_key. No line end follows the mark. */
void text_place_show(const char *text, size_t at, char out[TEXT_PLACE_BYTES]);

#endif
