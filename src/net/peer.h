/* peer.h - the other ranks. */
#ifndef PISTACHIO_NET_PEER_H
#define PISTACHIO_NET_PEER_H

#include "net/internal.h"

/* The peer is gone, and no query can begin any more. Takes why. must_tell: the others are told. */
void net_peer_lose(net_comm *comm, unsigned peer, status why, bool must_tell);
/* Loses a peer whose words are not a message. */
void net_peer_lose_corrupt(net_comm *comm, unsigned peer, const char *what);
/* All that it has sent has arrived: it has left, if it said so. */
void net_peer_leave_if_due(net_comm *comm, unsigned peer);
/* The network is of no use any more. Takes why. */
void net_comm_fail(net_comm *comm, status why);

/* The peer cannot be reached any more. Takes `why`, the reason alone, without the peer's name. */
void net_peer_gone(net_comm *comm, unsigned peer, status why);
/* Does what is due by time; returns when net_tick is to be called again, at the latest. */
uint64_t net_tick(net_comm *comm);

#endif
