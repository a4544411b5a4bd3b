/* bootstrap.h - how ranks that were started apart find each other, and prove that they belong together: in each
 * round every rank gives some bytes and gets those of all.
 *
 * Happens once, when a process starts, and blocks until all are there or a time is over. */
#ifndef PISTACHIO_NET_BOOTSTRAP_BOOTSTRAP_H
#define PISTACHIO_NET_BOOTSTRAP_BOOTSTRAP_H

#include "base/mem.h"
#include "base/status.h"

#include <stdbool.h>
#include <stdint.h>

#define NET_ADDRESS_BYTES_MAX (64u << 10)

/* The place of a rank, from its environment. Texts are the environment's, or static. */
typedef struct net_place {
    unsigned rank, ranks;
    const char *root_host, *root_port; /* where rank 0 listens; within root_text */
    char root_text[300];
    const char *token; /* what all ranks know and nobody else; "": anybody is let in */
    unsigned timeout_ms;
    unsigned sharers; /* ranks on this machine, as far as whoever started them says; at least 1 */
    /* The NUMA node of each rank, where all are bound to cores of this machine; -1: it has none. Or NULL. */
    int *nodes;
    /* A launcher brings them together: of the above rank and ranks count alone. */
    bool is_pmix;
    /* Rank 0 listens at `listener`, a socket that the first round closes; else at a new one. */
    bool is_listening;
    int listener;
    /* Rank 0 keeps a copy of that socket for later meetings, so that nobody takes its port. */
    bool keeps_listener;
    int kept_listener;
    /* NULL, or finds a rank whose process has ended, as whoever started it knows; 0: there is none. */
    unsigned (*find_ended)(void);
    /* NULL, or says that rank 0 is to wait no more. */
    bool (*is_given_up)(void *context);
    void *given_up_context;
} net_place;

/* A rank's host, and the bytes that it gave. */
typedef struct net_introduction {
    char *host;
    char *bytes;
    uint32_t byte_count;
} net_introduction;

/* PISTACHIO_RANK or, without it, JOB_COMPLETION_INDEX (Kubernetes), SLURM_PROCID; PISTACHIO_RANKS
 * or SLURM_NTASKS; PISTACHIO_ROOT=host:port; PISTACHIO_TOKEN, which several ranks must have; PISTACHIO_JOIN_TIMEOUT=seconds (60).
 * Without a root PMIX_RANK: mpirun or srun says the rest. *out_is_there: whether this process was
 * started as a rank: a rank and a root are said, or PMIx has several. */
CHECKED status net_place_from_environment(net_place *out, bool *out_is_there);

typedef struct net_meeting net_meeting;

#endif
