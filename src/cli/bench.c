/* bench.c - the arguments of `pistachio bench`; src/bench does the work. */
#include "cli/bench.h"

#include "api/handles/error.h"
#include "bench/join.h"
#include "bench/ranks.h"
#include "bench/shuffle.h"
#include "cli/output/usage.h"
#include "cli/ranks/processes.h"
#include "cli/ranks/rank.h"
#include "cli/shell/run.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PROGRAM "pistachio bench"
#define ROWS_MAX (ROW_NULL / 2 - 1)
#define RUNS_MAX 1000
#define RANKS_MAX 256

static const char usage[] =
    "usage: pistachio bench join [--algorithm A] [--build-rows N] [--probe-rows N] [--selectivity "
    "S]\n"
    "                            [--ranks N | --processes N] [--runs N] [--device D]\n"
    "       pistachio bench shuffle [--left-rows N] [--right-rows N] [--columns N] [--hit-ratio "
    "S]\n"
    "                            [--variant V] [--ranks N | --processes N] [--runs N]\n"
    "\n"
    "One thread a rank. Making keys is not measured. The number of matches is checked.\n"
    "\n"
    "join measures joins of random keys of 8 bytes, half of the table's places used; first on one "
    "rank,\n"
    "which efficiency is held against. Taking memory is not measured.\n"
    "  --algorithm A    redundant: each rank makes the whole table (the default); parallel: each a "
    "part of\n"
    "                   it, for all; partitioned: each a part, to which probe rows come. "
    "docs/CLUSTER.md\n"
    "                   says which patents there are\n"
    "  --build-rows N, --probe-rows N   of all ranks; default 33554432\n"
    "  --selectivity S  share of the probe rows that match, 0 to 1; default 0\n"
    "  --device D       cpu (the default), cuda, cuda:N, simulated; threads share it\n"
    "\n"
    "shuffle measures what two tables take to go to the ranks of their keys' hashes: without "
    "partitioning,\n"
    "with it, with the join.\n"
    "  --left-rows N, --right-rows N    of all ranks; default 4194304 and 12582912\n"
    "  --columns N      of 8 bytes, of each table; default 4\n"
    "  --hit-ratio S    share of the right rows that match, 0 to 1; default 0.5\n"
    "  --variant V      blocking, pooled, chunking, deferred (the default)\n"
    "\n"
    "  --ranks N        threads of this process; default 1, of shuffle 2\n"
    "  --processes N    processes; or started as `pistachio` without a command\n"
    "  --runs N         how often; the one of least time counts; default 5\n"
    "\n"
    "exit status: 0, 1 it failed or the matches are wrong, 2 wrong usage\n";

static const char *const algorithm_names[] = {"redundant", "parallel", "partitioned", NULL};
static const char *const variant_names[] = {"blocking", "pooled", "chunking", "deferred", NULL};
static const char *const work_names[] = {"all-to-all", "with partitioning", "with the join"};

typedef enum option_kind {
    OPTION_COUNT,
    OPTION_SHARE,
    OPTION_NAME,
    OPTION_PROCESSES,
    OPTION_DEVICE
} option_kind;

/* An option of one of the benchmarks, or (is_both) of both. */
typedef struct option {
    const char *word;
    option_kind kind;
    bool is_both, is_shuffle;
    uint64_t most;
    const char *const *names;
    void *out; /* uint64_t, double, unsigned */
} option;

static struct arguments {
    bool is_shuffle;
    uint64_t ranks, runs;
    cli_rank rank;
    uint64_t build_rows, probe_rows, left_rows, right_rows, columns;
    double selectivity, hit_ratio;
    unsigned algorithm, variant;
    settings settings;
} a = {.runs = 5,
       .build_rows = 1 << 25,
       .probe_rows = 1 << 25,
       .left_rows = 1 << 22,
       .right_rows = 3 << 22,
       .columns = 4,
       .hit_ratio = 0.5,
       .variant = BENCH_DEFERRED};

static const option options[] = {
    {"--algorithm", OPTION_NAME, false, false, 0, algorithm_names, &a.algorithm},
    {"--build-rows", OPTION_COUNT, false, false, ROWS_MAX, NULL, &a.build_rows},
    {"--probe-rows", OPTION_COUNT, false, false, ROWS_MAX, NULL, &a.probe_rows},
    {"--selectivity", OPTION_SHARE, false, false, 0, NULL, &a.selectivity},
    {"--device", OPTION_DEVICE, false, false, 0, NULL, NULL},
    {"--left-rows", OPTION_COUNT, false, true, ROWS_MAX, NULL, &a.left_rows},
    {"--right-rows", OPTION_COUNT, false, true, ROWS_MAX, NULL, &a.right_rows},
    {"--columns", OPTION_COUNT, false, true, BENCH_COLUMNS_MAX, NULL, &a.columns},
    {"--hit-ratio", OPTION_SHARE, false, true, 0, NULL, &a.hit_ratio},
    {"--variant", OPTION_NAME, false, true, 0, variant_names, &a.variant},
    {"--ranks", OPTION_COUNT, true, false, RANKS_MAX, NULL, &a.ranks},
    {"--processes", OPTION_PROCESSES, true, false, 0, NULL, NULL},
    {"--runs", OPTION_COUNT, true, false, RUNS_MAX, NULL, &a.runs},
};
#define OPTIONS (sizeof options / sizeof *options)

