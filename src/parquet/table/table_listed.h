/* table_listed.h - closed tables: of files whose folders have keys only a few are open, until it is known
 * which of the others are wanted.
 *
 *     the catalog's   all files by their paths, the first one open
 *     a statement's   those that its conditions on keys leave: open, or, if there are many, a sample of them
 *     its scan's      those that join keys leave as well, opened as they are read
 *
 * Each stands on the one before it, which must outlive it. */
#ifndef PISTACHIO_PARQUET_TABLE_TABLE_LISTED_H
#define PISTACHIO_PARQUET_TABLE_TABLE_LISTED_H

#include "parquet/table/table.h"

/* The listed files of a closed table that are marked; a few are all opened, of many a sample. */
CHECKED status pq_table_narrow(const pq_table *table, const bool *files, pq_table **out);
/* All of its files, open. */
CHECKED status pq_table_open_listed(const pq_table *table, pq_table **out);
/* Makes a table, with its estimates and room for its files, none of which is open yet, of a closed one: */
CHECKED status pq_table_open_later(const pq_table *table, pq_table **out);
/* these are, and their row groups come behind the others'. `numbers`: in table->listed. What other threads
 * read of files that are open stays where it is. */
CHECKED status pq_table_open_more(pq_table *table, const uint32_t *numbers, size_t count);
/* The rows of all files, whether the table is closed or not. */
CHECKED status pq_table_count_rows(const pq_table *table, uint64_t *out);

/* ---- inside src/parquet/read ---- */

/* Makes a table without files, on the same keys and columns that were told. */
CHECKED status pq_table_new_over(const pq_table *table, pq_table **out);
/* Returns how a file would store the type. */
pq_physical pq_physical_of(data_type type);
/* Makes the table a closed one of these files. */
CHECKED status pq_table_list(pq_table *table, const path_list *paths, const uint32_t *folders);
/* Puts columns of keys into the metadata of its files. */
CHECKED status pq_table_add_keys(pq_table *table);
/* A closed table has the files at the paths, and those that are open have not changed. */
bool pq_table_lists(const pq_table *table, const path_list *paths);
/* The file at the path is the one that is open. */
bool pq_table_is_same_file(const file *f, const char *path);

#endif
