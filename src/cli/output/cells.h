/* cells.h - the columns of a terminal that text takes: two for East Asian characters and emoji, none for accents that
 * join the letter before them. */
#ifndef PISTACHIO_CLI_OUTPUT_CELLS_H
#define PISTACHIO_CLI_OUTPUT_CELLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Reads the character at the beginning of UTF-8 text that is not empty. Returns its bytes; a byte that begins none is a
 * character of its own. */
unsigned cells_character(const char *text, size_t bytes, uint32_t *out_code);
/* Returns the cells of UTF-8 text's widest line. */
size_t cells_width(const char *text, size_t bytes);
/* Returns how many bytes of a line fit into `room` cells, whole characters with all that joins them. */
size_t cells_fit(const char *text, size_t bytes, size_t room);
/* Returns whether a terminal would act on the character, or hide it, in place of showing it: controls, and marks that
 * change the direction of text. */
bool cells_is_control(uint32_t code);

#endif
