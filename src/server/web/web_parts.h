/* web_parts.h - the HTTP side's state. */
#ifndef PISTACHIO_SERVER_WEB_WEB_PARTS_H
#define PISTACHIO_SERVER_WEB_WEB_PARTS_H

#include "server/listen.h"
#include "server/web/history.h"
#include "server/web/job.h"
#include "server/web/page.h"
#include "server/web/sockets.h"
#include "server/web/tokens.h"
#include "server/web/web.h"

#include <openssl/ssl.h>

#define WEB_HEAD_BYTES_MAX 16384
#define WEB_BODY_BYTES_MAX (16 << 20)

/* Requests answered, by the hundreds of their status. */
typedef struct web_counters {
    atomic_ullong replies[6], bytes;
} web_counters;

/* One address. */
typedef struct web_address {
    struct web *web;
    struct evhttp *http;
    bool is_trusted; /* nobody is asked for a password */
    char name[LISTENER_NAME_BYTES];
} web_address;

struct web {
    session_shared *shared;
    const server_options *options;
    pthread_t thread;
    struct event_base *base;
    web_address addresses[LISTENERS_MAX];
    size_t address_count;
    web_page page;
    sockets sockets;     /* the loop's */
    job *jobs;           /* the loop's: all that are there */
    int64_t end;         /* milliseconds, by when requests are to be over; 0: no end is asked for */
    atomic_uint running; /* threads of requests */
    int wake;            /* an eventfd: jobs are ready */
    pthread_mutex_t lock;
    job *ready; /* under the lock, as what follows */
    history history;
    tokens tokens;
    web_counters counters;
};

/* Lets the loop look at what the job has written. Any thread. */
void web_wake(job *j);

#endif
