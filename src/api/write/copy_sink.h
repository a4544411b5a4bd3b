/* copy_sink.h - where COPY's rows become a Parquet file. */
#ifndef PISTACHIO_API_WRITE_COPY_SINK_H
#define PISTACHIO_API_WRITE_COPY_SINK_H

#include "api/handles/handles.h"
#include "api/write/sink.h"
#include "sql/statement/statement.h"
#include "storage/new_file.h"

/* target: what is written to instead of a file of the path's name, which is taken over, also on failure; or NULL.
 * A file of the statement's columns, but for the keys of PARTITION_BY, and options. Columns are encoded by
 * as many threads as the place's pool has. */
CHECKED status api_copy_open_sink(const sql_statement *statement, const char *path,
                                  const api_rank *place, new_file *target, api_sink **out);

#endif
