/* fabric.h - inside the local network: what ranks share, and what a seed decides.
 *
 * A rank's inbox has its own lock; under it nothing else is locked. Frames stay their sender's
 * memory until they are delivered, which the receiver's thread does: it swaps a message's memory for that
 * which the receiver has ready, or copies the payload, and gives the frame back. */
#ifndef PISTACHIO_NET_LOCAL_FABRIC_H
#define PISTACHIO_NET_LOCAL_FABRIC_H

#include "net/frame.h"
#include "net/local/local.h"

#include <pthread.h>
#include <stdatomic.h>

typedef struct local_rank {
    net_transport base; /* first */
    net_fabric *fabric;
    char *host;
    net_comm *comm; /* valid while a frame of it is under way */
    pthread_t thread;
    bool has_thread;

    pthread_mutex_t lock;
    pthread_cond_t changed;
    net_frame *first, **last;    /* inbox, by time; also its own frames that come back */
    uint64_t tick_due, gone_due; /* gone_due: it learns that the fault's rank is gone */
    bool is_open, is_closed, is_stopping;

    /* As a sender. */
    _Atomic uint64_t frames;    /* heartbeats are not counted */
    _Atomic uint64_t under_way; /* frames that are in inboxes, or being delivered */
    /* By rank, each under that rank's lock. */
    bool *is_abandoned;
    uint64_t *posted;        /* frames to it */
    uint64_t *stalled_until; /* the link to it */
} local_rank;

struct net_fabric {
    net_fabric_options options;
    unsigned ranks;
    _Atomic uint64_t clock; /* of a stepped fabric */
    _Atomic bool has_faulted;
    net_frame *_Atomic spoiled; /* to be changed when it arrives */
    local_rank *rank;           /* of each */
};

/* ---- fault.c: what the seed says; all of it is a function of the seed and of what is asked ---- */

/* A number for the n-th frame from one rank to another; `use` tells questions apart. */
uint64_t local_chance(const net_fabric *fabric, unsigned from, unsigned to, uint64_t n,
                      unsigned use);
/* When a frame that is sent now arrives. */
uint64_t local_due(net_fabric *fabric, local_rank *from, unsigned to, uint64_t n, uint64_t now);
/* Whether the fault strikes with this frame, the sender's n-th. */
bool local_strikes(const net_fabric *fabric, unsigned from, uint64_t n);
/* Whether a frame that was sent from one rank to the other does not arrive. */
bool local_is_cut(const net_fabric *fabric, unsigned from, unsigned to, uint64_t due);
/* Changes a header, its length, or what it says of its payload. */
void local_spoil_header(const net_fabric *fabric, uint8_t *header, size_t *header_bytes,
                        size_t *payload_bytes);
/* Whether the payload is changed instead. */
bool local_spoils_payload(const net_fabric *fabric, size_t payload_bytes);
void local_spoil_payload(const net_fabric *fabric, uint8_t *payload, size_t bytes);

#endif
