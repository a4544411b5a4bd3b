/* codec.h - Parquet's page codecs, by the libraries.
 *
 * Decompression fills exactly the bytes that the page header promised, or fails. */
#ifndef PISTACHIO_CODEC_CODEC_H
#define PISTACHIO_CODEC_CODEC_H

#include <stdbool.h>
#include <stddef.h>

/* `codec` is Parquet's number (parquet/format/format.h: pq_codec). False: the bytes are damaged, do
 * not give target_bytes bytes, or the codec is not known. */
bool codec_decompress(int codec, const void *source, size_t source_bytes, void *target,
                      size_t target_bytes);
bool codec_is_known(int codec);
const char *codec_name(int codec);

#endif
