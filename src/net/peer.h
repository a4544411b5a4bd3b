/* peer.h - the other ranks. */
#ifndef PISTACHIO_NET_PEER_H
#define PISTACHIO_NET_PEER_H

#include "net/internal.h"

/* The peer is gone, and no query can begin any more. Takes why. must_tell: the others are told. */
void net_peer_lose(net_comm *comm, unsigned peer, status why, bool must_tell);
/* Loses a peer whose words are not a message. */
void net_peer_lose_corrupt(net_comm *comm, unsigned peer, const char *what);
/* Something other than a ping goes to the peer, or has come from it: it is watched for a while. */
void net_peer_use(net_comm *comm, unsigned peer);
/* Returns whether the ranks ping each other, and take each other for gone when nothing comes. */
bool net_peer_is_watched(const net_comm *comm, unsigned peer, uint64_t now);
/* All that it has sent has arrived: it has left, if it said so. */
void net_peer_leave_if_due(net_comm *comm, unsigned peer);
/* Another rank says that rank 0 has left: it has, unless it has something to say itself. */
void net_peer_hear_root_left(net_comm *comm, bool is_broken);
/* The network is of no use any more. Takes why. */
void net_comm_fail(net_comm *comm, status why);

/* The peer cannot be reached any more. Takes `why`, the reason alone, without the peer's name. */
void net_peer_gone(net_comm *comm, unsigned peer, status why);
/* Does what is due by time; returns when net_tick is to be called again, at the latest. */
uint64_t net_tick(net_comm *comm);

#endif
