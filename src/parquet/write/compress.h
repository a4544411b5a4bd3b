/* compress.h - Parquet's page codecs, the writing side (codec/codec.h is the reading one). */
#ifndef PISTACHIO_PARQUET_WRITE_COMPRESS_H
#define PISTACHIO_PARQUET_WRITE_COMPRESS_H

#include "parquet/format/buffer.h"
#include "parquet/format/format.h"

/* Adds the compressed bytes to `out`. level 0: the codec's default; only zstd, gzip and brotli have
 * levels. */
CHECKED status pq_compress(pq_codec codec, int level, const void *source, size_t bytes,
                           pq_buffer *out);

#endif
