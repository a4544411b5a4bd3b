/* transfer.h - one request and its answer, asked again where that may help.
 *
 *     transfer_start ── queue ──> the module's thread (libcurl's multi interface) ── done
 *                                    └── 429, 5xx, resets, stalls, short bodies: again after a pause
 *
 * One thread does all requests; at most TRANSFERS_MAX are under way, the rest wait in the order in which they came. Pauses
 * grow and are random. A body that was cut short is asked for from where it ended. */
#ifndef PISTACHIO_HTTP_TRANSFER_H
#define PISTACHIO_HTTP_TRANSFER_H

#include "http/config.h"

#include <pthread.h>

#define TRANSFERS_MAX 64

/* Waits until `changed` is signalled, or so long that a statement that is cancelled hears of it soon. The caller holds the
 * lock. */
void transfer_wait_a_moment(pthread_cond_t *changed, pthread_mutex_t *lock);

#define TRANSFER_TAG_BYTES 256

typedef enum transfer_range {
    RANGE_NONE,
    RANGE_OF_BYTES, /* range_offset, range_bytes */
    RANGE_SUFFIX    /* the last range_bytes, or all if there are fewer */
} transfer_range;

/* A request. Texts stay until the transfer is done. */
typedef struct transfer_question {
    const char *method;
    const http_config *config;
    const url_place *place;
    const char *query; /* of a store: encoded and sorted; "" */
    const char *shown; /* the URL for errors */
    transfer_range range;
    uint64_t range_offset, range_bytes;
    const char *condition; /* a header that says which version is asked for; NULL: any */
    const char *type;      /* of the body; NULL: none */
    const void *body;
    size_t body_bytes;
    const char *body_hash;      /* as sign.h's; NULL: it is computed for each attempt */
    unsigned timeout;           /* milliseconds; 0: the configuration's */
    const sign_header *headers; /* more, which are not signed */
    size_t header_count;
    bool is_near; /* by no proxy */
} transfer_question;

/* The headers of an answer. */
typedef struct transfer_answer {
    unsigned code;
    uint64_t length;                 /* of the body, as it was announced */
    uint64_t range_first, range_end; /* of a part: [first, end), */
    uint64_t total;                  /* and the whole object's length */
    bool has_range, has_total;
    char tag[TRANSFER_TAG_BYTES]; /* ETag, with its quotation marks; "": none */
    char modified[64];            /* Last-Modified; "": none */
    char region[64];              /* in which the bucket is */
    bool is_encoded;              /* compressed in transfer */
    uint64_t retry_after;         /* seconds */
} transfer_answer;

typedef struct transfer transfer;
struct transfer {
    transfer_question question;
    /* The body goes to `room` bytes at `target`; or, if target is NULL, into `text`. */
    char *target;
    uint64_t room;
    ARRAY(char) text; /* of an answer that is an error as well; freed by transfer_release */
    uint64_t received;
    transfer_answer answer;
    /* Called by the module's thread, which does not touch the transfer afterwards. Takes the failure. */
    void (*done)(transfer *t, status outcome);
    void *argument;
    bool is_not_cancelled;    /* transfer_run goes on though the statement is cancelled */
    struct transfer_run *run; /* the thread's */
};

/* Starts it. A failure: it was not started. Any thread. */
CHECKED status transfer_start(transfer *t);
/* Ends transfers with that argument, as far as they are under way, early: CANCELLED. Any thread. */
void transfer_stop(const void *argument);
/* Starts it and waits; ends early once the thread's statement is cancelled. */
CHECKED status transfer_run(transfer *t);
void transfer_release(transfer *t);
/* Milliseconds without progress that are borne. */
unsigned transfer_timeout(const transfer *t);

#endif
