/* parquet_stream.h - the rows of a query as a Parquet file that is written to a stream. */
#ifndef PISTACHIO_API_QUERY_PARQUET_STREAM_H
#define PISTACHIO_API_QUERY_PARQUET_STREAM_H

#include "api/handles/handles.h"

#include <stdio.h>

/* Writes all rows, row group by row group. Fails with LIMIT once there are more than `most` (0: any number). *out_rows: of those
 * that were taken, also on failure. */
CHECKED status api_parquet_write(pistachio_result *result, FILE *stream, uint64_t most,
                                 uint64_t *out_rows);

#endif
