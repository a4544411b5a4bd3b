/* text_source.h - the bytes of a text file in their order, as UTF-8.
 *
 * Plain files and gzip (any number of members), without the byte order mark; Latin-1 becomes UTF-8. One thread at a
 * time. */
#ifndef PISTACHIO_TEXTFILE_READ_TEXT_SOURCE_H
#define PISTACHIO_TEXTFILE_READ_TEXT_SOURCE_H

#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum text_compression {
    TEXT_COMPRESSION_AUTO, /* gzip if the file begins as one does */
    TEXT_COMPRESSION_NONE,
    TEXT_COMPRESSION_GZIP
} text_compression;

typedef struct text_source text_source;

CHECKED status text_source_open(const char *path, text_compression compression, bool is_latin1,
                                text_source **out);
void text_source_close(text_source *source); /* takes NULL */
const char *text_source_path(const text_source *source);
/* Bytes of the file as it lies there. */
uint64_t text_source_bytes(const text_source *source);
bool text_source_is_compressed(const text_source *source);
/* Reads up to `room` bytes, at least 8, fewer only at the end. *got 0: there are none left. */
CHECKED status text_source_read(text_source *source, char *target, size_t room, size_t *got);
/* Fails if somebody has written to the file since it was opened. */
CHECKED status text_source_check(const text_source *source);

#endif
