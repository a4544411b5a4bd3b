/* engine.c - the device and the workers behind a database: made when a query first needs them, and
 * made anew when settings ask for others. What runs on the old ones goes on there. */
#include "api/internal.h"
#include "storage/read.h"

#include <stdlib.h>

/* Of cuda or cuda:N. */
static unsigned cuda_ordinal(const char *text)
{
    const char *colon = strchr(text, ':');
    return colon ? (unsigned)strtoul(colon + 1, NULL, 10) : 0;
}

static status open_engine(api_engine *engine)
{
    const settings *s = &engine->made_of;
    unsigned threads = s->threads.number ? (unsigned)s->threads.number : setting_core_count();
    uint32_t chunk_rows = (uint32_t)s->chunk_rows.number;
    storage_use_threads(!strcmp(s->io_engine.text, "threads"));
    TRY(mem_budget_new(s->memory_limit.number, &engine->budget));
    if (!strcmp(s->device.text, "simulated"))
        TRY(dev_open_simulated(chunk_rows, engine->budget, &engine->dev));
    else if (!strncmp(s->device.text, "cuda", 4))
        TRY(dev_open_cuda(cuda_ordinal(s->device.text), chunk_rows, engine->budget, &engine->dev));
    else
        TRY(dev_open_cpu(s->isa.text, chunk_rows, engine->budget, &engine->dev));
    return exec_pool_new(threads, &engine->pool);
}

static status engine_new(const settings *s, api_engine **out)
{
    api_engine *engine = mem_new(sizeof *engine);
    if (!engine)
        return status_no_memory("engine", sizeof *engine);
    atomic_init(&engine->references, 1);
    engine->made_of = *s;
    status st = open_engine(engine);
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
    exec_pool_free(engine->pool);
    dev_close(engine->dev);
    mem_budget_free(engine->budget);
    mem_free(engine);
}

static bool is_made_of(const api_engine *engine, const settings *s)
{
    const settings *old = &engine->made_of;
    return old->threads.number == s->threads.number &&
           old->memory_limit.number == s->memory_limit.number &&
           old->chunk_rows.number == s->chunk_rows.number &&
           !strcmp(old->device.text, s->device.text) && !strcmp(old->isa.text, s->isa.text) &&
           !strcmp(old->io_engine.text, s->io_engine.text);
}

void api_engine_check(pistachio_database *database)
{
    api_engine *old = NULL;
    pthread_mutex_lock(&database->lock);
    if (database->engine && !is_made_of(database->engine, &database->settings)) {
        old = database->engine;
        database->engine = NULL;
        uint64_t peak = mem_budget_peak(old->budget);
        if (peak > database->memory_peak)
            database->memory_peak = peak;
    }
    pthread_mutex_unlock(&database->lock);
    api_engine_unref(old);
}

status api_engine_hold(pistachio_database *database, settings *out_settings, api_engine **out)
{
    status st = STATUS_OK;
    *out = NULL;
    pthread_mutex_lock(&database->lock);
    *out_settings = database->settings;
    if (!database->engine)
        st = engine_new(&database->settings, &database->engine);
    if (!st) {
        *out = database->engine;
        atomic_fetch_add(&database->engine->references, 1);
    }
    pthread_mutex_unlock(&database->lock);
    return st;
}
