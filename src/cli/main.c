/* main.c - the `pistachio` program: arguments, one-shot queries, scripts. */
#include "base/setting.h"
#include "cli/calibrate.h"
#include "cli/inspect.h"
#include "cli/output.h"
#include "cli/rewrite.h"
#include "cli/run.h"
#include "cli/shell.h"
#include "cli/target.h"
#include "cli/tpch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

static const char usage[] =
    "usage: pistachio [OPTIONS] [-c SQL | -f FILE] [DIR|FILE...]\n"
    "       pistachio [OPTIONS] [DIR|FILE...]            a shell, or SQL from standard input\n"
    "       pistachio inspect FILE...                    what Parquet files are made of\n"
    "       pistachio rewrite [OPTIONS] IN... OUT        Parquet files written anew, to scan fast\n"
    "       pistachio calibrate [--path DIR]             how fast a storage device is read\n"
    "       pistachio tpch generate|run ...              TPC-H's data and queries\n"
    "\n"
    "SQL over Parquet files. Each DIR or FILE becomes a table of its own name; a DIR, a table of\n"
    "every Parquet file or folder of Parquet files in it.\n"
    "\n"
    "  -c SQL            run SQL and exit\n"
    "  -f FILE           run the SQL in a file and exit\n"
    "  --table NAME=PATH a table of a file, a pattern or a folder\n"
    "  --format FORMAT   table, csv, tsv, json, jsonl, markdown, none\n"
    "  -o FILE           write results there; after a failure there is no file\n"
    "  --timer           print each statement's time\n"
    "  --set NAME=VALUE  a setting; also PISTACHIO_NAME in the environment\n"
    "  --trace FILE      what each query's threads did when, for ui.perfetto.dev\n"
    "  --timeline FILE   storage, workers and operators over each query's time, as SVG\n"
    "  --settings        list the settings\n"
    "  --version, --help\n"
    "\n"
    "exit status: 0, 1 a query failed, 2 wrong usage\n";

typedef struct arguments {
    const char *sql, *script, *output;
    cli_options options;
    pistachio_option settings[64];
    size_t setting_count;
    const char *tables[256];
    size_t table_count;
    const char *paths[256];
    size_t path_count;
} arguments;

static int usage_error(const char *what, const char *argument)
{
    fprintf(stderr, "pistachio: %s%s%s\n%s", what, argument ? " " : "", argument ? argument : "",
            usage);
    return 2;
}

/* Splits NAME=VALUE in place. */
static bool split(char *text, pistachio_option *out)
{
    char *equals = strchr(text, '=');
    if (!equals || equals == text)
        return false;
    *equals = 0;
    *out = (pistachio_option){text, equals + 1};
    return true;
}

static void list_settings(void)
{
    setting_info info;
    for (unsigned i = 0; setting_describe(i, &info); i++)
        printf("%s (default %s%s%s)\n    %s\n", info.name, info.initial, *info.choices ? "; " : "",
               info.choices, info.help);
}

/* 0: go on; else exit with status - 1. */
static int parse(int count, char **words, arguments *out)
{
    for (int i = 1; i < count; i++) {
        char *word = words[i];
        bool takes_value = !strcmp(word, "-c") || !strcmp(word, "-f") || !strcmp(word, "-o") ||
                           !strcmp(word, "--table") || !strcmp(word, "--format") ||
                           !strcmp(word, "--set") || !strcmp(word, "--trace") ||
                           !strcmp(word, "--timeline");
        char *next = takes_value ? words[++i] : NULL;
        if (takes_value && !next)
            return 1 + usage_error("a value is missing behind", word);
        if (!strcmp(word, "--help") || !strcmp(word, "-h")) {
            fputs(usage, stdout);
            return 1;
        } else if (!strcmp(word, "--version")) {
            printf("pistachio %s\n", pistachio_version());
            return 1;
        } else if (!strcmp(word, "--settings")) {
            list_settings();
            return 1;
        } else if (!strcmp(word, "-c")) {
            out->sql = next;
        } else if (!strcmp(word, "-f")) {
            out->script = next;
        } else if (!strcmp(word, "-o")) {
            out->output = next;
        } else if (!strcmp(word, "--timer")) {
            out->options.has_timer = true;
        } else if (!strcmp(word, "--format")) {
            if (!output_format_parse(next, &out->options.format))
                return 1 + usage_error("there is no format", next);
        } else if (!strcmp(word, "--set")) {
            if (out->setting_count == 64 || !split(next, &out->settings[out->setting_count++]))
                return 1 + usage_error("--set needs NAME=VALUE, not", next);
        } else if (!strcmp(word, "--trace") || !strcmp(word, "--timeline")) {
            if (out->setting_count == 64)
                return 1 + usage_error("too many settings", NULL);
            out->settings[out->setting_count++] = (pistachio_option){word + 2, next};
        } else if (!strcmp(word, "--table")) {
            if (out->table_count == 256 || !strchr(next, '='))
                return 1 + usage_error("--table needs NAME=PATH, not", next);
            out->tables[out->table_count++] = next;
        } else if (word[0] == '-' && word[1]) {
            return 1 + usage_error("there is no option", word);
        } else if (out->path_count == 256) {
            return 1 + usage_error("too many paths", NULL);
        } else {
            out->paths[out->path_count++] = word;
        }
    }
    return 0;
}

