/* explain.c - EXPLAIN and EXPLAIN ANALYZE: the plan as rows of text. */
#include "api/internal.h"

#include "plan/optimize.h"
#include "storage/calibrate.h"

#include <stdio.h>
#include <sys/sysmacros.h>
#include <time.h>

typedef struct annotation {
    const exec_query *query;
    char text[256];
} annotation;

/* All operators of a node together: a join has a build and a probe, an aggregate a sink and a
 * source. */
static const char *annotate(const plan_node *node, void *context)
{
    annotation *a = context;
    uint64_t rows = 0, nanoseconds = 0, bytes = 0, spilled = 0, memory = 0;
    for (size_t i = 0; i < a->query->operators.count; i++) {
        const exec_operator *op = a->query->operators.items[i];
        if (op->plan != node)
            continue;
        rows += atomic_load(&op->metrics.rows_out);
        nanoseconds += atomic_load(&op->metrics.nanoseconds);
        bytes += atomic_load(&op->metrics.bytes_read);
        spilled += atomic_load(&op->metrics.bytes_spilled);
        uint64_t peak = atomic_load(&op->metrics.memory_peak);
        memory = peak > memory ? peak : memory;
    }
    int at = snprintf(a->text, sizeof a->text, "  (rows %llu, %.3f s of all threads",
                      (unsigned long long)rows, (double)nanoseconds / 1e9);
    if (bytes)
        at += snprintf(a->text + at, sizeof a->text - (size_t)at, ", read %.1f MB",
                       (double)bytes / 1e6);
    if (spilled)
        at += snprintf(a->text + at, sizeof a->text - (size_t)at, ", spilled %.1f MB",
                       (double)spilled / 1e6);
    if (memory)
        at += snprintf(a->text + at, sizeof a->text - (size_t)at, ", memory %.1f MB",
                       (double)memory / 1e6);
    snprintf(a->text + at, sizeof a->text - (size_t)at, ")");
    return a->text;
}

/* ---- what storage could have done ---- */

int64_t api_nanoseconds(void)
{
    struct timespec ts;
    clock_gettime(CLOCK_MONOTONIC, &ts);
    return (int64_t)ts.tv_sec * 1000000000 + ts.tv_nsec;
}

static status add_line(pistachio_result *result, const char *format, ...) PRINTF_LIKE(2, 3);
static status add_line(pistachio_result *result, const char *format, ...)
{
    char line[4096 + 256];
    const char *cells[] = {line};
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    return api_made_row(result, cells);
}

/* How long reading took at least, where the devices' bandwidths are known: they read at the same
 * time. */
static status add_bound(pistachio_result *result, const exec_report *report, double *out_seconds)
{
    *out_seconds = 0;
    for (size_t i = 0; i < report->storage_count; i++) {
        const scan_storage *storage = &report->storage[i];
        uint64_t bytes = atomic_load(&storage->bytes);
        calibration c;
        if (!bytes)
            continue;
        if (!calibration_find(storage->device, &c)) {
            const char *slash = strrchr(storage->path, '/');
            size_t length = slash ? (size_t)(slash - storage->path) : 0;
            *out_seconds = 0;
            return add_line(result, "T_min is not known: run pistachio calibrate --path %.*s",
                            (int)(length ? length : 1), slash ? storage->path : ".");
        }
        double rate = (double)calibration_best(&c)->bytes_per_second;
        double seconds = (double)bytes / rate;
        *out_seconds = seconds > *out_seconds ? seconds : *out_seconds;
        TRY(add_line(result, "T_min %.3f s: %.1f MB from device %u:%u at %.1f MB/s", seconds,
                     (double)bytes / 1e6, major(storage->device), minor(storage->device),
                     rate / 1e6));
    }
    return STATUS_OK;
}

static status add_storage(pistachio_result *result)
{
    double bound, seconds = (double)(api_nanoseconds() - result->started) / 1e9;
    exec_report report;
    exec_query_report(result->query, &report);
    char again[64] = "";
    if (report.bytes_shared)
        snprintf(again, sizeof again, "; %.1f MB were kept and used again",
                 (double)report.bytes_shared / 1e6);
    TRY(add_line(result, "read %.1f MB from storage, %.1f MB in total%s",
                 (double)report.bytes_stored / 1e6,
                 (double)(report.bytes_stored + report.bytes_cached) / 1e6, again));
    TRY(add_bound(result, &report, &bound));
    if (bound > 0)
        return add_line(result, "time %.3f s, %.2f times T_min", seconds, seconds / bound);
    return add_line(result, "time %.3f s", seconds);
}

static status add_planning(pistachio_result *result)
{
    const plan_statement *plan = &result->statement->query;
    char text[512];
    uint64_t sum = 0;
    size_t at = 0;
    for (unsigned r = 0; r < PLAN_RULE_COUNT && at < sizeof text; r++) {
        uint64_t nanoseconds = plan->rule_nanoseconds[r];
        sum += nanoseconds;
        if (nanoseconds)
            at += (size_t)snprintf(text + at, sizeof text - at, "%s %s %.3f", at ? "," : ":",
                                   plan_rule_name((plan_rule)r), (double)nanoseconds / 1e6);
    }
    return add_line(result, "optimized in %.3f ms%s", (double)sum / 1e6, at ? text : "");
}

status api_explain(pistachio_result *result, bool with_metrics)
{
    static const char *const names[] = {"plan"};
    plan_statement *plan = &result->statement->query;
    annotation context = {.query = result->query};
    char *text = plan_text(plan->memory, plan, with_metrics ? annotate : NULL, &context);
    if (!text)
        return status_no_memory("plan", 0);
    result->made = (api_rows){.column_count = 1, .names = names};
    for (char *line = text; line && *line;) {
        char *end = strchr(line, '\n');
        if (end)
            *end = 0;
        const char *cells[] = {line};
        TRY(api_made_row(result, cells));
        line = end ? end + 1 : NULL;
    }
    if (!with_metrics)
        return STATUS_OK;
    TRY(add_planning(result));
    return add_storage(result);
}
