/* scan_memory.h - what the scans of a plan hold for a task, as the footers say: how many tasks have
 * room within memory_limit depends on it (exec/sched/memory.h). */
#ifndef PISTACHIO_EXEC_SCAN_SCAN_MEMORY_H
#define PISTACHIO_EXEC_SCAN_SCAN_MEMORY_H

#include "exec/sched/query.h"

/* The bytes that a task holds, compressed and not, of the columns that a scan of the statement reads, in the largest
 * row group of any of its tables, or in a morsel of that where it can be cut. An estimate: of a closed
 * table (parquet/table/table_listed.h) it is its sample's. 0: there are no scans. */
uint64_t scan_memory_task_bytes(const plan_statement *statement);

#endif
