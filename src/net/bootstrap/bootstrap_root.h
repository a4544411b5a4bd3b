/* bootstrap_root.h - rank 0 while ranks meet: takes them in as they come, and brings each what all gave. */
#ifndef PISTACHIO_NET_BOOTSTRAP_BOOTSTRAP_ROOT_H
#define PISTACHIO_NET_BOOTSTRAP_BOOTSTRAP_ROOT_H

#include "net/bootstrap/bootstrap_packet.h"

typedef struct net_root net_root;

/* A round: `all` has rank 0's own and gets the others'. The first one listens, and creates *root; until `until`. */
CHECKED status net_root_round(const net_place *place, net_root **root, net_introduction *all);
/* Takes NULL. */
void net_root_free(net_root *root);

#endif
