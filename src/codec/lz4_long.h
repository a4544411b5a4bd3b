/* lz4_long.h - LZ4 blocks that take long: the library has no call that stops on the way. */
#ifndef PISTACHIO_CODEC_LZ4_LONG_H
#define PISTACHIO_CODEC_LZ4_LONG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Returns whether the block makes target_bytes bytes: not if it breaks the format, or the statement was cancelled
 * (base/cancel.h). */
bool lz4_decode_long(const uint8_t *source, size_t source_bytes, uint8_t *target,
                     size_t target_bytes);

#endif
