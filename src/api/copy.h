/* copy.h - inside the public interface: COPY, and tables of rows. */
#ifndef PISTACHIO_API_COPY_H
#define PISTACHIO_API_COPY_H

#include "api/internal.h"
#include "api/sink.h"

/* Writes the rows of result->query, which has been started, to the statement's path. */
CHECKED status api_copy(pistachio_result *result);
/* copy_partitions.c: the same with PARTITION_BY, to files in folders below the path. */
CHECKED status api_copy_partitions(pistachio_result *result);
/* table_rows.c: makes the statement's table of these rows, or adds them to it. */
CHECKED status api_keep_rows(pistachio_result *result);
/* The rows into a file without a name, the caller's unless it fails. */
CHECKED status api_write_rows(pistachio_result *result, int *out_descriptor);

#endif
