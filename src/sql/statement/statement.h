/* statement.h - what the text of a statement becomes. */
#ifndef PISTACHIO_SQL_STATEMENT_STATEMENT_H
#define PISTACHIO_SQL_STATEMENT_STATEMENT_H

#include "base/time/zone.h"
#include "plan/tree/plan.h"
#include "sql/catalog/catalog.h"
#include "sql/catalog/copy.h"
#include "sql/catalog/notice.h"
#include "sql/catalog/rounds.h"

typedef enum sql_kind {
    SQL_EMPTY, /* nothing but space and comments */
    SQL_QUERY,
    SQL_EXPLAIN,
    SQL_EXPLAIN_ANALYZE,
    SQL_COPY,
    SQL_CREATE_VIEW,
    SQL_DROP_VIEW,
    SQL_RENAME, /* the view or table `name` to the key `text` */
    SQL_DEALLOCATE_ALL,
    SQL_CREATE_TABLE, /* of the rows of `query` */
    SQL_INSERT,       /* the same */
    SQL_DROP_TABLE,
    SQL_ROUND, /* `query` gives rows of a recursive query that the statement needs first: sql_rounds */
    SQL_SET,
    SQL_SHOW,          /* a setting, or "all" */
    SQL_SHOW_TABLES,   /* of `schema` */
    SQL_CREATE_SCHEMA, /* `schema` */
    SQL_DROP_SCHEMA,   /* `schema`, or all of its catalog */
    SQL_ATTACH,     /* the folder or file `text`, or the server of `rest`, as the catalog `name` */
    SQL_DESCRIBE,   /* the columns of `query` */
    SQL_CACHE,      /* `query` is run for what the column cache keeps of it */
    SQL_UNCACHE,    /* the files of `query` are forgotten there */
    SQL_CLEAR_CACHE /* all files are */
} sql_kind;

/* A bound statement; everything is in query.memory. */
typedef struct sql_statement {
    sql_kind kind;
    plan_statement
        query; /* QUERY, EXPLAIN..., COPY, DESCRIBE, CREATE_TABLE, INSERT, CACHE; else only its
                             memory and sql */
    const char *name; /* views, tables, settings */
    const char *
        tag; /* of macros and prepared statements, which are kept as views: what was done; or NULL */
    const char *text;                /* SET: the value; CREATE VIEW: its query's text */
    sql_table_name schema;           /* SHOW TABLES, schemas */
    const struct rest_options *rest; /* ATTACH: of a server (lake/rest/rest.h) */
    const char *uses;                /* CREATE VIEW: as in sql_catalog_entry */
    bool is_temporary;               /* CREATE: for the session alone */
    bool replace, if_exists;
    bool cascades; /* DROP */
    bool is_there; /* IF [NOT] EXISTS: nothing is to be done */
    sql_part_list
        parts; /* INSERT, SQL_ROUND_MERGE: the table's; the first ones stay, and behind them come the rows of
                            `query`, first old ones: */
    size_t kept_parts;
    uint64_t old_rows;
    bool makes_values;      /* SQL_ROUND: one text, the values of a PIVOT (sql_round_values) */
    sql_wanted_rows wanted; /* of a statement that is tried */
    bool is_reset;          /* SET: by RESET */
    const zone *zone;       /* in which it was bound, and its rows are shown; NULL: UTC */
    sql_copy copy;
    uint32_t parameter_count;
    const char *const *parameter_names; /* NULL: ? or $n */
    const data_type *parameter_types;   /* described: as their places say; TYPE_NULL: they do not */
    sql_notice_list notices;
    sql_held held; /* what it was bound with */
} sql_statement;

#endif
