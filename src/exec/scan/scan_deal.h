/* scan_deal.h - which row groups of a table a scan reads where several ranks share the table. */
#ifndef PISTACHIO_EXEC_SCAN_SCAN_DEAL_H
#define PISTACHIO_EXEC_SCAN_SCAN_DEAL_H

#include "exec/sched/query.h"
#include "parquet/table/table_parts.h"

/* Sets each row group's weight: the compressed bytes of the scan's columns, at least 1; 0 where the scan's
 * conditions leave nothing of it. Depends on the plan and on footers alone, so that all ranks agree. */
void scan_weigh(const plan_statement *statement, const plan_node *scan, uint64_t *weights);
/* The row groups and bytes of a table that a scan's conditions leave, on all ranks together. */
typedef struct scan_worth {
    uint64_t row_groups, bytes;
} scan_worth;

/* Deals row groups out by their weights. */
CHECKED status scan_deal(const exec_query *query, const plan_node *scan, pq_deal *out,
                         scan_worth *out_worth);

#endif
