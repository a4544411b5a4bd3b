/* tpch.c - the arguments of `pistachio tpch generate`; tpch/generate.h does the work. */
#include "cli/tpch.h"

#include "base/setting.h"
#include "tpch/generate.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static const char usage[] =
    "usage: pistachio tpch generate --scale F --out DIR [--parts N] [--threads N]\n"
    "       pistachio tpch run --data DIR [--queries 1,3,6-9] [--runs N] [--check] [--json FILE]\n"
    "                          [--set NAME=VALUE]\n"
    "\n"
    "generate makes TPC-H's tables as Parquet files, the same rows as the TPC's own generator.\n"
    "  --scale F      scale factor; 1: 6 million lineitems, 250 MB of Parquet\n"
    "  --out DIR      where to; DIR/lineitem.parquet, ...\n"
    "  --parts N      N files a table: DIR/lineitem/part-0000.parquet, ...\n"
    "  --threads N    default: one for each core\n"
    "\n"
    "run runs the 22 queries and prints their times.\n"
    "  --queries LIST which; default: all\n"
    "  --runs N       how often each, one after another; default 1\n"
    "  --check        compares with the published answers (scale factors 0.01, 0.1 and 1)\n"
    "  --json FILE    also writes the figures there\n"
    "\n"
    "exit status: 0, 1 something failed or an answer is wrong, 2 wrong usage\n";

int cli_tpch_usage(const char *what, const char *argument)
{
    fprintf(stderr, "pistachio tpch: %s %s\n%s", what, argument, usage);
    return 2;
}

static double seconds(void)
{
    struct timespec ts;
    clock_gettime(CLOCK_MONOTONIC, &ts);
    return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

static bool parse_scale(const char *text, double *out)
{
    char *end;
    *out = strtod(text, &end);
    return end != text && !*end;
}

static bool parse_count(const char *text, unsigned *out)
{
    char *end;
    long number = strtol(text, &end, 10);
    *out = (unsigned)number;
    return end != text && !*end && number >= 1 && number <= 100000;
}

static void show_progress(const char *table, uint64_t done, uint64_t all, uint64_t bytes,
                          void *context)
{
    (void)context;
    fprintf(stderr, "\r%3" PRIu64 "%%  %-8s  %" PRIu64 " MB written ", all ? done * 100 / all : 100,
            table, bytes / 1000000);
}

static int generate(int count, char **words)
{
    tpch_generate_options options = {0};
    bool has_scale = false;
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    options.threads = cores > 0 ? (unsigned)cores : 1;
    for (int i = 0; i < count; i += 2) {
        const char *word = words[i], *next = i + 1 < count ? words[i + 1] : "";
        if (!strcmp(word, "--scale")) {
            if (!parse_scale(next, &options.scale))
                return cli_tpch_usage("--scale needs a number, not", next);
            has_scale = true;
        } else if (!strcmp(word, "--out")) {
            options.folder = next;
        } else if (!strcmp(word, "--parts")) {
            if (!parse_count(next, &options.parts))
                return cli_tpch_usage("--parts needs a number, not", next);
        } else if (!strcmp(word, "--threads")) {
            if (!parse_count(next, &options.threads))
                return cli_tpch_usage("--threads needs a number, not", next);
        } else {
            return cli_tpch_usage("there is no option", word);
        }
    }
    if (!has_scale || !options.folder || !*options.folder)
        return cli_tpch_usage("generate needs", "--scale and --out");
    bool is_terminal = isatty(STDERR_FILENO);
    if (is_terminal)
        options.progress = show_progress;
    double start = seconds();
    uint64_t bytes = 0;
    status st = tpch_generate(&options, &bytes);
    if (is_terminal)
        fprintf(stderr, "\r%40s\r", "");
    if (st) {
        fprintf(stderr, "pistachio: %s\n", status_message(st));
        status_free(st);
        return 1;
    }
    fprintf(stderr, "scale factor %g in %s: %" PRIu64 " MB in %.1f s\n", options.scale,
            options.folder, bytes / 1000000, seconds() - start);
    return 0;
}

int cli_tpch(int count, char **words)
{
    const char *what = count ? words[0] : "";
    if (!strcmp(what, "generate"))
        return generate(count - 1, words + 1);
    if (!strcmp(what, "run"))
        return cli_tpch_run(count - 1, words + 1);
    if (!strcmp(what, "--help") || !strcmp(what, "-h")) {
        fputs(usage, stdout);
        return 0;
    }
    return cli_tpch_usage("generate or run is needed, not", *what ? what : "nothing");
}
