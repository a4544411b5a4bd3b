/* scan_prune.h - which row groups cannot hold a row that a scan wants. */
#ifndef PISTACHIO_EXEC_SCAN_PRUNE_H
#define PISTACHIO_EXEC_SCAN_PRUNE_H

#include "exec/query.h"
#include "parquet/table.h"

/* True: by its statistics and Bloom filters, no row of the row group passes the scan's conditions
 * (comparisons of a column with constants, IN lists, IS [NOT] NULL, and what AND and OR make of
 * them) and the runtime filters' ranges. */
bool scan_prune(exec_query *query, const plan_node *plan, const pq_table *table, pq_morsel morsel);

#endif
