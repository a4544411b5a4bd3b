/* internal.h - inside the public interface: what its opaque types are, and who holds whom.
 *
 *     result ──> connection ──> database ──> catalog
 *       │                          │
 *       └──────────> engine <──────┘           batch ──> device ──> budget
 *
 * An arrow is a counted reference. What a client closes is its handle, which is one reference among
 * others: whatever is still held goes on working, and goes when its last holder does, whose thread
 * frees it. A batch holds its memory's device alone. */
#ifndef PISTACHIO_API_INTERNAL_H
#define PISTACHIO_API_INTERNAL_H

#include "base/setting.h"
#include "exec/run.h"
#include "pistachio/pistachio.h"
#include "sql/catalog/catalog.h"
#include "sql/catalog/rounds.h"
#include "sql/query/statement.h"

#include <semaphore.h>

/* One of an engine's ranks. */
typedef struct api_rank {
    mem_budget *budget;
    device *dev;
    exec_pool *pool;
    struct net_comm *comm; /* NULL: it is alone */
} api_rank;

/* Which of the ranks of its machine that are processes this process is; zeroed: it is none of several. */
typedef struct api_neighbors {
    unsigned index, count;
    const int *nodes; /* the NUMA node of each; NULL: not known */
} api_neighbors;

/* A device and the workers on it, made as some settings say. Held by the queries that run on it,
 * and by the database as long as its settings are those. */
typedef struct api_engine {
    _Atomic uint32_t references;
    mem_budget *budget;
    device *dev;
    exec_pool *pool;
    unsigned rank_count;  /* that run statements together: */
    unsigned place_count; /* so many of them in this process, all or one */
    unsigned sharers;     /* ranks that share the machine's threads and memory_limit */
    api_neighbors neighbors;
    api_rank *ranks; /* these; the first one's are those above */
    struct net_fabric *fabric;
    pthread_mutex_t lock; /* of the next one */
    uint64_t statements;  /* begun on several ranks */
    settings made_of;
} api_engine;

typedef struct api_ranked api_ranked;   /* ranked.h */
typedef struct api_cluster api_cluster; /* cluster.h */

struct pistachio_database {
    _Atomic uint32_t references; /* the client's handle, connections */
    sql_catalog *catalog;
    api_cluster *cluster; /* NULL: this process is alone */
    pthread_mutex_t lock; /* of what follows */
    settings settings;
    api_engine *engine;   /* NULL: the next query makes it */
    uint64_t memory_peak; /* of the engines before this one */
};

/* Where a client's thread waits for other ranks. */
typedef struct api_wait {
    sem_t changed; /* what it waits for has come, or is_cancelled */
    _Atomic bool is_cancelled;
} api_wait;

/* Where the query that started last is found by other threads. */
typedef struct api_running {
    pthread_mutex_t lock;        /* pistachio_progress has it while it looks at the query */
    _Atomic(exec_query *) query; /* NULL: it is over */
    _Atomic(cancel_flag *) flag; /* of the statement that is bound, planned or run; NULL: none is */
    _Atomic(api_wait *) waiting; /* of a client's thread; NULL: none waits */
    _Atomic uint32_t cancel_count; /* calls of api_running_cancel that may be looking at it */
    _Atomic uint32_t cancels;      /* such calls, ever */
} api_running;

struct pistachio_connection {
    _Atomic uint32_t references; /* the client's handle, results, statements */
    pistachio_database *database;
    sql_catalog *catalog;  /* a session's own, over the database's; NULL: that is */
    settings_layer *layer; /* a session's, over the database's; NULL: there is none */
    pthread_mutex_t lock;  /* of the layer */
    api_running running;
};

struct pistachio_batch {
    _Atomic uint32_t references; /* its result's, until the next batch, and the client's */
    exec_batch *rows;
    char *text; /* a formatted value */
    size_t text_bytes;
    bool has_zone;
    zone zone; /* in which its timestamps with time zone are shown; else UTC */
};

/* Rows that the API makes itself: SHOW, DESCRIBE, EXPLAIN. All text. */
typedef struct api_rows {
    bool is_made;
    ARRAY(const char *) cells; /* in the statement's arena; NULL: NULL */
} api_rows;

/* The columns of what a statement returns, known from binding alone; in its arena. */
typedef struct api_columns {
    uint32_t count;
    const char **names;
    data_type *types;
    char (*type_names)[TYPE_NAME_BYTES];
} api_columns;

#define API_TAG_BYTES 40

/* A parameter's value. */
typedef struct api_bound {
    bool is_bound;
    value value;
    char *text; /* what the value's text is; or NULL */
} api_bound;

struct pistachio_statement {
    _Atomic uint32_t references; /* the client's handle, results */
    pistachio_connection *connection;
    char *sql;
    sql_statement *described; /* columns and parameters, without values */
    api_columns columns;
    char (*parameter_types)[TYPE_NAME_BYTES];
    api_bound *bound; /* by parameter */
    api_running running;
};

