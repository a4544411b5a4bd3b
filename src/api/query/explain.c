/* explain.c - EXPLAIN and EXPLAIN ANALYZE: the plan as rows of text. */
#include "api/query/explain.h"

#include "api/query/result.h"
#include "api/ranks/explain_metrics.h"
#include "api/ranks/ranked.h"
#include "parquet/table/table_given.h"
#include "plan/nodes/plan_text.h"
#include "plan/rules/optimize.h"
#include "plan/tree/rule.h"
#include "storage/calibrate.h"

#include <stdio.h>
#include <sys/sysmacros.h>
#include <time.h>

typedef struct annotation {
    const exec_query *query; /* that has run; NULL: estimates alone */
    const plan_statement *plan;
    const node_metrics *all; /* by rank, then by number of the node; NULL: of one rank */
    const uint64_t *peers;   /* as of ranked_metrics, or NULL */
    unsigned ranks;
    uint64_t nanoseconds; /* of all operators */
    char before[96], behind[640];
} annotation;

/* Counts of what a lazy device was told to do. */
typedef struct device_work {
#define ITEM(name, text) uint64_t name;
    DEV_WORK_LIST(ITEM)
#undef ITEM
} device_work;

static void add_work(device_work *sum, const dev_work *work)
{
#define ITEM(name, text) sum->name += atomic_load(&work->name);
    DEV_WORK_LIST(ITEM)
#undef ITEM
}

/* ", launches 12, copies 3": what there was none of is left out. */
static void describe_work(const device_work *work, const char *before, char *text, size_t bytes)
{
    size_t at = strlen(text);
#define ITEM(name, what)                                                                           \
    if (work->name && &work->name != &work->kernel_nanoseconds && at < bytes) {                    \
        at += (size_t)snprintf(text + at, bytes - at, "%s%s %llu", *text ? ", " : before, what,    \
                               (unsigned long long)work->name);                                    \
    }
    DEV_WORK_LIST(ITEM)
#undef ITEM
    if (work->kernel_nanoseconds && at < bytes)
        snprintf(text + at, bytes - at, "%skernels %.6f s", *text ? ", " : before,
                 (double)work->kernel_nanoseconds / 1e9);
}

/* Adds the work of the node's operators, or of all. */
static void add_work_of(device_work *work, const exec_query *query, const plan_node *node,
                        bool is_of_all)
{
    for (size_t i = 0; i < query->operators.count; i++)
        if (is_of_all || query->operators.items[i]->plan == node)
            add_work(work, &query->operators.items[i]->metrics.work);
    for (size_t i = 0; i < query->parts.count; i++)
        add_work_of(work, query->parts.items[i], node, is_of_all);
}

/* Sums the metrics of one rank, or of several together. */
static node_metrics sum_of(const annotation *a, const plan_node *node)
{
    if (!a->all)
        return metrics_of(a->query, node);
    node_metrics sum = {0};
    size_t count = metrics_count(a->plan), number = metrics_number(a->plan, node);
    for (unsigned rank = 0; rank < a->ranks; rank++)
        metrics_add(&sum, &a->all[rank * count + number]);
    return sum;
}

static void add_bytes(annotation *a, const char *what, uint64_t bytes)
{
    size_t at = strlen(a->behind);
    if (bytes)
        snprintf(a->behind + at, sizeof a->behind - at, "%s%s %.1f MB", at ? ", " : "  (", what,
                 (double)bytes / 1e6);
}

/* Adds the rows of several ranks that a join takes, together, and the most that one of them takes. */
static void add_probed(annotation *a, const node_metrics *m)
{
    size_t at = strlen(a->behind);
    if (a->all && m->probed)
        snprintf(a->behind + at, sizeof a->behind - at, "%sprobed %llu, at most %llu on a rank",
                 at ? ", " : "  (", (unsigned long long)m->probed,
                 (unsigned long long)m->probed_most);
}

static void add_files(annotation *a, const node_metrics *m)
{
    size_t at = strlen(a->behind);
    if (m->files)
        snprintf(a->behind + at, sizeof a->behind - at, "%sfiles %llu, opened %llu",
                 at ? ", " : "  (", (unsigned long long)m->files,
                 (unsigned long long)m->files_opened);
}

