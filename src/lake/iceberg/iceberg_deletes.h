/* iceberg_deletes.h - which rows of a data file are deleted: by positions, deletion vectors and equal values. */
#ifndef PISTACHIO_LAKE_ICEBERG_ICEBERG_DELETES_H
#define PISTACHIO_LAKE_ICEBERG_ICEBERG_DELETES_H

#include "lake/iceberg/iceberg_metadata.h"
#include "lake/log/deleted_rows.h"

typedef struct iceberg_delete {
    const char *path; /* of the file of deletes, where it is now */
    const char
        *target; /* the data file that it is of, as manifests call it; NULL: it may be of many */
    bool is_equality, is_puffin;
    int64_t sequence, spec_id;
    const char *partition; /* its values, in a form that can be compared; "": it has none */
    int64_t offset, bytes, row_count; /* of a blob in a Puffin file; rows */
    ARRAY(int32_t) ids;               /* columns that are compared */
} iceberg_delete;

typedef ARRAY(iceberg_delete) iceberg_delete_list;

/* The deletes that concern a data file: pq_given_file.deletes. */
typedef struct iceberg_deletes_of {
    const char *path; /* the data file as manifests call it */
    int64_t row_count;
    ARRAY(const iceberg_delete *) list;
} iceberg_deletes_of;

/* Appends the positions that a file of deletes has for the data file. */
CHECKED status iceberg_read_positions(arena *a, const iceberg_deletes_of *of,
                                      const iceberg_delete *d, row_numbers *out);
/* Returns whether both delete rows by equal values of the same columns. */
bool iceberg_compares_same(const iceberg_delete *a, const iceberg_delete *b);
/* Appends the rows of the data file that are equal to rows of the deletes from number `first` on, as far as these compare
 * the same columns. */
CHECKED status iceberg_read_equal(arena *a, const pq_given *given, const pq_given_file *f,
                                  size_t first, row_numbers *out);

/* Reads them all; numbers in the arena. */
CHECKED status iceberg_load_deleted(const pq_given *given, const pq_given_file *f, arena *a,
                                    pq_deleted_rows *out);

#endif
