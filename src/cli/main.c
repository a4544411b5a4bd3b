/* main.c - the `pistachio` program: arguments, one-shot queries, scripts. */
#include "api/session/database.h"
#include "base/setting/setting.h"
#include "base/text/nearest.h"
#include "cli/bench.h"
#include "cli/calibrate.h"
#include "cli/inspect.h"
#include "cli/output/usage.h"
#include "cli/ranks/processes.h"
#include "cli/ranks/rank.h"
#include "cli/ranks/topology.h"
#include "cli/rewrite.h"
#include "cli/serve.h"
#include "cli/shell/interrupt.h"
#include "cli/shell/run.h"
#include "cli/shell/screen.h"
#include "cli/shell/shell.h"
#include "cli/shell/target.h"
#include "cli/tpch.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

static const char usage[] =
    "usage: pistachio [OPTIONS] [-c SQL | -f FILE]... [DIR|FILE...]\n"
    "       pistachio [OPTIONS] [DIR|FILE...]            a shell, or SQL from standard input\n"
    "       pistachio inspect FILE...                    what Parquet files are made of\n"
    "       pistachio rewrite [OPTIONS] IN... OUT        Parquet files written anew, to scan fast\n"
    "       pistachio serve [OPTIONS] DIR...             answers clients of PostgreSQL\n"
    "       pistachio calibrate [--path DIR]             how fast a storage device is read\n"
    "       pistachio bench join|shuffle ...             joins of several ranks, measured\n"
    "       pistachio topology                           machines of ranks, and what joins them\n"
    "       pistachio tpch generate|run ...              TPC-H's data and queries\n"
    "\n"
    "SQL over Parquet files. Each DIR or FILE becomes a table of its own name; a DIR, a table of\n"
    "every Parquet file or folder of Parquet files in it.\n"
    "\n"
    "  -c SQL            run SQL and exit; several -c and -f run one after another, to the first "
    "error\n"
    "  -f FILE           run the SQL in a file (-: standard input) and exit\n"
    "  --table NAME=PATH a table of a file, a pattern or a folder\n"
    "  --format FORMAT   table, csv, tsv, json, jsonl, markdown, none\n"
    "  --null TEXT       how tables show NULL; default NULL\n"
    "  -o FILE           write results there; after a failure there is no file\n"
    "  --timer           print each statement's time\n"
    "  --set NAME=VALUE  a setting; also PISTACHIO_NAME in the environment\n"
    "  --ranks N         as many ranks, each with its share of threads and memory, run statements\n"
    "                    together; default 1\n"
    "  --processes N     the same, each rank a process of its own; in paths and settings {rank} is "
    "its\n"
    "                    number, {host} its machine\n"
    "  --trace FILE      what each query's threads did when, for ui.perfetto.dev\n"
    "  --timeline FILE   storage, workers and operators over each query's time, as SVG\n"
    "  --settings        list the settings\n"
    "  --version, --help\n"
    "\n"
    "SQL may be mixed with the shell's commands (.help lists them), each on a line of its own.\n"
    "exit status: 0, 1 a query failed, 2 wrong usage\n";

#define PROGRAM "pistachio"

/* SQL, or a file of it. */
typedef struct action {
    const char *text;
    bool is_file;
} action;

typedef struct arguments {
    action actions[256];
    size_t action_count;
    const char *output;
    cli_session session;
    pistachio_option settings[64];
    size_t setting_count;
    pistachio_option tables[256]; /* names and paths */
    size_t table_count;
    const char *paths[256];
    size_t path_count;
    cli_rank rank;
} arguments;

/* Splits NAME=VALUE in place. */
static bool main_split(char *text, pistachio_option *out)
{
    char *equals = strchr(text, '=');
    if (!equals || equals == text)
        return false;
    *equals = 0;
    *out = (pistachio_option){text, equals + 1};
    return true;
}

static void main_list_settings(void)
{
    setting_info info;
    for (unsigned i = 0; setting_describe(i, &info); i++)
        printf("%s (default %s%s%s)\n    %s\n", info.name, info.initial, *info.choices ? "; " : "",
               info.choices, info.help);
}

static const char *const option_names[] = {"-c",         "-f",        "-o",          "--table",
                                           "--format",   "--null",    "--set",       "--trace",
                                           "--timeline", "--ranks",   "--processes", "--timer",
                                           "--settings", "--version", "--help"};
#define OPTION_COUNT (sizeof option_names / sizeof *option_names)
#define VALUE_OPTION_COUNT 11 /* the first of them take a value */

static bool is_option(const char *word, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!strcmp(word, option_names[i]))
            return true;
    return false;
}

/* -csv, --json: other programs' way of saying --format. */
static int main_no_option(const char *word)
{
    output_format format;
    const char *name = word + strspn(word, "-");
    if (!output_format_parse(name, &format))
        return usage_no_option(PROGRAM, word, option_names, OPTION_COUNT);
    fprintf(stderr, PROGRAM ": there is no option %s\nhint: --format %s\n", word, name);
    return 2;
}

