/* csv.h - a value as a field of a CSV file (RFC 4180). */
#ifndef PISTACHIO_BASE_CSV_H
#define PISTACHIO_BASE_CSV_H

#include <stddef.h>
#include <stdio.h>

/* In quotes where the text holds a comma, a quote or a line end, or is empty: NULL is nothing at
 * all, which callers write by calling nothing. A failure is left in the stream (ferror). */
void csv_write_field(const char *text, size_t bytes, FILE *target);

#endif
