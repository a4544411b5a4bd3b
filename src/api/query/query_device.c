/* query_device.c - see query_device.h. The GPU is opened for a statement that it is predicted to end sooner, its opening
 * included; or when what it would have saved in statements before, had it been open, is as much as opening takes. */
#include "api/query/query_device.h"

#include "api/choice/cost.h"
#include "api/choice/mix.h"
#include "api/engine/accelerator.h"
#include "api/query/query_run.h"
#include "base/budget.h"
#include "device/cuda/capability.h"

#include <stdio.h>

#define ORDINAL 0 /* auto is the driver's first device */

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

typedef struct prediction {
    statement_work work;
    unsigned threads;
    bool is_open;
    double cpu, gpu, opening; /* seconds */
} prediction;

static void query_device_predict(prediction *p, const device_figures *figures)
{
    p->cpu = cost_on_cpu(&p->work, p->threads);
    p->gpu = cost_on_device(&p->work, p->threads, figures);
    p->opening = p->is_open ? 0 : figures->open_seconds;
}

static void say(pistachio_result *result, const char *device, const prediction *p)
{
    char opening[48] = "";
    if (!p->is_open)
        snprintf(opening, sizeof opening, " and %.0f ms to open it", p->opening * 1e3);
    snprintf(result->device_why, sizeof result->device_why,
             "device %s: predicted %.1f ms on the CPU, %.1f ms on the GPU%s", device, p->cpu * 1e3,
             p->gpu * 1e3, opening);
}

/* Returns whether the GPU is worth it. */
static bool is_worth(pistachio_result *result, const prediction *p)
{
    if (p->cpu <= p->gpu)
        return false;
    double saved = p->cpu - p->gpu;
    return saved > p->opening || api_accelerator_miss(result->engine, saved) > p->opening;
}

static void stay_by_prediction(pistachio_result *result, const prediction *p)
{
    result->dev = dev_ref(result->engine->dev);
    say(result, "cpu", p);
}

/* Chooses by cost. EXPLAIN alone opens nothing. */
static status choose_by_cost(pistachio_result *result)
{
    device_figures figures;
    prediction p = {.is_open = api_accelerator_is_open(result->engine)};
    uint64_t threads = result->engine->made_of.threads.number;
    p.threads = threads ? (unsigned)threads : setting_core_count();
    statement_work_count(&result->statement->query, &p.work);
    bool is_known = device_figures_find(ORDINAL, &figures);
    if (!is_known)
        figures = device_figures_best();
    query_device_predict(&p, &figures);
    if (p.cpu <= p.gpu || (!is_known && p.cpu <= p.gpu + p.opening / 8)) {
        stay_by_prediction(result, &p);
        return STATUS_OK;
    }
    if (!is_known) {
        TRY(find_figures(&figures));
        query_device_predict(&p, &figures);
    }
    if (!is_worth(result, &p)) {
        stay_by_prediction(result, &p);
        return STATUS_OK;
    }
    say(result, "cuda", &p);
    if (result->statement->kind == SQL_EXPLAIN) {
        result->dev = dev_ref(result->engine->dev);
        return STATUS_OK;
    }
    return api_accelerator_open(result->engine, &result->dev);
}

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
    if (lost) {
        stay_on_cpu(result, status_message(lost));
        status_free(lost);
        return STATUS_OK;
    }
    status st = choose_by_cost(result);
    if (!st)
        return STATUS_OK;
    bool is_absent = status_get_kind(st) == STATUS_KIND_NOT_FOUND;
    api_accelerator_lose(result->engine, status_copy(st));
    api_device_change(result, st);
    if (is_absent) /* nobody needs to know that a machine has no GPU */
        *result->notice = '\0';
    return STATUS_OK;
}

/* Puts a device of a part of the memory in the place of the CPU's own, if the connection's statements may hold that alone. */
static status bound_memory(pistachio_result *result)
{
    uint64_t bytes = result->connection->memory;
    mem_budget *part;
    device *dev = result->dev;
    if (!bytes || !dev->is_host)
        return STATUS_OK;
    TRY(mem_budget_new_within(dev->budget, "the user's memory", bytes, &part));
    status st = dev_open_cpu(result->engine->made_of.isa.text, dev->chunk_rows, part, &result->dev);
    mem_budget_free(part); /* the device has it */
    if (st)
        result->dev = dev;
    else
        dev_close(dev);
    return st;
}

/* ---- some stages on the one, some on the other ---- */

/* Returns whether setting device_mix is heeded: where there is a device beside the CPU. */
static bool wants_mix(const pistachio_result *result)
{
    const settings *s = &result->settings;
    return s->device_mix.number && !result->dev->is_host &&
           strcmp(s->result_memory.text, "device") && result->statement->kind != SQL_CACHE &&
           mix_is_possible(&result->statement->query);
}

/* Deals the plan's stages out to the device and a CPU beside it, which counts against the same limit. */
static status mix_devices(pistachio_result *result)
{
    const settings *made_of = &result->engine->made_of;
    device *const dev = result->dev;
    device *cpu;
    unsigned device_of_root;
    if (!wants_mix(result))
        return STATUS_OK;
    TRY(dev_open_cpu(made_of->isa.text, (uint32_t)made_of->chunk_rows.number, dev_host(dev)->budget,
                     &cpu));
    result->other_dev = cpu;
    const char *const names[] = {dev->ops->name, cpu->ops->name};
    TRY(mix_at_random(&result->statement->query, result->settings.device_mix.number, names,
                      &device_of_root));
    if (device_of_root) {
        result->dev = cpu;
        result->other_dev = dev;
    }
    return STATUS_OK;
}

status api_device_choose(pistachio_result *result)
{
    TRY(query_device_choose(result));
    TRY(bound_memory(result));
    return mix_devices(result);
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

bool api_device_may_change(const pistachio_result *result, status failure)
{
    if (!failure || !result->dev || result->dev == result->engine->dev || result->has_given ||
        strcmp(result->engine->made_of.device.text, "auto") ||
        status_get_kind(failure) == STATUS_KIND_CANCELLED)
        return false;
    return !is_of_statement(failure) || is_lost(result->dev);
}

void api_device_change(pistachio_result *result, status failure)
{
    snprintf(result->notice, sizeof result->notice, "the statement runs on the CPU: %s",
             status_message(failure));
    if (result->dev && is_lost(result->dev))
        api_accelerator_lose(result->engine, status_copy(failure));
    dev_close(result->dev);
    stay_on_cpu(result, status_message(failure));
    status_free(failure);
}
