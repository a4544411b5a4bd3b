/* rewrite_forms.h - the texts that `pistachio rewrite` takes for encodings, codecs and sizes. */
#ifndef PISTACHIO_CLI_REWRITE_FORMS_H
#define PISTACHIO_CLI_REWRITE_FORMS_H

#include "parquet/write/choice.h"

#include <stddef.h>
#include <stdio.h>

/* Lists are divided by commas or plus signs. All return false for text that does not read as one. */

/* v1, v2, plain, dictionary, delta, delta_length, delta_bytes, split, rle, or Parquet's names:
 * the encodings to be tried, a bit per pq_encoding. */
bool cli_parse_encodings(const char *text, uint32_t *out);
/* none, snappy, lz4_raw, zstd, gzip, brotli, each with a level: zstd(9); lightweight, optimal. */
bool cli_parse_codecs(const char *text, pq_choice *out);
/* 1000000, 64kB, 1MiB, 1.5GB. */
bool cli_parse_bytes(const char *text, uint64_t *out);
bool cli_parse_count(const char *text, uint64_t *out); /* at least 1 */
/* Reads a file of lines such as cli_write_profile makes; # begins a comment, and of an encoding "number" is all
 * classes of numbers. False: *out_line is the line that does not read, 0 if the file cannot be read. */
bool cli_read_profile(const char *path, pq_profile *out, unsigned *out_line);
void cli_write_profile(const pq_profile *profile, FILE *target);

#endif
