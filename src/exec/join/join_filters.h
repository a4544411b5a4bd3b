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
#include "exec/sched/query.h"

static inline bool join_may_unite_filters(const op_join_build *join)
{
    return join->base.plan->join.has_united_filters;
}

/* Where all ranks were to have all build rows: only if they have not. Known when the build side has ended. */
static inline bool join_unites_filters(const op_join_build *join)
{
    uint32_t overflow = join->base.plan->join.overflow_id;
    return join_may_unite_filters(join) &&
           (!overflow || exec_has_overflowed(&join->base.query->overflows[overflow - 1]));
}

/* As a phase, of task 0 alone: EXEC_FINISHED when all filters are published. The table's chunks, if it is in
 * memory, have their keys. */
exec_result join_filters_unite(op_join_build *join, exec_task *task);
/* Of rows in temporary files, all of which are on this rank: the ranges alone. */
void join_filters_publish_ranges(const op_join_build *join);
void join_filters_release(op_join_build *join); /* the query's end */

#endif
