/* collective.h - inside the network: what the collectives have in common.
 *
 * Each is one or two exchanges of its own (phases of its id) and goes on whenever something happens
 * to these, with the communicator's lock held, until it is finished. */
#ifndef PISTACHIO_NET_COLLECTIVE_H
#define PISTACHIO_NET_COLLECTIVE_H

#include "net/internal.h"

#define COLLECTIVE_PHASES 2
/* A message is at most so long: it is worked on with the lock held. */
#define COLLECTIVE_MESSAGE_BYTES (64u << 10)

typedef struct net_collective_ops {
    /* Fills the next message to the peer in this phase (sets bytes). False: there is none. */
    bool (*fill)(net_collective *collective, unsigned phase, net_message *message);
    /* Takes a message in. NULL, or what is wrong with it: static text. May have a failure of its
     * own. */
    const char *(*take)(net_collective *collective, unsigned phase, const net_message *message,
                        status *out_failure);
    /* All messages of the phase have been taken in. NULL, or what is wrong with them. */
    const char *(*received)(net_collective *collective, unsigned phase);
    /* Frees what is its own. */
    void (*close)(net_collective *collective);
} net_collective_ops;

/* The first member of each one's own struct. */
struct net_collective {
    net_active active; /* first: it is found by that */
    const net_collective_ops *ops;
    net_query *query;
    bool is_finished;
    unsigned phase_count;
    unsigned phase; /* the one whose messages are sent and taken */
    net_exchange *exchanges[COLLECTIVE_PHASES];
    net_waiters waiters;
};

/* Opens its exchanges and begins. Takes the collective over, also on failure. Which ranks send to
 * which follows from fill and is_receiver. */
CHECKED status net_collective_open(net_query *query, uint32_t id, const char *name,
                                   uint32_t message_bytes, unsigned phase_count, bool is_receiver,
                                   net_collective *collective, net_collective **out);

#endif
