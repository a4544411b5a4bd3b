/* delta_vector.h - deletion vectors of Delta tables. */
#ifndef PISTACHIO_LAKE_DELTA_DELTA_VECTOR_H
#define PISTACHIO_LAKE_DELTA_DELTA_VECTOR_H

#include "lake/delta/delta_state.h"
#include "parquet/table/table_deletes.h"

/* Reads the vector, which lies in a file or in the log; the numbers in the arena. deletes NULL: nothing is charged. */
CHECKED status delta_vector_read(pq_deletes *deletes, arena *a, const char *root,
                                 const delta_vector *vector, pq_deleted_rows *out);
/* Decodes text of base 85 (ZeroMQ's alphabet) to count / 5 * 4 bytes; false: it is not such text. */
bool delta_decode_85(const char *text, size_t count, uint8_t *out);

#endif
