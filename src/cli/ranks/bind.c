/* bind.c - see bind.h. */
#include "cli/ranks/bind.h"

#include "base/system/machine_share.h"

#include <sched.h>

void cli_bind(unsigned index, unsigned count, int *nodes)
{
    static machine_core cores[MACHINE_CORES_MAX];
    unsigned found = machine_cores(cores);
    cpu_set_t own;
    CPU_ZERO(&own);
    if (found < count)
        return;
    machine_sort_cores(cores, found);
    for (unsigned share = 0; share < count; share++) {
        machine_range range = machine_share_of(cores, found, share, count);
        nodes[share] = machine_node_of(cores, range);
        for (unsigned i = 0; share == index && i < range.count; i++)
            CPU_SET(cores[range.first + i].cpu, &own);
    }
    (void)sched_setaffinity(0, sizeof own, &own); /* else it is as it was */
}
