/* table_deletes.h - which rows of a lake's data files are deleted, kept for one statement: what a log says of deletes is
 * read when the first row of a data file is wanted, once, whatever number of data files and scans ask for it.
 *
 *     scans of a query ── pq_deletes_of(file) ──> rows of the file     kept for the next scan
 *                               └─ the lake ────> files of deletes     kept for the next data file
 *
 * All that is kept is charged to the statement's budget. */
#ifndef PISTACHIO_PARQUET_TABLE_TABLE_DELETES_H
#define PISTACHIO_PARQUET_TABLE_TABLE_DELETES_H

#include "parquet/table/table_given.h"

/* Rows of a file that are deleted, by their numbers in it, in ascending order, each once. */
typedef struct pq_deleted_rows {
    const uint64_t *rows;
    size_t count;
} pq_deleted_rows;

/* budget NULL: nothing is charged. */
CHECKED status pq_deletes_new(const pq_given *given, mem_budget *budget, pq_deletes **out);
void pq_deletes_free(pq_deletes *deletes); /* takes NULL */
const pq_given *pq_deletes_given(const pq_deletes *deletes);
/* Gives the deleted rows of a data file, which stay as long as `deletes`. path: for errors. Any thread. */
CHECKED status pq_deletes_of(pq_deletes *deletes, const pq_given_file *file, const char *path,
                             const pq_deleted_rows **out);

/* ---- for lakes ---- */

/* Returns what pq_given.keep_deletes has made. */
void *pq_deletes_kept(const pq_deletes *deletes);
/* Takes bytes from the statement's budget; those that are not given back go with `deletes`. Any thread. */
CHECKED status pq_deletes_take(pq_deletes *deletes, uint64_t bytes);
void pq_deletes_give(pq_deletes *deletes, uint64_t bytes);

#endif
