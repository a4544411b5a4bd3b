/* copy.h - what COPY (query) TO 'file' (options) writes, and where. */
#ifndef PISTACHIO_SQL_CATALOG_COPY_H
#define PISTACHIO_SQL_CATALOG_COPY_H

#include "base/row_format.h"
#include "base/status.h"
#include "parquet/format/format.h"

#include <stdint.h>

/* The fate of files that are in PARTITION_BY's folder. */
typedef enum sql_copy_into {
    SQL_COPY_NEW,    /* there must not be any */
    SQL_COPY_OVER,   /* those of the same names are replaced */
    SQL_COPY_APPEND, /* all stay */
    SQL_COPY_REPLACE /* none does */
} sql_copy_into;

typedef struct sql_copy {
    const char *path;    /* in the statement's arena, as is all text here; NULL: */
    bool is_to_client;   /* TO STDOUT: the statement is a query, whose rows the client writes, */
    bool is_from_client; /* FROM STDIN: rows come from the client, as style says */
    bool is_binary;      /* in PostgreSQL's binary format, or as style says */
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
    row_style style; /* not Parquet */
} sql_copy;

/* Takes the rows of COPY ... FROM STDIN from the client. They are written to a file that can be read at *out_path as long as
 * the statement lives: csv with "," between fields, all of them in '"' with "\" before '"' and "\", and \N for NULL. *out_path NULL: there are no
 * rows. */
typedef struct sql_copy_source {
    status (*take)(void *context, const sql_copy *copy, uint32_t columns, const char **out_path);
    void *context; /* take NULL: there is no such client */
} sql_copy_source;

#endif
