/* sql.h - SQL text to bound statements. */
#ifndef PISTACHIO_SQL_STATEMENT_SQL_H
#define PISTACHIO_SQL_STATEMENT_SQL_H

#include "parquet/table/kept_column.h"
#include "sql/statement/statement.h"

/* Everything that a statement is bound against, in addition to its text. Whoever binds the same text against the same
 * session gets the same plan: nothing else is asked, no clock either. */
typedef struct sql_session {
    sql_catalog *catalog;
    /* When the statement began, in microseconds since 1970-01-01 UTC: what now(), current_date and
     * their like are, all of them. */
    int64_t statement_time;
    /* Values of parameters, by number; they are bound as constants, and copied. */
    const value *values;
    uint32_t value_count;
    const char *hive_partitioning; /* the setting; NULL: auto */
    bool replaces_text;            /* setting invalid_utf8 */
    bool ignores_checksums;        /* setting page_checksums */
    const char *timezone;          /* the setting; NULL: UTC */
    const char *search_path;       /* the setting; NULL: main */
    bool is_confined;              /* the setting enable_external_access is off */
    bool
        keeps_lists; /* the device that queries run on is a host: groups may keep values of list(x) as words */
    bool copies_to_client; /* COPY ... TO STDOUT is taken, as a query with sql_copy.is_to_client */
    sql_copy_source copies_from; /* whom COPY ... FROM STDIN asks for its rows */
    bool is_described; /* there are no values: columns and types of parameters are asked for */
    /* While types are asked for: those that parameters are said to have, by number; TYPE_NULL: nothing is said. */
    const data_type *declared;
    uint32_t declared_count;
    pq_list_kept *list_kept; /* of the column cache; NULL: nobody can say, as of several ranks */
    sql_rounds rounds;
    bool is_tried; /* the statement is only to be looked at for failures: no SQL_ROUND */
} sql_session;

/* Parses and binds the first statement of `sql`. *out_rest points behind it, also after a failure
 * in binding. Positions in failures are byte offsets in `sql`. */
CHECKED status sql_prepare(const sql_session *session, const char *sql, sql_statement **out,
                           const char **out_rest);
void sql_statement_free(sql_statement *statement); /* takes NULL; frees its arena */

#endif
