/* bench.c - the arguments of `pistachio bench`; src/bench does the work. */
#include "cli/bench.h"

#include "api/internal.h"
#include "bench/join.h"
#include "bench/ranks.h"
#include "cli/processes.h"
#include "cli/rank.h"
#include "cli/run.h"
#include "cli/usage.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PROGRAM "pistachio bench"
#define ROWS_MAX (ROW_NULL / 2 - 1)
#define RUNS_MAX 1000

static const char usage[] =
    "usage: pistachio bench join [--algorithm A] [--build-rows N] [--probe-rows N] [--selectivity "
    "S]\n"
    "                            [--ranks N | --processes N] [--runs N]\n"
    "\n"
    "join measures joins of random keys of 8 bytes, half of the table's places used, with one "
    "thread a\n"
    "rank; first on one rank, which efficiency is held against. Making keys and taking memory is "
    "not\n"
    "measured. The number of matches is checked.\n"
    "  --algorithm A    redundant: each rank makes the whole table (the default); parallel: each a "
    "part of\n"
    "                   it, for all; partitioned: each a part, to which probe rows come. "
    "docs/CLUSTER.md\n"
    "                   says which patents there are\n"
    "  --build-rows N, --probe-rows N   of all ranks; default 33554432\n"
    "  --selectivity S  share of the probe rows that match, 0 to 1; default 0\n"
    "  --ranks N        threads of this process; default 1\n"
    "  --processes N    processes; or started as `pistachio` without a command\n"
    "  --runs N         how often; the one of least time counts; default 5\n"
    "\n"
    "exit status: 0, 1 it failed or the matches are wrong, 2 wrong usage\n";

static const char *const option_names[] = {"--algorithm",   "--build-rows", "--probe-rows",
                                           "--selectivity", "--ranks",      "--processes",
                                           "--runs",        "--help"};
static const char *const algorithm_names[] = {"redundant", "parallel", "partitioned"};

typedef struct arguments {
    bench_join_options join;
    uint64_t ranks;
    cli_rank rank;
} arguments;

static int parse_count(const char *word, const char *value, uint64_t most, uint64_t *out)
{
    char *end, possible[64];
    unsigned long long number = strtoull(value, &end, 10);
    *out = number;
    if (*value >= '0' && *value <= '9' && !*end && number >= 1 && number <= most)
        return 0;
    snprintf(possible, sizeof possible, "a number from 1 to %" PRIu64, most);
    return usage_value(PROGRAM, word, value, possible);
}

static int parse_algorithm(const char *value, bench_algorithm *out)
{
    for (unsigned i = 0; i < sizeof algorithm_names / sizeof *algorithm_names; i++)
        if (!strcmp(value, algorithm_names[i])) {
            *out = (bench_algorithm)i;
            return 0;
        }
    return usage_value(PROGRAM, "--algorithm", value, "redundant, parallel or partitioned");
}

/* An option and its value: 0, or the exit status. */
static int parse_option(const char *word, const char *value, arguments *out)
{
    uint64_t number;
    char *end;
    if (!strcmp(word, "--algorithm"))
        return parse_algorithm(value, &out->join.algorithm);
    if (!strcmp(word, "--build-rows"))
        return parse_count(word, value, ROWS_MAX, &out->join.build_rows);
    if (!strcmp(word, "--probe-rows"))
        return parse_count(word, value, ROWS_MAX, &out->join.probe_rows);
    if (!strcmp(word, "--ranks"))
        return parse_count(word, value, 256, &out->ranks);
    if (!strcmp(word, "--processes"))
        return cli_rank_parse(PROGRAM, value, &out->rank);
    if (!strcmp(word, "--runs")) {
        int exit_status = parse_count(word, value, RUNS_MAX, &number);
        out->join.runs = (unsigned)number;
        return exit_status;
    }
    if (strcmp(word, "--selectivity"))
        return usage_no_option(PROGRAM, word, option_names,
                               sizeof option_names / sizeof *option_names);
    out->join.selectivity = strtod(value, &end);
    return end != value && !*end && out->join.selectivity >= 0 && out->join.selectivity <= 1
               ? 0
               : usage_value(PROGRAM, word, value, "a number from 0 to 1");
}

