/* unpack.h - decompression where nobody has said how many bytes come out. */
#ifndef PISTACHIO_CODEC_UNPACK_H
#define PISTACHIO_CODEC_UNPACK_H

#include "base/status.h"

#include <stddef.h>

typedef enum unpack_form { UNPACK_DEFLATE, UNPACK_GZIP, UNPACK_SNAPPY, UNPACK_ZSTD } unpack_form;

/* Gives at most `limit` bytes, and a zero after them; *out is the caller's (mem_free). CORRUPT: the bytes are damaged, or
 * there are more. */
CHECKED status codec_unpack(unpack_form form, const void *source, size_t source_bytes, size_t limit,
                            char **out, size_t *out_bytes);

#endif
