/* sql.h - SQL text to bound statements. */
#ifndef PISTACHIO_SQL_SQL_H
#define PISTACHIO_SQL_SQL_H

#include "base/zone.h"
#include "plan/tree/plan.h"
#include "sql/catalog.h"
#include "sql/copy.h"
#include "sql/notice.h"
#include "sql/rounds.h"

typedef enum sql_kind {
    SQL_EMPTY, /* nothing but space and comments */
    SQL_QUERY,
    SQL_EXPLAIN,
    SQL_EXPLAIN_ANALYZE,
    SQL_COPY,
    SQL_CREATE_VIEW,
    SQL_DROP_VIEW,
    SQL_CREATE_TABLE, /* of the rows of `query` */
    SQL_INSERT,       /* the same */
    SQL_DROP_TABLE,
    SQL_ROUND, /* `query` gives rows of a recursive query that the statement needs first: sql_rounds */
    SQL_SET,
    SQL_SHOW, /* a setting, or "all" */
    SQL_SHOW_TABLES,
    SQL_DESCRIBE /* the columns of `query` */
} sql_kind;

/* A bound statement; everything is in query.memory. */
typedef struct sql_statement {
    sql_kind kind;
    plan_statement query; /* QUERY, EXPLAIN..., COPY, DESCRIBE, CREATE_TABLE, INSERT; else only its
                             memory and sql */
    const char *name;     /* views, tables, settings */
    const char *text;     /* SET: the value; CREATE VIEW: its query's text */
    bool replace, if_exists;
    bool is_there; /* CREATE TABLE IF NOT EXISTS: it does, and nothing is to be done */
    sql_part_list
        parts; /* INSERT, SQL_ROUND_MERGE: the table's; the first ones stay, and behind them come the rows of
                            `query`, first old ones: */
    size_t kept_parts;
    uint64_t old_rows;
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

/* What a statement is bound against, besides its text. Whoever binds the same text against the same
 * session gets the same plan: nothing else is asked, no clock either. */
typedef struct sql_session {
    sql_catalog *catalog;
    /* When the statement began, in microseconds since 1970-01-01 UTC: what now(), current_date and
     * their like are, all of them. */
    int64_t statement_time;
    /* Of parameters, by number; they are bound as constants, and copied. */
    const value *values;
    uint32_t value_count;
    const char *hive_partitioning; /* the setting; NULL: auto */
    bool replaces_text;            /* setting invalid_utf8 */
    bool ignores_checksums;        /* setting page_checksums */
    const char *timezone;          /* the setting; NULL: UTC */
    bool is_confined;              /* the setting enable_external_access is off */
    bool is_described; /* there are no values: columns and types of parameters are asked for */
    sql_rounds rounds;
    bool is_tried; /* the statement is only to be looked at for failures: no SQL_ROUND */
} sql_session;

/* Parses and binds the first statement of `sql`. *out_rest points behind it, also after a failure
 * in binding. Positions in failures are byte offsets in `sql`. */
CHECKED status sql_prepare(const sql_session *session, const char *sql, sql_statement **out,
                           const char **out_rest);
void sql_statement_free(sql_statement *statement); /* takes NULL; frees its arena */

#endif
