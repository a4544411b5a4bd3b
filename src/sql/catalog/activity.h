/* activity.h - statements of a server's clients, for pg_stat_activity and pistachio_statements().
 *
 * A server gives the session's catalog a lister; without one there are no statements to see. */
#ifndef PISTACHIO_SQL_CATALOG_ACTIVITY_H
#define PISTACHIO_SQL_CATALOG_ACTIVITY_H

#include "base/status.h"

#include <stdbool.h>
#include <stdint.h>

/* A client and its statement, or a statement that is over. Times are microseconds since 1970, 0: not there. Texts may be
 * NULL. */
typedef struct activity_fact {
    uint32_t number; /* the client's, as its process in PostgreSQL */
    const char *user, *group, *application, *address, *protocol;
    const char *state; /* "active", "idle"; of one that is over "done", "failed", "cancelled" */
    const char *wait_type, *wait; /* NULL: it does not wait */
    const char *query, *sqlstate, *message;
    int64_t connected, begun, run, changed, ended; /* run: it left the queue */
    int64_t transaction;
    uint64_t rows;
} activity_fact;

typedef status (*activity_sink)(void *argument, const activity_fact *fact);

typedef struct sql_activity {
    void *context;
    /* Hands each fact to the sink, of clients that are there or of statements that are over; ends with the sink's first
     * failure. Any thread. NULL: nothing is known. */
    status (*list)(void *context, bool is_past, activity_sink sink, void *argument);
} sql_activity;

#endif
