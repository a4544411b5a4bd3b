/* scan_prune.h - which row groups cannot hold a row that a scan wants. */
#ifndef PISTACHIO_EXEC_SCAN_PRUNE_H
#define PISTACHIO_EXEC_SCAN_PRUNE_H

#include "exec/query.h"
#include "parquet/table.h"

/* True: by its statistics, no row of the group passes the scan's conditions (comparisons of a
 * column with a constant) and runtime filters' ranges. */
bool scan_prune(exec_query *query, const plan_node *plan, const pq_table *table,
                const pq_row_group *group);

#endif
