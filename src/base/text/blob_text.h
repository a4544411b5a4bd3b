/* blob_text.h - bytes as text, as PostgreSQL's bytea has it. */
#ifndef PISTACHIO_BASE_TEXT_BLOB_TEXT_H
#define PISTACHIO_BASE_TEXT_BLOB_TEXT_H

#include <stdbool.h>
#include <stddef.h>

/* The bytes that a text stands for: behind \x pairs of hexadecimal digits, space between pairs
 * allowed; else the text's own bytes, in which \\ is a backslash and \ooo a byte in octal digits.
 * Never more than the text has. out NULL: only counts them. False: it stands for none. */
bool blob_parse(const char *text, size_t bytes, char *out, size_t *out_bytes);

/* \x and two digits a byte: 2 + 2 * bytes, without a closing NUL. blob_parse reads it back. */
void blob_format(const char *data, size_t bytes, char *out);

/* The spelling of a blob, for the hint of an error. */
#define BLOB_TEXT_HINT                                                                             \
    "write \\x and pairs of hexadecimal digits, or text in which a backslash is \\\\ and any "     \
    "other byte may be \\ooo, in octal digits"

#endif
