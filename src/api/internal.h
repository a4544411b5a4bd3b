/* internal.h - inside the public interface: what its opaque types are. */
#ifndef PISTACHIO_API_INTERNAL_H
#define PISTACHIO_API_INTERNAL_H

#include "base/setting.h"
#include "exec/run.h"
#include "pistachio/pistachio.h"
#include "sql/sql.h"

struct pistachio_error {
    status st; /* never NULL */
};

struct pistachio_database {
    pthread_mutex_t lock;
    settings settings;
    sql_catalog *catalog;
    mem_budget *budget;
    device *dev; /* opened by the first query that needs it, reopened after SET */
    exec_pool *pool;
    unsigned running; /* queries that use dev and pool */
    bool is_stale;    /* settings changed: reopen when nothing runs */
};

struct pistachio_connection {
    pistachio_database *database;
    _Atomic(exec_query *) query; /* the running one; guarded by lock where it is freed */
    pthread_mutex_t lock;
};

struct pistachio_batch {
    exec_batch *rows;
    char *text; /* a formatted value */
    size_t text_bytes;
};

/* Rows that the API makes itself: SHOW, DESCRIBE, EXPLAIN. All text. */
typedef struct api_rows {
    uint32_t column_count;
    const char *const *names;
    ARRAY(const char *) cells; /* in the statement's arena; NULL: NULL */
} api_rows;

struct pistachio_result {
    pistachio_connection *connection;
    sql_statement *statement;
    exec_query *query; /* NULL: made rows, or none */
    api_rows made;
    bool is_made_done;
    bool holds_engine; /* counted in database->running */
    bool is_traced;
    const char *trace_path, *timeline_path; /* where the trace goes; NULL: not there */
    int64_t started;                        /* the clock of api_nanoseconds */
    pistachio_batch batch;
    char (*type_names)[TYPE_NAME_BYTES];
    uint64_t rows_written;
};

/* NULL stays NULL. Never fails: without memory a preallocated error stands in. */
pistachio_error *api_error(status st);

/* engine.c */
CHECKED status api_engine_hold(pistachio_database *database);
void api_engine_drop(pistachio_database *database);
/* What settings.def cannot say of a setting's text. */
CHECKED status api_settings_check(const settings *s);
/* explain.c: the plan as text, annotated with what happened if the query has run. */
CHECKED status api_explain(pistachio_result *result, bool with_metrics);
int64_t api_nanoseconds(void); /* since some time; never goes back */
/* The query is over: writes its trace, if one is made. */
CHECKED status api_finish_trace(pistachio_result *result);
/* made rows */
CHECKED status api_made_row(pistachio_result *result, const char *const *cells);
/* Runs result->query to its end, dropping its rows. */
CHECKED status api_drain(pistachio_result *result);

#endif
