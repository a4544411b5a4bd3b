/* iceberg_bucket.h - the bucket that a value is in: the transform bucket[N] of partitions.
 *
 * Specification: iceberg.apache.org/spec, "Bucket Transform Details" and appendix B (32-bit Murmur3, x86, seed 0). */
#ifndef PISTACHIO_LAKE_ICEBERG_ICEBERG_BUCKET_H
#define PISTACHIO_LAKE_ICEBERG_ICEBERG_BUCKET_H

#include "base/type/type.h"

/* Returns the hash of the bytes. */
uint32_t iceberg_hash(const void *bytes, size_t count);
/* Gives the value's bucket of `count`. False: values of its type have none (booleans, floating point, intervals ...), or it is
 * NULL. */
bool iceberg_bucket_of(const value *v, int64_t count, int64_t *out);

#endif
