/* transport.h - inside the network: what carries frames from rank to rank.
 *
 * A frame is a header (frame.h) and the bytes of a message or a text. Everything that ranks promise
 * each other (order, credits, ends, failures) is in headers and is kept by src/net, so a transport
 * may deliver frames in any order; it may lose them only if it says that the peer is gone.
 *
 *     net_post ── ops->post ──> (network) ──> net_arriving ─ bytes to where it says ─ net_arrived
 *        ^                                    net_peer_gone
 *        └── net_posted: the frame's memory is free again
 *
 * Upcalls come from one thread, or one after another, without a lock of the transport's held. */
#ifndef PISTACHIO_NET_TRANSPORT_H
#define PISTACHIO_NET_TRANSPORT_H

#include "net/net.h"

#define NET_TRANSPORT_ABI 2 /* raise with every change below */
#define NET_HEADER_BYTES 64

typedef struct net_transport net_transport;
typedef struct net_frame net_frame;

/* To be sent to one peer. Memory of the network's, the transport's from post to net_posted. */
struct net_frame {
    uint8_t header[NET_HEADER_BYTES];
    const void *payload;
    uint32_t payload_bytes;
    uint32_t peer;
    uint64_t due; /* the transport's, as is: */
    net_frame *next;
    void *carrier;
    void (*done)(net_comm *comm, net_frame *frame); /* the network's, as is what follows */
    void *owner;
    bool is_posted, is_stale;
};

typedef struct net_transport_ops {
    uint32_t abi;
    const char *name;
    bool takes_cargo; /* of messages: it hands over memory of this process (net_arrival_swap) */
    /* Begins to deliver and to call net_tick. */
    status (*start)(net_transport *transport, net_comm *comm);
    /* Ends: frames that are under way are given back (net_posted) before it returns, and no upcall
     * comes afterwards. Blocks. Also where start failed or was not called. */
    void (*close)(net_transport *transport);
    /* Sends a frame; any thread, never blocks, cannot fail: a peer that cannot be reached is gone
     * (net_peer_gone), and frames to it are given back. Called with the network's lock held:
     * upcalls are made by another thread, or later. */
    void (*post)(net_transport *transport, net_frame *frame);
    /* The peer is given up: frames to it are given back soon, none of its own are delivered any
     * more. As post, any thread. */
    void (*abandon)(net_transport *transport, unsigned peer);
    /* Only where nothing moves by itself (a stepped fabric), else NULL: moves something, while
     * net_comm_close waits. */
    void (*pump)(net_transport *transport);
    /* Nanoseconds since some time; virtual where time is simulated. */
    uint64_t (*now)(net_transport *transport);
    /* Memory for messages, 64-byte aligned, that the network hardware knows. NULL: there is none.
     */
    void *(*alloc)(net_transport *transport, size_t bytes);
    void (*release)(net_transport *transport, void *memory, size_t bytes);
    /* How the peer is reached; static text, or valid until close. */
    const char *(*peer_text)(net_transport *transport, unsigned peer);
} net_transport_ops;

/* The first member of each transport's own struct. */
struct net_transport {
    const net_transport_ops *ops;
    unsigned rank, ranks;
};

/* Opens a communicator over a transport, which it takes over, also on failure. hosts: of all ranks;
 * copied. */
CHECKED status net_comm_open(net_transport *transport, const char *const *hosts,
                             const net_options *options, net_comm **out);

/* ---- upcalls ---- */

/* The place where the payload of a frame is to go. */
typedef struct net_arrival {
    void *target; /* payload_bytes bytes; NULL: the payload is to be dropped, or there is none */
    void *token;  /* to be handed back; NULL: the frame is settled, no net_arrived follows */
} net_arrival;

/* The frame's memory is free; it was sent, or its peer is given up. */
void net_posted(net_comm *comm, net_frame *frame);

#endif
