/* writer_shred.h - rows of a nested column, as bytes (device/nested_pack.h), to the levels and values of one leaf.
 *
 * A level of definition says how much of the path to a value is there, one of repetition where a row, or a list within it,
 * begins. Specification: Dremel (Melnik and others, VLDB 2010), and Parquet's of the three-level lists. */
#ifndef PISTACHIO_PARQUET_WRITE_WRITER_SHRED_H
#define PISTACHIO_PARQUET_WRITE_WRITER_SHRED_H

#include "parquet/format/buffer.h"
#include "parquet/write/writer_leaves.h"

typedef struct pq_shredded {
    pq_buffer definition, repetition; /* a byte for each entry */
    pq_buffer values;                 /* of the leaf's type, as type.h lays them out */
    uint64_t value_count;
    pq_buffer texts; /* that are not in the rows' bytes as they are */
} pq_shredded;

/* validity NULL: no row is NULL. */
CHECKED status pq_shred(const pq_leaf_place *leaf, const string_view *rows,
                        const uint64_t *validity, uint64_t row_count, pq_shredded *out);
void pq_shredded_release(pq_shredded *shredded);

#endif