static int bench_parse_count(const option *o, const char *value)
{
    char *end, possible[64];
    unsigned long long number = strtoull(value, &end, 10);
    *(uint64_t *)o->out = number;
    if (*value >= '0' && *value <= '9' && !*end && number >= 1 && number <= o->most)
        return 0;
    snprintf(possible, sizeof possible, "a number from 1 to %" PRIu64, o->most);
    return usage_value(PROGRAM, o->word, value, possible);
}

static int parse_share(const option *o, const char *value)
{
    char *end;
    double *out = o->out;
    *out = strtod(value, &end);
    return end != value && !*end && *out >= 0 && *out <= 1
               ? 0
               : usage_value(PROGRAM, o->word, value, "a number from 0 to 1");
}

static int bench_parse_name(const option *o, const char *value)
{
    char possible[128] = "one of";
    size_t bytes = strlen(possible);
    for (unsigned i = 0; o->names[i]; i++) {
        if (!strcmp(value, o->names[i])) {
            *(unsigned *)o->out = i;
            return 0;
        }
        bytes += (size_t)snprintf(possible + bytes, sizeof possible - bytes, " %s", o->names[i]);
    }
    return usage_value(PROGRAM, o->word, value, possible);
}

static int bench_report(status st)
{
    cli_report(api_error(st), NULL, 0);
    return 1;
}

static int parse_device(const char *value)
{
    status st = settings_set(&a.settings, "device", value);
    return st ? 2 * bench_report(st) : 0;
}

static int bench_no_option(const char *word)
{
    const char *names[OPTIONS];
    size_t count = 0;
    for (size_t i = 0; i < OPTIONS; i++)
        if (options[i].is_both || options[i].is_shuffle == a.is_shuffle)
            names[count++] = options[i].word;
    return usage_no_option(PROGRAM, word, names, count);
}

/* An option and its value: 0, or the exit status. */
static int bench_parse_option(const char *word, const char *value)
{
    for (const option *o = options; o < options + OPTIONS; o++) {
        if (strcmp(word, o->word) || !(o->is_both || o->is_shuffle == a.is_shuffle))
            continue;
        switch (o->kind) {
        case OPTION_COUNT:
            return bench_parse_count(o, value);
        case OPTION_SHARE:
            return parse_share(o, value);
        case OPTION_NAME:
            return bench_parse_name(o, value);
        case OPTION_DEVICE:
            return parse_device(value);
        default:
            return cli_rank_parse(PROGRAM, value, &a.rank);
        }
    }
    return bench_no_option(word);
}

static int bench_parse(int count, char **words)
{
    for (int i = 0; i < count; i++) {
        char *word = words[i], *value = usage_split_value(word);
        if (!value && i + 1 == count)
            return usage_error(PROGRAM, "a value is missing behind", word);
        int exit_status = bench_parse_option(word, value ? value : words[++i]);
        if (exit_status)
            return exit_status;
    }
    if (!a.ranks)
        a.ranks = a.is_shuffle ? 2 : 1;
    return 0;
}

/* ---- measuring ---- */

/* Rank 0's. */
typedef struct measured {
    bench_join_result join;
    bench_shuffle_result shuffle[BENCH_SHUFFLE_WORKS];
} measured;

static status measure_join(bench_rank *r, void *argument)
{
    measured *m = argument;
    const bench_join_options join = {.algorithm = (bench_algorithm)a.algorithm,
                                     .build_rows = a.build_rows,
                                     .probe_rows = a.probe_rows,
                                     .selectivity = a.selectivity,
                                     .runs = (unsigned)a.runs};
    bench_join_result result;
    TRY(bench_join(r, &join, &result));
    if (!r->rank)
        m->join = result;
    return STATUS_OK;
}

static status measure_shuffle(bench_rank *r, void *argument)
{
    measured *m = argument;
    const bench_shuffle_options shuffle = {.left_rows = a.left_rows,
                                           .right_rows = a.right_rows,
                                           .columns = (unsigned)a.columns,
                                           .hit_ratio = a.hit_ratio,
                                           .variant = (bench_variant)a.variant,
                                           .runs = (unsigned)a.runs};
    bench_shuffle_result results[BENCH_SHUFFLE_WORKS];
    TRY(bench_shuffle(r, &shuffle, results));
    if (!r->rank)
        memcpy(m->shuffle, results, sizeof results);
    return STATUS_OK;
}

/* A measurement keeps all cores busy: a rank that is late is not gone. Messages' memory is given back
 * to the system where that is measured. */
