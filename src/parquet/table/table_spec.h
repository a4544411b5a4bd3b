/* table_spec.h - what a table is made from, as users write it: a path, and before it who has its files.
 *
 *     data/orders            every rank can read all files: they are dealt out
 *     local:data/orders      files are of the ranks that find them at this path
 *     replicated:data/orders every rank finds the same files, and may read any of them for itself
 *     partitioned_by=(a, b):data/orders   files, or folders of them, in which equal values of a and b lie
 *                            together; also behind one of the others
 *     hive_partitioning=off:data/orders   in place of the setting (hive.h): auto, on or off
 *     hive_types=(zip varchar, d decimal(5,2)):data/orders   types of keys in folders' names (hive_types.h)
 *     filename:data/orders   with a column "filename", the path of each row's file; of read_parquet alone
 *     union_by_name:data/orders           columns of files may differ (table_union.h); of read_parquet alone */
#ifndef PISTACHIO_PARQUET_TABLE_TABLE_SPEC_H
#define PISTACHIO_PARQUET_TABLE_TABLE_SPEC_H

#include "base/mem.h"
#include "parquet/table/hive.h"

typedef enum pq_access { PQ_SHARED, PQ_LOCAL, PQ_REPLICATED } pq_access;

typedef struct pq_table_spec {
    pq_access access;
    pq_hive hive;
    pq_hive_type_list hive_types;
    bool is_united; /* union_by_name */
    bool has_filename;
    ARRAY(const char *) partitioned_by; /* names of columns */
    const char *path;
} pq_table_spec;

/* Returns where the path begins. */
const char *pq_table_spec_path(const char *text);
/* Names in the arena; the path is in the text. */
CHECKED status pq_table_spec_parse(arena *a, const char *text, pq_table_spec *out);

#endif
