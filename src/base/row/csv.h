/* csv.h - a value as a field of a line: of a CSV file (RFC 4180) or of one with tabs. */
#ifndef PISTACHIO_BASE_ROW_CSV_H
#define PISTACHIO_BASE_ROW_CSV_H

#include "base/row/text_out.h"

/* Between which characters fields stand, and what is NULL, which the caller writes bare. */
typedef struct csv_dialect {
    char delimiter;
    const char *null_text;
} csv_dialect;

/* Comma, and nothing at all. */
#define CSV_DEFAULT ((csv_dialect){',', ""})

/* In quotes where the text holds the delimiter, a quote or a line end, or could be taken for NULL. */
void csv_write_field(const char *text, size_t bytes, csv_dialect dialect, text_out *out);

/* Tabs, line ends and backslashes as \t \n \r \\. NULL, which the caller writes, is \N. */
void tsv_write_field(const char *text, size_t bytes, text_out *out);

#endif
