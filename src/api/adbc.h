/* adbc.h - inside the ADBC driver: its objects and failures. It stands on pistachio.h.
 *
 *     AdbcDatabase ──> options, then a database
 *     AdbcConnection ──> a session of it
 *     AdbcStatement ──> text, bound rows, the statement prepared of them
 *
 * What a client releases is a handle of its own: results and streams go on. */
#ifndef PISTACHIO_API_ADBC_H
#define PISTACHIO_API_ADBC_H

#include "api/internal.h"
#include "pistachio/adbc.h"
#include "sql/text/split.h"

typedef struct adbc_database {
    ARRAY(pistachio_option) settings; /* owned texts */
    char *path;                       /* NULL: none */
    pistachio_database *database;     /* NULL: not initialized */
} adbc_database;

typedef struct adbc_connection {
    bool is_manual;                   /* autocommit is off */
    pistachio_connection *connection; /* NULL: not initialized */
    char *folder;                     /* that the database's path is; NULL: none */
} adbc_connection;

/* Where bound rows go, instead of into a query. */
typedef struct adbc_ingest {
    char *table;  /* NULL: nowhere */
    char *folder; /* the connection's, or NULL */
    const char *mode;
    bool is_temporary;
} adbc_ingest;

typedef struct adbc_statement {
    pistachio_connection *connection;
    pthread_mutex_t lock; /* of prepared, for Cancel */
    pistachio_statement *prepared;
    char *sql;
    struct ArrowArrayStream bound; /* rows of parameters, or to be ingested; released: none */
    adbc_ingest ingest;
} adbc_statement;

/* Both take the failure over and give its code; error may be NULL. */
AdbcStatusCode adbc_fail(struct AdbcError *error, status st);
/* Puts the failure of a statement with the text sql into `error`: its line and a mark below the place come with the message. */
AdbcStatusCode adbc_fail_in(struct AdbcError *error, status st, const char *sql);
AdbcStatusCode adbc_fail_public(struct AdbcError *error, pistachio_error *failure);
/* A failure of its own: a call in the wrong order, say. */
AdbcStatusCode adbc_refuse(struct AdbcError *error, AdbcStatusCode code, const char *format, ...)
    PRINTF_LIKE(3, 4);
int adbc_error_detail_count(const struct AdbcError *error);
struct AdbcErrorDetail adbc_error_detail(const struct AdbcError *error, int index);

/* The session; *out is NULL, and the code a failure, before it is open. */
AdbcStatusCode adbc_open_connection(const struct AdbcConnection *connection,
                                    pistachio_connection **out, struct AdbcError *error);
/* "text" with quotes, those inside doubled; mem_free. NULL: no memory. */
char *adbc_quoted(const char *text, char quote);
/* "pistachio.threads" is threads; NULL: no setting. */
const char *adbc_setting_name(const char *key);
/* SET of a session. */
AdbcStatusCode adbc_set(pistachio_connection *connection, const char *name, const char *value,
                        struct AdbcError *error);

/* Functions of the driver's table, by object. */
void adbc_database_functions(struct AdbcDriver *driver, bool has_1_1);
void adbc_connection_functions(struct AdbcDriver *driver, bool has_1_1);
void adbc_statement_functions(struct AdbcDriver *driver, bool has_1_1);

/* adbc_rows.c: the statement executed for each row of `bound`, which is taken over, also on failure;
 * the results as one stream. out NULL: they are thrown away. *out_rows (may be NULL): what COPY wrote,
 * or -1. */
CHECKED status adbc_execute_rows(pistachio_statement *statement, struct ArrowArrayStream *bound,
                                 struct ArrowArrayStream *out, int64_t *out_rows);
/* The same of a statement without bound rows. */
CHECKED status adbc_execute_once(pistachio_statement *statement, struct ArrowArrayStream *out,
                                 int64_t *out_rows);
/* adbc_ingest.c: options of adbc.ingest; false: the key is none of them. */
bool adbc_ingest_set(adbc_ingest *ingest, const char *key, const char *value,
                     struct AdbcError *error, AdbcStatusCode *out_code);
void adbc_ingest_release(adbc_ingest *ingest);
/* The rows become a table, or part of one. `bound` is taken over, also on failure. */
AdbcStatusCode adbc_ingest_run(pistachio_connection *connection, const adbc_ingest *ingest,
                               struct ArrowArrayStream *bound, int64_t *out_rows,
                               struct AdbcError *error);
/* A stream of one array; both are taken over. */
CHECKED status adbc_stream_of(struct ArrowSchema *schema, struct ArrowArray *array,
                              struct ArrowArrayStream *out);

#endif
