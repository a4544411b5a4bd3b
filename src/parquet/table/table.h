/* table.h - a table: Parquet files of one schema, and what their footers say. */
#ifndef PISTACHIO_PARQUET_TABLE_TABLE_H
#define PISTACHIO_PARQUET_TABLE_TABLE_H

#include "parquet/table/footer.h"
#include "parquet/table/hive.h"
#include "parquet/table/table_spec.h"

/* The part it is of, where the table is divided: a file, or a folder of files. */
typedef struct pq_table_file {
    file *file; /* perhaps one that is elsewhere */
    pq_footer *footer;
    /* The footer's; of a table with keys a copy, in which their columns are as well. */
    const pq_metadata *metadata;
    uint32_t folder; /* of a table with keys: its values are hive.folders.items[folder] */
    uint32_t node;   /* whose ranks can read it; see rank_nodes */
    uint32_t part;   /* numbered as files lie */
    /* The file as it was told (table_given.h); NULL: nobody told the table its files. */
    const struct pq_given_file *given;
    const value *const
        *constants; /* by leaf: the value of all rows; NULL: the file stores the leaf */
} pq_table_file;

/* A row group of the table: what tasks take. */
typedef struct pq_row_group_ref {
    uint32_t file, row_group;
} pq_row_group_ref;

/* Rows [first, end) of a row group. */
typedef struct pq_row_range {
    uint64_t first, end;
} pq_row_range;
typedef ARRAY(pq_row_range) pq_row_list; /* in their order, gaps between them */

typedef struct pq_table_column {
    const char *name;
    data_type type;
    bool is_nullable;
    uint32_t leaf; /* the same in each file; of a nested column the first */
    uint32_t leaf_count;
    int32_t key; /* of hive.keys: its values stand in folders' names; -1: in files */
    /* From the statistics of all row groups; has_range: integers, decimals, dates, timestamps. */
    bool has_range;
    int128 min, max;    /* unscaled */
    int64_t null_count; /* -1: not known */
    /* Distinct values of the row group with the most, or more where row groups have parts of the range; -1: some do
     * not say. An estimate for the whole. */
    int64_t distinct_count;
} pq_table_column;

/* A file that is known by its path alone. */
typedef struct pq_listed_file {
    const char *path;
    uint32_t folder;
    const struct pq_given_file *given;
} pq_listed_file;

typedef struct pq_table {
    arena *memory;
    const char *name;   /* what it was made from: its spec's text, before {rank} was replaced, */
    const char *text;   /* and after it */
    pq_table_spec spec; /* the path is this rank's */
    uint64_t row_count;
    pq_hive_keys hive;         /* keys in the names of its files' folders; none: no keys */
    const pq_metadata *schema; /* the first file's, which all others must agree with */
    /* A closed table (table_listed.h) has these files; of those that are open, a sample, come the row count
     * and what is known of columns, which are estimates then. It has no row groups. */
    bool is_closed;
    ARRAY(pq_listed_file) listed;
    size_t file_total; /* files before any were left out by their keys */
    /* Set if the table is told in parts: those that were loaded; has_parts: its files are listed. */
    bool has_parts;
    uint32_t parts_loaded;
    bool is_schema_only;        /* none was left: one is open for its columns */
    bool reads_anew;            /* footers: not from the process's cache */
    ARRAY(pq_table_file) files; /* those of a node are neighbours, so are those of a part */
    /* By rank, which node it is of: ranks of one see the same files. None: there is one node. */
    ARRAY(uint32_t) rank_nodes;
    ARRAY(uint32_t) partitioned_by; /* columns */
    ARRAY(pq_row_group_ref) row_groups;
    _Atomic uint32_t users;       /* statements that hold it (sql/catalog/rows.h) */
    const struct pq_given *given; /* who told its columns and files (table_given.h); NULL: nobody */
    struct pq_table *united;      /* the next table, of files with other columns (table_union.h) */
    ARRAY(pq_table_column)
    columns; /* nested ones and those of unknown type are there too: a scan
                refuses them by name */
} pq_table;

/* Opens what file_expand finds for the text's path (table_spec.h); of many files several at a time.
 * use_cache: as pq_footer_open. The first bad file in order is the error; files whose schema differs
 * from the first one's are bad, and the error names the column. Of a table with keys only the first file is
 * opened: it is closed. */
CHECKED status pq_table_open(const char *text, bool use_cache, pq_table **out);
/* Opens a table, whatever the names of folders say. */
CHECKED status pq_table_open_plain(const char *path, bool use_cache, pq_table **out);
void pq_table_close(pq_table *table); /* takes NULL */
/* Does its path still mean the files of this machine that are open? */
bool pq_table_is_current(const pq_table *table);

/* ---- for those that open the files themselves ---- */

/* Without files; the path is that of the spec. */
CHECKED status pq_table_new(const char *name, const char *text, pq_table **out);
/* The files of this machine; of a table that is local it may have none. Text in the arena. */
CHECKED status pq_table_find_files(arena *a, const pq_table_spec *spec, path_list *out);
/* Checks that the file has the first one's columns; the failure names file and column. */
CHECKED status pq_table_check_schema(const pq_table *table, size_t number);
/* The row groups of the file, which is there, that have rows. */
CHECKED status pq_table_add_row_groups(pq_table *table, size_t file);
/* All files are there, with footers: compares schemas, adds up the rest. */
CHECKED status pq_table_finish(pq_table *table);
/* Returns the value that all rows of the file have of the column; NULL: the file stores the column. */
static inline const value *pq_table_constant(const pq_table *table, uint32_t file, uint32_t column)
{
    const pq_table_file *f = &table->files.items[file];
    const pq_table_column *c = &table->columns.items[column];
    if (c->key >= 0)
        return &table->hive.folders.items[f->folder][c->key];
    return f->constants ? f->constants[c->leaf] : NULL;
}

/* Returns whether some rows of its files are deleted: footers count them. */
bool pq_table_has_deleted(const pq_table *table);
/* Compressed bytes of the column in the row group. */
static inline uint64_t pq_table_column_bytes(const pq_row_group *group,
                                             const pq_table_column *column)
{
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < column->leaf_count; i++)
        bytes += group->chunks[column->leaf + i].compressed_bytes;
    return bytes;
}

/* Returns the name of the nested column that cannot be read (VARIANT) of which the column is a part; NULL: it is not a
 * part of one. */
const char *pq_table_nested_name(const pq_table *table, uint32_t column);
/* Counts columns as users see them: the parts of a nested one together. */
size_t pq_table_count_columns(const pq_table *table);
/* An error that names the column, if a scan cannot read it. */
CHECKED status pq_table_check_column(const pq_table *table, uint32_t column);

#endif
