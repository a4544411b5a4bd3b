/* bind.c - see bind.h. */
#include "cli/bind.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct core {
    int cpu, package, core;
} core;

/* A number of /sys; 0 where it is not said. */
static int topology_of(int cpu, const char *what)
{
    char path[128];
    int number = 0;
    snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%d/topology/%s", cpu, what);
    FILE *f = fopen(path, "re");
    if (!f)
        return 0;
    if (fscanf(f, "%d", &number) != 1)
        number = 0;
    fclose(f);
    return number;
}

static int by_place(const void *a, const void *b)
{
    const core *x = a, *y = b;
    if (x->package != y->package)
        return x->package < y->package ? -1 : 1;
    if (x->core != y->core)
        return x->core < y->core ? -1 : 1;
    return (x->cpu > y->cpu) - (x->cpu < y->cpu);
}

void cli_bind(unsigned index, unsigned count)
{
    static core cores[CPU_SETSIZE];
    cpu_set_t may, share;
    unsigned found = 0;
    if (sched_getaffinity(0, sizeof may, &may) || (unsigned)CPU_COUNT(&may) < count)
        return;
    for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
        if (CPU_ISSET(cpu, &may))
            cores[found++] =
                (core){cpu, topology_of(cpu, "physical_package_id"), topology_of(cpu, "core_id")};
    qsort(cores, found, sizeof *cores, by_place);
    CPU_ZERO(&share);
    for (unsigned i = found * index / count; i < found * (index + 1) / count; i++)
        CPU_SET(cores[i].cpu, &share);
    (void)sched_setaffinity(0, sizeof share, &share); /* else it is as it was */
}
