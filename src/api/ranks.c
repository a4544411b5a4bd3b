/* ranks.c - an engine's ranks. */
#include "api/ranks.h"

#include "net/local/local.h"

static status open_rank(const settings *s, api_rank *rank)
{
    uint64_t ranks = s->ranks.number;
    uint64_t threads = s->threads.number ? s->threads.number : setting_core_count();
    threads = threads / ranks ? threads / ranks : 1;
    TRY(mem_budget_new(s->memory_limit.number / ranks, &rank->budget));
    TRY(api_device_open(s, ranks, rank->budget, &rank->dev));
    return exec_pool_new((unsigned)threads, &rank->pool);
}

static status join_ranks(api_engine *engine)
{
    const net_fabric_options fabric = {.ranks = engine->rank_count};
    const net_options options = {.message_bytes =
                                     (uint32_t)engine->made_of.network_message_bytes.number};
    TRY(net_fabric_new(&fabric, &engine->fabric));
    for (unsigned rank = 0; rank < engine->rank_count; rank++)
        TRY(net_fabric_open(engine->fabric, rank, &options, &engine->ranks[rank].comm));
    return STATUS_OK;
}

status api_ranks_open(api_engine *engine)
{
    unsigned count = (unsigned)engine->made_of.ranks.number;
    count = count ? count : 1;
    engine->ranks = mem_new_array(count, sizeof *engine->ranks);
    if (!engine->ranks)
        return status_no_memory("ranks", count * sizeof *engine->ranks);
    engine->rank_count = count;
    for (unsigned rank = 0; rank < count; rank++)
        TRY(open_rank(&engine->made_of, &engine->ranks[rank]));
    engine->budget = engine->ranks[0].budget;
    engine->dev = engine->ranks[0].dev;
    engine->pool = engine->ranks[0].pool;
    return count > 1 ? join_ranks(engine) : STATUS_OK;
}

void api_ranks_close(api_engine *engine)
{
    for (unsigned rank = 0; rank < engine->rank_count; rank++)
        net_comm_close(engine->ranks[rank].comm);
    net_fabric_free(engine->fabric);
    for (unsigned rank = 0; rank < engine->rank_count; rank++) {
        exec_pool_free(engine->ranks[rank].pool);
        dev_close(engine->ranks[rank].dev);
        mem_budget_free(engine->ranks[rank].budget);
    }
    mem_free(engine->ranks);
}

plan_distribution api_distribution(const settings *s)
{
    plan_distribution d = {.ranks = (uint32_t)(s->ranks.number ? s->ranks.number : 1)};
    d.mode = !strcmp(s->distribute.text, "always")  ? DISTRIBUTE_ALWAYS
             : !strcmp(s->distribute.text, "never") ? DISTRIBUTE_NEVER
                                                    : DISTRIBUTE_AUTO;
    d.memory_bytes = s->memory_limit.number / d.ranks;
    return d;
}
