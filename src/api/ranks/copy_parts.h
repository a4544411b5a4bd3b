/* copy_parts.h - COPY (PER_RANK): each rank writes its rows to a Parquet file of its own, in a folder that
 * appears when all are whole.
 *
 *     rows end on all ranks ── part finished ── agree parts ── folder gets its name ── agree published
 */
#ifndef PISTACHIO_API_RANKS_COPY_PARTS_H
#define PISTACHIO_API_RANKS_COPY_PARTS_H

#include "api/ranks/rank_run.h"
#include "api/write/sink.h"
#include "sql/statement/statement.h"
#include "storage/new_folder.h"

typedef struct api_copy_part {
    rank_run *run; /* NULL: there are no other ranks */
    new_folder *folder;
    api_sink *sink;
    uint64_t rows;
} api_copy_part;

/* Opens a part with its run, else zeroed; closed also on failure. host: the rank's machine, NULL: this one; time: the
 * statement's. */
CHECKED status api_copy_part_open(api_copy_part *p, const sql_statement *statement,
                                  const api_rank *place, const char *host, int64_t time);
/* Takes the batch over. */
CHECKED status api_copy_part_add(api_copy_part *p, exec_batch *batch);
/* All rows are there. */
CHECKED status api_copy_part_publish(api_copy_part *p);
/* Hands a failure on, when the other ranks know of it. */
CHECKED status api_copy_part_close(api_copy_part *p, status st);

/* Another rank's, of its query, which has been started; host: its machine, NULL: this one; time: the
 * statement's. */
CHECKED status api_copy_serve(rank_run *run, const sql_statement *statement, exec_query *query,
                              const char *host, int64_t time);

#endif
