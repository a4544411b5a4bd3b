/* copy.h - what COPY (query) TO 'file' (options) writes, and where. */
#ifndef PISTACHIO_SQL_CATALOG_COPY_H
#define PISTACHIO_SQL_CATALOG_COPY_H

#include "base/row/row_format.h"
#include "base/status.h"
#include "base/type/type.h"
#include "parquet/format/format.h"

#include <stdint.h>
#include <string.h>

/* The fate of files that are in PARTITION_BY's folder. */
typedef enum sql_copy_into {
    SQL_COPY_NEW,    /* there must not be any */
    SQL_COPY_OVER,   /* those of the same names are replaced */
    SQL_COPY_APPEND, /* all stay */
    SQL_COPY_REPLACE /* none does */
} sql_copy_into;

/* Columns by their names, in the statement's arena. */
typedef struct sql_copy_names {
    const char *const *items;
    size_t count;
    bool is_all; /* all columns, whatever they are */
} sql_copy_names;

static inline bool sql_copy_has_name(const sql_copy_names *names, const char *name)
{
    for (size_t i = 0; i < names->count; i++)
        if (!strcmp(names->items[i], name))
            return true;
    return names->is_all;
}

/* How rows are written to, or read from, a client: PostgreSQL's text format or csv. */
typedef struct sql_copy_text {
    bool is_csv;
    bool has_header, matches_header; /* a line of names comes first, which must be the columns' */
    char delimiter;
    char quote, escape; /* csv */
    const char *null_text;
    sql_copy_names force_quote;    /* csv, TO: in quotes but where they are NULL */
    sql_copy_names force_not_null; /* csv, FROM: never NULL */
    sql_copy_names force_null;     /* csv, FROM: NULL by its text in quotes, too */
} sql_copy_text;

typedef struct sql_copy {
    const char *path;    /* in the statement's arena, as is all text here; NULL: */
    bool is_to_client;   /* TO STDOUT: the statement is a query, whose rows the client gets */
    bool is_from_client; /* FROM STDIN: rows come from the client */
    bool is_binary;      /* to or from a client: in PostgreSQL's binary format, or */
    sql_copy_text text;  /* as this says */
    bool is_parquet;
    bool is_arrow, is_arrow_stream; /* an Arrow file; messages alone */
    bool has_codec;
    pq_codec codec;          /* Parquet, if has_codec; else the writer's default */
    bool is_gzip;            /* not Parquet: the text is compressed */
    int codec_level;         /* 0: the codec's own default */
    uint64_t row_group_rows; /* Parquet; 0: the default */
    bool is_per_rank;        /* Parquet: the path is a folder, in which each rank has a file */
    /* The last of the query's columns, by which the rows are sorted; each combination of their values is a file in
     * folders below the path. Empty: the path is a file's. */
    const char *const *partition_by;
    size_t partition_count;
    sql_copy_into into;
    row_style style; /* of text files */
} sql_copy;

/* Column of rows that the client sends; the type is the one of the table's column. */
typedef struct sql_copy_column {
    const char *name;
    data_type type;
} sql_copy_column;

/* Takes the rows of COPY ... FROM STDIN from the client. They are written to a file that can be read at *out_path as long as
 * the statement lives: csv with "," between fields, all of them in '"' with "\" before '"' and "\", and \N for NULL. *out_path NULL: there are no
 * rows. Nested values are texts that can be cast to their types; blobs are their bytes in the binary format, and else texts
 * that can be cast. */
typedef struct sql_copy_source {
    status (*take)(void *context, const sql_copy *copy, const sql_copy_column *columns,
                   uint32_t count, const char **out_path);
    void *context; /* take NULL: there is no such client */
} sql_copy_source;

#endif
