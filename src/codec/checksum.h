/* checksum.h - the checksum of pages: CRC-32 as in gzip (polynomial 0x04c11db7, bits reflected). */
#ifndef PISTACHIO_CODEC_CHECKSUM_H
#define PISTACHIO_CODEC_CHECKSUM_H

#include "base/system/cpu_features.h"

#include <stddef.h>
#include <stdint.h>

/* Returns the checksum of bytes that come after others whose checksum is `before` (0: there are none). isa bounds the
 * instructions; the machine must have it. */
uint32_t codec_checksum(cpu_isa isa, uint32_t before, const void *data, size_t bytes);

#endif
