/* statement_bytes.h - a statement on its way from rank 0 to the others: its text, and all that its plan
 * and its answer depend on besides the tables. */
#ifndef PISTACHIO_API_RANKS_STATEMENT_BYTES_H
#define PISTACHIO_API_RANKS_STATEMENT_BYTES_H

#include "api/handles/handles.h"

typedef struct statement_name {
    const char *name, *text; /* a view's query, or a table's path */
} statement_name;
typedef ARRAY(statement_name) statement_names;

typedef enum statement_request {
    REQUEST_STATEMENT,
    REQUEST_TABLE, /* is to be opened: its text, and whether footers may be those of the cache */
    REQUEST_LAKE,  /* a state of a lake is to be opened: as lake_tell tells it */
    REQUEST_TOPOLOGY
} statement_request;

/* A statement that was read; texts are in the bytes. */
typedef struct statement_read {
    statement_request request;
    const char *table;
    bool use_cache;
    int64_t time;
    uint64_t memory_bytes; /* of plan_distribution */
    sql_rounds rounds;
    unsigned weight;  /* of pistachio_connection */
    bool is_measured; /* by EXPLAIN ANALYZE: rank 0 gathers metrics */
    const char *sql;
    statement_names views, tables, parts; /* parts: of tables of rows, in order */
    ARRAY(value) values;                  /* of parameters */
} statement_read;

/* unchanged: settings of rank 0 that other ranks have values of their own of, unless rank 0's differ
 * from these; NULL: there are none, all go. *out is the caller's (mem_free). */
CHECKED status statement_write(const pistachio_result *result, uint64_t memory_bytes,
                               const settings *unchanged, char **out, uint64_t *out_bytes);
/* Anything but a statement; text: a table's, or "". */
CHECKED status statement_write_request(statement_request request, const char *text, bool use_cache,
                                       char **out, uint64_t *out_bytes);
/* Sets what has come of settings. Ends in statement_read_release, also after a failure. */
CHECKED status statement_read_bytes(const char *data, uint64_t bytes, settings *s,
                                    statement_read *out);
void statement_read_release(statement_read *read);

#endif
