/* engine_device.h - the device of a rank, and the ranks that share its machine. */
#ifndef PISTACHIO_API_ENGINE_ENGINE_DEVICE_H
#define PISTACHIO_API_ENGINE_ENGINE_DEVICE_H

#include "api/handles/handles.h"

/* Neighbors of this rank, a process. Ranks of one host are one machine's, however they were started;
 * nodes: of all ranks, as in net_place. */
api_neighbors api_neighbors_find(const struct net_comm *comm, const int *nodes);
/* Opens the device of one of so many ranks, whose host memory is charged to the budget. Processes
 * that are neighbours have a GPU each, as far as there are GPUs, and share one with
 * fewer ranks then. */
CHECKED status api_device_open(const settings *s, uint64_t ranks, const api_neighbors *neighbors,
                               mem_budget *budget, device **out);
/* Finds, of `count` GPUs, at most MACHINE_GPUS_MAX, the `wanted` that as many ranks of one process take: those with the best links to
 * each other. */
CHECKED status api_near_gpus(unsigned count, unsigned wanted, unsigned *near);

#endif
