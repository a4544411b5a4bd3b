/* engine_device.c - the device of one rank, as settings say. */
#include "api/internal.h"

#include <stdlib.h>

/* Of cuda or cuda:N. */
static unsigned cuda_ordinal(const char *text)
{
    const char *colon = strchr(text, ':');
    return colon ? (unsigned)strtoul(colon + 1, NULL, 10) : 0;
}

/* A device with memory of its own has a budget of its own. What the host does for it, decompression for one, it does
 * as it does for itself. */
static status open_lazy_device(const settings *s, mem_budget *budget, device **out)
{
    uint32_t chunk_rows = (uint32_t)s->chunk_rows.number;
    cpu_isa host_isa;
    if (!cpu_isa_find(s->isa.text, &host_isa))
        return status_new(STATUS_KIND_INVALID, "this machine has no isa \"%s\"", s->isa.text);
    if (strcmp(s->device.text, "simulated")) {
        TRY(dev_open_cuda(cuda_ordinal(s->device.text), chunk_rows, budget, out));
        (*out)->host_isa = host_isa;
        return STATUS_OK;
    }
    TRY(dev_open_simulated(chunk_rows, budget, out));
    (*out)->host_isa = host_isa;
    dev_simulated_seed(*out, s->simulated_seed.number);
    return dev_simulated_cost(*out, s->simulated_launch_time.number, s->simulated_wait_time.number);
}

/* Not more than the device has. */
static status bound_by_device(const settings *s, uint64_t *limit)
{
    uint64_t has;
    if (!strcmp(s->device.text, "simulated"))
        return STATUS_OK;
    TRY(dev_cuda_memory(cuda_ordinal(s->device.text), &has));
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

status api_device_open(const settings *s, uint64_t ranks, mem_budget *budget, device **out)
{
    uint32_t chunk_rows = (uint32_t)s->chunk_rows.number;
    uint64_t limit = s->device_memory_limit.number;
    mem_budget *own;
    if (!strcmp(s->device.text, "cpu"))
        return dev_open_cpu(s->isa.text, chunk_rows, budget, out);
    limit = limit ? limit : s->memory_limit.number;
    TRY(bound_by_device(s, &limit));
    limit /= ranks;
    TRY(check_chunk_rows(s, limit));
    TRY(mem_budget_new_of(s->device_memory_limit.number ? "device_memory_limit" : "memory_limit",
                          limit, &own));
    status st = open_lazy_device(s, own, out);
    mem_budget_free(own);
    return st ? st : dev_host_open(*out, budget);
}