static int report(pistachio_error *error)
{
    cli_report(error, NULL);
    return 1;
}

static int add_tables(pistachio_connection *connection, const arguments *a)
{
    for (size_t i = 0; i < a->table_count; i++) {
        pistachio_option table;
        char text[4096];
        if (strlen(a->tables[i]) >= sizeof text)
            return usage_error("too long:", a->tables[i]);
        memcpy(text, a->tables[i], strlen(a->tables[i]) + 1);
        if (!split(text, &table))
            return usage_error("--table needs NAME=PATH, not", a->tables[i]);
        pistachio_error *error = pistachio_add_table(connection, table.name, table.value);
        if (error)
            return report(error);
    }
    for (size_t i = 0; i < a->path_count; i++) {
        pistachio_error *error = pistachio_add_path(connection, a->paths[i]);
        if (error)
            return report(error);
    }
    return 0;
}

static bool is_shell(const arguments *a)
{
    return !a->sql && !a->script && isatty(STDIN_FILENO);
}

static int print_failure(status st)
{
    if (!st)
        return 0;
    fprintf(stderr, "pistachio: %s\n", status_message(st));
    status_free(st);
    return 1;
}

/* What a shell writes can be looked at from elsewhere meanwhile. */
static int open_output(arguments *a)
{
    return a->output ? print_failure(cli_target_open(&a->options, a->output, is_shell(a))) : 0;
}

/* After a failure there is no file. Why it could not be written is said even then. */
static int close_output(arguments *a, int exit_status)
{
    bool is_good = !exit_status || is_shell(a) || ferror(a->options.target);
    int failed = print_failure(cli_target_close(&a->options, is_good));
    return exit_status ? exit_status : failed;
}

static int run_all(pistachio_connection *connection, arguments *a)
{
    if (a->sql)
        return cli_run_text(connection, a->sql, &a->options);
    if (is_shell(a))
        return cli_shell(connection, &a->options);
    FILE *source = stdin;
    if (a->script && !(source = fopen(a->script, "re"))) {
        fprintf(stderr, "pistachio: could not open \"%s\"\n", a->script);
        return 1;
    }
    int result = cli_run_stream(connection, source, &a->options);
    if (source != stdin)
        fclose(source);
    return result;
}

/* A table may be thousands of files, which stay open. */
static void allow_many_files(void)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit))
        return;
    limit.rlim_cur = limit.rlim_max;
    (void)setrlimit(RLIMIT_NOFILE, &limit); /* else as many as there were */
}

int main(int count, char **words)
{
    allow_many_files();
    if (count > 1 && !strcmp(words[1], "calibrate"))
        return cli_calibrate(count - 2, words + 2);
    if (count > 1 && !strcmp(words[1], "inspect"))
        return cli_inspect(count - 2, words + 2);
    if (count > 1 && !strcmp(words[1], "rewrite"))
        return cli_rewrite(count - 2, words + 2);
    if (count > 1 && !strcmp(words[1], "tpch"))
        return cli_tpch(count - 2, words + 2);
    arguments a = {.options = {.format = OUTPUT_TABLE, .target = stdout}};
    int exit_status = parse(count, words, &a);
    if (exit_status)
        return exit_status - 1;
    if (open_output(&a))
        return 1;
    pistachio_database *database = NULL;
    pistachio_connection *connection = NULL;
    pistachio_error *error = pistachio_open(a.settings, a.setting_count, &database);
    if (!error)
        error = pistachio_connect(database, &connection);
    exit_status = error ? report(error) : add_tables(connection, &a);
    if (!exit_status)
        exit_status = run_all(connection, &a);
    pistachio_disconnect(connection);
    pistachio_close(database);
    return close_output(&a, exit_status);
}
