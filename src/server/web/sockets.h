/* sockets.h - connections by number, to end those that are too many, or that take too long to ask something.
 *
 * evhttp closes a socket without a word, and its number may be another connection's soon: the system's cookie of a socket
 * tells. The loop's thread. */
#ifndef PISTACHIO_SERVER_WEB_SOCKETS_H
#define PISTACHIO_SERVER_WEB_SOCKETS_H

#include "base/mem.h"

typedef struct socket_entry {
    int socket;
    bool is_busy; /* a request of it is answered */
    uint64_t cookie;
    int64_t since; /* milliseconds: it waits for a request */
} socket_entry;

typedef struct sockets {
    ARRAY(socket_entry) entries;
    size_t most;
    int64_t patience; /* milliseconds for a request to come */
} sockets;

/* Adds a connection, or breaks it off if there are too many. */
void sockets_add(sockets *all, int socket, int64_t now);
void sockets_set_busy(sockets *all, int socket, bool is_busy, int64_t now);
/* Forgets those that are closed, and breaks off those that have been waited for too long. */
void sockets_sweep(sockets *all, int64_t now);
void sockets_release(sockets *all);

#endif