struct pistachio_result {
    pistachio_connection *connection;
    pistachio_statement *prepared; /* that was executed; NULL: none was */
    api_engine *engine;            /* NULL: no query has run */
    settings settings;             /* the connection's when the statement began */
    sql_statement *statement;
    sql_catalog
        *catalog;      /* over the connection's: rows of recursive queries; NULL: there are none */
    sql_rounds rounds; /* of which these are there */
    sql_wanted_rows wanted;
    uint64_t round_rows;      /* of the recursive query that is being computed */
    bool is_on_device;        /* its rows stay in the device's memory, which is not the host's */
    bool is_round;            /* it makes some of them, for another result, whose catalog it uses */
    int64_t statement_time;   /* as in sql_session */
    exec_query *query;        /* NULL: made rows, or none */
    cancel_flag is_cancelled; /* while it is bound, planned, and run by the client's thread */
    api_ranked *ranked;       /* NULL: it runs on one rank */
    api_rows made;
    bool is_made_done;
    bool is_traced;
    const char *trace_path, *timeline_path; /* where the trace goes; NULL: not there */
    int64_t started;                        /* the clock of api_nanoseconds */
    pistachio_batch *batch;                 /* the present one, or NULL */
    api_columns columns;
    uint64_t rows_written;
    char tag[API_TAG_BYTES]; /* "COPY 25"; empty: none */
};

/* A failure as the client gets it, who owns it then; NULL stays NULL. */
pistachio_error *api_error(status st);
/* The same the other way. */
CHECKED status api_error_status(pistachio_error *error);
/* "message", the place in sql (NULL: not known) and "hint: ...", a line or two each; mem_free. NULL: no memory. */
char *api_error_text(status st, const char *sql);
/* The failure of a call whose argument of that name is NULL. */
pistachio_error *api_null_argument(const char *name);

/* database.c */
pistachio_connection *api_connection_ref(pistachio_connection *connection);
void api_connection_unref(pistachio_connection *connection);
sql_catalog *api_catalog(const pistachio_connection *connection);
/* What the result's statement is bound with. */
sql_catalog *api_result_catalog(const pistachio_result *result);
/* The settings of now: the database's, and over them the session's. */
void api_settings(pistachio_connection *connection, settings *out);
/* Setting invalid_utf8. */
bool api_replaces_text(const settings *s);
/* Setting page_checksums. */
bool api_ignores_checksums(const settings *s);
/* What a session has set, over those of its database. */
void api_settings_apply(pistachio_connection *connection, settings *s);

/* statement.c: the value, in the place of the one before; its text is copied. */
CHECKED status api_bind(pistachio_statement *statement, uint32_t parameter, const value *v);
/* For sql_session, valid until the next api_bind; released by mem_free. Fails where one is missing. */
CHECKED status api_bound_values(const pistachio_statement *statement, value **out);
pistachio_statement *api_statement_ref(pistachio_statement *statement);

/* running.c */
void api_running_init(api_running *running);
void api_running_release(api_running *running);
void api_running_show(api_running *running, exec_query *query);
/* From here on nobody finds the query there, if it was what is found. */
void api_running_hide(api_running *running, exec_query *query);
void api_running_cancel(api_running *running);      /* any thread, also a signal handler's */
uint32_t api_running_cancels(api_running *running); /* how often that was called */
/* Of the thread that works for a client: whose calls cancel what it waits for. */
typedef struct api_client {
    api_running *connection, *statement; /* NULL: none */
} api_client;
/* Returns what was so before, which is to be set again. */
api_client api_client_set(api_client client);
/* Between the two the thread works for the client's statement that has the flag, which api_running_cancel raises. */
typedef struct api_working {
    cancel_flag *flag, *before; /* the thread's flag before */
    api_client client, client_before;
} api_working;
void api_working_begin(api_working *working, cancel_flag *flag, api_client client);
void api_working_end(api_working *working);
void api_wait_init(api_wait *wait);
void api_wait_release(api_wait *wait);
/* This thread waits for other ranks, until it says NULL. */
void api_client_waits(api_wait *wait);

/* columns.c */
CHECKED status api_columns_make(const sql_statement *statement, api_columns *out);

/* engine_device.c: of this rank, a process. Ranks of one host are one machine's, however they were started;
 * nodes: of all ranks, as in net_place. */
api_neighbors api_neighbors_find(const struct net_comm *comm, const int *nodes);
/* engine_device.c: the device of one of so many ranks, whose host memory is charged to the budget. Processes
 * that are neighbours have a GPU each, as far as there are GPUs, and share one with
 * fewer ranks then. */
CHECKED status api_device_open(const settings *s, uint64_t ranks, const api_neighbors *neighbors,
                               mem_budget *budget, device **out);
/* engine.c: the settings of now, and a reference to an engine that is as they say. */
CHECKED status api_engine_hold(pistachio_database *database, settings *out_settings,
                               api_engine **out);
void api_engine_unref(api_engine *engine); /* takes NULL; any thread but the engine's workers */
/* The settings changed: drops the database's engine if it is none of them. */
void api_engine_check(pistachio_database *database);

/* batch.c: the value in memory as one on the host; no text's. */
value api_value_at(const exec_batch_column *column, uint64_t row);
/* Takes the rows over, also on failure; text of any value of theirs finds room. zone: copied; NULL: UTC. */
CHECKED status api_batch_new(exec_batch *rows, const zone *zone, pistachio_batch **out);
/* result.c: INVALID, with the way out, where the result's rows are not in the host's memory. */
CHECKED status api_check_on_host(const pistachio_result *result);
/* result.c: the result's next batch, which stays until the next call; NULL at the end. */
CHECKED status api_next(pistachio_result *result, const pistachio_batch **out);

/* explain.c: the plan as text, annotated with what happened if the query has run. */
CHECKED status api_explain(pistachio_result *result, bool with_metrics);
int64_t api_nanoseconds(void); /* since some time; never goes back */
/* result.c: a row that the API makes itself, a cell for each column; copied. */
CHECKED status api_made_row(pistachio_result *result, const char *const *cells);

#endif
