/* tpch_run.c - `pistachio tpch run`: times the 22 queries, checks their answers. */
#include "cli/tpch.h"

#include "api/session/database.h"
#include "cli/output/usage.h"
#include "cli/ranks/processes.h"
#include "cli/ranks/rank.h"
#include "cli/shell/run.h"
#include "tpch/check.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define RUNS_MAX 1000
#define SETTINGS_MAX 64
#define TABLES_MAX 8

typedef struct measured {
    double runs[RUNS_MAX]; /* seconds */
    double median;
    uint64_t rows;
    bool is_asked, has_failed;
    char difference[200]; /* from the published answer */
} measured;

typedef struct run_options {
    const char *data, *json;
    pistachio_option tables[TABLES_MAX]; /* names and paths */
    size_t table_count;
    cli_rank rank;
    unsigned runs;
    bool check;
    pistachio_option settings[SETTINGS_MAX];
    size_t setting_count;
} run_options;

static double tpch_run_seconds(void)
{
    struct timespec ts;
    clock_gettime(CLOCK_MONOTONIC, &ts);
    return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* "1,3,6-9" */
static bool parse_queries(const char *text, measured *all)
{
    for (unsigned q = 1; q <= TPCH_QUERY_COUNT; q++)
        all[q].is_asked = false;
    while (*text) {
        char *end;
        unsigned long first = strtoul(text, &end, 10), last = first;
        if (end == text)
            return false;
        if (*end == '-') {
            text = end + 1;
            last = strtoul(text, &end, 10);
            if (end == text)
                return false;
        }
        if (first < 1 || last < first || last > TPCH_QUERY_COUNT || (*end && *end != ','))
            return false;
        for (unsigned long q = first; q <= last; q++)
            all[q].is_asked = true;
        text = *end ? end + 1 : end;
    }
    return true;
}

/* 0: go on; else the exit status. */
static int tpch_run_parse(int count, char **words, run_options *o, measured *all)
{
    o->runs = 1;
    for (int i = 0; i < count; i++) {
        char *word = words[i], *next = i + 1 < count ? words[i + 1] : NULL, *equals, *end;
        if (!strcmp(word, "--check")) {
            o->check = true;
            continue;
        }
        if (!next)
            return usage_error(CLI_TPCH, "a value is missing behind", word);
        i++;
        if (!strcmp(word, "--data")) {
            o->data = next;
        } else if (!strcmp(word, "--json")) {
            o->json = next;
        } else if (!strcmp(word, "--queries")) {
            if (!parse_queries(next, all))
                return usage_value(CLI_TPCH, word, next, "a list as 1,3,6-9 of 1 to 22");
        } else if (!strcmp(word, "--runs")) {
            long runs = strtol(next, &end, 10);
            if (*end || runs < 1 || runs > RUNS_MAX)
                return usage_value(CLI_TPCH, word, next, "a number from 1 to 1000");
            o->runs = (unsigned)runs;
        } else if (!strcmp(word, "--set") || !strcmp(word, "--table")) {
            bool is_table = word[2] == 't';
            equals = strchr(next, '=');
            if (!equals || equals == next ||
                (is_table ? o->table_count == TABLES_MAX : o->setting_count == SETTINGS_MAX))
                return usage_value(CLI_TPCH, word, next, is_table ? "NAME=PATH" : "NAME=VALUE");
            *equals = 0;
            pistachio_option option = {next, equals + 1};
            if (is_table)
                o->tables[o->table_count++] = option;
            else
                o->settings[o->setting_count++] = option;
        } else if (!strcmp(word, "--ranks") && o->setting_count < SETTINGS_MAX) {
            o->settings[o->setting_count++] = (pistachio_option){"ranks", next};
        } else if (!strcmp(word, "--processes")) {
            int exit_status = cli_rank_parse(CLI_TPCH, next, &o->rank);
            if (exit_status)
                return exit_status;
        } else {
            return cli_tpch_no_option(word);
        }
    }
    return o->data || o->table_count ? 0 : usage_error(CLI_TPCH, "run needs --data DIR", NULL);
}

static pistachio_error *count_orders(pistachio_connection *connection, uint64_t *out)
{
    pistachio_result *result = NULL;
    const pistachio_batch *batch = NULL;
    pistachio_error *error =
        pistachio_query(connection, "select count(*) from orders", NULL, &result);
    if (!error)
        error = pistachio_next(result, &batch);
    size_t bytes;
    *out = !error && batch ? strtoull(pistachio_text(batch, 0, 0, &bytes), NULL, 10) : 0;
    pistachio_result_free(result);
    return error;
}

/* Opens the device, starts threads: so that the first query's time is its own. */
static pistachio_error *warm_up(pistachio_connection *connection)
{
    pistachio_result *result = NULL;
    const pistachio_batch *batch = NULL;
    pistachio_error *error = pistachio_query(
        connection, "select sum(x + 1) from (values (1), (2)) as t(x)", NULL, &result);
    if (!error)
        error = pistachio_next(result, &batch);
    pistachio_result_free(result);
    return error;
}

/* All runs of a query; says what failed. */
static void tpch_run_measure(pistachio_connection *connection, const run_options *o,
                             const char *scale, unsigned number, measured *m)
{
    for (unsigned run = 0; run < o->runs && !m->has_failed; run++) {
        pistachio_result *result = NULL;
        double start = tpch_run_seconds();
        pistachio_error *error = pistachio_query(connection, tpch_query(number), NULL, &result);
        if (!error)
            error =
                tpch_check(result, scale, number, &m->rows, m->difference, sizeof m->difference);
        pistachio_result_free(result);
        m->runs[run] = tpch_run_seconds() - start;
        m->has_failed = error || *m->difference;
        if (error)
            cli_report(error, tpch_query(number), 0);
    }
    double sorted[RUNS_MAX];
    memcpy(sorted, m->runs, o->runs * sizeof *sorted);
    qsort(sorted, o->runs, sizeof *sorted, by_size);
    m->median = (sorted[(o->runs - 1) / 2] + sorted[o->runs / 2]) / 2;
}

static void tpch_run_print_row(unsigned number, const measured *m, const run_options *o,
                               const char *scale)
{
    printf("q%02u  %9.3f  %8" PRIu64, number, m->median, m->rows);
    if (m->has_failed)
        printf("  %s", *m->difference ? m->difference : "failed");
    else if (o->check && scale)
        printf("  ok");
    printf("\n");
    fflush(stdout);
}

static bool write_json(const measured *all, const run_options *o)
{
    FILE *file = fopen(o->json, "we");
    if (!file)
        return false;
    fprintf(file, "{\"queries\": [");
    const char *comma = "";
    for (unsigned q = 1; q <= TPCH_QUERY_COUNT; q++) {
        const measured *m = &all[q];
        if (!m->is_asked)
            continue;
        fprintf(file,
                "%s\n  {\"query\": %u, \"ok\": %s, \"rows\": %" PRIu64
                ", \"median_s\": %.6f, \"runs_s\": [",
                comma, q, m->has_failed ? "false" : "true", m->rows, m->median);
        for (unsigned run = 0; run < o->runs; run++)
            fprintf(file, "%s%.6f", run ? ", " : "", m->runs[run]);
        fprintf(file, "]}");
        comma = ",";
    }
    fprintf(file, "\n]}\n");
    bool is_written = !ferror(file);
    return !fclose(file) && is_written;
}

static int run_queries(pistachio_connection *connection, const run_options *o, measured *all)
{
    const char *scale = NULL;
    if (o->check) {
        uint64_t orders;
        pistachio_error *error = count_orders(connection, &orders);
        if (error) {
            cli_report(error, NULL, 0);
            return 1;
        }
        scale = tpch_answers_scale(orders);
        if (!scale) {
            fprintf(
                stderr,
                "pistachio: --check: there are published answers for scale factors 0.01, 0.1 and "
                "1; %s has %" PRIu64 " orders\n",
                o->data ? o->data : "table orders", orders);
            return 1;
        }
    }
    pistachio_error *cold = warm_up(connection);
    if (cold) {
        cli_report(cold, NULL, 0);
        return 1;
    }
    unsigned asked = 0, failed = 0;
    double sum = 0, logarithms = 0;
    printf("query    seconds      rows\n");
    for (unsigned q = 1; q <= TPCH_QUERY_COUNT; q++) {
        if (!all[q].is_asked)
            continue;
        tpch_run_measure(connection, o, scale, q, &all[q]);
        tpch_run_print_row(q, &all[q], o, scale);
        asked++;
        failed += all[q].has_failed;
        sum += all[q].median;
        logarithms += log(all[q].median > 1e-6 ? all[q].median : 1e-6);
    }
    printf("sum  %9.3f   geometric mean %.3f\n", sum, exp(logarithms / (asked ? asked : 1)));
    if (o->check)
        printf("%u of %u answers are the published ones\n", asked - failed, asked);
    if (o->json && !write_json(all, o)) {
        fprintf(stderr, "pistachio: could not write \"%s\": %s\n", o->json, strerror(errno));
        return 1;
    }
    return failed != 0;
}

static pistachio_error *tpch_run_add_tables(pistachio_connection *connection, const run_options *o)
{
    sql_table_path tables[TABLES_MAX + 1];
    size_t count = 0;
    for (; count < o->table_count; count++)
        tables[count] =
            (sql_table_path){.name = o->tables[count].name, .path = o->tables[count].value};
    if (o->data)
        tables[count++] = (sql_table_path){.path = o->data, .is_whole = true};
    return api_add_tables(connection, tables, count);
}

/* The database's part of it. The exit status; ranks but the client's serve. */
static int run_on(pistachio_database *database, const run_options *o, measured *all)
{
    pistachio_connection *connection = NULL;
    int exit_status = cli_rank_start(&o->rank, database);
    if (exit_status)
        return exit_status;
    if (!cli_rank_is_client(&o->rank))
        return cli_rank_serve(&o->rank, database, false);
    pistachio_error *error = pistachio_connect(database, &connection);
    if (!error)
        error = tpch_run_add_tables(connection, o);
    if (error)
        cli_report(error, NULL, 0);
    exit_status = error ? 1 : run_queries(connection, o, all);
    pistachio_disconnect(connection);
    return exit_status;
}

int cli_tpch_run(int count, char **words)
{
    static measured all[TPCH_QUERY_COUNT + 1];
    run_options o = {0};
    for (unsigned q = 1; q <= TPCH_QUERY_COUNT; q++)
        all[q].is_asked = true;
    int exit_status = tpch_run_parse(count, words, &o, all);
    if (!exit_status)
        exit_status = cli_rank_find(&o.rank);
    if (exit_status)
        return exit_status;
    pistachio_database *database = NULL;
    pistachio_error *error = pistachio_open(o.settings, o.setting_count, &database);
    if (error)
        cli_report(error, NULL, 0);
    exit_status = error ? 1 : run_on(database, &o, all);
    pistachio_close(database);
    cli_processes_end(!exit_status);
    return exit_status;
}
