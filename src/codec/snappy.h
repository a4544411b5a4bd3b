/* snappy.h - the snappy codec's decompression, the scan's most frequent one. */
#ifndef PISTACHIO_CODEC_SNAPPY_H
#define PISTACHIO_CODEC_SNAPPY_H

#include <stdbool.h>
#include <stddef.h>

/* Decompresses a raw snappy block. False: it is damaged, or does not give exactly target_bytes; the
 * target then holds anything. Any input is safe; nothing outside both ranges is touched. */
bool snappy_decode(const void *source, size_t source_bytes, void *target, size_t target_bytes);

/* The same without instructions that not every machine has, for tests. */
bool snappy_decode_portable(const void *source, size_t source_bytes, void *target,
                            size_t target_bytes);

#endif
