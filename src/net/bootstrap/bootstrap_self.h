/* bootstrap_self.h - what ranks tell each other before there is a network between them: which build they are, on which
 * machine, and from which addresses they come. */
#ifndef PISTACHIO_NET_BOOTSTRAP_BOOTSTRAP_SELF_H
#define PISTACHIO_NET_BOOTSTRAP_BOOTSTRAP_SELF_H

#include "net/bootstrap/bootstrap.h"

#include <netinet/in.h>

/* This process: the caller's (mem_free). */
CHECKED status net_self_text(char **out);

/* Facts that all ranks told of themselves. IPv4 addresses are mapped (::ffff:a.b.c.d). */
typedef struct net_selves {
    bool is_one_machine;
    ARRAY(struct in6_addr) addresses;
} net_selves;

/* INVALID: a rank is another build than rank 0, which the message names. */
CHECKED status net_selves_read(const net_introduction *all, unsigned ranks, net_selves *out);
void net_selves_release(net_selves *selves);

#endif
