/* ucx.h - ranks that are processes, on this machine or others, joined by UCX (libucp, loaded when
 * it is needed): tcp, InfiniBand, RoCE.
 *
 * One thread drives UCX's worker and sleeps on its file descriptor when nothing comes. */
#ifndef PISTACHIO_NET_UCX_UCX_H
#define PISTACHIO_NET_UCX_UCX_H

#include "net/bootstrap/bootstrap.h"
#include "net/net.h"

/* Meets the other ranks (net_meeting_new) and opens the communicator. UNSUPPORTED: this machine has
 * no libucp, or the build had no declarations of it; the hint says which package is missing. Blocks
 * until all ranks are there. */
CHECKED status net_open_ucx(const net_place *place, const net_options *options, net_comm **out);

#endif
