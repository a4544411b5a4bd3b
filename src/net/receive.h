/* receive.h - the receiving side of a channel, with the lock held. */
#ifndef PISTACHIO_NET_RECEIVE_H
#define PISTACHIO_NET_RECEIVE_H

#include "net/internal.h"

/* The next message, or NULL. */
net_held *net_exchange_take(net_exchange *exchange, unsigned peer);
bool net_exchange_is_received(const net_exchange *exchange, unsigned peer);
void net_channel_ready(net_channel *channel, net_held *held);
/* Messages that have come in order become ready; the channel ends, if that is all. */
void net_channel_advance(net_channel *channel);
void net_channel_decline(net_channel *channel);
/* Frees held bytes, and tells those who may go on now that they are back: waiters, or the peer that sent them. */
void net_held_free(net_held *held);

#endif
