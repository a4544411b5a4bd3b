/* adbc.h - inside the ADBC driver: its objects and failures. It stands on pistachio.h.
 *
 *     AdbcDatabase ──> options, then a database
 *     AdbcConnection ──> a session of it
 *     AdbcStatement ──> text, bound rows, the statement prepared of them
 *
 * What a client releases is a handle of its own: results and streams go on. */
#ifndef PISTACHIO_API_ADBC_ADBC_H
#define PISTACHIO_API_ADBC_ADBC_H

#include "api/adbc/adbc_ingest.h"
#include "api/handles/handles.h"
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

typedef struct adbc_statement {
    pistachio_connection *connection;
    pthread_mutex_t lock; /* of prepared, for Cancel */
    pistachio_statement *prepared;
    char *sql;
    struct ArrowArrayStream bound; /* rows of parameters, or to be ingested; released: none */
    adbc_ingest ingest;
} adbc_statement;

/* Fills in a statement's functions of the driver's table (adbc_statement.c). */
void adbc_statement_functions(struct AdbcDriver *driver, bool has_1_1);

#endif