static void add_taken(annotation *a, const node_metrics *m)
{
    size_t at = strlen(a->behind);
    if (m->row_groups_taken)
        snprintf(a->behind + at, sizeof a->behind - at, "%s%llu row groups taken from other ranks",
                 at ? ", " : "  (", (unsigned long long)m->row_groups_taken);
}

/* Parts in which a lake's files were told. */
static void add_parts(annotation *a, const plan_node *node)
{
    size_t at = strlen(a->behind);
    const pq_table *table = node && node->kind == PLAN_SCAN ? node->scan.table : NULL;
    if (table && table->has_parts)
        snprintf(a->behind + at, sizeof a->behind - at, "%smanifests %zu, read %u",
                 at ? ", " : "  (", table->given->parts.count, table->parts_loaded);
}

static void add_decoding(annotation *a, const node_metrics *m)
{
    size_t at = strlen(a->behind);
    if (m->decoding)
        snprintf(a->behind + at, sizeof a->behind - at, "%sdecoded in %.3f s", at ? ", " : "  (",
                 (double)m->decoding / 1e9);
}

static void add_cached(annotation *a, const node_metrics *m)
{
    size_t at = strlen(a->behind);
    if (m->cached)
        snprintf(a->behind + at, sizeof a->behind - at,
                 "%s%llu values from the cache: %.1f MB, %.3f s saved", at ? ", " : "  (",
                 (unsigned long long)m->cached, (double)m->cached_bytes / 1e6,
                 (double)m->saved / 1e9);
}

static void describe_run(annotation *a, const plan_node *node, const char *estimate)
{
    node_metrics m = sum_of(a, node);
    device_work work = {0};
    add_work_of(&work, a->query, node, false);
    char rows[32] = "-";
    double share = a->nanoseconds ? (double)m.nanoseconds / (double)a->nanoseconds : 0;
    if (m.is_known && node)
        snprintf(rows, sizeof rows, "%llu", (unsigned long long)m.rows);
    snprintf(a->before, sizeof a->before, "%10s %10s %9.3f %4.0f%%  ", rows, estimate,
             (double)m.nanoseconds / 1e9, share * 100);
    add_files(a, &m);
    add_taken(a, &m);
    add_parts(a, node);
    add_bytes(a, "read", m.bytes);
    add_decoding(a, &m);
    add_cached(a, &m);
    add_bytes(a, "spilled", m.spilled);
    add_probed(a, &m);
    add_bytes(a, "sent", m.sent);
    add_bytes(a, "received", m.received);
    add_bytes(a, "memory", m.memory);
    describe_work(&work, "  (", a->behind, sizeof a->behind);
    if (*a->behind)
        strncat(a->behind, ")", sizeof a->behind - strlen(a->behind) - 1);
}

static plan_note annotate(const plan_node *node, void *context)
{
    annotation *a = context;
    char estimate[32] = "-";
    *a->behind = 0;
    if (node && node->estimated_rows >= 0)
        snprintf(estimate, sizeof estimate, node->estimated_rows < 1e15 ? "%.0f" : "%.2g",
                 node->estimated_rows);
    if (!node)
        snprintf(a->before, sizeof a->before, a->query ? "%39s" : "%12s", "");
    else if (a->query)
        describe_run(a, node, estimate);
    else
        snprintf(a->before, sizeof a->before, "%10s  ", estimate);
    return (plan_note){a->before, a->behind};
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
        char device[32] = "object store";
        if (!(storage->device & FILE_DEVICE_IS_STORE))
            snprintf(device, sizeof device, "device %u:%u", major(storage->device),
                     minor(storage->device));
        TRY(add_line(result, "T_min %.3f s: %.1f MB from %s at %.1f MB/s", seconds,
                     (double)bytes / 1e6, device, rate / 1e6));
    }
    return STATUS_OK;
}

