/* copy_parts.h - COPY (PER_RANK): each rank writes its rows to a Parquet file of its own, in a folder that
 * appears when all are whole.
 *
 *     rows end on all ranks ── part finished ── agree parts ── folder gets its name ── agree published
 */
#ifndef PISTACHIO_API_COPY_PARTS_H
#define PISTACHIO_API_COPY_PARTS_H

#include "api/rank_run.h"

/* Writes the rows of result->query, which has been started, to rank 0's part. */
CHECKED status api_copy_parts(pistachio_result *result);
/* Another rank's: of its query, which has been started; host: its machine, NULL: this one; time: the
 * statement's. */
CHECKED status api_copy_serve(rank_run *run, const sql_statement *statement, exec_query *query,
                              const char *host, int64_t time);

#endif
