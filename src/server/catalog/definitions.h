/* definitions.h - views, macros and schemas that all sessions of the server share, kept in the file of --catalog.
 *
 *     session's own names ──> the transaction's copy, or the shared definitions ──> the database's tables
 *                                  │ COMMIT: done again to a copy of the shared ones, the file is replaced, the copy takes
 *                                  └ their place
 *
 * A transaction sees what there was when it first changed something, and its own changes. Two that change the same: the
 * later one fails at its end, if what it did cannot be done any more. */
#ifndef PISTACHIO_SERVER_CATALOG_DEFINITIONS_H
#define PISTACHIO_SERVER_CATALOG_DEFINITIONS_H

#include "base/system/mutex.h"
#include "server/engine.h"

typedef struct definitions {
    const char *path;     /* NULL: the server does not have any, and nothing happens below */
    int locked;           /* a file that is locked while the server runs */
    pthread_mutex_t lock; /* of commits */
    sql_catalog *shared;
} definitions;

/* Reads the file, if it is there. path NULL: there are no shared definitions. */
CHECKED status definitions_open(definitions *all, pistachio_database *database, const char *path);
void definitions_close(definitions *all);

#define SAVEPOINT_BYTES 64

/* A place in a transaction to which ROLLBACK TO goes back. */
typedef struct savepoint {
    char name[SAVEPOINT_BYTES];
    size_t done; /* definitions before it */
} savepoint;

/* A session's part. */
typedef struct session_definitions {
    definitions *all;
    pistachio_connection *connection;
    bool may_write;
    bool is_open;      /* in a transaction: changes wait for its end */
    sql_catalog *work; /* the transaction's copy; NULL: it has changed nothing */
    ARRAY(sql_definition *) done;
    ARRAY(savepoint) savepoints;
} session_definitions;

/* Lets the connection see and change them. own: zeroed, outlives the connection. */
void definitions_join(session_definitions *own, definitions *all, pistachio_connection *connection,
                      bool may_write);
/* Between BEGIN and commit or roll_back changes are the session's alone. */
void definitions_begin(session_definitions *own);
CHECKED status definitions_commit(session_definitions *own);
void definitions_roll_back(session_definitions *own);
CHECKED status definitions_save(session_definitions *own, const char *name);
/* Forgets the savepoint and later ones or, with `undoes`, goes back to it. */
CHECKED status definitions_release(session_definitions *own, const char *name, bool undoes);
/* Leaves, after the last statement. */
void definitions_leave(session_definitions *own);

#endif
