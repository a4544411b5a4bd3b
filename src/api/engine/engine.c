/* engine.c - the device and the workers behind a database: made when a query first needs them, and
 * made anew when settings ask for others. What runs on the old ones goes on there. */
#include "api/engine/engine.h"

#include "api/engine/accelerator.h"
#include "api/engine/cluster.h"
#include "api/engine/ranks.h"
#include "base/system/mutex.h"
#include "storage/copiers.h"
#include "storage/read.h"

static status open_engine(api_engine *engine, api_cluster *cluster)
{
    uint64_t threads = engine->made_of.threads.number;
    storage_use_threads(!strcmp(engine->made_of.io_engine.text, "threads"));
    storage_use_copiers((unsigned)(threads ? threads : setting_core_count()));
    return cluster ? api_cluster_open(cluster, engine) : api_ranks_open(engine);
}

static status engine_new(const settings *s, api_cluster *cluster, api_engine **out)
{
    api_engine *engine = mem_new(sizeof *engine);
    if (!engine)
        return status_no_memory("engine", sizeof *engine);
    atomic_init(&engine->references, 1);
    mutex_init(&engine->lock);
    api_accelerator_init(engine);
    engine->made_of = *s;
    status st = open_engine(engine, cluster);
    if (st)
        api_engine_unref(engine);
    else
        *out = engine;
    return st;
}

void api_engine_unref(api_engine *engine)
{
    if (!engine || atomic_fetch_sub(&engine->references, 1) != 1)
        return;
    api_accelerator_close(engine);
    api_ranks_close(engine);
    mutex_destroy(&engine->lock);
    mem_free(engine);
}

static bool is_made_of(const api_engine *engine, const settings *s)
{
    const settings *old = &engine->made_of;
    return old->threads.number == s->threads.number &&
           old->memory_limit.number == s->memory_limit.number &&
           old->chunk_rows.number == s->chunk_rows.number && old->ranks.number == s->ranks.number &&
           old->peer_timeout.number == s->peer_timeout.number &&
           old->network_seed.number == s->network_seed.number &&
           !strcmp(old->network_fault.text, s->network_fault.text) &&
           old->network_message_bytes.number == s->network_message_bytes.number &&
           old->device_memory_limit.number == s->device_memory_limit.number &&
           old->pinned_memory.number == s->pinned_memory.number &&
           old->simulated_launch_time.number == s->simulated_launch_time.number &&
           old->simulated_wait_time.number == s->simulated_wait_time.number &&
           old->simulated_seed.number == s->simulated_seed.number &&
           !strcmp(old->device.text, s->device.text) && !strcmp(old->isa.text, s->isa.text) &&
           !strcmp(old->io_engine.text, s->io_engine.text);
}

void api_engine_check(pistachio_database *database)
{
    api_engine_drop(database, false);
}

void api_engine_drop(pistachio_database *database, bool is_any)
{
    api_engine *old = NULL;
    mutex_lock(&database->lock);
    if (database->engine && (is_any || !is_made_of(database->engine, &database->settings))) {
        old = database->engine;
        database->engine = NULL;
        uint64_t peak = mem_budget_peak(old->budget);
        if (peak > database->memory_peak)
            database->memory_peak = peak;
    }
    mutex_unlock(&database->lock);
    api_engine_unref(old);
}

status api_engine_hold(pistachio_database *database, settings *out_settings, api_engine **out)
{
    status st = STATUS_OK;
    *out = NULL;
    mutex_lock(&database->lock);
    *out_settings = database->settings;
    if (!database->engine)
        st = engine_new(&database->settings, database->cluster, &database->engine);
    if (!st) {
        *out = database->engine;
        atomic_fetch_add(&database->engine->references, 1);
    }
    mutex_unlock(&database->lock);
    return st;
}
