/* ranks.c - an engine's ranks. */
#include "api/engine/ranks.h"

#include "api/engine/cluster.h"
#include "api/engine/engine_device.h"
#include "base/budget.h"
#include "exec/scan/scan_cache.h"
#include "exec/scan/scan_deal.h"
#include "net/local/fabric.h"
#include "net/local/local.h"

#include <stdio.h>

/* A rank that is a thread has the other ranks of its process as neighbours. */
static api_neighbors neighbors_of(const api_engine *engine, const api_rank *place)
{
    if (engine->place_count < 2)
        return engine->neighbors;
    return (api_neighbors){.index = (unsigned)(place - engine->ranks),
                           .count = engine->place_count,
                           .are_threads = true};
}

status api_ranks_open_place(const api_engine *engine, api_rank *place)
{
    const api_neighbors neighbors = neighbors_of(engine, place);
    const settings *s = &engine->made_of;
    unsigned sharers = engine->sharers;
    uint64_t threads = s->threads.number ? s->threads.number : setting_core_count();
    threads = threads / sharers ? threads / sharers : 1;
    TRY(mem_budget_new(s->memory_limit.number / sharers, &place->budget));
    mem_budget_set_parts(place->budget, sharers);
    mem_budget_set_lender(place->budget, &scan_cache_lender, NULL);
    TRY(api_device_open(s, sharers, &neighbors, place->budget, &place->dev));
    return exec_pool_new((unsigned)threads, &place->pool);
}

/* kind:rank:frame */
static status parse_fault(const char *text, net_fabric_options *out)
{
    static const char *const names[] = {[NET_FAULT_NONE] = "none",
                                        [NET_FAULT_GONE] = "gone",
                                        [NET_FAULT_SILENT] = "silent",
                                        [NET_FAULT_RUBBISH] = "rubbish"};
    unsigned long long frame = 0;
    size_t bytes = strcspn(text, ":");
    for (unsigned kind = 0; kind < sizeof names / sizeof *names; kind++)
        if (strlen(names[kind]) == bytes && !strncmp(names[kind], text, bytes)) {
            out->fault = (net_fault_kind)kind;
            if (kind == NET_FAULT_NONE ||
                sscanf(text + bytes, ":%u:%llu", &out->fault_rank, &frame) == 2) {
                out->fault_frame = frame;
                return STATUS_OK;
            }
        }
    return status_hint(status_new(STATUS_KIND_INVALID, "network_fault cannot be \"%s\"", text),
                       "none, or gone, silent or rubbish with a rank and a number: gone:1:20");
}

static status join_ranks(api_engine *engine)
{
    const settings *s = &engine->made_of;
    net_fabric_options fabric = {.ranks = engine->rank_count, .seed = s->network_seed.number};
    const net_options options = {.message_bytes = (uint32_t)s->network_message_bytes.number,
                                 .peer_timeout_ms = (uint32_t)s->peer_timeout.number};
    TRY(parse_fault(s->network_fault.text, &fabric));
    TRY(net_fabric_new(&fabric, &engine->fabric));
    for (unsigned rank = 0; rank < engine->rank_count; rank++)
        TRY(net_fabric_open(engine->fabric, rank, &options, &engine->ranks[rank].comm));
    return STATUS_OK;
}

/* Devices of ranks of this process reach each other's memory, where the machine can. */
static status meet_devices(const api_engine *engine)
{
    for (unsigned i = 0; i < engine->place_count; i++)
        for (unsigned k = 0; k < engine->place_count; k++) {
            device *dev = engine->ranks[i].dev;
            if (i != k && dev->ops->meet)
                TRY(dev->ops->meet(dev, engine->ranks[k].dev));
        }
    return STATUS_OK;
}

status api_ranks_open(api_engine *engine)
{
    unsigned count = (unsigned)engine->made_of.ranks.number;
    count = count ? count : 1;
    engine->ranks = mem_new_array(count, sizeof *engine->ranks);
    if (!engine->ranks)
        return status_no_memory("ranks", count * sizeof *engine->ranks);
    engine->rank_count = engine->place_count = engine->sharers = count;
    for (unsigned rank = 0; rank < count; rank++)
        TRY(api_ranks_open_place(engine, &engine->ranks[rank]));
    engine->budget = engine->ranks[0].budget;
    engine->dev = engine->ranks[0].dev;
    engine->pool = engine->ranks[0].pool;
    TRY(meet_devices(engine));
    return count > 1 ? join_ranks(engine) : STATUS_OK;
}

void api_ranks_close(api_engine *engine)
{
    for (unsigned rank = 0; engine->fabric && rank < engine->place_count; rank++)
        net_comm_close(engine->ranks[rank].comm);
    net_fabric_free(engine->fabric);
    for (unsigned rank = 0; rank < engine->place_count; rank++) {
        exec_pool_free(engine->ranks[rank].pool);
        dev_retire(engine->ranks[rank].dev);
        dev_close(engine->ranks[rank].dev);
        mem_budget_free(engine->ranks[rank].budget);
    }
    api_comm_unref(engine->comm);
    mem_free(engine->ranks);
}

plan_distribution api_distribution(const api_engine *engine, const settings *s)
{
    plan_distribution d = {.ranks = engine->rank_count, .weigh = scan_weigh};
    d.mode = !strcmp(s->distribute.text, "always")  ? DISTRIBUTE_ALWAYS
             : !strcmp(s->distribute.text, "never") ? DISTRIBUTE_NEVER
                                                    : DISTRIBUTE_AUTO;
    d.has_heavy_keys = s->heavy_keys.number;
    d.memory_bytes = engine->made_of.memory_limit.number / engine->sharers;
    return d;
}
