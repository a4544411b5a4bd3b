/* scan_cache.h - what the process keeps of files that scans have read: columns as they were decoded (column_cache.h), and
 * pages as they are stored, in the memory of lazy devices or for them (stored_cache.h). */
#ifndef PISTACHIO_EXEC_SCAN_SCAN_CACHE_H
#define PISTACHIO_EXEC_SCAN_SCAN_CACHE_H

#include "base/budget.h"
#include "parquet/table/footer.h"
#include "parquet/table/kept_column.h"

/* Lists what is kept, by path and column. */
pq_list_kept scan_cache_list;
/* Forgets a file's version; all of them. */
void scan_cache_forget(const pq_file_version *version);
void scan_cache_clear(void);
/* Holds what is in the host's memory. */
extern const mem_lender scan_cache_lender;

#endif
