/* internal.h - a communicator's state, all of it under one lock.
 *
 *     comm ── peers
 *       ├─── queries ── exchanges ── channels (one a peer, both directions) ── messages
 *       └─── early: what came for queries and exchanges that are not there yet
 *
 * Functions whose name says nothing else are called with the lock held. Whoever is to be called back
 * is collected (woken, telling, active) and called by net_unlock (lock.c).
 *
 * A message belongs to the allotment of a channel's side: so many messages of message_bytes are
 * charged to the budget (`charged`), of which some are in use. Sending, a message is in use from
 * net_try_message until the transport gives it back; receiving, from its frame's arrival until
 * net_message_free. A sender sends message n only if n is below what the receiver has promised,
 * which is always what it has given back plus what it has charged. */
#ifndef PISTACHIO_NET_INTERNAL_H
#define PISTACHIO_NET_INTERNAL_H

#include "net/frame.h"

#include <pthread.h>

#define NET_UNKNOWN UINT64_MAX

typedef struct net_peer net_peer;
typedef struct net_channel net_channel;
typedef struct net_held net_held;
typedef struct net_early net_early;
typedef struct net_active net_active;

/* A message with what the network knows of it; its memory follows behind, or is the transport's. */
struct net_held {
    net_message message; /* first: what the caller sees */
    net_frame frame;
    net_held *next;
    net_channel *channel; /* whose allotment it is of */
    void *memory;         /* of `memory_bytes`; message.data is within */
    size_t memory_bytes;
    uint64_t number; /* incoming: in its channel */
    uint32_t checksum;
    bool is_incoming; /* of the receiving side's allotment */
    bool is_whole;    /* incoming: its bytes are there */
};

typedef struct net_list {
    net_held *first, **last;
    uint64_t count;
} net_list;

typedef struct net_waiters {
    net_waiter *first, **last;
} net_waiters;

/* Waiters that net_unlock lets go on, because something has happened that concerns them; with the lock. */
struct net_active {
    net_active *next;
    bool is_active;
    void (*go_on)(net_active *active); /* takes itself out first: net_deactivate */
};

typedef struct net_allotment {
    uint32_t charged, used, most;
} net_allotment;

struct net_channel {
    net_exchange *exchange;
    unsigned peer;
    bool is_apart; /* the peer has no part in the exchange: nothing is sent, received or told */
    /* sending */
    net_allotment to_send;
    net_waiters senders;
    net_list queue; /* sent, waiting for credits */
    uint64_t sent;  /* messages given to the transport: the next one's number */
    uint64_t granted;
    unsigned posted; /* messages that the transport has */
    bool is_ended;   /* net_end */
    bool is_refused; /* the peer has declined */
    /* receiving */
    net_allotment to_receive;
    net_waiters receivers; /* of this peer alone */
    net_held **window;     /* message n, on its way or out of order, at n % to_receive.most */
    net_list ready;        /* whole, in order, not taken */
    uint64_t next;         /* the first number that is not in `ready` yet */
    uint64_t returned;     /* messages that were given back */
    uint64_t total;        /* that the peer sends; NET_UNKNOWN: it has not ended */
    unsigned arriving;     /* messages whose bytes are on their way */
    bool is_declined;
    bool is_received; /* nothing more is to be received */
    net_frame state;  /* NET_FRAME_CHANNEL */
    net_counts counts;
};

struct net_exchange {
    net_query *query;
    net_exchange *next; /* of the query */
    uint32_t id;
    uint8_t phase; /* of a collective that has several */
    char *name;
    uint32_t message_bytes;
    unsigned held;       /* messages that callers have */
    unsigned unreceived; /* channels that are not is_received */
    unsigned turn;       /* whose message is next for NET_ANY */
    uint64_t ready;      /* messages in all channels' ready */
    net_waiters receivers;
    net_active *user; /* goes on when something happened to it; or NULL */
    bool is_closed;
    net_channel channels[];
};

struct net_query {
    net_comm *comm;
    net_query *next, *next_telling;
    uint64_t number;
    mem_budget *budget;
    void (*failed)(void *argument);
    void *argument;
    status failure;
    bool is_telling; /* `failed` is about to be called, or is being called */
    bool is_ended;
    net_exchange *exchanges;
    ARRAY(uint64_t) used; /* ids and phases of exchanges that were opened */
    net_frame *errors;    /* NET_FRAME_ERROR to each rank */
    unsigned posted;      /* of these */
    char *error_text;
};

struct net_peer {
    char *host;
    uint64_t heard_at, spoke_at; /* nanoseconds */
    uint64_t used_at; /* when something other than a ping was last sent or heard; 0: never */
    bool is_neighbor; /* in the tree of all ranks: it is always watched */
    uint64_t frames_out, frames_in; /* posted, arrived */
    uint64_t leaves_after;          /* it leaves when so many have arrived; or NET_UNKNOWN */
    bool is_gone, has_left;
    bool left_broken; /* because another rank was gone */
    bool is_cut;      /* the transport says so: nothing gets there */
    bool is_abandoned;
    unsigned ticks; /* since it is gone */
    net_frame ping, leave, gone;
    net_counts counts;
};

typedef struct net_pool_class {
    uint32_t room;
    net_held *first;
} net_pool_class;

struct net_comm {
    pthread_mutex_t lock;
    pthread_cond_t
        changed; /* a query has gone, a call of `failed` is over, a frame was given back */
    net_transport *transport;
    unsigned rank, ranks;
    net_options options;
    net_peer *peers;
    status failure;     /* no query can begin */
    bool is_broken;     /* nor go on: it is more than that a rank has left */
    char *failure_text; /* of the NET_FRAME_GONE that tells it */
    bool is_closing;
    net_query *queries;
    uint64_t highest_begun;
    net_early *early;
    uint64_t early_count;
    uint64_t lost_first, lost_last; /* queries of which something could not be noted; 0: none */
    ARRAY(net_pool_class) pool;
    uint64_t kept_bytes;
    uint64_t ticked_at;
    net_waiters woken;
    net_query *telling;
    net_active *active;
    net_cargo *dropped; /* to be dropped when the lock is given back */
};

/* ---- waiters ---- */

static inline void net_list_init(net_list *list)
{
    list->first = NULL;
    list->last = &list->first;
    list->count = 0;
}

static inline void net_list_append(net_list *list, net_held *held)
{
    held->next = NULL;
    *list->last = held;
    list->last = &held->next;
    list->count++;
}

static inline net_held *net_list_take(net_list *list)
{
    net_held *held = list->first;
    if (!held)
        return NULL;
    list->first = held->next;
    if (!list->first)
        list->last = &list->first;
    list->count--;
    return held;
}

/* ---- post.c, peer.c ---- */

/* Posts a frame with this header; the frame is not posted. */
void net_post(net_comm *comm, unsigned peer, net_frame *frame, net_header header,
              const void *payload, void (*done)(net_comm *comm, net_frame *frame), void *owner);

#endif
