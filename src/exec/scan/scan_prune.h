/* scan_prune.h - which row groups, and which pages in them, cannot hold a row that a scan wants. */
#ifndef PISTACHIO_EXEC_SCAN_SCAN_PRUNE_H
#define PISTACHIO_EXEC_SCAN_SCAN_PRUNE_H

#include "exec/sched/query.h"
#include "parquet/table/table.h"

/* True: by its statistics and Bloom filters, no row of the row group passes the scan's conditions
 * (comparisons of a column with constants, IN lists, IS [NOT] NULL, and what AND and OR make of
 * them) and the runtime filters' ranges. */
bool scan_prune(exec_query *query, const plan_node *plan, const pq_table *table,
                pq_row_group_ref group_ref);
/* Whether the row group's statistics exclude the scan's conditions. Reads nothing, neither files nor runtime
 * filters, so that all ranks say the same. */
bool scan_prune_footer(const plan_statement *statement, const plan_node *plan,
                       const pq_table *table, pq_row_group_ref group_ref);
/* The row group will be looked at soon: has the system read the Bloom filters and page indexes that
 * will be wanted then. Does not wait. */
void scan_prune_expect(exec_query *query, const plan_node *plan, const pq_table *table,
                       pq_row_group_ref group_ref);
/* The part of it that changes while the query runs: the runtime filters. */
bool scan_prune_runtime(exec_query *query, const plan_node *plan, const pq_table *table,
                        pq_row_group_ref group_ref);

/* The rows that are left by the page indexes of the columns that the conditions and runtime filters
 * are about: ranges in their order with gaps between them, appended to `out`, which the caller
 * releases. A range begins at a multiple of `alignment`, a power of two. */
CHECKED status scan_prune_pages(exec_query *query, const plan_node *plan, const pq_table *table,
                                pq_row_group_ref group_ref, uint64_t alignment, pq_row_list *out);

#endif
