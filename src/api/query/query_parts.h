/* query_parts.h - files of one function each that statements are run by. */
#ifndef PISTACHIO_API_QUERY_QUERY_PARTS_H
#define PISTACHIO_API_QUERY_QUERY_PARTS_H

#include "api/handles/handles.h"

/* ---- copy.c ---- */

/* Writes the rows of result->query, which has been started, to the statement's path. */
CHECKED status api_copy(pistachio_result *result);

/* ---- copy_partitions.c ---- */

/* copy_partitions.c: the same with PARTITION_BY, to files in folders below the path. */
CHECKED status api_copy_partitions(pistachio_result *result);

/* ---- rounds.c ---- */

/* Computes what result->statement, an SQL_ROUND, needs, into the result's own catalog, and binds the statement again,
 * until it needs no further round. */
CHECKED status api_rounds(pistachio_result *result,
                          status (*bind)(pistachio_result *result, void *context), void *context);

#endif
