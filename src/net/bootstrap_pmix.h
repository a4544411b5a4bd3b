/* bootstrap_pmix.h - for bootstrap_place.c and bootstrap_address.c: ranks that mpirun, prterun or srun
 * started. */
#ifndef PISTACHIO_NET_BOOTSTRAP_PMIX_H
#define PISTACHIO_NET_BOOTSTRAP_PMIX_H

#include "net/bootstrap.h"

/* Whether the environment says so. */
bool net_pmix_is_there(void);
/* Asks which rank this is: sets rank, ranks, sharers and is_pmix. UNSUPPORTED: there is no libpmix, or
 * the build had no declarations of it. With one rank that is all; else net_pmix_introduce follows. */
CHECKED status net_pmix_place(net_place *out);
/* As net_introduce, into `all`, whose items are zeroed. Once. */
CHECKED status net_pmix_introduce(const net_place *place, const char *host, const void *bytes,
                                  uint32_t byte_count, net_introduction *all);

#endif
