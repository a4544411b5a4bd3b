/* pool.h - memory of messages. */
#ifndef PISTACHIO_NET_POOL_H
#define PISTACHIO_NET_POOL_H

#include "net/internal.h"

/* A message's memory, of nobody's allotment; NULL: there is none. */
net_held *net_pool_take(net_comm *comm, uint32_t room);
void net_pool_give(net_comm *comm, net_held *held);
void net_pool_clear(net_comm *comm);
/* Charges one message, at least, or fails; up to `most` as there is room. */
CHECKED status net_allotment_open(net_exchange *exchange, net_allotment *allotment);
/* One more, if there is plenty of room. */
void net_allotment_grow(net_exchange *exchange, net_allotment *allotment);
/* Returns what is not in use to the budget. */
void net_allotment_trim(net_exchange *exchange, net_allotment *allotment);
/* A message goes back to its allotment: held is no more. */
void net_held_return(net_held *held);

#endif
