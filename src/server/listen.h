/* listen.h - sockets on which clients are waited for. */
#ifndef PISTACHIO_SERVER_LISTEN_H
#define PISTACHIO_SERVER_LISTEN_H

#include "base/mem.h"

#include <sys/un.h>

#define LISTENERS_MAX 32
#define LISTENER_NAME_BYTES 128

typedef struct listener {
    int socket;
    bool is_trusted;                                      /* its clients need no password */
    bool needs_tls;                                       /* its clients may not do without */
    bool is_loopback;                                     /* of TCP, for this machine alone */
    bool is_local;                                        /* a Unix socket */
    char path[sizeof((struct sockaddr_un *)0)->sun_path]; /* of one; else "" */
    char name[LISTENER_NAME_BYTES];                       /* for people */
} listener;

typedef struct listeners {
    listener items[LISTENERS_MAX];
    size_t count;
} listeners;

/* Listens where `place` says: "unix:PATH", "ADDR:PORT", "[ADDR]:PORT". Clients of addresses but those of
 * loopback need TLS, and such addresses are refused if there is none, unless is_insecure. */
CHECKED status listen_at(listeners *all, const char *place, bool has_tls, bool is_insecure);
/* Listens at the Unix socket that is meant where no place is given. */
CHECKED status listen_at_default(listeners *all);
/* Closes the sockets, and removes the Unix ones. */
void listen_close(listeners *all);

#endif
