/* encode.h - the encodings, the writing side: dense values to bytes.
 *
 * Values come in their stored form (pq_dense): NULLs are left out. Everything is added to a buffer,
 * whose has_failed tells that memory ran out. Specification: Encodings.md of
 * github.com/apache/parquet-format. */
#ifndef PISTACHIO_PARQUET_WRITE_ENCODE_H
#define PISTACHIO_PARQUET_WRITE_ENCODE_H

#include "base/type.h"
#include "parquet/format/buffer.h"
#include "parquet/format/format.h"

/* Values of one column as Parquet stores them, without the NULLs: an int32_t, int64_t, float or
 * double each; a byte of 0 or 1 for BOOLEAN; a string_view for BYTE_ARRAY; type_length bytes for
 * FIXED_LEN_BYTE_ARRAY. */
typedef struct pq_dense {
    const void *values;
    uint64_t count;
    pq_physical physical;
    uint32_t type_length;
} pq_dense;

/* Bytes from one value to the next. */
uint32_t pq_dense_stride(const pq_dense *dense);
/* `count` values from `first` on. */
pq_dense pq_dense_slice(const pq_dense *dense, uint64_t first, uint64_t count);
/* The encoding can hold the physical type. */
bool pq_encoding_fits(pq_encoding encoding, pq_physical physical);

/* Any encoding but the dictionary's. */
void pq_encode(pq_encoding encoding, const pq_dense *dense, pq_buffer *out);

void pq_encode_plain(const pq_dense *dense, pq_buffer *out);
void pq_encode_delta_binary(const pq_dense *dense, pq_buffer *out);
void pq_encode_delta_length(const pq_dense *dense, pq_buffer *out);
void pq_encode_delta_bytes(const pq_dense *dense, pq_buffer *out);

/* The RLE and bit-packing hybrid, without a length or width in front. */
void pq_encode_hybrid(const uint32_t *codes, uint64_t count, unsigned width, pq_buffer *out);
/* The same for bits [first, first + count) of a bitmap, as width 1. */
void pq_encode_hybrid_bits(const uint64_t *bits, uint64_t first, uint64_t count, pq_buffer *out);
/* Bits that the codes below `count` take, at least 1. */
unsigned pq_code_width(uint64_t count);

/* ---- dictionaries ---- */

typedef struct pq_dictionary {
    pq_dense distinct; /* code to value */
    void *owned;       /* distinct.values */
    uint32_t *codes;   /* one per dense value */
    bool is_sorted;
} pq_dictionary;

/* *out_pays false: the dictionary would be larger than limit_bytes, or, unless it is demanded,
 * save less than an eighth; then there is nothing to release. */
CHECKED status pq_dictionary_build(const pq_dense *dense, uint64_t limit_bytes, bool is_demanded,
                                   pq_dictionary *out, bool *out_pays);
void pq_dictionary_release(pq_dictionary *dictionary);

/* Sum of the strings' lengths. */
uint64_t pq_text_bytes(const pq_dense *dense);

#endif
