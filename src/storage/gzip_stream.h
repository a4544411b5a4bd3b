/* gzip_stream.h - a stream whose bytes go to another one as gzip. */
#ifndef PISTACHIO_STORAGE_GZIP_STREAM_H
#define PISTACHIO_STORAGE_GZIP_STREAM_H

#include "base/status.h"

#include <stdio.h>

/* level 0: zlib's default; at most 9. fclose() writes the rest, and leaves `below` open, whose ferror tells of failures. */
CHECKED status gzip_stream_open(FILE *below, int level, FILE **out);

#endif
