/* scan_nested.h - nested columns of a scan: which leaves are read, how many rows a slice has. Where the plan has bytes in their
 * place (plan/rules/nested/pack_columns.h) the host decodes and packs them, and a lazy device gets blobs. */
#ifndef PISTACHIO_EXEC_SCAN_SCAN_NESTED_H
#define PISTACHIO_EXEC_SCAN_SCAN_NESTED_H

#include "exec/sched/operator.h"
#include "parquet/read/nested_column.h"

/* Finds the columns that are packed: *out has a flag for each. */
CHECKED status scan_nested_find(const plan_node *scan, const struct pq_table *table, bool **out);

/* Finds which leaves of one of the table's columns the scan reads; NULL: all. */
const bool *scan_read_leaves(const plan_node *plan, uint32_t source);
/* Returns how many rows of a row group a slice may have, so that what is computed of their elements stays in caches. */
uint64_t scan_nested_rows_most(const plan_node *scan, const struct pq_table *table,
                               pq_row_group_ref group_ref);

/* Rows of a packed column that is open: [first, first + count), numbered as those of the row group, or, with ranges, through
 * all of them. */
typedef struct scan_nested_rows {
    pq_nested_column *column; /* NULL: its file has no such column, all are NULL */
    const pq_row_list *ranges;
    uint64_t first, count;
} scan_nested_rows;

/* Makes the bytes of the rows, in the memory of the task's device. `host`: a stream of its host device. */
CHECKED status scan_nested_slice(exec_task *task, dev_stream *host, const scan_nested_rows *rows,
                                 tensor **out);

#endif
