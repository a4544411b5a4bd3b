/* local.h - ranks that are threads of this process, or just handles in one thread.
 *
 * A fabric joins them. With a seed it is a simulated network: frames are late, overtake each other,
 * queue up where a link stalls, and one rank may be made to go, to fall silent or to send rubbish.
 * All of that follows from the seed; where the fabric is stepped, by one thread and with a clock of
 * its own, so does the order of everything, and a seed that failed fails again. */
#ifndef PISTACHIO_NET_LOCAL_LOCAL_H
#define PISTACHIO_NET_LOCAL_LOCAL_H

#include "net/net.h"

typedef struct net_fabric net_fabric;

typedef enum net_fault_kind {
    NET_FAULT_NONE,
    NET_FAULT_GONE,   /* the rank's end: the others are told, it fails itself as well */
    NET_FAULT_SILENT, /* nothing from it or to it arrives any more */
    NET_FAULT_RUBBISH /* the frame's bytes are changed on their way */
} net_fault_kind;

typedef struct net_fabric_options {
    unsigned ranks;
    const char *const *hosts; /* of each rank, copied; NULL: "local" */
    uint64_t seed;            /* 0: nothing is simulated */
    bool is_stepped;          /* only net_fabric_step moves anything; else each rank has a thread */
    uint64_t delay_ns;    /* most that a frame is late, if there is a seed; 0: 200 microseconds */
    uint32_t link_frames; /* frames that a link holds, the others queue; 0: as the seed says */
    /* The fault of `fault_rank`, at the n-th frame that it sends (1 is the first; heartbeats are not counted). */
    net_fault_kind fault;
    unsigned fault_rank;
    uint64_t fault_frame;
} net_fabric_options;

#endif
