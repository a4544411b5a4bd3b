/* bootstrap_address.h - rounds of introductions over TCP, with rank 0 as the root, or by PMIx. */
#ifndef PISTACHIO_NET_BOOTSTRAP_BOOTSTRAP_ADDRESS_H
#define PISTACHIO_NET_BOOTSTRAP_BOOTSTRAP_ADDRESS_H

#include "net/bootstrap/bootstrap.h"

/* The place's texts stay the caller's. */
CHECKED status net_meeting_new(const net_place *place, const char *host, net_meeting **out);
/* All ranks call it, equally often; in the first round rank 0 listens, the others connect, again and again
 * until the time is over.
 * *out: of each rank, to be freed by net_introductions_free. Failures say what is wrong, and with
 * which rank or address: a port in use, a root that does not answer, another token, version or
 * number of ranks, a rank twice, ranks that did not come. */
CHECKED status net_meeting_round(net_meeting *meeting, const void *bytes, uint32_t byte_count,
                                 net_introduction **out);
void net_meeting_end(net_meeting *meeting);                         /* takes NULL */
void net_introductions_free(net_introduction *all, unsigned ranks); /* takes NULL */

#endif
