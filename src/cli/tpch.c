/* tpch.c - the arguments of `pistachio tpch generate`; tpch/generate.h does the work. */
#include "cli/tpch.h"

#include "cli/output/figures.h"
#include "cli/output/status_line.h"
#include "cli/output/usage.h"
#include "tpch/generate.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static const char usage[] =
    "usage: pistachio tpch generate --scale F --out DIR [--parts N] [--threads N]\n"
    "       pistachio tpch run --data DIR [--queries 1,3,6-9] [--runs N] [--check] [--json FILE]\n"
    "                          [--set NAME=VALUE] [--table NAME=PATH] [--ranks N | --processes N]\n"
    "\n"
    "generate makes TPC-H's tables as Parquet files, the same rows as the TPC's own generator. At "
    "any\n"
    "scale it begins with 300 MiB of text, which takes some seconds: comments are cut out of all "
    "of it.\n"
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
    "  --table NAME=PATH   a table that is not in DIR, or instead of DIR\n"
    "  --ranks N, --processes N   on several ranks, as `pistachio` without a command\n"
    "\n"
    "exit status: 0, 1 something failed or an answer is wrong, 2 wrong usage\n";

int cli_tpch_no_option(const char *word)
{
    static const char *const names[] = {
        "--scale", "--out",  "--parts", "--threads", "--data",  "--queries",   "--runs",
        "--check", "--json", "--set",   "--table",   "--ranks", "--processes", "--help"};
    return usage_no_option(CLI_TPCH, word, names, sizeof names / sizeof *names);
}

static double tpch_seconds(void)
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

static bool tpch_parse_count(const char *text, unsigned *out)
{
    char *end;
    long number = strtol(text, &end, 10);
    *out = (unsigned)number;
    return end != text && !*end && number >= 1 && number <= 10000;
}

static void tpch_show_progress(const char *table, uint64_t done, uint64_t all, uint64_t bytes,
                               void *context)
{
    (void)context;
    char line[80];
    snprintf(line, sizeof line, "%3" PRIu64 "%%  %-8s  %" PRIu64 " MB written",
             all ? done * 100 / all : 100, table, bytes / 1000000);
    status_line_draw(line);
}

/* An option and its value: 0, or the exit status. */
static int tpch_parse_option(const char *word, const char *value, tpch_generate_options *out)
{
    if (!strcmp(word, "--scale"))
        return parse_scale(value, &out->scale)
                   ? 0
                   : usage_value(CLI_TPCH, word, value, "a number from 0.0001 to 10000");
    if (!strcmp(word, "--out"))
        out->folder = value;
    else if (!strcmp(word, "--parts") || !strcmp(word, "--threads"))
        return tpch_parse_count(value, word[2] == 'p' ? &out->parts : &out->threads)
                   ? 0
                   : usage_value(CLI_TPCH, word, value, "a number from 1 to 10000");
    else
        return cli_tpch_no_option(word);
    return 0;
}

static int cli_tpch_generate(int count, char **words)
{
    tpch_generate_options options = {.scale = NAN};
    char figure[FIGURES_BYTES];
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    options.threads = cores > 0 ? (unsigned)cores : 1;
    for (int i = 0; i < count; i++) {
        char *word = words[i], *value = usage_split_value(word);
        if (!value && i + 1 < count)
            value = words[++i];
        int exit_status = tpch_parse_option(word, value ? value : "", &options);
        if (exit_status)
            return exit_status;
    }
    if (isnan(options.scale) || !options.folder || !*options.folder)
        return usage_error(CLI_TPCH, "generate needs --scale and --out", NULL);
    if (status_line_is_possible())
        options.progress = tpch_show_progress;
    double start = tpch_seconds();
    uint64_t bytes = 0;
    status st = tpch_generate(&options, &bytes);
    status_line_clear();
    if (st) {
        fprintf(stderr, "pistachio: %s\n", status_message(st));
        status_free(st);
        return 1;
    }
    fprintf(stderr, "scale factor %g in %s: %s in %.1f s\n", options.scale, options.folder,
            figures_bytes(bytes, figure), tpch_seconds() - start);
    return 0;
}

int cli_tpch(int count, char **words)
{
    const char *what = count ? words[0] : "";
    for (int i = 1; i < count; i++)
        if (!strcmp(words[i], "--help") || !strcmp(words[i], "-h"))
            what = words[i];
    if (!strcmp(what, "generate"))
        return cli_tpch_generate(count - 1, words + 1);
    if (!strcmp(what, "run"))
        return cli_tpch_run(count - 1, words + 1);
    if (!strcmp(what, "--help") || !strcmp(what, "-h")) {
        fputs(usage, stdout);
        return 0;
    }
    return usage_error(CLI_TPCH, "generate or run is needed, not", *what ? what : "nothing");
}
