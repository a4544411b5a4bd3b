/* bootstrap_pmix.h - for bootstrap_place.c and bootstrap_address.c: ranks that mpirun, prterun or srun
 * started. */
#ifndef PISTACHIO_NET_BOOTSTRAP_BOOTSTRAP_PMIX_H
#define PISTACHIO_NET_BOOTSTRAP_BOOTSTRAP_PMIX_H

#include "net/bootstrap/bootstrap.h"

/* Whether the environment says so. */
bool net_pmix_is_there(void);
/* Asks which rank this is: sets rank, ranks, sharers and is_pmix. UNSUPPORTED: there is no libpmix, or
 * the build had no declarations of it. With one rank that is all; else net_pmix_introduce follows. */
CHECKED status net_pmix_place(net_place *out);
/* As net_meeting_round, into `all`, whose items are zeroed. round: its number, from 0. */
CHECKED status net_pmix_round(const net_place *place, unsigned round, const net_introduction *own,
                              net_introduction *all);
void net_pmix_leave(void);

#endif
