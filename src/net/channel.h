/* channel.h - what a channel tells its peer. */
#ifndef PISTACHIO_NET_CHANNEL_H
#define PISTACHIO_NET_CHANNEL_H

#include "net/internal.h"

/* Tells the peer what is so. */
void net_channel_tell(net_channel *channel);
/* The peer has told what is so. */
void net_channel_hear(net_channel *channel, const net_header *header);
/* The peer has told how many messages it sends in all. */
void net_channel_hear_end(net_channel *channel, const net_header *header);

#endif