static int parse(int count, char **words, arguments *out)
{
    for (int i = 0; i < count; i++) {
        char *word = words[i], *value = usage_split_value(word);
        if (!value && i + 1 == count)
            return usage_error(PROGRAM, "a value is missing behind", word);
        int exit_status = parse_option(word, value ? value : words[++i], out);
        if (exit_status)
            return exit_status;
    }
    return 0;
}

/* ---- measuring ---- */

typedef struct measured {
    const bench_join_options *options;
    bench_join_result result; /* rank 0's */
} measured;

static status measure(bench_rank *r, void *argument)
{
    measured *m = argument;
    bench_join_result result;
    TRY(bench_join(r, m->options, &result));
    if (!r->rank)
        m->result = result;
    return STATUS_OK;
}

static double time_of(const bench_join_result *result)
{
    double seconds = result->build + result->probe;
    return seconds > 0 ? seconds : 1e-9;
}

static void print_row(const arguments *a, unsigned ranks, const bench_join_result *result,
                      const bench_join_result *single)
{
    double rows = (double)(a->join.build_rows + a->join.probe_rows);
    printf("%5u  %8.3f  %8.3f  %10.0f  %9.0f%%  %9.2f  %11.3f  %" PRIu64 "\n", ranks, result->build,
           result->probe, rows / time_of(result), 100 * time_of(single) / time_of(result) / ranks,
           (double)result->bytes_sent / rows, result->cpu_seconds, result->matches);
    fflush(stdout);
}

static void print_head(const arguments *a)
{
    printf("%s build, %" PRIu64 " build rows, %" PRIu64
           " probe rows, selectivity %g, least of %u\n",
           algorithm_names[a->join.algorithm], a->join.build_rows, a->join.probe_rows,
           a->join.selectivity, a->join.runs);
    printf("ranks     build     probe      rows/s  efficiency  bytes/row  processor s  matches\n");
}

static void print_reads(const arguments *a, const bench_join_result *single)
{
    double probed = single->probe > 0 ? (double)a->join.probe_rows / single->probe : 0;
    if (single->reads > 0)
        printf(
            "one core reads %.1f values of 8 bytes a microsecond at random, and probes %.1f rows: "
            "%.0f%%\n",
            single->reads / 1e6, probed / 1e6, 100 * probed / single->reads);
}

static int report(status st)
{
    cli_report(api_error(st), NULL, 0);
    return 1;
}

/* On several ranks, then on one of them alone. */
static int run_join(arguments *a)
{
    bool is_client = cli_rank_is_client(&a->rank);
    unsigned ranks = a->rank.place.ranks > 1 ? a->rank.place.ranks : (unsigned)a->ranks;
    measured all = {.options = &a->join}, single = all;
    status st = STATUS_OK;
    if (a->rank.place.ranks > 1)
        st = bench_on_processes(&a->rank.place, measure, &all);
    else if (ranks > 1)
        st = bench_on_threads(ranks, measure, &all);
    if (!is_client) { /* rank 0 says what went wrong */
        status_free(st);
        return st != NULL;
    }
    if (!st)
        st = bench_on_threads(1, measure, &single);
    if (st)
        return report(st);
    print_head(a);
    print_row(a, 1, &single.result, &single.result);
    if (ranks > 1)
        print_row(a, ranks, &all.result, &single.result);
    print_reads(a, &single.result);
    return 0;
}

int cli_bench(int count, char **words)
{
    static arguments a = {.join = {.build_rows = 1 << 25, .probe_rows = 1 << 25, .runs = 5},
                          .ranks = 1};
    const char *what = count ? words[0] : "";
    for (int i = 0; i < count; i++)
        if (!strcmp(words[i], "--help") || !strcmp(words[i], "-h"))
            what = words[i];
    if (*what == '-') {
        fputs(usage, stdout);
        return 0;
    }
    if (strcmp(what, "join"))
        return usage_error(PROGRAM, "join is needed, not", *what ? what : "nothing");
    int exit_status = parse(count - 1, words + 1, &a);
    if (!exit_status && cli_rank_find(&a.rank))
        exit_status = 1;
    if (!exit_status)
        exit_status = run_join(&a);
    cli_processes_end(!exit_status);
    return exit_status;
}
