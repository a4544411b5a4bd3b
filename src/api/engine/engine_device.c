/* engine_device.c - the device of one rank, as settings say. */
#include "api/engine/engine_device.h"

#include "api/handles/handles.h"
#include "base/budget.h"
#include "base/system/machine_share.h"
#include "exec/scan/stored_cache.h"
#include "net/net.h"

#include <stdlib.h>

api_neighbors api_neighbors_find(const net_comm *comm, const int *nodes)
{
    api_neighbors out = {0};
    unsigned own = net_comm_rank(comm), ranks = net_comm_ranks(comm);
    for (unsigned rank = 0; rank < ranks; rank++)
        if (!strcmp(net_comm_host(comm, rank), net_comm_host(comm, own))) {
            out.index += rank < own;
            out.count++;
        }
    if (out.count == ranks)
        out.nodes = nodes;
    return out;
}

#define STAGED_COST 1000 /* of a link by way of the host; a direct one costs its rank */

status api_near_gpus(unsigned count, unsigned wanted, unsigned *near)
{
    unsigned *costs = mem_new_array((size_t)count * count, sizeof *costs);
    if (!costs)
        return status_no_memory("devices", (size_t)count * count * sizeof *costs);
    status st = STATUS_OK;
    for (unsigned i = 0; i < count * count && !st; i++) {
        dev_cuda_link link = {0};
        if (i / count != i % count)
            st = dev_cuda_find_link(i / count, i % count, &link);
        costs[i] = i / count == i % count ? 0 : link.is_direct ? (unsigned)link.rank : STAGED_COST;
    }
    if (!st)
        machine_gpus_near(costs, count, wanted, near);
    mem_free(costs);
    return st;
}

/* Ranks that are threads send rows from GPU to GPU. */
static status take_gpu(const api_neighbors *neighbors, const int *nodes, unsigned count,
                       machine_gpu *out)
{
    unsigned near[MACHINE_GPUS_MAX], wanted = neighbors->count;
    int near_nodes[MACHINE_GPUS_MAX];
    if (!neighbors->are_threads || wanted >= count || count > MACHINE_GPUS_MAX) {
        *out = machine_gpu_of(neighbors->nodes, wanted, neighbors->index, nodes, count);
        return STATUS_OK;
    }
    TRY(api_near_gpus(count, wanted, near));
    for (unsigned i = 0; i < wanted; i++)
        near_nodes[i] = nodes[near[i]];
    *out = machine_gpu_of(neighbors->nodes, wanted, neighbors->index, near_nodes, wanted);
    out->ordinal = near[out->ordinal];
    return STATUS_OK;
}

/* With cuda:N the N-th GPU, which all ranks share; with cuda a process's own of the machine's, as far as
 * there are enough. Ranks that share nothing else of their machine do not share a GPU's memory either: each
 * may have been given a GPU by whoever started it. */
static status choose_gpu(const settings *s, unsigned ranks, const api_neighbors *neighbors,
                         machine_gpu *out)
{
    const char *colon = strchr(s->device.text, ':');
    int *nodes;
    unsigned count;
    *out = (machine_gpu){0, ranks};
    if (colon)
        out->ordinal = (unsigned)strtoul(colon + 1, NULL, 10);
    if (colon || !strcmp(s->device.text, "simulated") || neighbors->count < 2)
        return STATUS_OK;
    TRY(dev_cuda_nodes(&nodes, &count));
    status st = count ? take_gpu(neighbors, nodes, count, out) : STATUS_OK;
    mem_free(nodes);
    TRY(st);
    out->sharers = out->sharers < ranks ? out->sharers : ranks;
    return STATUS_OK;
}

/* A device with memory of its own has a budget of its own. What the host does for it, decompression for one, it does
 * as it does for itself. */
static status open_lazy_device(const settings *s, unsigned ordinal, mem_budget *budget,
                               device **out)
{
    uint32_t chunk_rows = (uint32_t)s->chunk_rows.number;
    cpu_isa host_isa;
    if (!cpu_isa_find(s->isa.text, &host_isa))
        return status_new(STATUS_KIND_INVALID, "this machine has no isa \"%s\"", s->isa.text);
    if (strcmp(s->device.text, "simulated")) {
        TRY(dev_open_cuda(ordinal, chunk_rows, budget, out));
        (*out)->host_isa = host_isa;
        if (!s->pinned_memory.number)
            dev_cuda_unpin(*out);
        return STATUS_OK;
    }
    TRY(dev_open_simulated(chunk_rows, budget, out));
    (*out)->host_isa = host_isa;
    dev_simulated_seed(*out, s->simulated_seed.number);
    return dev_simulated_cost(*out, s->simulated_launch_time.number, s->simulated_wait_time.number);
}

/* A device with memory of its own has a limit of its own: what the setting says, but not more than there is. */
static status limit_of_device(const settings *s, unsigned ordinal, uint64_t *limit)
{
    uint64_t has;
    *limit = s->device_memory_limit.number;
    if (!strcmp(s->device.text, "simulated")) {
        *limit = *limit ? *limit : s->memory_limit.number;
        return STATUS_OK;
    }
    TRY(dev_cuda_memory(ordinal, &has));
    if (!*limit || *limit > has)
        *limit = has;
    return STATUS_OK;
}

/* One column of a chunk, of the widest type, must be there twice: as it was and as it becomes. */
static status check_chunk_rows(const settings *s, uint64_t limit)
{
    uint64_t least = s->chunk_rows.number * sizeof(int128) * 2;
    if (!s->chunk_rows.number || least <= limit)
        return STATUS_OK;
    return status_hint(status_new(STATUS_KIND_INVALID,
                                  "chunk_rows of %llu need at least %llu bytes of the device's "
                                  "memory, of which there are %llu",
                                  (unsigned long long)s->chunk_rows.number,
                                  (unsigned long long)least, (unsigned long long)limit),
                       "SET chunk_rows to less or to auto, or device_memory_limit to more");
}

status api_device_open(const settings *s, uint64_t ranks, const api_neighbors *neighbors,
                       mem_budget *budget, device **out)
{
    uint32_t chunk_rows = (uint32_t)s->chunk_rows.number;
    bool is_host_memory = !strcmp(s->device.text, "simulated") && !s->device_memory_limit.number;
    uint64_t limit;
    mem_budget *own;
    machine_gpu gpu;
    if (!strcmp(s->device.text, "cpu") || !strcmp(s->device.text, "auto"))
        return dev_open_cpu(s->isa.text, chunk_rows, budget, out);
    TRY(choose_gpu(s, (unsigned)ranks, neighbors, &gpu));
    TRY(limit_of_device(s, gpu.ordinal, &limit));
    limit /= gpu.sharers;
    TRY(check_chunk_rows(s, limit));
    TRY(mem_budget_new_of(is_host_memory ? "memory_limit" : "device_memory_limit", limit, &own));
    mem_budget_set_parts(own, gpu.sharers);
    status st = open_lazy_device(s, gpu.ordinal, own, out);
    mem_budget_free(own);
    if (!st)
        st = stored_cache_open(*out);
    return st ? st : dev_host_open(*out, budget);
}
