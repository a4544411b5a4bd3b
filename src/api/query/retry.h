/* retry.h - statements that end because a rank of a server is lost, run again when all ranks are there (setting `retry`). */
#ifndef PISTACHIO_API_QUERY_RETRY_H
#define PISTACHIO_API_QUERY_RETRY_H

#include "api/handles/handles.h"

typedef struct api_retry {
    pistachio_connection *connection;
    uint64_t losses; /* the cluster's when the statement began */
    bool is_over;    /* it has been run again, or is not to be */
} api_retry;

/* Returns whether the connection asks that statements run again, on ranks that come back. */
bool api_retry_is_on(const pistachio_connection *connection, const settings *s);
api_retry api_retry_begin(pistachio_connection *connection);
/* Returns whether a statement that has failed so is to run again, once all ranks are there: at most once. Takes *io and
 * makes it NULL if so. Waits, until it is cancelled. */
bool api_retry_wants(api_retry *retry, status *io);

#endif
