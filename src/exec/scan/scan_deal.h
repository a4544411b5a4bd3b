/* scan_deal.h - which row groups of a table are this rank's, where several run a statement: runs of
 * about equal bytes, the same on all ranks, as all know all footers. */
#ifndef PISTACHIO_EXEC_SCAN_SCAN_DEAL_H
#define PISTACHIO_EXEC_SCAN_SCAN_DEAL_H

#include "exec/sched/query.h"
#include "parquet/read/table.h"

/* The table's row groups [first, end). */
typedef struct scan_deal {
    size_t first, end;
} scan_deal;

/* Those of the query's rank; of a query on one rank all. */
scan_deal scan_deal_groups(const exec_query *query, const pq_table *table);

#endif
