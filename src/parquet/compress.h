/* compress.h - Parquet's page codecs, the writing side (device/codec.h is the reading one). */
#ifndef PISTACHIO_PARQUET_COMPRESS_H
#define PISTACHIO_PARQUET_COMPRESS_H

#include "parquet/buffer.h"
#include "parquet/format.h"

/* Adds the compressed bytes to `out`. level 0: the codec's default; only zstd, gzip and brotli have
 * levels. */
CHECKED status pq_compress(pq_codec codec, int level, const void *source, size_t bytes,
                           pq_buffer *out);

#endif
