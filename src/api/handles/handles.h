/* handles.h - inside the public interface: what its opaque types are, and who holds whom.
 *
 *     result ──> connection ──> database ──> catalog
 *       │                          │
 *       └──────────> engine <──────┘           batch ──> device ──> budget
 *
 * An arrow is a counted reference. What a client closes is its handle, which is one reference among
 * others: whatever is still held goes on working, and goes when its last holder does, whose thread
 * frees it. A batch holds its memory's device alone. */
#ifndef PISTACHIO_API_HANDLES_HANDLES_H
#define PISTACHIO_API_HANDLES_HANDLES_H

#include "api/handles/columns.h"
#include "api/handles/running.h"
#include "base/setting/setting.h"
#include "pistachio/pistachio.h"
#include "sql/catalog/definition.h"
#include "sql/catalog/rounds.h"
#include "sql/statement/statement.h"

/* One of an engine's ranks. */
typedef struct api_rank {
    mem_budget *budget;
    device *dev;
    exec_pool *pool;
    struct net_comm *comm; /* NULL: it is alone */
} api_rank;

/* The number of this rank among the ranks of its machine, which are processes, or threads of this one; zeroed: there is one rank. */
typedef struct api_neighbors {
    unsigned index, count;
    const int *nodes; /* the NUMA node of each; NULL: not known */
    bool are_threads;
} api_neighbors;

/* The GPU beside the CPU of an engine with device = auto (engine/accelerator.h). */
typedef struct api_accelerator {
    pthread_mutex_t lock; /* of what follows */
    device *dev;          /* NULL: not open */
    status lost;          /* why there is none; or NULL */
    double missed;        /* seconds that it would have saved so far, had it been open */
} api_accelerator;

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
    struct api_comm *comm;       /* of a process that is a rank, with a reference; else NULL */
    api_accelerator accelerator; /* with device = auto */
    pthread_mutex_t lock;        /* of the next one */
    uint64_t statements;         /* begun on several ranks */
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

struct pistachio_connection {
    _Atomic uint32_t references; /* the client's handle, results, statements */
    pistachio_database *database;
    sql_catalog *catalog;        /* a session's own, over the database's; NULL: that is */
    settings_layer *layer;       /* a session's, over the database's; NULL: there is none */
    bool copies_to_client;       /* set before its first statement: sql_session */
    sql_copy_source copies_from; /* set before its first statement: sql_session */
    uint64_t
        memory; /* bytes that a query of it may hold, on the CPU, set as weight is; 0: as many as all */
    unsigned weight; /* of its queries, set before the first one; 0: EXEC_WEIGHT_NORMAL */
    /* Called before a query starts that reads rows; waits until it may. NULL: it may at once. Set as weight is. */
    status (*await_turn)(void *context);
    void *turn_context;
    struct usage
        *usage; /* where the time of its queries' threads is noted, or NULL. Set as weight is */
    /* Applies a definition to a catalog that others share, under the session's own. NULL: there is none. Set as weight is. */
    status (*define)(void *context, const sql_definition *definition);
    void *define_context;
    pthread_mutex_t lock; /* of the layer */
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

/* When it is looked next whether the rows of a recursive query are enough; 0: not yet. */
typedef struct api_round_look {
    uint64_t rounds, next_rounds, next_rows;
} api_round_look;

struct pistachio_result {
    pistachio_connection *connection;
    pistachio_statement *prepared; /* that was executed; NULL: none was */
    api_engine *engine;            /* NULL: no query has run */
    device *dev;                   /* that its query runs on; NULL as above */
    device *other_dev;             /* that some of its stages run on; NULL: none does */
    char device_why[192];          /* why it runs there, with device = auto; or empty */
    char notice[512];              /* that it ran again on another device; or empty */
    bool has_given;                /* rows have been given out */
    exec_batch *first;             /* taken before it was asked for, if has_first; NULL: no rows */
    bool has_first;
    settings settings; /* the connection's when the statement began */
    sql_statement *statement;
    sql_catalog
        *catalog;      /* over the connection's: rows of recursive queries; NULL: there are none */
    sql_rounds rounds; /* of which these are there */
    sql_wanted_rows wanted;
    uint64_t round_rows; /* of the recursive query that is being computed */
    api_round_look look;
    bool is_on_device;      /* its rows stay in the device's memory, which is not the host's */
    bool is_round;          /* it makes some of them, for another result, whose catalog it uses */
    int64_t statement_time; /* as in sql_session */
    exec_query *query;      /* NULL: made rows, or none */
    const exec_batch_shape *shape; /* as in exec_query_shape; or NULL */
    cancel_flag is_cancelled;      /* while it is bound, planned, and run by the client's thread */
    api_ranked *ranked;            /* NULL: it runs on one rank */
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

#endif