static int add_action(arguments *a, const char *text, bool is_file)
{
    if (a->action_count == sizeof a->actions / sizeof *a->actions)
        return usage_error(PROGRAM, "too many -c and -f", NULL);
    a->actions[a->action_count++] = (action){text, is_file};
    return 0;
}

static int main_add_setting(arguments *a, pistachio_option setting)
{
    if (a->setting_count == sizeof a->settings / sizeof *a->settings)
        return usage_error(PROGRAM, "too many settings", NULL);
    a->settings[a->setting_count++] = setting;
    return 0;
}

/* An option and its value: 0, or the exit status. */
static int parse_value(arguments *a, const char *word, char *value)
{
    pistachio_option setting;
    cli_session *session = &a->session;
    if (!strcmp(word, "-c") || !strcmp(word, "-f"))
        return add_action(a, value, word[1] == 'f');
    if (!strcmp(word, "-o"))
        a->output = value;
    else if (!strcmp(word, "--null") && strlen(value) < sizeof session->output.null_text)
        memcpy(session->output.null_text, value, strlen(value) + 1);
    else if (!strcmp(word, "--null"))
        return usage_error(PROGRAM, "too long for NULL:", value);
    else if (!strcmp(word, "--format"))
        return output_format_parse(value, &session->output.format)
                   ? 0
                   : usage_value(PROGRAM, word, value, output_format_names);
    else if (!strcmp(word, "--set"))
        return main_split(value, &setting) ? main_add_setting(a, setting)
                                           : usage_value(PROGRAM, word, value, "NAME=VALUE");
    else if (!strcmp(word, "--processes"))
        return cli_rank_parse(PROGRAM, value, &a->rank);
    else if (!strcmp(word, "--trace") || !strcmp(word, "--timeline") || !strcmp(word, "--ranks"))
        return main_add_setting(a, (pistachio_option){word + 2, value});
    else if (!main_split(value, &setting)) /* --table */
        return usage_value(PROGRAM, word, value, "NAME=PATH");
    else if (a->table_count == sizeof a->tables / sizeof *a->tables)
        return usage_error(PROGRAM, "too many tables", NULL);
    else
        a->tables[a->table_count++] = setting;
    return 0;
}

/* -1: go on; else the exit status. */
static int main_parse(int count, char **words, arguments *out)
{
    for (int i = 1; i < count; i++) {
        char *word = words[i], *value = usage_split_value(word);
        if (is_option(word, VALUE_OPTION_COUNT)) {
            if (!value && !(value = words[++i]))
                return usage_error(PROGRAM, "a value is missing behind", word);
            int exit_status = parse_value(out, word, value);
            if (exit_status)
                return exit_status;
        } else if (word[0] == '-' && word[1]) {
            bool is_help = !strcmp(word, "--help") || !strcmp(word, "-h");
            if (!strcmp(word, "--timer")) {
                out->session.has_timer = true;
                continue;
            }
            if (is_help)
                fputs(usage, stdout);
            else if (!strcmp(word, "--version"))
                printf("pistachio %s\n", pistachio_version());
            else if (!strcmp(word, "--settings"))
                main_list_settings();
            else
                return main_no_option(word);
            return 0;
        } else if (out->path_count == sizeof out->paths / sizeof *out->paths) {
            return usage_error(PROGRAM, "too many paths", NULL);
        } else {
            out->paths[out->path_count++] = word;
        }
    }
    return -1;
}

static int main_report(pistachio_error *error)
{
    cli_report(error, NULL, 0);
    return 1;
}

static pistachio_error *main_add_tables(pistachio_connection *connection, const arguments *a)
{
    sql_table_path
        tables[sizeof a->tables / sizeof *a->tables + sizeof a->paths / sizeof *a->paths];
    size_t count = 0;
    for (; count < a->table_count; count++)
        tables[count] =
            (sql_table_path){.name = a->tables[count].name, .path = a->tables[count].value};
    for (size_t i = 0; i < a->path_count; i++)
        tables[count++] = (sql_table_path){.path = a->paths[i], .is_whole = true};
    return api_add_tables(connection, tables, count);
}

static bool is_shell(const arguments *a)
{
    return !a->action_count && isatty(STDIN_FILENO);
}

static int main_run_all(arguments *a)
{
    cli_session *session = &a->session;
    int result = 0;
    if (!a->action_count)
        return is_shell(a) ? cli_shell(session) : cli_run_stream(session, stdin);
    for (size_t i = 0; i < a->action_count && !result && !session->is_done; i++)
        result = a->actions[i].is_file ? cli_run_file(session, a->actions[i].text)
                                       : cli_run_text(session, a->actions[i].text);
    return result;
}

/* Prepares the process: a table may be thousands of files, which stay open, and a write beyond the limit of file sizes
 * is an error, not a signal that kills. */
static void set_limits(void)
{
    struct rlimit limit;
    signal(SIGXFSZ, SIG_IGN);
    if (getrlimit(RLIMIT_NOFILE, &limit))
        return;
    limit.rlim_cur = limit.rlim_max;
    (void)setrlimit(RLIMIT_NOFILE, &limit); /* else as many as there were */
}

