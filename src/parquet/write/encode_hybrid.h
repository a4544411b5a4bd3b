/* encode_hybrid.h - the RLE and bit-packing hybrid of levels and dictionary codes. */
#ifndef PISTACHIO_PARQUET_WRITE_ENCODE_HYBRID_H
#define PISTACHIO_PARQUET_WRITE_ENCODE_HYBRID_H

#include "parquet/format/buffer.h"

/* The RLE and bit-packing hybrid, without a length or width in front. */
void pq_encode_hybrid(const uint32_t *codes, uint64_t count, unsigned width, pq_buffer *out);
/* Encodes bits [first, first + count) of a bitmap, as width 1. */
void pq_encode_hybrid_bits(const uint64_t *bits, uint64_t first, uint64_t count, pq_buffer *out);
/* Bits that the codes below `count` take, at least 1. */
unsigned pq_code_width(uint64_t count);

#endif
