/* output_text.h - values as tables show them: nothing in them moves the cursor but line breaks. */
#ifndef PISTACHIO_CLI_OUTPUT_OUTPUT_TEXT_H
#define PISTACHIO_CLI_OUTPUT_OUTPUT_TEXT_H

#include "base/mem.h"
#include "cli/output/output.h"

typedef ARRAY(char) output_text; /* no closing NUL; array_release */

/* Overwrites *out. False: no memory. A table's text: tabs become blanks up to the next multiple of
 * eight, other control characters are written out as \r, \x1B or \u202E, line breaks stay. Markdown's: |
 * and \ get a backslash, line breaks become <br>. */
bool output_text_make(const char *text, size_t bytes, bool is_markdown, output_text *out);
/* A value of a batch; NULL is what the options say. */
bool output_text_of_value(const pistachio_batch *batch, uint32_t column, uint64_t row,
                          const output_options *options, output_text *out);
/* Bytes of the line that begins at *at, which is set behind it and its break. *out_is_last: no
 * break follows. */
size_t output_text_line(const output_text *text, size_t *at, bool *out_is_last);

#endif
