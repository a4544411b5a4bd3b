/* table_share.h - opening a table together: ranks need not see the same files, and a footer that all can
 * read is read by one of them.
 *
 *     rank 0   find files ──┬── lists ──┬── footers ──┬── the table
 *     rank 1   find files ──┘   are they   that are   └── the same table
 *                               alike?     each one's
 *
 * A step is a rank's own; the caller carries bytes between them. Bytes of other ranks are checked like
 * bytes of a file. Failures of what all know are the same on all ranks. */
#ifndef PISTACHIO_PARQUET_TABLE_TABLE_SHARE_H
#define PISTACHIO_PARQUET_TABLE_TABLE_SHARE_H

#include "parquet/table/table.h"

typedef struct pq_share pq_share;

/* A rank's contribution; its host is for errors, and tells nodes apart. */
typedef struct pq_share_part {
    const char *host;
    const char *data;
    uint64_t bytes;
} pq_share_part;

/* This rank's files. name: as in pq_table; text: the same on this rank, {rank} replaced. */
CHECKED status pq_share_new(const char *name, const char *text, bool use_cache, uint32_t rank,
                            uint32_t ranks, pq_share **out);
void pq_share_free(pq_share *share); /* takes NULL */

/* Its list, valid until pq_share_free. */
CHECKED status pq_share_list(pq_share *share, const char **out, uint64_t *out_bytes);
/* The lists of all ranks: which files the table has, and who reads which footer. Names who has others. */
CHECKED status pq_share_compare(pq_share *share, const pq_share_part *lists);
/* The footers that are this rank's to read, or hashes of them where each rank reads its own. */
CHECKED status pq_share_footers(pq_share *share, const char **out, uint64_t *out_bytes);
/* The table of all ranks' footers. */
CHECKED status pq_share_table(pq_share *share, const pq_share_part *footers, pq_table **out);

#endif
