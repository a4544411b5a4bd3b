/* query_device.c - see query_device.h. The GPU is opened for a statement that it is predicted to end sooner, alone or with stages on the
 * CPU, its opening included; or when what it would have saved in statements before, had it been open, is as much as opening takes. */
#include "api/query/query_device.h"

#include "api/choice/mix.h"
#include "api/choice/place.h"
#include "api/engine/accelerator.h"
#include "api/query/query_run.h"
#include "base/budget.h"
#include "device/cuda/capability.h"

#include <stdio.h>

#define ORDINAL 0        /* auto is the driver's first device */
#define SIMULATED_LIKE 9 /* without a file the simulated device is one of this generation */
#define MIX_WORTH 0.95   /* of the better one's time: predictions of stages are less certain */

/* ---- which device ---- */

static void stay_on_cpu(pistachio_result *result, const char *why)
{
    result->dev = dev_ref(result->engine->dev);
    snprintf(result->device_why, sizeof result->device_why, "device cpu: %s", why);
}

/* Returns why no GPU can take the statement, or NULL. */
static const char *why_only_cpu(const pistachio_result *result)
{
    if (result->engine->rank_count > 1)
        return "several ranks run on the CPU with device = auto";
    if (result->statement->kind == SQL_CACHE)
        return "the column cache is the CPU's";
    if (result->statement->query.has_nested)
        return "nested columns are read by the CPU alone";
    return api_reads_rows(&result->statement->query) ? NULL : "the statement reads no table";
}

/* Finds the figures of the GPU; without a file of them the driver is asked for the generation. */
static status find_figures(device_figures *out)
{
    int major, minor;
    if (device_figures_find(ORDINAL, out))
        return STATUS_OK;
    TRY(dev_cuda_capability(ORDINAL, &major, &minor));
    *out = device_figures_of(major, minor);
    return STATUS_OK;
}

static bool has_stages(const pistachio_result *result, const char *value)
{
    return !strcmp(result->settings.device_stages.text, value);
}

typedef struct prediction {
    placement at;
    bool is_open, mixes;
    double gpu, opening; /* seconds; gpu: with stages on the CPU, if mixes */
} prediction;

static status query_device_predict(pistachio_result *result, const device_figures *figures,
                                   prediction *p)
{
    uint64_t threads = result->engine->made_of.threads.number;
    cost_devices devices = {threads ? (unsigned)threads : setting_core_count(), *figures};
    TRY(place_by_cost(&result->statement->query, &devices, &p->at));
    const placement *at = &p->at;
    p->mixes = !has_stages(result, "whole") && !result->settings.device_mix.number &&
               at->both < MIX_WORTH * (at->cpu < at->device ? at->cpu : at->device);
    p->gpu = p->mixes ? at->both : at->device;
    p->opening = p->is_open ? 0 : figures->open_seconds;
    return STATUS_OK;
}

static void say(pistachio_result *result, const char *device, const prediction *p)
{
    char opening[48] = "", both[48] = "";
    if (!p->is_open)
        snprintf(opening, sizeof opening, " and %.0f ms to open it", p->opening * 1e3);
    if (p->mixes)
        snprintf(both, sizeof both, ", %.1f ms on both", p->at.both * 1e3);
    snprintf(result->device_why, sizeof result->device_why,
             "device %s: predicted %.1f ms on the CPU, %.1f ms on the GPU%s%s", device,
             p->at.cpu * 1e3, p->at.device * 1e3, both, opening);
}

/* Returns whether the GPU is worth it. */
static bool is_worth(pistachio_result *result, const prediction *p)
{
    if (p->at.cpu <= p->gpu)
        return false;
    double saved = p->at.cpu - p->gpu;
    return saved > p->opening || api_accelerator_miss(result->engine, saved) > p->opening;
}

static void stay_by_prediction(pistachio_result *result, prediction *p)
{
    result->dev = dev_ref(result->engine->dev);
    say(result, "cpu", p);
    p->mixes = false;
}

