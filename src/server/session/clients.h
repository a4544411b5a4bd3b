/* clients.h - the clients that are connected: to cancel their statements, and to end them all.
 *
 *   listener ── clients_add ──> client ── a thread of its own: session_run ──> clients_remove
 *      │ clients_are_gone, clients_cancel_all ... by any thread, under one lock
 *
 * A client is found by its number, never by an address that another thread may have freed. */
#ifndef PISTACHIO_SERVER_SESSION_CLIENTS_H
#define PISTACHIO_SERVER_SESSION_CLIENTS_H

#include "base/mem.h"
#include "base/system/mutex.h"
#include "pistachio/pistachio.h"
#include "server/activity/activity.h"

/* Connections beyond the limit that open no session: they cancel, or hear of the limit. */
#define CLIENTS_SPARE 32

typedef struct client {
    struct client *next, **link;
    int socket;
    bool is_trusted;  /* need not prove who it is: by its socket */
    bool is_owner;    /* came by a socket that is for the server's own user alone */
    bool needs_tls;   /* may not log in without */
    bool is_admitted; /* logged in, and counted */
    uint32_t number;  /* with which, and a secret, others ask to cancel its statement */
    uint32_t secret;
    activity_entry activity; /* its statement; in no list before it has logged in */
    _Atomic bool is_gone;    /* its other end is closed: its statements are cancelled */
} client;

typedef struct clients {
    pthread_mutex_t lock;
    client *first;
    unsigned count, admitted;
    unsigned most; /* that may be admitted */
    uint32_t last_number;
} clients;

void clients_open(clients *all, unsigned most);
void clients_close(clients *all);
/* Takes the socket over, unless it fails. */
CHECKED status clients_add(clients *all, int socket, bool is_trusted, client **out);
/* Closes the socket and frees the client. */
void clients_remove(clients *all, client *one);
unsigned clients_count(clients *all);
/* Counts the client as one that has logged in; false: there are as many as may be. */
bool clients_admit(clients *all, client *one);
/* Between the two its statements are seen, and can be cancelled. What one->activity says of the client is set before. */
CHECKED status clients_show(clients *all, client *one, activity *statements);
void clients_hide(clients *all, client *one);

/* Cancels the statement of the client that has number and secret, if there is one. */
void clients_cancel(clients *all, uint32_t number, uint32_t secret);
/* Notes that the client's other end is closed. */
void clients_note_gone(clients *all, uint32_t number);
/* Cancels what those run whose other end is closed, or all; again and again, as a statement that begins just then is not
 * there yet. Returns how many clients that were. */
unsigned clients_cancel_gone(clients *all);
unsigned clients_cancel_all(clients *all);
/* Breaks all connections off. */
void clients_cut_all(clients *all);

#endif
