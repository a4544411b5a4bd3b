/* collective.h - inside the network: what the collectives have in common.
 *
 * Each is one or two exchanges of its own (phases of its id) and goes on whenever something happens
 * to these, with the communicator's lock held, until it is finished. */
#ifndef PISTACHIO_NET_COLLECTIVE_H
#define PISTACHIO_NET_COLLECTIVE_H

#include "net/collective_tree.h"
#include "net/internal.h"

#define COLLECTIVE_PHASES 2
/* A message is at most so long: it is worked on with the lock held. */
#define COLLECTIVE_MESSAGE_BYTES (64u << 10)

typedef enum collective_next {
    COLLECTIVE_LATER,
    COLLECTIVE_READY,
    COLLECTIVE_NONE
} collective_next;

typedef struct net_collective_ops {
    /* Says whether there is a message to the peer in this phase: now, when more has been taken in, or never again. */
    collective_next (*next)(const net_collective *collective, unsigned phase, unsigned peer);
    /* Fills that message (sets bytes). */
    void (*fill)(net_collective *collective, unsigned phase, net_message *message);
    /* Takes a message in. NULL, or what is wrong with it: static text. May have a failure of its
     * own. */
    const char *(*take)(net_collective *collective, unsigned phase, const net_message *message,
                        status *out_failure);
    /* All messages of the phase have been taken in. NULL, or what is wrong with them. Perhaps asked again. */
    const char *(*received)(const net_collective *collective, unsigned phase);
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

typedef struct net_collective_form {
    uint32_t id;
    const char *name;
    uint32_t message_bytes;
    unsigned phase_count;
    uint32_t messages;    /* most under way to a rank; 0: as of any exchange */
    const net_tree *tree; /* ranks speak to their neighbors in it; NULL: each to each */
} net_collective_form;

/* Opens its exchanges and begins. Takes the collective over, also on failure. */
CHECKED status net_collective_open(net_query *query, const net_collective_form *form,
                                   net_collective *collective, net_collective **out);

/* collective_unite_tree.c: the union of more ranks than net_unite has speak each to each. */
CHECKED status net_unite_tree(net_query *query, uint32_t id, const char *name, uint64_t *words,
                              uint64_t word_count, net_collective **out);

#endif
