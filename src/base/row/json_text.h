/* json_text.h - text as a JSON string. */
#ifndef PISTACHIO_BASE_ROW_JSON_TEXT_H
#define PISTACHIO_BASE_ROW_JSON_TEXT_H

#include "base/row/text_out.h"

/* In quotes, with escapes for quotes, backslashes and control characters; UTF-8 stays as it is. */
void json_write_text(const char *text, size_t bytes, text_out *out);

/* Writes a text that is JSON as it is, without spaces between its parts. False: it is not JSON, or deeply nested; nothing is
 * written. */
bool json_write_raw(const char *text, size_t bytes, text_out *out);

#endif
