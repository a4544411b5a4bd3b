/* text_table.h - columns of text for people, as wide as their widest cell. */
#ifndef PISTACHIO_PARQUET_INSPECT_TEXT_TABLE_H
#define PISTACHIO_PARQUET_INSPECT_TEXT_TABLE_H

#include "base/mem.h"

#include <stdio.h>

/* An allocation that fails sets has_failed; text_table_print tells. */
typedef struct text_table {
    arena *memory;
    size_t column_count; /* the first cells are the headings */
    ARRAY(const char *) cells;
    bool has_failed;
} text_table;

/* `headings`: separated by '|'; one that begins with '>' is right-aligned with its column. */
text_table text_table_make(arena *memory, const char *headings);
/* The next cell, line by line. */
void text_table_add(text_table *table, const char *format, ...) PRINTF_LIKE(2, 3);
/* Text of any bytes: cut to `width_max` characters, control characters as dots. */
void text_table_add_text(text_table *table, const char *text, size_t bytes, size_t width_max);
CHECKED status text_table_print(const text_table *table, FILE *out);

#define BYTES_TEXT_BYTES 32
/* "17.4 MiB" */
char *bytes_format(uint64_t bytes, char *text);

#endif
