/* exchange.h - the life of an exchange. */
#ifndef PISTACHIO_NET_EXCHANGE_H
#define PISTACHIO_NET_EXCHANGE_H

#include "net/internal.h"

/* Says how an exchange of the network's own is opened, in addition to net_exchange_options. */
typedef struct net_exchange_part {
    uint8_t phase;
    net_active *user; /* NULL: none */
    const bool
        *partners; /* of each rank, whether it has a channel; NULL: all have, or as has_root says */
} net_exchange_part;

CHECKED status net_exchange_open_locked(net_query *query, const net_exchange_options *options,
                                        const net_exchange_part *part, net_exchange **out);
net_exchange *net_exchange_find(net_query *query, uint32_t id, uint8_t phase);
bool net_exchange_was_used(const net_query *query, uint32_t id, uint8_t phase);
void net_exchange_close_locked(net_exchange *exchange);
void net_exchange_free_if_over(net_exchange *exchange);
/* The query has failed: nothing of it is queued, nobody waits. */
void net_exchange_fail(net_exchange *exchange);
/* Something happened that its user, if it has one, waits for. */
void net_exchange_signal(net_exchange *exchange);
/* Says what of it is not finished with the peer; NULL: all is. Static text. */
const char *net_exchange_unfinished(const net_exchange *exchange, unsigned peer);

#endif
