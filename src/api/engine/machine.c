/* machine.c - see machine.h. */
#include "api/engine/machine.h"

#include "api/engine/engine_device.h"
#include "base/system/machine_share.h"

#include <dirent.h>
#include <limits.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The first line of a file of /sys, without its end; false: there is none. */
static bool machine_read_line(const char *folder, const char *name, const char *what, char *line,
                              int bytes)
{
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/%s/%s", folder, name, what);
    FILE *from = fopen(path, "re");
    bool is_read = from && fgets(line, bytes, from);
    if (from)
        fclose(from);
    if (is_read)
        line[strcspn(line, "\n")] = 0;
    return is_read && *line;
}

/* The node a device is at, for what its line says; "" where that is not known. */
static const char *engine_machine_node_of(const char *folder, const char *name, char *text,
                                          size_t bytes)
{
    char node[16];
    *text = 0;
    if (machine_read_line(folder, name, "device/numa_node", node, sizeof node) && *node != '-')
        snprintf(text, bytes, ", NUMA node %s", node);
    return text;
}

static void print_cores(FILE *to)
{
    cpu_set_t set;
    int count = sched_getaffinity(0, sizeof set, &set) ? 0 : CPU_COUNT(&set);
    long all = sysconf(_SC_NPROCESSORS_ONLN), pages = sysconf(_SC_PHYS_PAGES);
    fprintf(to, "  cores: %d of %ld, memory: %.1f GB\n", count ? count : (int)all, all,
            (double)pages * (double)sysconf(_SC_PAGESIZE) / 1e9);
}

/* Prints the cores that this thread, and so its process's workers, may use, as in "0-3,8", and the node of all. */
static void print_own_cores(FILE *to)
{
    machine_core cores[MACHINE_CORES_MAX];
    unsigned count = machine_cores(cores);
    int node = machine_node_of(cores, (machine_range){0, count});
    for (unsigned i = 0, last; i < count; i = last + 1) {
        for (last = i; last + 1 < count && cores[last + 1].cpu == cores[last].cpu + 1;)
            last++;
        fprintf(to, i ? ",%d" : "  works on cores %d", cores[i].cpu);
        if (last > i)
            fprintf(to, "-%d", cores[last].cpu);
    }
    if (count && node != MACHINE_NODE_UNKNOWN)
        fprintf(to, ", all of NUMA node %d", node);
    if (count)
        fputc('\n', to);
}

typedef void print_device(FILE *to, const char *folder, const char *name);

/* All in the folder, in the order of their names. */
static void print_all(FILE *to, const char *folder, print_device *print)
{
    struct dirent **found;
    int count = scandir(folder, &found, NULL, alphasort);
    for (int i = 0; i < count; i++) {
        if (found[i]->d_name[0] != '.')
            print(to, folder, found[i]->d_name);
        (free)(found[i]);
    }
    if (count >= 0)
        (free)(found);
}

static void print_node(FILE *to, const char *folder, const char *name)
{
    char cores[256];
    if (!strncmp(name, "node", 4) &&
        machine_read_line(folder, name, "cpulist", cores, sizeof cores))
        fprintf(to, "  NUMA node %s: cores %s\n", name + 4, cores);
}

/* Loopback and what is down is left out. */
static void print_network(FILE *to, const char *folder, const char *name)
{
    char state[32], speed[32] = "", node[64];
    if (!strcmp(name, "lo") || !machine_read_line(folder, name, "operstate", state, sizeof state) ||
        !strcmp(state, "down"))
        return;
    bool is_known = machine_read_line(folder, name, "speed", speed, sizeof speed) && *speed != '-';
    fprintf(to, "  network device %s: %s%s%s\n", name, is_known ? speed : "speed not known",
            is_known ? " Mbit/s" : "", engine_machine_node_of(folder, name, node, sizeof node));
}

static void print_infiniband(FILE *to, const char *folder, const char *name)
{
    char rate[64] = "rate not known", node[64];
    (void)machine_read_line(folder, name, "ports/1/rate", rate, sizeof rate);
    fprintf(to, "  RDMA device %s: %s%s\n", name, rate,
            engine_machine_node_of(folder, name, node, sizeof node));
}

