/* bloom_probe.h - asks a column chunk's Bloom filter about a value. */
#ifndef PISTACHIO_PARQUET_READ_BLOOM_PROBE_H
#define PISTACHIO_PARQUET_READ_BLOOM_PROBE_H

#include "parquet/format/metadata.h"
#include "storage/file.h"

/* True: the chunk has no such value (of the leaf's type, not NULL). False when it may have it, and
 * also without a filter, with a damaged one, and for types whose equal values have several stored
 * forms. Reads the filter's header and one block of 32 bytes. */
bool pq_bloom_excludes(const file *f, const pq_leaf *leaf, const pq_column_chunk *chunk,
                       const value *v);

/* pq_bloom_excludes will be asked the same soon: has the system read what it needs. Does not wait.
 */
void pq_bloom_expect(const file *f, const pq_leaf *leaf, const pq_column_chunk *chunk,
                     const value *v);

#endif
