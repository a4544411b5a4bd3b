/* activity.h - statements of a server's clients, for pg_stat_activity and pistachio_statements(); the session's settings of
 * PostgreSQL's, for pg_settings.
 *
 * A server gives the session's catalog a lister; without one there is nothing to see. */
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

typedef status (*setting_sink)(void *argument, const char *name, const char *value,
                               const char *initial);

typedef struct sql_activity {
    void *context;
    /* Hands each fact to the sink, of clients that are there or of statements that are over; ends with the sink's first
     * failure. Any thread. NULL: nothing is known. */
    status (*list)(void *context, bool is_past, activity_sink sink, void *argument);
    /* Hands each setting to the sink. NULL: there are no settings, here and below. */
    status (*list_settings)(void *context, setting_sink sink, void *argument);
    /* Sets a setting, unless the value is NULL, and returns in *out its value, valid until the next call; NULL: there is no
     * such setting. By the session's thread. */
    status (*setting)(void *context, const char *name, const char *value, const char **out);
} sql_activity;

#endif
