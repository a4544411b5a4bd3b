/* table_union.h - files that differ in their columns, as tables of those that do not: what union_by_name puts
 * together. */
#ifndef PISTACHIO_PARQUET_TABLE_TABLE_UNION_H
#define PISTACHIO_PARQUET_TABLE_TABLE_UNION_H

#include "parquet/table/table.h"

/* ---- inside src/parquet/read ---- */

/* The table has all its files, with footers, folders and keys. It keeps those that have the first one's columns, and
 * table->united are the others, each in their order; all are finished. */
CHECKED status pq_table_unite(pq_table *table);
/* All files have the first one's columns by name, in any order, but not all in its types: without union_by_name they
 * make one table, too, whose columns have the types of the first file. */
bool pq_table_is_mixed(const pq_table *table);

#endif
