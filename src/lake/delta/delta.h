/* delta.h - Delta tables: a log of JSON files and checkpoints.
 *
 *     _delta_log/00000000000000000000.json   actions: metaData, protocol, add, remove
 *     _delta_log/...0010.checkpoint.parquet  what all actions up to version 10 come to
 *
 * Specification: PROTOCOL.md of github.com/delta-io/delta. */
#ifndef PISTACHIO_LAKE_DELTA_DELTA_H
#define PISTACHIO_LAKE_DELTA_DELTA_H

#include "lake/log/lake_request.h"
#include "parquet/table/table_given.h"

/* Reads the log as of the version or time; everything in the arena. */
CHECKED status delta_read(arena *a, const lake_request *request, pq_given **out);
/* Makes a table of what the log's actions have come to; in the arena of the state, which has a schema. */
struct delta_state;
CHECKED status delta_make_given(struct delta_state *s, pq_given **out);
/* Returns the version that was read. */
int64_t delta_version(const pq_given *given);
/* Returns whether the log has no version after the one that was read. */
bool delta_is_current(arena *scratch, const lake_request *request, const pq_given *given);

#endif