/* Chooses by cost. EXPLAIN alone opens nothing. *lost: why there is no GPU after all. */
static status choose_by_cost(pistachio_result *result, prediction *p, status *lost)
{
    device_figures figures;
    bool is_known = device_figures_find(ORDINAL, &figures);
    *p = (prediction){.is_open = api_accelerator_is_open(result->engine)};
    if (!is_known)
        figures = device_figures_best();
    TRY(query_device_predict(result, &figures, p));
    if (p->at.cpu <= p->gpu || (!is_known && p->at.cpu <= p->gpu + p->opening / 8)) {
        stay_by_prediction(result, p);
        return STATUS_OK;
    }
    if (!is_known) {
        *lost = find_figures(&figures);
        if (*lost)
            return STATUS_OK;
        TRY(query_device_predict(result, &figures, p));
    }
    if (!is_worth(result, p)) {
        stay_by_prediction(result, p);
        return STATUS_OK;
    }
    say(result, p->mixes ? "cuda and cpu" : "cuda", p);
    if (result->statement->kind == SQL_EXPLAIN)
        result->dev = dev_ref(result->engine->dev);
    else
        *lost = api_accelerator_open(result->engine, &result->dev);
    return STATUS_OK;
}

static status mix_placed(pistachio_result *result, const placement *at);

static status query_device_choose(pistachio_result *result)
{
    const char *why = why_only_cpu(result);
    if (strcmp(result->engine->made_of.device.text, "auto")) {
        result->dev = dev_ref(result->engine->dev);
        return STATUS_OK;
    }
    if (why) {
        stay_on_cpu(result, why);
        return STATUS_OK;
    }
    status lost = api_accelerator_check(result->engine);
    prediction p;
    if (lost) {
        stay_on_cpu(result, status_message(lost));
        status_free(lost);
        return STATUS_OK;
    }
    TRY(choose_by_cost(result, &p, &lost));
    if (!lost)
        return p.mixes ? mix_placed(result, &p.at) : STATUS_OK;
    bool is_absent = status_get_kind(lost) == STATUS_KIND_NOT_FOUND;
    api_accelerator_lose(result->engine, status_copy(lost));
    api_device_change(result, lost);
    if (is_absent) /* nobody needs to know that a machine has no GPU */
        *result->notice = '\0';
    return STATUS_OK;
}

/* Puts a device of a part of the memory in the place of the CPU's own, if the connection's statements may hold that alone. */
static status bound_memory(const pistachio_result *result, device **slot)
{
    uint64_t bytes = result->connection->memory;
    mem_budget *part;
    device *dev = *slot;
    if (!bytes || !dev || !dev->is_host)
        return STATUS_OK;
    TRY(mem_budget_new_within(dev->budget, "the user's memory", bytes, &part));
    status st = dev_open_cpu(result->engine->made_of.isa.text, dev->chunk_rows, part, slot);
    mem_budget_free(part); /* the device has it */
    if (st)
        *slot = dev;
    else
        dev_close(dev);
    return st;
}

status api_device_bound(pistachio_result *result)
{
    TRY(bound_memory(result, &result->dev));
    return bound_memory(result, &result->other_dev);
}

/* ---- some stages on the one, some on the other ---- */

/* Gives the query a CPU beside its device: the engine's, or one that counts against the same limit. */
static status add_cpu(pistachio_result *result)
{
    const settings *made_of = &result->engine->made_of;
    result->other_dev = NULL;
    if (result->engine->dev->is_host) {
        result->other_dev = dev_ref(result->engine->dev);
        return STATUS_OK;
    }
    return dev_open_cpu(made_of->isa.text, (uint32_t)made_of->chunk_rows.number,
                        dev_host(result->dev)->budget, &result->other_dev);
}

static void put_root_on_cpu(pistachio_result *result)
{
    device *const dev = result->dev;
    result->dev = result->other_dev;
    result->other_dev = dev;
}