static net_options network(void)
{
    bool is_unpooled = a.is_shuffle && a.variant == BENCH_BLOCKING;
    return (net_options){.peer_timeout_ms = 60000, .kept_bytes = is_unpooled};
}

static unsigned rank_count(void)
{
    return a.rank.place.ranks > 1 ? a.rank.place.ranks : (unsigned)a.ranks;
}

static status bench_measure(bench_work *work, measured *out)
{
    const net_options options = network();
    cli_rank_bind(&a.rank);
    if (a.rank.place.ranks > 1)
        return bench_on_processes(&a.rank.place, &options, &a.settings, work, out);
    return bench_on_threads((unsigned)a.ranks, &options, &a.settings, work, out);
}

/* ---- printing ---- */

static double bench_time_of(const bench_join_result *result)
{
    double seconds = result->build + result->probe;
    return seconds > 0 ? seconds : 1e-9;
}

static void print_join_row(unsigned ranks, const bench_join_result *result,
                           const bench_join_result *single)
{
    double rows = (double)(a.build_rows + a.probe_rows);
    printf("%5u  %8.3f  %8.3f  %10.0f  %9.0f%%  %9.2f  %11.3f  %" PRIu64 "\n", ranks, result->build,
           result->probe, rows / bench_time_of(result),
           100 * bench_time_of(single) / bench_time_of(result) / ranks,
           (double)result->bytes_sent / rows, result->cpu_seconds, result->matches);
}

static void print_join(const measured *all, const measured *single)
{
    double probe = single->join.probe, probed = probe > 0 ? (double)a.probe_rows / probe : 0;
    printf("%s build, %" PRIu64 " build rows, %" PRIu64
           " probe rows, selectivity %g, least of %" PRIu64 "\n",
           algorithm_names[a.algorithm], a.build_rows, a.probe_rows, a.selectivity, a.runs);
    printf("ranks     build     probe      rows/s  efficiency  bytes/row  processor s  matches\n");
    print_join_row(1, &single->join, &single->join);
    if (rank_count() > 1)
        print_join_row(rank_count(), &all->join, &single->join);
    if (single->join.reads > 0)
        printf("%s reads %.1f values of 8 bytes a microsecond at random, and probes %.1f rows: "
               "%.0f%%\n",
               strcmp(a.settings.device.text, "cpu") ? "the device" : "one core",
               single->join.reads / 1e6, probed / 1e6, 100 * probed / single->join.reads);
}

static void print_shuffle(const measured *all)
{
    printf("%s, %u ranks, %" PRIu64 " left and %" PRIu64 " right rows of %" PRIu64
           " columns, hit ratio %g, least of %" PRIu64 "\n",
           variant_names[a.variant], rank_count(), a.left_rows, a.right_rows, a.columns,
           a.hit_ratio, a.runs);
    printf("                    seconds  MB/s to a rank   MB sent  matches\n");
    for (unsigned i = 0; i < BENCH_SHUFFLE_WORKS; i++) {
        const bench_shuffle_result *r = &all->shuffle[i];
        double sent = (double)r->bytes_sent / 1e6;
        printf("%-18s  %7.3f  %14.0f  %8.1f  %" PRIu64 "\n", work_names[i], r->seconds,
               sent / rank_count() / (r->seconds > 0 ? r->seconds : 1e-9), sent, r->matches);
    }
}

/* Joins: on several ranks, then on one of them alone. */
static int bench_run(void)
{
    measured all = {0}, single = {0};
    status st = STATUS_OK;
    if (a.is_shuffle || rank_count() > 1)
        st = bench_measure(a.is_shuffle ? measure_shuffle : measure_join, &all);
    if (!cli_rank_is_client(&a.rank)) { /* rank 0 says what went wrong */
        int exit_status = st != NULL;
        status_free(st);
        return exit_status;
    }
    const net_options options = network();
    if (!st && !a.is_shuffle)
        st = bench_on_threads(1, &options, &a.settings, measure_join, &single);
    if (st)
        return bench_report(st);
    if (a.is_shuffle)
        print_shuffle(&all);
    else
        print_join(&all, &single);
    return 0;
}

int cli_bench(int count, char **words)
{
    const char *what = count ? words[0] : "";
    for (int i = 0; i < count; i++)
        if (!strcmp(words[i], "--help") || !strcmp(words[i], "-h"))
            what = words[i];
    if (*what == '-') {
        fputs(usage, stdout);
        return 0;
    }
    a.is_shuffle = !strcmp(what, "shuffle");
    if (!a.is_shuffle && strcmp(what, "join"))
        return usage_error(PROGRAM, "join or shuffle is needed, not", *what ? what : "nothing");
    status st = settings_init(&a.settings);
    if (!st && a.is_shuffle)
        st = settings_set(&a.settings, "device", "cpu");
    if (st)
        return bench_report(st);
    int exit_status = bench_parse(count - 1, words + 1);
    if (!exit_status && cli_rank_find(&a.rank))
        exit_status = 1;
    if (!exit_status)
        exit_status = bench_run();
    cli_processes_end(!exit_status);
    return exit_status;
}
