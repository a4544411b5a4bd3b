/* table_files.h - inside src/parquet/read: the files of a table are opened. */
#ifndef PISTACHIO_PARQUET_TABLE_TABLE_FILES_H
#define PISTACHIO_PARQUET_TABLE_TABLE_FILES_H

#include "parquet/table/table.h"

/* The table's files are those at the paths, open and with their footers. The failure is the one of the first
 * bad file in order, a file whose schema differs from the first one's among them. */
CHECKED status pq_table_open_files(pq_table *table, const path_list *paths, bool use_cache);
/* Opens files from number `first` on, for which there is room. */
CHECKED status pq_table_open_range(pq_table *table, size_t first, const path_list *paths);

/* The files at the paths and their footers, into zeroed places; their schemas may differ. On failure some are
 * there. */
CHECKED status pq_files_open(const path_list *paths, bool use_cache, pq_table_file *files);
/* Returns whether the columns are alike, in name and type. */
bool pq_metadata_is_alike(const pq_metadata *first, const pq_metadata *other);

#endif
