/* machine.c - see machine.h. */
#include "base/system/machine.h"

#include <assert.h>
#include <ctype.h>
#include <dirent.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CORE_FOLDER "/sys/devices/system/cpu/cpu%d"
#define PATH_BYTES 128

static_assert(MACHINE_CORES_MAX >= CPU_SETSIZE, "every core of a set");

/* The number in a file; `other` where it is not said. */
static int machine_read_number(const char *path, int other)
{
    int number;
    FILE *file = fopen(path, "re");
    if (!file)
        return other;
    if (fscanf(file, "%d", &number) != 1)
        number = other;
    fclose(file);
    return number;
}

static int topology_of(int cpu, const char *what)
{
    char path[PATH_BYTES];
    snprintf(path, sizeof path, CORE_FOLDER "/topology/%s", cpu, what);
    return machine_read_number(path, 0);
}

/* A core's folder has a link "nodeN". */
static int base_machine_node_of(int cpu)
{
    char path[PATH_BYTES];
    int node = MACHINE_NODE_UNKNOWN;
    snprintf(path, sizeof path, CORE_FOLDER, cpu);
    DIR *folder = opendir(path);
    if (!folder)
        return node;
    for (const struct dirent *entry; node < 0 && (entry = readdir(folder));)
        if (!strncmp(entry->d_name, "node", 4) && isdigit((unsigned char)entry->d_name[4]))
            node = (int)strtol(entry->d_name + 4, NULL, 10);
    closedir(folder);
    return node;
}

unsigned machine_cores(machine_core *out)
{
    cpu_set_t may;
    unsigned found = 0;
    if (sched_getaffinity(0, sizeof may, &may))
        return 0;
    for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
        if (CPU_ISSET(cpu, &may))
            out[found++] = (machine_core){cpu, base_machine_node_of(cpu),
                                          topology_of(cpu, "physical_package_id"),
                                          topology_of(cpu, "core_id")};
    return found;
}

int machine_pci_node(const char *bus_id)
{
    char path[PATH_BYTES], name[32] = "";
    for (size_t i = 0; i + 1 < sizeof name && bus_id[i]; i++)
        name[i] = (char)tolower((unsigned char)bus_id[i]);
    snprintf(path, sizeof path, "/sys/bus/pci/devices/%s/numa_node", name);
    int node = machine_read_number(path, MACHINE_NODE_UNKNOWN);
    return node < 0 ? MACHINE_NODE_UNKNOWN : node;
}