static status explain_add_storage(pistachio_result *result)
{
    double bound, seconds = (double)(api_nanoseconds() - result->started) / 1e9;
    exec_report report;
    exec_query_report(result->query, &report);
    char again[64] = "";
    if (report.bytes_shared)
        snprintf(again, sizeof again, "; %.1f MB were kept and used again",
                 (double)report.bytes_shared / 1e6);
    const char *whose = result->ranked ? "rank 0 " : "";
    TRY(add_line(result, "%sread %.1f MB from storage, %.1f MB in total%s", whose,
                 (double)report.bytes_stored / 1e6,
                 (double)(report.bytes_stored + report.bytes_cached) / 1e6, again));
    TRY(add_line(result, "tasks had %llu turns and were woken %llu times",
                 (unsigned long long)report.turns, (unsigned long long)report.wakes));
    TRY(add_bound(result, &report, &bound));
    if (bound > 0)
        return add_line(result, "time %.3f s, %.2f times T_min", seconds, seconds / bound);
    return add_line(result, "time %.3f s", seconds);
}

/* Adds what a lazy device was told to do by all operators together: the CPU is told nothing. */
static status add_device(pistachio_result *result)
{
    const device *dev = result->dev;
    device_work work = {0};
    char text[512] = "";
    if (dev->is_host && result->other_dev)
        dev = result->other_dev;
    add_work_of(&work, result->query, NULL, true);
    describe_work(&work, ": ", text, sizeof text);
    if (!*text)
        return STATUS_OK;
    return add_line(result, "device %s%s; at most %.1f MB of its memory", dev->ops->name, text,
                    (double)mem_budget_peak(dev->budget) / 1e6);
}

static bool has_scan(const plan_node *node)
{
    bool is_found = node->kind == PLAN_SCAN;
    for (uint32_t i = 0; i < node->child_count && !is_found; i++)
        is_found = has_scan(node->children[i]);
    return is_found;
}

/* Adds who decompresses pages, where that is not said by the device's name. */
static status add_codecs(pistachio_result *result)
{
    const plan_statement *plan = &result->statement->query;
    char text[1024];
    bool is_found = has_scan(plan->root);
    for (size_t i = 0; i < plan->shared.count && !is_found; i++)
        is_found = has_scan(plan->shared.items[i]);
    dev_codecs_text(&result->dev->codecs, text, sizeof text);
    return is_found && *text ? add_line(result, "%s", text) : STATUS_OK;
}

#define PLANNING_WIDTH 100 /* of a line of rules */

/* Adds how long each of the rules took, in lines that fit a terminal. */
static status add_planning(pistachio_result *result)
{
    const plan_statement *plan = &result->statement->query;
    char line[PLANNING_WIDTH + 64], rule[64];
    uint64_t sum = 0;
    for (unsigned r = 0; r < PLAN_RULE_COUNT; r++)
        sum += plan->rule_nanoseconds[r];
    int at = snprintf(line, sizeof line, "optimized in %.3f ms", (double)sum / 1e6);
    const char *before = ": ";
    for (unsigned r = 0; r < PLAN_RULE_COUNT; r++) {
        if (!plan->rule_nanoseconds[r])
            continue;
        int bytes = snprintf(rule, sizeof rule, "%s %.3f", plan_rule_name((plan_rule)r),
                             (double)plan->rule_nanoseconds[r] / 1e6);
        if (at + bytes > PLANNING_WIDTH) {
            TRY(add_line(result, "%s,", line));
            at = snprintf(line, sizeof line, "   ");
            before = " ";
        }
        at += snprintf(line + at, sizeof line - (size_t)at, "%s%s", before, rule);
        before = ", ";
    }
    return add_line(result, "%s", line);
}

/* Up to so many ranks each has a line of its own, of more there is one that says how they differ. */
#define RANKS_SHOWN 8

/* The least, the mean and the most of any rank. */
typedef struct rank_spread {
    uint64_t least, most, sum;
    unsigned ranks, most_rank;
} rank_spread;

static void spread_add(rank_spread *s, uint64_t number)
{
    s->least = !s->ranks || number < s->least ? number : s->least;
    if (number > s->most) {
        s->most = number;
        s->most_rank = s->ranks;
    }
    s->sum += number;
    s->ranks++;
}

/* "; MB sent 0.1, 0.4, 2.0 (rank 3)": nothing, where no rank has any. */
static void describe_spread(const rank_spread *s, const char *what, double unit, int digits,
                            char *text, size_t room)
{
    size_t at = strlen(text);
    if (s->sum && at < room)
        snprintf(text + at, room - at, "; %s %.*f, %.*f, %.*f (rank %u)", what, digits,
                 (double)s->least / unit, digits, (double)s->sum / unit / s->ranks, digits,
                 (double)s->most / unit, s->most_rank);
}

