/* fence.h - keeps everybody but the ranks' hosts from the sockets that UCX listens at.
 *
 * UCX takes what a connection says for a peer's, remote memory writes of its tcp transport among it, and knows no
 * authentication. So the kernel is told to drop what does not come from an address of a rank (a socket filter, which
 * needs no privileges and which accepted connections inherit). */
#ifndef PISTACHIO_NET_UCX_FENCE_H
#define PISTACHIO_NET_UCX_FENCE_H

#include "net/bootstrap/bootstrap_self.h"

/* A listening socket's packets are dropped unless they come from one of the addresses. */
CHECKED status fence_listener(int descriptor, const struct in6_addr *addresses, size_t count);

/* Sockets of this process that listen for TCP. */
typedef ARRAY(int) fence_sockets;
CHECKED status fence_find_listeners(fence_sockets *out);
/* How many this process has open, of any kind. */
CHECKED status fence_count_descriptors(size_t *out);
/* Fences those that listen now and did not before: for all ranks' addresses, or, where they are of one machine, for
 * those of loopback. */
CHECKED status fence_new_listeners(const fence_sockets *before, const net_selves *selves);

#endif
