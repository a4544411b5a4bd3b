/* codec.h - Parquet's page codecs, by the libraries.
 *
 * Decompression fills exactly the bytes that the page header promised, or fails. */
#ifndef PISTACHIO_CODEC_CODEC_H
#define PISTACHIO_CODEC_CODEC_H

#include "base/system/cpu_features.h"

#include <stddef.h>

#define CODEC_COUNT 8 /* that Parquet numbers, from 0 on */

/* `codec` is Parquet's number (parquet/format/format.h: pq_codec). False: the bytes are damaged, do
 * not give target_bytes bytes, the codec is not known, or the statement was cancelled (base/cancel.h). isa, which the machine must have, bounds
 * what our own decompression uses. */
bool codec_decompress(cpu_isa isa, int codec, const void *source, size_t source_bytes, void *target,
                      size_t target_bytes);
/* Gzip, zstd: the bytes are, as far as their ends and the headers of parts say, one member or frame that gives so many
 * bytes, with nothing behind it: what other libraries take as well. Other codecs: false. */
bool codec_is_one_stream(int codec, const void *source, size_t source_bytes, size_t target_bytes);
/* Decompresses a frame of LZ4 (not Parquet's: Arrow's), as codec_decompress. */
bool codec_decompress_lz4_frame(const void *source, size_t source_bytes, void *target,
                                size_t target_bytes);
bool codec_is_known(int codec);
const char *codec_name(int codec);

#endif
