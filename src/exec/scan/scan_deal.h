/* scan_deal.h - which row groups of a table a scan reads where several ranks share the table. */
#ifndef PISTACHIO_EXEC_SCAN_SCAN_DEAL_H
#define PISTACHIO_EXEC_SCAN_SCAN_DEAL_H

#include "exec/sched/query.h"
#include "parquet/table/table_parts.h"

/* Deals out what the scan's conditions leave, by the bytes of its columns (the table's numbers). The result
 * depends on the plan and on footers alone, so that all ranks agree. */
CHECKED status scan_deal(const exec_query *query, const plan_node *plan, const uint32_t *columns,
                         uint32_t column_count, pq_deal *out);

#endif
