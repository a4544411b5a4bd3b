/* send.h - the sending side of a channel, with the lock held. */
#ifndef PISTACHIO_NET_SEND_H
#define PISTACHIO_NET_SEND_H

#include "net/internal.h"

/* NET_READY, NET_WAIT (nobody registered), NET_ENDED; a failure has failed the query. */
CHECKED status net_channel_message(net_channel *channel, net_state *out_state, net_held **out);
void net_channel_send(net_channel *channel, net_held *held);
/* Sends a message to another rank that says itself that nothing follows. */
void net_channel_send_last(net_channel *channel, net_held *held);
void net_channel_end(net_channel *channel);
void net_channel_pump(net_channel *channel);
/* Messages of its allotment are free: as many waiters may have one. */
void net_channel_wake_senders(net_comm *comm, net_channel *channel);
/* The peer wants no more. */
void net_channel_refuse(net_channel *channel);

#endif
