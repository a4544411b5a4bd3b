/* iceberg_deletes.h - which rows of a data file are deleted: by positions, deletion vectors and equal values.
 *
 * A statement keeps what it has read of files of deletes (iceberg_kept): each row group of positions is read once for
 * all data files, and equal values are hashed once, with the sequence number of their delete. */
#ifndef PISTACHIO_LAKE_ICEBERG_ICEBERG_DELETES_H
#define PISTACHIO_LAKE_ICEBERG_ICEBERG_DELETES_H

#include "lake/iceberg/iceberg_metadata.h"
#include "lake/log/deleted_rows.h"
#include "lake/log/leaf_rows.h"

#include <pthread.h>

typedef struct iceberg_delete {
    const char *path; /* of the file of deletes, where it is now */
    const char
        *target; /* the data file that it is of, as manifests call it; NULL: it may be of many */
    bool is_equality, is_puffin;
    bool is_global; /* by equal values in all partitions */
    int64_t sequence, spec_id;
    const char *partition; /* its values, in a form that can be compared; "": it has none */
    int64_t offset, bytes, row_count; /* of a blob in a Puffin file; rows */
    ARRAY(int32_t) ids;               /* columns that are compared */
    size_t number;                    /* among the table's */
} iceberg_delete;

typedef ARRAY(iceberg_delete) iceberg_delete_list;

/* The deletes that concern a data file: pq_given_file.deletes. */
typedef struct iceberg_deletes_of {
    const char *path; /* the data file as manifests call it */
    int64_t row_count, sequence;
    ARRAY(const iceberg_delete *) list;
} iceberg_deletes_of;

typedef struct iceberg_positions iceberg_positions;
typedef struct iceberg_equal_set iceberg_equal_set;

/* The files of deletes that a statement has read. */
typedef struct iceberg_kept {
    const pq_given *given;
    const iceberg_delete_list *deletes;
    pthread_mutex_t lock;             /* of the lists alone */
    iceberg_positions **positions;    /* by delete; NULL: not asked for yet */
    ARRAY(iceberg_equal_set *) equal; /* one for the deletes of the same columns and partition */
} iceberg_kept;

CHECKED status iceberg_keep_deletes(const pq_given *given, void **out);
void iceberg_drop_deletes(void *kept);
/* Gives the deleted rows of a data file: pq_given.load_deleted. */
CHECKED status iceberg_load_deleted(pq_deletes *deletes, const pq_given_file *f, arena *a,
                                    pq_deleted_rows *out);

/* ---- iceberg_positions.c ---- */

/* Appends the positions that a file of deletes has for the data file. Any thread. */
CHECKED status iceberg_read_positions(pq_deletes *deletes, const iceberg_deletes_of *of,
                                      const iceberg_delete *d, row_numbers *out);
void iceberg_positions_free(iceberg_positions *positions); /* takes NULL */

/* ---- iceberg_equality.c ---- */

/* Returns whether both delete rows by equal values of the same columns. */
bool iceberg_compares_same(const iceberg_delete *a, const iceberg_delete *b);
/* Appends the rows of the data file that are equal to rows of the deletes from number `first` on, as far as these compare
 * the same columns. Any thread. */
CHECKED status iceberg_read_equal(pq_deletes *deletes, const pq_given_file *f, size_t first,
                                  row_numbers *out);
void iceberg_equal_set_free(iceberg_equal_set *set);

#endif
