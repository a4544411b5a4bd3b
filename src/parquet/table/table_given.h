/* table_given.h - tables whose columns and files are told by a lake's log: no footer is needed to know its columns, and
 * each file may store them under other names, in narrower types, or not at all.
 *
 *     the table's column   id bigint   | name varchar | added int  | day date
 *     an old file          id int32    | title        | (missing)  | (folder)
 *       its metadata       widened     | the same leaf| constant   | constant
 *
 * Such a table is a closed one (table_listed.h). Each open file has metadata of its own, in which its leaves stand
 * where the table has its columns. */
#ifndef PISTACHIO_PARQUET_TABLE_TABLE_GIVEN_H
#define PISTACHIO_PARQUET_TABLE_TABLE_GIVEN_H

#include "parquet/table/table.h"

/* A nested column, or a part of one: a struct's fields are found by id or name, what lists and maps are of by its place. */
typedef struct pq_given_node {
    const char *name;
    data_type type;
    int32_t field_id;           /* as a column's */
    ARRAY(const char *) stored; /* as a column's */
    bool has_default;           /* it is not NULL in files that lack it */
    uint32_t leaf_count;
    uint32_t child_count; /* struct: fields; list: 1; map: 2 */
    struct pq_given_node *children;
} pq_given_node;

typedef struct pq_given_column {
    const char *name;
    data_type type;            /* TYPE_NULL with is_nested: one that cannot be read (VARIANT) */
    const pq_given_node *node; /* of a list, map or struct; else NULL */
    uint32_t leaf, leaf_count; /* in the table's schema; pq_table_new_given sets them */
    bool is_nullable, is_nested;
    bool is_key;                /* each file has one value, which is among its constants */
    int32_t field_id;           /* of files that have field ids; 0: none */
    ARRAY(const char *) stored; /* names of the column in files without field ids */
    value missing;              /* the value of rows of files that lack the column */
} pq_given_column;

/* All values of a column, but NULLs, are in these buckets of `count`: a hash that pq_given.bucket_of gives. */
typedef struct pq_bucket {
    uint32_t column;
    int64_t count, first, last; /* last < first: there are nothing but NULLs */
} pq_bucket;

/* Facts about a file or a part that are known before it is read. */
typedef struct pq_told {
    const pq_statistics *bounds; /* by column; NULL: not known */
    ARRAY(pq_bucket) buckets;
} pq_told;

typedef struct pq_given_file {
    const char *path;
    int64_t row_count;     /* deleted rows included; -1: not known */
    int64_t deleted_count; /* -1: not known */
    bool has_deleted;
    const value *const *constants; /* by column; NULL, or an item is NULL: the file stores it */
    pq_told facts;
    const void *deletes; /* for pq_given.load_deleted */
} pq_given_file;

typedef ARRAY(pq_given_file) pq_given_file_list;

/* Files that are told together, and only when they are wanted: a manifest's. */
typedef struct pq_given_part {
    pq_told facts;                 /* of all of its files */
    int64_t row_count, file_count; /* -1: not known */
} pq_given_part;

/* Deletes that a statement has read, and the rows of a file that they delete: table_deletes.h. */
typedef struct pq_deletes pq_deletes;
struct pq_deleted_rows;

typedef struct pq_given {
    const char *what; /* "version 3 of Delta table \"t\"": for errors */
    bool wants_ids;   /* leaves are found by field id in files that have some; else by name */
    ARRAY(pq_given_column) columns;
    pq_given_file_list files;
    bool has_deleted; /* some file may have deleted rows */
    /* In place of files; load_part gives those of one, which live as long as the table. Any thread. */
    ARRAY(pq_given_part) parts;
    status (*load_part)(const struct pq_given *given, size_t part, const pq_given_file_list **out);
    /* Reads which rows of the file are deleted; numbers in the arena. Any thread. */
    status (*load_deleted)(pq_deletes *deletes, const pq_given_file *file, arena *a,
                           struct pq_deleted_rows *out);
    /* Makes what files of deletes are kept in as long as a statement reads, and frees it. NULL: nothing is kept. */
    status (*keep_deletes)(const struct pq_given *given, void **out);
    void (*drop_deletes)(void *kept);
    /* Gives the bucket that a value is in; false: it cannot be told. NULL: there are no buckets. */
    bool (*bucket_of)(const value *v, int64_t count, int64_t *out);
    const void *context;
    uint32_t store; /* as object_store_use: files are opened by it; 0: by the thread's */
} pq_given;

/* Makes a table of what was told. `given` and all that it points to must be in `memory`, which the table takes over, on
 * failure too. name: what it is opened from. */
CHECKED status pq_table_new_given(arena *memory, const char *name, pq_given *given, bool use_cache,
                                  pq_table **out);

/* Returns whether the table's parts are still to be loaded. */
bool pq_table_is_in_parts(const pq_table *table);
/* Loads the parts that are marked (NULL: all): a closed table of their files, none of which is open. It stands on the
 * first one, which must outlive it. */
CHECKED status pq_table_load_parts(const pq_table *table, const bool *parts, pq_table **out);

/* Returns by which settings of stores the table's files are opened, as object_store_use. given NULL: by the thread's. */
uint32_t pq_given_store(const pq_given *given);

/* ---- inside src/parquet/table ---- */

/* Makes the metadata of an open file of such a table. */
CHECKED status pq_given_map(const pq_table *table, arena *a, pq_table_file *f);
/* Counts the rows that are not deleted, if all files were told with their numbers. */
bool pq_given_count(const pq_table *table, uint64_t *out);
/* Makes the schema that all files are mapped to. */
CHECKED status pq_given_schema(arena *a, const pq_given *given, const pq_metadata **out);
/* Makes values of the leaf come out in the table's type; false: they cannot. */
bool pq_given_adapt(pq_leaf *leaf, data_type to);
/* Returns the chunk as one of values of the table's type. Page indexes and Bloom filters are of the stored type. */
pq_column_chunk pq_given_adapt_chunk(const pq_column_chunk *stored, data_type from, data_type to);
/* Returns the chunk of a leaf that has one value in all rows. */
pq_column_chunk pq_given_constant_chunk(const value *v, uint64_t rows);

#endif
