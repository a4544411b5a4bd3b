/* encode_dictionary.h - a column's distinct values and their codes. */
#ifndef PISTACHIO_PARQUET_WRITE_ENCODE_DICTIONARY_H
#define PISTACHIO_PARQUET_WRITE_ENCODE_DICTIONARY_H

#include "parquet/write/encode.h"

/* *out_pays false: the dictionary would be larger than limit_bytes, or, unless it is demanded,
 * save less than an eighth; then there is nothing to release. */
CHECKED status pq_dictionary_build(const pq_dense *dense, uint64_t limit_bytes, bool is_demanded,
                                   pq_dictionary *out, bool *out_pays);
void pq_dictionary_release(pq_dictionary *dictionary);

#endif