/* One line for all ranks. */
static status add_rank_spreads(pistachio_result *result, const annotation *a)
{
    size_t count = metrics_count(a->plan);
    rank_spread seconds = {0}, read = {0}, spilled = {0}, sent = {0}, received = {0}, bound = {0};
    char text[640] = "";
    for (unsigned rank = 0; rank < a->ranks; rank++) {
        node_metrics sum = {0};
        for (size_t i = 0; i < count; i++)
            metrics_add(&sum, &a->all[rank * count + i]);
        spread_add(&seconds, sum.nanoseconds);
        spread_add(&read, sum.bytes);
        spread_add(&spilled, sum.spilled);
        spread_add(&sent, sum.sent);
        spread_add(&received, sum.received);
        spread_add(&bound, sum.bound);
    }
    describe_spread(&seconds, "thread s", 1e9, 3, text, sizeof text);
    describe_spread(&read, "MB read", 1e6, 1, text, sizeof text);
    describe_spread(&spilled, "MB spilled", 1e6, 1, text, sizeof text);
    describe_spread(&sent, "MB sent", 1e6, 1, text, sizeof text);
    describe_spread(&received, "MB received", 1e6, 1, text, sizeof text);
    describe_spread(&bound, "T_min s", 1e9, 3, text, sizeof text);
    return add_line(result, "%u ranks, least, mean and most of a rank%s", a->ranks, text);
}

/* Adds how long the rank's storage took at least. */
static void add_rank_bound(annotation *line, const node_metrics *sum)
{
    size_t at = strlen(line->behind);
    if (sum->bound)
        snprintf(line->behind + at, sizeof line->behind - at, "%sT_min %.3f s", at ? ", " : "  (",
                 (double)sum->bound / 1e9);
}

/* Adds what each rank did of it. */
static status add_ranks(pistachio_result *result, const annotation *a)
{
    size_t count = metrics_count(a->plan);
    if (a->all && a->ranks > RANKS_SHOWN)
        return add_rank_spreads(result, a);
    for (unsigned rank = 0; a->all && rank < a->ranks; rank++) {
        annotation line = {0};
        node_metrics sum = {0};
        for (size_t i = 0; i < count; i++)
            metrics_add(&sum, &a->all[rank * count + i]);
        add_bytes(&line, "read", sum.bytes);
        add_bytes(&line, "spilled", sum.spilled);
        add_bytes(&line, "sent", sum.sent);
        add_bytes(&line, "received", sum.received);
        add_bytes(&line, "most of an operator's memory", sum.memory);
        add_rank_bound(&line, &sum);
        TRY(add_line(result, "rank %u (host %s): %.3f thread s%s%s", rank,
                     net_comm_host(result->engine->ranks[0].comm, rank),
                     (double)sum.nanoseconds / 1e9, line.behind, *line.behind ? ")" : ""));
    }
    return STATUS_OK;
}

/* "; sent 12 bytes to rank 1, 3 to rank 2". */
static void describe_peers(const uint64_t *bytes, unsigned ranks, const char *what, const char *way,
                           char *text, size_t room)
{
    const char *before = what;
    for (unsigned rank = 0; rank < ranks; rank++) {
        size_t at = strlen(text);
        if (!bytes[rank] || at >= room)
            continue;
        snprintf(text + at, room - at, "%s %llu %srank %u", before, (unsigned long long)bytes[rank],
                 way, rank);
        before = ",";
    }
}

/* Bytes for other ranks, or from them; what a rank hands to itself does not count. */
static uint64_t peer_bytes(const uint64_t *bytes, unsigned ranks, unsigned own)
{
    uint64_t sum = 0;
    for (unsigned rank = 0; rank < ranks; rank++)
        sum += rank == own ? 0 : bytes[rank];
    return sum;
}