/* Deals the plan's stages out as predicted. EXPLAIN has no device but the CPU. */
static status mix_placed(pistachio_result *result, const placement *at)
{
    bool is_shown = result->statement->kind == SQL_EXPLAIN && result->dev->is_host;
    const char *const names[] = {is_shown ? "cuda" : result->dev->ops->name, "cpu"};
    TRY(mix_as_placed(&result->statement->query, at->moves, names, at->root_on_cpu));
    if (is_shown)
        return STATUS_OK;
    TRY(add_cpu(result));
    if (at->root_on_cpu)
        put_root_on_cpu(result);
    return STATUS_OK;
}

/* Returns whether a device beside the CPU may share the statement with it. */
static bool may_mix(const pistachio_result *result)
{
    return !result->dev->is_host && strcmp(result->settings.result_memory.text, "device") &&
           result->statement->kind != SQL_CACHE && mix_is_possible(&result->statement->query);
}

static status mix_at_random_devices(pistachio_result *result)
{
    unsigned device_of_root;
    TRY(add_cpu(result));
    const char *const names[] = {result->dev->ops->name, "cpu"};
    TRY(mix_at_random(&result->statement->query, result->settings.device_mix.number, names,
                      &device_of_root));
    if (device_of_root)
        put_root_on_cpu(result);
    return STATUS_OK;
}

/* Places stages by cost, however much all of them would take on the CPU. */
static status mix_by_cost(pistachio_result *result)
{
    device_figures figures;
    prediction p = {.is_open = true};
    if (!strcmp(result->dev->ops->name, "cuda"))
        TRY(find_figures(&figures));
    else if (!device_figures_find(ORDINAL, &figures))
        figures = device_figures_of(SIMULATED_LIKE, 0);
    TRY(query_device_predict(result, &figures, &p));
    return p.at.both < p.at.device ? mix_placed(result, &p.at) : STATUS_OK;
}

/* Heeds the settings device_mix and device_stages. */
static status mix_devices(pistachio_result *result)
{
    if (result->other_dev || !may_mix(result))
        return STATUS_OK;
    if (result->settings.device_mix.number)
        return mix_at_random_devices(result);
    return has_stages(result, "cost") ? mix_by_cost(result) : STATUS_OK;
}

status api_device_choose(pistachio_result *result)
{
    TRY(query_device_choose(result));
    TRY(mix_devices(result));
    return api_device_bound(result);
}

/* ---- again on the CPU ---- */

/* Returns whether the failure would be the same on every device: of the statement, of its values, of its files. */
static bool is_of_statement(status failure)
{
    switch (status_get_kind(failure)) {
    case STATUS_KIND_IO:
    case STATUS_KIND_NO_MEMORY:
    case STATUS_KIND_LIMIT:
    case STATUS_KIND_UNSUPPORTED:
        return false;
    default:
        return true;
    }
}

static bool is_lost(device *dev)
{
    status st = dev_check(dev);
    status_free(st);
    return st;
}

/* Returns the one of the query's devices that is not the CPU, or NULL. */
static device *gpu_of(const pistachio_result *result)
{
    device *dev = result->dev && result->dev->is_host ? result->other_dev : result->dev;
    return dev && !dev->is_host ? dev : NULL;
}

bool api_device_may_change(const pistachio_result *result, status failure)
{
    if (!failure || result->has_given || !gpu_of(result) ||
        strcmp(result->engine->made_of.device.text, "auto") ||
        status_get_kind(failure) == STATUS_KIND_CANCELLED)
        return false;
    return !is_of_statement(failure) || is_lost(gpu_of(result));
}

void api_device_change(pistachio_result *result, status failure)
{
    snprintf(result->notice, sizeof result->notice, "the statement runs on the CPU: %s",
             status_message(failure));
    device *const gpu = gpu_of(result);
    if (gpu && is_lost(gpu))
        api_accelerator_lose(result->engine, status_copy(failure));
    dev_close(result->dev);
    dev_close(result->other_dev);
    result->other_dev = NULL;
    mix_undo(&result->statement->query);
    stay_on_cpu(result, status_message(failure));
    status_free(failure);
}
