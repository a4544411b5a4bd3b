/* arrive.h - frames that come from a peer. */
#ifndef PISTACHIO_NET_ARRIVE_H
#define PISTACHIO_NET_ARRIVE_H

#include "net/transport.h"

/* A frame's header came from a peer, with so many bytes of payload to follow. */
net_arrival net_arriving(net_comm *comm, unsigned peer, const void *header, size_t header_bytes,
                         size_t payload_bytes);
/* Instead of a copy, where both ranks are of one process and no ops->alloc: the arriving message has the frame's
 * memory from now on, and the frame's message the other's; the payload is then at its target. False: it is
 * to be copied. Before net_arrived and net_posted. */
bool net_arrival_swap(void *token, net_frame *frame);
/* Its payload is at the target; if not is_whole, it will never be (the peer is gone). */
void net_arrived(net_comm *comm, unsigned peer, void *token, bool is_whole);

#endif