static status add_exchange_spread(pistachio_result *result, const annotation *a, size_t number,
                                  size_t count, const char *kind)
{
    rank_spread sent = {0}, received = {0};
    char text[256] = "";
    for (unsigned rank = 0; rank < a->ranks; rank++) {
        const uint64_t *words = a->peers + (rank * count + number) * 2 * a->ranks;
        spread_add(&sent, peer_bytes(words, a->ranks, rank));
        spread_add(&received, peer_bytes(words + a->ranks, a->ranks, rank));
    }
    describe_spread(&sent, "sent", 1, 0, text, sizeof text);
    describe_spread(&received, "received", 1, 0, text, sizeof text);
    return add_line(result, "exchange %zu, %s, bytes of all ranks %llu%s", number + 1, kind,
                    (unsigned long long)sent.sum, text);
}

static status add_exchange(pistachio_result *result, const annotation *a, size_t number)
{
    char text[4096];
    size_t count;
    const plan_node *node[METRICS_EXCHANGES_SHOWN];
    metrics_exchanges(a->plan, node, METRICS_EXCHANGES_SHOWN, &count);
    if (a->ranks > RANKS_SHOWN)
        return add_exchange_spread(result, a, number, count,
                                   plan_exchange_name(node[number]->exchange.kind));
    for (unsigned rank = 0; rank < a->ranks; rank++) {
        const uint64_t *words = a->peers + (rank * count + number) * 2 * a->ranks;
        *text = 0;
        describe_peers(words, a->ranks, "; sent bytes:", "to ", text, sizeof text);
        describe_peers(words + a->ranks, a->ranks, "; received bytes:", "from ", text, sizeof text);
        if (*text)
            TRY(add_line(result, "exchange %zu, %s, rank %u%s", number + 1,
                         plan_exchange_name(node[number]->exchange.kind), rank, text));
    }
    return STATUS_OK;
}

/* Adds what went between ranks, exchange by exchange in the order of the plan. */
static status add_exchanges(pistachio_result *result, const annotation *a)
{
    size_t count = 0;
    if (a->peers)
        metrics_exchanges(a->plan, NULL, 0, &count);
    for (size_t i = 0; i < count && i < METRICS_EXCHANGES_SHOWN; i++)
        TRY(add_exchange(result, a, i));
    return STATUS_OK;
}

static status add_explained_run(pistachio_result *result, annotation *context)
{
    *context->behind = 0;
    describe_run(context, NULL, "-");
    TRY(add_line(result, "%sresult and buffers%s", context->before, context->behind));
    TRY(add_ranks(result, context));
    TRY(add_exchanges(result, context));
    TRY(add_planning(result));
    TRY(add_device(result));
    return explain_add_storage(result);
}

static uint64_t nanoseconds_of(const exec_query *query)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < query->operators.count; i++)
        sum += atomic_load(&query->operators.items[i]->metrics.nanoseconds);
    for (size_t i = 0; i < query->parts.count; i++)
        sum += nanoseconds_of(query->parts.items[i]);
    return sum;
}

static void sum_times(annotation *context)
{
    size_t count = metrics_count(context->plan);
    for (size_t i = 0; context->all && i < context->ranks * count; i++)
        context->nanoseconds += context->all[i].nanoseconds;
    if (!context->all)
        context->nanoseconds += nanoseconds_of(context->query);
}

status api_explain(pistachio_result *result, bool with_metrics)
{
    plan_statement *plan = &result->statement->query;
    annotation context = {.plan = plan};
    if (with_metrics) {
        context.query = result->query;
        const ranked_metrics *ranked = api_ranked_metrics(result->ranked);
        context.all = ranked ? ranked->nodes : NULL;
        context.peers = ranked ? ranked->peers : NULL;
        context.ranks = result->engine->rank_count;
        sum_times(&context);
    }
    char *text = plan_text(plan->memory, plan, annotate, &context);
    if (!text)
        return status_no_memory("plan", 0);
    result->made.is_made = true;
    if (with_metrics)
        TRY(add_line(result, "%10s %10s %9s %5s  plan", "rows", "estimate", "thread s", "share"));
    else
        TRY(add_line(result, "%10s  plan", "estimate"));
    for (char *line = text; line && *line;) {
        char *end = strchr(line, '\n');
        if (end)
            *end = 0;
        const char *cells[] = {line};
        TRY(api_made_row(result, cells));
        line = end ? end + 1 : NULL;
    }
    if (*result->device_why)
        TRY(add_line(result, "%s", result->device_why));
    TRY(add_codecs(result));
    return with_metrics ? add_explained_run(result, &context) : STATUS_OK;
}
