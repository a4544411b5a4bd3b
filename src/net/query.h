/* query.h - a statement on this rank. */
#ifndef PISTACHIO_NET_QUERY_H
#define PISTACHIO_NET_QUERY_H

#include "net/internal.h"

net_query *net_query_find(net_comm *comm, uint64_t number);
/* The first failure wins. Takes st. must_tell_peers: it comes from here. */
void net_query_fail_locked(net_query *query, status st, bool must_tell_peers);
/* Its memory goes, if nothing of it is left. */
void net_query_free_if_over(net_query *query);
/* A failure came from a peer, as text. */
void net_query_fail_from(net_comm *comm, const net_header *header, const char *text);

#endif
