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

CHECKED status net_fabric_new(const net_fabric_options *options, net_fabric **out);
/* All communicators are closed. Takes NULL. */
void net_fabric_free(net_fabric *fabric);
/* The rank's communicator; once for each rank, all options but the host alike. What is sent to a
 * rank that is not open yet waits for it. */
CHECKED status net_fabric_open(net_fabric *fabric, unsigned rank, const net_options *options,
                               net_comm **out);
/* Steps a stepped fabric: delivers one frame, or lets time pass until something is due. False: nothing is under way,
 * and time was moved on for the heartbeats alone. One thread. */
bool net_fabric_step(net_fabric *fabric);
/* Its clock, in nanoseconds. */
uint64_t net_fabric_now(net_fabric *fabric);
/* Whether the fault has struck; frames that a rank has sent so far. */
bool net_fabric_has_faulted(net_fabric *fabric);
uint64_t net_fabric_frames(net_fabric *fabric, unsigned rank);

#endif