/* Disks that something can be on: no loops, no memory. */
static void print_storage(FILE *to, const char *folder, const char *name)
{
    char sectors[32], spins[8] = "0", node[64];
    if (!strncmp(name, "loop", 4) || !strncmp(name, "ram", 3) || !strncmp(name, "zram", 4) ||
        !machine_read_line(folder, name, "size", sectors, sizeof sectors) || !strcmp(sectors, "0"))
        return;
    (void)machine_read_line(folder, name, "queue/rotational", spins, sizeof spins);
    fprintf(to, "  storage device %s: %.1f GB%s%s\n", name, strtod(sectors, NULL) * 512 / 1e9,
            *spins == '1' ? ", spinning" : "",
            engine_machine_node_of(folder, name, node, sizeof node));
}

/* A line for each GPU with several: how copies get there from the others. */
static void print_links(FILE *to, unsigned count)
{
    for (unsigned from = 0; from < count && count > 1; from++) {
        fprintf(to, "  GPU cuda:%u reaches", from);
        for (unsigned peer = 0; peer < count; peer++) {
            dev_cuda_link link = {0};
            if (peer == from)
                continue;
            status_free(dev_cuda_find_link(from, peer, &link));
            fprintf(to, "%s cuda:%u %s", peer > (from == 0) ? "," : "", peer,
                    link.is_direct ? "directly" : "by way of the host");
            if (link.is_direct && link.rank)
                fprintf(to, " (slower: rank %d)", link.rank);
        }
        fputc('\n', to);
    }
}

#define RANKS_SHOWN 8

/* A line for each number of ranks of one process that leaves GPUs out: which they take. */
static void print_near_gpus(FILE *to, unsigned count)
{
    unsigned near[MACHINE_GPUS_MAX];
    for (unsigned ranks = 2; ranks < count && ranks <= RANKS_SHOWN && count <= MACHINE_GPUS_MAX;
         ranks++) {
        status st = api_near_gpus(count, ranks, near);
        if (st) {
            status_free(st);
            return;
        }
        fprintf(to, "  GPUs of %u ranks of one process:", ranks);
        for (unsigned i = 0; i < ranks; i++)
            fprintf(to, "%s cuda:%u", i ? "," : "", near[i]);
        fputc('\n', to);
    }
}

/* Nothing where there is no driver, whatever keeps it. */
static void print_gpus(FILE *to, const api_neighbors *neighbors)
{
    int *nodes = NULL;
    unsigned count = 0;
    dev_codecs codecs = {0};
    char text[1024] = "";
    status_free(dev_cuda_nodes(&nodes, &count));
    for (unsigned i = 0; i < count; i++) {
        fprintf(to, "  GPU cuda:%u", i);
        if (nodes[i] != MACHINE_NODE_UNKNOWN)
            fprintf(to, ": NUMA node %d", nodes[i]);
        fputc('\n', to);
    }
    print_links(to, count);
    print_near_gpus(to, count);
    if (count)
        status_free(dev_cuda_codecs(&codecs));
    dev_codecs_text(&codecs, text, sizeof text);
    if (*text)
        fprintf(to, "  GPUs: %s\n", text);
    if (count && neighbors->count) {
        machine_gpu own =
            machine_gpu_of(neighbors->nodes, neighbors->count, neighbors->index, nodes, count);
        fprintf(to, "  device = cuda is cuda:%u", own.ordinal);
        if (own.sharers > 1)
            fprintf(to, ", which %u ranks share", own.sharers);
        fputc('\n', to);
    }
    mem_free(nodes);
}

status api_machine_text(const api_neighbors *neighbors, char **out)
{
    size_t bytes;
    *out = NULL;
    FILE *to = open_memstream(out, &bytes);
    if (!to)
        return status_no_memory("topology", 0);
    print_cores(to);
    print_own_cores(to);
    print_all(to, "/sys/devices/system/node", print_node);
    print_all(to, "/sys/class/net", print_network);
    print_all(to, "/sys/class/infiniband", print_infiniband);
    print_all(to, "/sys/block", print_storage);
    print_gpus(to, neighbors);
    if (!fclose(to))
        return STATUS_OK;
    (free)(*out);
    *out = NULL;
    return status_no_memory("topology", bytes);
}
