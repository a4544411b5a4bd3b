/* join_filters.h - runtime filters of all ranks' build rows, where the rows that a scan drops would meet
 * those of any rank.
 *
 *     agree      how many keys, least and greatest; whether a rank has its rows in temporary files
 *     make       on each rank a bitmap or Bloom filter of the size that follows from that
 *     unite      one after another, then they are published
 *
 * Where a rank's rows are not in memory, or the filter is larger than what it may save, ranks only have
 * the range. */
#ifndef PISTACHIO_EXEC_JOIN_JOIN_FILTERS_H
#define PISTACHIO_EXEC_JOIN_JOIN_FILTERS_H

#include "exec/join/op_join.h"

/* As a phase, of task 0 alone: EXEC_FINISHED when all filters are published. The table's chunks, if it is in
 * memory, have their keys. */
exec_result join_filters_unite(op_join_build *join, exec_task *task);
/* Publishes the ranges alone, of rows in temporary files that are all on this rank. */
void join_filters_publish_ranges(const op_join_build *join);
void join_filters_release(op_join_build *join); /* the query's end */

#endif
