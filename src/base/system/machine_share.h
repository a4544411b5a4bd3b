/* machine_share.h - which cores, and which GPU, each of several processes of a machine takes. Nothing is
 * asked of the system: the same machine gives the same shares, in each of the processes. */
#ifndef PISTACHIO_BASE_SYSTEM_MACHINE_SHARE_H
#define PISTACHIO_BASE_SYSTEM_MACHINE_SHARE_H

#include "base/system/machine.h"

#define MACHINE_GPUS_MAX 64u

/* The cores [first, first + count) of a sorted array. */
typedef struct machine_range {
    unsigned first, count;
} machine_range;

/* By NUMA node (by socket where nodes are not known), socket and core: neighbours stand together. */
void machine_sort_cores(machine_core *cores, unsigned count);
/* The cores of the index-th of `shares` shares, of cores that are sorted. Each lies in one node, where so
 * none has fewer cores than an equal part, rounded down, and no node is left over; else they are equal
 * parts. Count 0: there are fewer cores than shares. */
machine_range machine_share_of(const machine_core *cores, unsigned count, unsigned index,
                               unsigned shares);
/* The node of all these cores; MACHINE_NODE_UNKNOWN: there is none, they are of several, or it is not
 * known. */
int machine_node_of(const machine_core *cores, machine_range range);

typedef struct machine_gpu {
    unsigned ordinal, sharers; /* how many of the processes take it, at least 1 */
} machine_gpu;

/* The GPU of process `index` of `count`, each with the node it is at (NULL: none is known), of GPUs at
 * these nodes, at least one; of more than MACHINE_GPUS_MAX the first. None is taken by more processes
 * than must be; then processes have one of their own node where that has one left. */
machine_gpu machine_gpu_of(const int *nodes, unsigned count, unsigned index, const int *gpu_nodes,
                           unsigned gpus);

/* Finds `wanted` of at most MACHINE_GPUS_MAX GPUs whose links to each other cost least together, in ascending order. costs[a * gpus + b]: of
 * the link from a to b, the same both ways. Grown from each GPU in turn by the one that is nearest to those there are. */
void machine_gpus_near(const unsigned *costs, unsigned gpus, unsigned wanted, unsigned *out);

#endif
