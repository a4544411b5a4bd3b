/* job.h - a request that has a thread of its own, and its reply on the way to the loop.
 *
 *     request's thread ── job_file ──> pieces, 4 MiB at most ── web_wake ──> loop ── reply.c ──> client
 *
 * A thread that writes more waits. Once the client is gone, writing fails. */
#ifndef PISTACHIO_SERVER_WEB_JOB_H
#define PISTACHIO_SERVER_WEB_JOB_H

#include "server/activity/activity.h"

#include "api/ipc/ipc.h"
#include "base/system/mutex.h"

#include <event2/event.h>
#include <event2/http.h>
#include <event2/keyvalq_struct.h>
#include <stdatomic.h>

#define JOB_QUEUE_BYTES ((size_t)4 << 20)
#define JOB_HEADER_BYTES 8192

struct web;

typedef enum job_kind {
    JOB_QUERY,
    JOB_CANCEL,
    JOB_LIST,
    JOB_USAGE,
    JOB_METRICS,
    JOB_LOGIN
} job_kind;

typedef struct job_piece {
    struct job_piece *next;
    const char *bytes;
    size_t count;
    ipc_batch *lent; /* whose the bytes are; NULL: they are its own */
    char own[];
} job_piece;

typedef struct job {
    atomic_uint references;
    struct web *web;
    /* The request, from its beginning on. */
    job_kind kind;
    bool is_trusted;                          /* by its address: nobody is asked for a password */
    char *authorization, *accept, *body, *id; /* NULL: there is none */
    struct evkeyvalq parameters;              /* after the path's ? */

    struct history_entry *entry; /* of the statement, under the lock of the web */
    activity_entry *activity;    /* of the statement, its thread's; NULL: none runs */

    /* The reply, under the lock. */
    pthread_mutex_t lock;
    pthread_cond_t room;
    job_piece *first, **last;
    size_t queued;
    int code;
    const char *type;    /* of the reply's body */
    char *columns;       /* names and types as JSON, or NULL */
    bool is_over;        /* its thread has ended */
    bool is_broken;      /* the reply has no right end */
    bool is_taken;       /* some of it went to the loop */
    bool is_dropping;    /* what is written is dropped */
    atomic_bool is_gone; /* the client is, or shall be */

    /* The loop's. */
    struct evhttp_request *request; /* NULL: it has been answered, or is gone */
    struct event *closed;           /* the client closes its end */
    bool has_begun, is_sending;
    struct job *next_ready;
    bool is_ready;            /* it is in the list of web.c, under its lock */
    struct job *next, **link; /* of all that are there */
} job;

/* Without a request, of one reference. */
CHECKED status job_new(struct web *web, job_kind kind, job **out);
job *job_ref(job *j);
void job_unref(job *j);

/* ---- of the request's thread ---- */

/* Sets what the reply begins with, as long as nothing was written. */
void job_set_head(job *j, int code, const char *type);
/* Opens what the body is written to; its fclose is the caller's. NULL: there is no memory. */
FILE *job_file(job *j);
/* Adds the bytes of a batch, without a copy, behind what was flushed to the file. Takes the reference over. Returns false
 * where nobody reads any more. */
bool job_lend(job *j, const void *bytes, size_t count, ipc_batch *batch);
/* Drops what was written, until another file is opened; false: some of it went to the loop. */
bool job_drop(job *j);
/* Ends the reply; is_broken: in its middle. */
void job_end(job *j, bool is_broken);

/* ---- of the loop ---- */

/* Takes the pieces that are there, which the caller frees one by one. */
job_piece *job_take(job *j, bool *out_is_over, bool *out_is_broken);
void job_piece_free(job_piece *piece);
/* Lets the thread write no more. */
void job_give_up(job *j);

#endif
