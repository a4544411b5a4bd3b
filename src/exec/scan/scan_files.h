/* scan_files.h - a scan of a closed table (parquet/table/table_listed.h) opens files as it comes to them:
 * those whose keys no runtime filter excludes by then. */
#ifndef PISTACHIO_EXEC_SCAN_SCAN_FILES_H
#define PISTACHIO_EXEC_SCAN_SCAN_FILES_H

#include "exec/sched/query.h"
#include "parquet/table/table_listed.h"

typedef struct scan_files scan_files;

/* For open. *out is NULL: the plan's table is open. The number of files that are opened is counted there. */
CHECKED status scan_files_new(exec_query *query, const plan_node *plan, scan_files **out);
void scan_files_free(scan_files *files); /* takes NULL */
/* The scan's table; its files are added as they are opened, and stay where they are. */
const pq_table *scan_files_table(const scan_files *files);
/* Opens some more files; *has_more is false: there are none left that are wanted. For one task at a time. */
CHECKED status scan_files_open(scan_files *files, _Atomic uint64_t *opened, bool *has_more);

#endif
