/* encode.h - the encodings, the writing side: dense values to bytes.
 *
 * Values come in their stored form (pq_dense): NULLs are left out. Everything is added to a buffer,
 * whose has_failed tells that memory ran out. Specification: Encodings.md of
 * github.com/apache/parquet-format. */
#ifndef PISTACHIO_PARQUET_WRITE_ENCODE_H
#define PISTACHIO_PARQUET_WRITE_ENCODE_H

#include "base/type/type.h"
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

/* ---- dictionaries ---- */

typedef struct pq_dictionary {
    pq_dense distinct; /* code to value */
    void *owned;       /* distinct.values */
    uint32_t *codes;   /* one per dense value */
    bool is_sorted;
} pq_dictionary;

#endif