typedef struct subcommand {
    const char *name;
    int (*run)(int count, char **words);
} subcommand;

static const subcommand subcommands[] = {{"bench", cli_bench},     {"calibrate", cli_calibrate},
                                         {"inspect", cli_inspect}, {"rewrite", cli_rewrite},
                                         {"serve", cli_serve},     {"topology", cli_topology},
                                         {"tpch", cli_tpch}};
#define SUBCOMMAND_COUNT (sizeof subcommands / sizeof *subcommands)

/* Checks a first word that does not name a file but nearly a command: the exit status; else -1. */
static int check_first(const char *word)
{
    const char *names[SUBCOMMAND_COUNT];
    for (size_t i = 0; i < SUBCOMMAND_COUNT; i++)
        names[i] = subcommands[i].name;
    const char *nearest = nearest_name(word, names, SUBCOMMAND_COUNT);
    if (!nearest || !access(word, F_OK))
        return -1;
    fprintf(stderr,
            PROGRAM ": there is no command and no file \"%s\"\nhint: did you mean "
                    "pistachio %s?\n",
            word, nearest);
    return 2;
}

/* Opens the output of a shell, which can be looked at from elsewhere meanwhile. */
static int open_output(arguments *a)
{
    status st = a->output ? cli_target_open(&a->session, a->output, is_shell(a)) : STATUS_OK;
    if (!st)
        return 0;
    fprintf(stderr, PROGRAM ": %s\n", status_message(st));
    status_free(st);
    return 1;
}

/* After a failure there is no file. Why it could not be written is said even then. */
static int end_session(arguments *a, int exit_status)
{
    bool is_good = !exit_status || is_shell(a) || ferror(a->session.target);
    int failed = cli_session_end(&a->session, is_good);
    return exit_status ? exit_status : failed;
}

/* Writes rows out before other ranks hear that the work is done; 1, with a message, if that fails. */
static int flush_rows(arguments *a)
{
    status st = cli_target_flush(&a->session);
    if (!st)
        return 0;
    fprintf(stderr, PROGRAM ": %s\n", status_message(st));
    status_free(st);
    return 1;
}

/* ---- the program ---- */

static int open_database(arguments *a, pistachio_database **out)
{
    *out = NULL;
    pistachio_error *error = pistachio_open(a->settings, a->setting_count, out);
    if (!error)
        error = pistachio_connect(*out, &a->session.connection);
    if (error)
        return main_report(error);
    int failed = cli_rank_start(&a->rank, *out);
    if (failed ||
        !cli_rank_is_client(&a->rank)) /* tables are the client's, who opens them with all */
        return failed;
    error = main_add_tables(a->session.connection, a);
    return error ? main_report(error) : 0;
}

static int run_program(arguments *a)
{
    pistachio_database *database = NULL;
    if (cli_rank_find(&a->rank))
        return 1;
    bool is_client = cli_rank_is_client(&a->rank);
    if (is_client && open_output(a))
        return 1;
    int exit_status = open_database(a, &database);
    if (!exit_status)
        exit_status = is_client ? main_run_all(a) : cli_rank_serve(&a->rank, database, false);
    if (is_client && flush_rows(a) && !exit_status)
        exit_status = 1;
    pistachio_disconnect(a->session.connection);
    pistachio_close(database);
    cli_processes_end(!exit_status);
    exit_status = end_session(a, exit_status);
    interrupt_die();
    return exit_status;
}

/* Copies the arguments: options are cut in two where they stand, and `ps` shows them as they were given. The texts are
 * in one block, as the program's options overwrite their pointers. NULL without memory. */
static char **main_copy_words(int count, char **words, char **out_texts)
{
    size_t bytes = 1;
    for (int i = 0; i < count; i++)
        bytes += strlen(words[i]) + 1;
    char **copies = mem_new_array((size_t)count + 1, sizeof *copies), *at = mem_new(bytes);
    *out_texts = at;
    if (!copies || !at)
        return NULL;
    for (int i = 0; i < count; i++) {
        size_t whole = strlen(words[i]) + 1;
        memcpy(at, words[i], whole);
        copies[i] = at;
        at += whole;
    }
    return copies;
}

int main(int count, char **given)
{
    static char **words, *texts; /* until the process ends */
    static arguments a = {.session = {.output = {.format = OUTPUT_TABLE, .null_text = "NULL"},
                                      .max_rows = SCREEN_MAX_ROWS}}; /* large */
    words = main_copy_words(count, given, &texts);
    if (!words)
        return usage_error(PROGRAM, "no memory for the arguments", NULL);
    set_limits();
    for (size_t i = 0; i < SUBCOMMAND_COUNT && count > 1; i++)
        if (!strcmp(words[1], subcommands[i].name))
            return subcommands[i].run(count - 2, words + 2);
    a.session.target = stdout;
    int exit_status = count > 1 ? check_first(words[1]) : -1;
    if (exit_status < 0)
        exit_status = main_parse(count, words, &a);
    return exit_status < 0 ? run_program(&a) : exit_status;
}
