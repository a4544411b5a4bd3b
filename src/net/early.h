/* early.h - frames for exchanges that this rank has not opened and queries that it has not begun. */
#ifndef PISTACHIO_NET_EARLY_H
#define PISTACHIO_NET_EARLY_H

#include "net/internal.h"

/* Notes a NET_FRAME_CHANNEL, or a NET_FRAME_ERROR with its text and two NULs. */
CHECKED status net_early_note(net_comm *comm, unsigned peer, const net_header *header,
                              const char *text);
/* Something could not be noted of a query that has not begun. */
void net_early_lose(net_comm *comm, uint64_t number);
/* The query begins: it fails if it did elsewhere; what can never be asked for any more goes. */
void net_early_begin(net_query *query);
void net_early_open(net_exchange *exchange);
void net_early_end(net_comm *comm, uint64_t number);
void net_early_clear(net_comm *comm);

#endif
