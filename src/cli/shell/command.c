/* command.c - one table of the commands: what they are called, what they do, what help says. */
#include "cli/shell/command.h"

#include "base/mem.h"
#include "cli/shell/interrupt.h"
#include "cli/shell/target.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/wait.h>
#include <unistd.h>

#define NAMES_MAX 5
#define LIMIT_MOST 100000 /* of rows that are kept to be shown */
#define WATCH_SECONDS_MOST 86400

typedef struct command {
    const char *names[NAMES_MAX]; /* without the dot or the backslash */
    const char *usage, *help;
    int (*run)(cli_session *s, char *argument);
} command;

/* ---- arguments ---- */

/* Cuts blanks and semicolons off the end. */
static void cut_end(char *text)
{
    size_t bytes = strlen(text);
    while (bytes && strchr(" \t\r;", text[bytes - 1]))
        bytes--;
    text[bytes] = 0;
}

/* Without blanks and semicolons behind it, and without the quotes around it. */
static char *command_trim(char *argument)
{
    cut_end(argument);
    size_t bytes = strlen(argument);
    if (bytes > 1 && (*argument == '\'' || *argument == '"') && argument[bytes - 1] == *argument) {
        argument++;
        bytes -= 2;
    }
    argument[bytes] = 0;
    return argument;
}

/* "on", "off", or nothing: the other one. */
static int set_switch(const char *what, char *argument, bool *out)
{
    argument = command_trim(argument);
    if (!*argument)
        *out = !*out;
    else if (!strcmp(argument, "on") || !strcmp(argument, "off"))
        *out = argument[1] == 'n';
    else {
        fprintf(stderr, "error: %s is on or off, not \"%s\"\n", what, argument);
        return 1;
    }
    return 0;
}

static int set_and_say(cli_session *s, const char *what, char *argument, bool *out)
{
    int result = set_switch(what, argument, out);
    if (!result && s->is_interactive)
        printf("%s: %s\n", what, *out ? "on" : "off");
    return result;
}

static int command_fail(const char *why, const char *what)
{
    fprintf(stderr, "error: %s%s\n", why, what);
    return 1;
}

/* ---- commands ---- */

static int run_help(cli_session *s, char *argument);

static int run_quit(cli_session *s, char *argument)
{
    (void)argument;
    s->is_done = true;
    return 0;
}

/* Runs a statement that is not the user's: .edit keeps to theirs, and all of its rows are shown. */
static int run_own(cli_session *s, const char *sql)
{
    char *kept = s->last_sql;
    uint32_t max_rows = s->max_rows;
    s->last_sql = NULL;
    s->max_rows = 0;
    int result = cli_run_text(s, sql);
    s->max_rows = max_rows;
    mem_free(s->last_sql);
    s->last_sql = kept;
    return result;
}

/* Returns whether the text may stand in SQL as it is: in quotes, or a word of letters, digits and _. */
static bool is_sql_name(const char *text)
{
    size_t bytes = strlen(text);
    if (bytes > 1 && (*text == '\'' || *text == '"') && text[bytes - 1] == *text)
        return true;
    return !text[strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_")];
}

static bool is_path(const char *text)
{
    size_t bytes = strlen(text);
    return strchr(text, '/') || (bytes > 8 && !strcasecmp(text + bytes - 8, ".parquet"));
}

/* Returns "DESCRIBE name", the caller's, with the name in the quotes that it needs; NULL: there is no memory. */
static char *command_make_describe(const char *name)
{
    static const char word[] = "DESCRIBE ";
    char *sql = mem_new(sizeof word + 2 * strlen(name) + 2), *to;
    if (!sql)
        return NULL;
    memcpy(sql, word, sizeof word);
    to = sql + sizeof word - 1;
    if (is_sql_name(name)) {
        memcpy(to, name, strlen(name) + 1);
        return sql;
    }
    char quote = is_path(name) ? '\'' : '"';
    *to++ = quote;
    for (; *name; name++) {
        if (*name == quote)
            *to++ = quote;
        *to++ = *name;
    }
    *to++ = quote;
    *to = 0;
    return sql;
}

static int run_schema(cli_session *s, char *argument)
{
    cut_end(argument);
    if (!*argument)
        return run_own(s, "SHOW TABLES");
    char *sql = command_make_describe(argument);
    if (!sql) {
        fprintf(stderr, "error: no memory\n");
        return 1;
    }
    int result = run_own(s, sql);
    mem_free(sql);
    return result;
}

static int run_tables(cli_session *s, char *argument)
{
    (void)argument;
    return run_own(s, "SHOW TABLES");
}

static int run_mode(cli_session *s, char *argument)
{
    argument = command_trim(argument);
    if (output_format_parse(argument, &s->output.format))
        return 0;
    fprintf(stderr, "error: there is no format \"%s\"; there are %s\n", argument,
            output_format_names);
    return 1;
}

static int run_null(cli_session *s, char *argument)
{
    argument = command_trim(argument);
    if (strlen(argument) >= sizeof s->output.null_text) {
        fprintf(stderr, "error: more than %zu bytes for NULL\n", sizeof s->output.null_text - 1);
        return 1;
    }
    memcpy(s->output.null_text, argument, strlen(argument) + 1);
    return 0;
}

static int run_records(cli_session *s, char *argument)
{
    return set_and_say(s, "a line for each column", argument, &s->output.has_records);
}

static int run_timer(cli_session *s, char *argument)
{
    return set_and_say(s, "times of statements", argument, &s->has_timer);
}

/* Reads a number up to LIMIT_MOST. */
static int set_limit(const char *what, char *argument, uint32_t *out)
{
    char *end;
    argument = command_trim(argument);
    unsigned long number = strtoul(argument, &end, 10);
    if (*argument < '0' || *argument > '9' || *end || number > LIMIT_MOST) {
        fprintf(stderr, "error: %s is a number from 0 to %d, not \"%s\"\n", what, LIMIT_MOST,
                argument);
        return 1;
    }
    *out = (uint32_t)number;
    return 0;
}

static int run_max_rows(cli_session *s, char *argument)
{
    return set_limit("the number of rows", argument, &s->max_rows);
}

static int run_max_width(cli_session *s, char *argument)
{
    return set_limit("the width of a table", argument, &s->max_width);
}

static int run_pager(cli_session *s, char *argument)
{
    return set_and_say(s, "tables by $PAGER", argument, &s->has_pager);
}

/* psql's: \pset null TEXT, \pset format FORMAT, \pset expanded. */
static int run_pset(cli_session *s, char *argument)
{
    size_t bytes = strcspn(argument, " \t;");
    char *value = argument + bytes + strspn(argument + bytes, " \t");
    argument[bytes] = 0;
    if (!strcmp(argument, "null"))
        return run_null(s, value);
    if (!strcmp(argument, "expanded") || !strcmp(argument, "x"))
        return run_records(s, value);
    if (!strcmp(argument, "pager"))
        return run_pager(s, value);
    if (!strcmp(argument, "format"))
        return run_mode(s, !strcmp(command_trim(value), "aligned") ? (char[]){"table"} : value);
    output_format format;
    if (output_format_parse(argument, &format))
        return run_mode(s, argument);
    fprintf(
        stderr,
        "error: there is no setting \"%s\" of output; there are null, format, expanded, pager\n",
        argument);
    return 1;
}

/* Runs statements with their output. What a statement fails to print is not missed in what others have printed: the
 * file may be cut. */
static int run_output(cli_session *s, char *argument)
{
    argument = command_trim(argument);
    status st = *argument ? cli_target_open(s, argument, true) : cli_target_close(s, true);
    if (!st)
        return 0;
    fprintf(stderr, "error: %s\n", status_message(st));
    status_free(st);
    return 1;
}

/* The next statement's rows alone: its file is there when it is whole. */
static int command_run_once(cli_session *s, char *argument)
{
    argument = command_trim(argument);
    if (!*argument)
        return command_fail("a file's name is missing", "");
    status st = cli_target_open(s, argument, false);
    s->is_once = !st;
    if (!st)
        return 0;
    fprintf(stderr, "error: %s\n", status_message(st));
    status_free(st);
    return 1;
}

static int run_cd(cli_session *s, char *argument)
{
    (void)s;
    argument = command_trim(argument);
    const char *home = getenv("HOME"), *folder = *argument ? argument : home ? home : "/";
    if (!chdir(folder))
        return 0;
    fprintf(stderr, "error: could not go to \"%s\": %s\n", folder, strerror(errno));
    return 1;
}

/* psql's: \watch 2, \watch i=0.5 c=3. Returns false if the argument is something else. */
static bool parse_watch(char *argument, double *out_seconds, unsigned long *out_count)
{
    char *end;
    for (char *word = command_trim(argument); *word; word = end + strspn(end, " \t")) {
        if (!strncmp(word, "c=", 2)) {
            *out_count = strtoul(word + 2, &end, 10);
            if (!*out_count)
                return false;
        } else {
            *out_seconds = strtod(!strncmp(word, "i=", 2) ? word + 2 : word, &end);
            if (!(*out_seconds >= 0 && *out_seconds <= WATCH_SECONDS_MOST))
                return false;
        }
        if (*end && *end != ' ' && *end != '\t')
            return false;
    }
    return true;
}

static int run_watch(cli_session *s, char *argument)
{
    double seconds = 2;
    unsigned long count = 0;
    int result = 0;
    if (!parse_watch(argument, &seconds, &count))
        return command_fail("\\watch takes seconds, and how often: ", "\\watch 2 c=10");
    if (!s->last_sql)
        return command_fail("there is no statement to repeat", "");
    s->is_repeat = true;
    for (unsigned long i = 1; !result; i++) {
        result = cli_run_text(s, s->last_sql);
        fflush(s->target);
        if (result || i == count || interrupt_sleep(s->connection, s->is_interactive, seconds))
            break;
    }
    s->is_repeat = false;
    return result;
}

static int command_run_read(cli_session *s, char *argument)
{
    argument = command_trim(argument);
    if (*argument)
        return cli_run_file(s, argument);
    fprintf(stderr, "error: a file's name is missing\n");
    return 1;
}

static int run_print(cli_session *s, char *argument)
{
    fprintf(s->target, "%s\n", command_trim(argument));
    return 0;
}

static int run_copy(cli_session *s, char *argument)
{
    size_t bytes = strlen(argument);
    char *sql = mem_new(bytes + sizeof "COPY ");
    if (!sql) {
        fprintf(stderr, "error: no memory\n");
        return 1;
    }
    memcpy(sql, "COPY ", 5);
    memcpy(sql + 5, argument, bytes);
    int result = cli_run_text(s, sql);
    mem_free(sql);
    return result;
}

static int run_system(cli_session *s, char *argument)
{
    const char *shell = getenv("SHELL");
    fflush(s->target);
    fflush(stdout);
    int result = system(*argument ? argument : shell && *shell ? shell : "/bin/sh");
    if (result == -1)
        fprintf(stderr, "error: no command can be run: %s\n", strerror(errno));
    return result == -1 || (!s->is_interactive && result != 0);
}

/* Makes a file of the last statement. False: it cannot be made. */
static bool make_draft(const cli_session *s, char *path)
{
    int fd = mkstemps(path, 4);
    FILE *f = fd < 0 ? NULL : fdopen(fd, "w");
    if (!f) {
        fprintf(stderr, "error: could not make \"%s\": %s\n", path, strerror(errno));
        return false;
    }
    fprintf(f, "%s\n", s->last_sql ? s->last_sql : "");
    return !fclose(f);
}

static int run_editor(cli_session *s, char *argument)
{
    const char *folder = getenv("TMPDIR"), *editor = getenv("VISUAL");
    char draft[1024], line[4096];
    const char *path = command_trim(argument);
    editor = editor && *editor ? editor : getenv("EDITOR");
    if (!*path) {
        snprintf(draft, sizeof draft, "%s/pistachio-XXXXXX.sql",
                 folder && *folder ? folder : "/tmp");
        if (!make_draft(s, draft))
            return 1;
        path = draft;
    }
    /* The system's shell does not read the file's name, which may have any characters. */
    int length =
        snprintf(line, sizeof line, "%s \"$PISTACHIO_DRAFT\"", editor && *editor ? editor : "vi");
    int result = length < 0 || length >= (int)sizeof line || setenv("PISTACHIO_DRAFT", path, 1) ||
                 run_system(s, line);
    if (!result)
        result = cli_run_file(s, path);
    if (path == draft)
        unlink(draft);
    return result;
}

/* Returns "CACHE TABLE name (columns)", the caller's; NULL: there is no memory. */
static char *make_cache(const char *argument)
{
    static const char word[] = "CACHE TABLE ";
    size_t bytes = sizeof word + strlen(argument);
    char *sql = mem_new(bytes);
    if (sql)
        snprintf(sql, bytes, "%s%s", word, argument);
    return sql;
}

/* Shows the column cache, empties it, or puts a table into it. */
static int run_cache(cli_session *s, char *argument)
{
    if (!*argument)
        return run_own(s, "SELECT * FROM pistachio_cache()");
    if (!strcasecmp(argument, "clear"))
        return run_own(s, "CLEAR CACHE");
    char *sql = make_cache(argument);
    if (!sql)
        return command_fail("no memory for ", argument);
    int result = run_own(s, sql);
    mem_free(sql);
    return result;
}

static const command commands[] = {
    {{"help", "?", "h"}, ".help, \\?", "this text", run_help},
    {{"quit", "exit", "q"}, ".quit, \\q", "ends; so do quit, exit and Ctrl-D", run_quit},
    {{"tables", "dt", "l"}, ".tables, \\d, \\l", "the tables", run_tables},
    {{"schema", "d", "d+"}, ".schema T, \\d T", "the columns of a table", run_schema},
    {{"mode"}, ".mode FORMAT", "table, csv, tsv, json, jsonl, markdown, none", run_mode},
    {{"records", "x"},
     ".records, \\x [on|off]",
     "in tables, a line for each column of a row",
     run_records},
    {{"nullvalue"}, ".nullvalue TEXT", "how tables show NULL; also \\pset null TEXT", run_null},
    {{"pset"}, "\\pset NAME VALUE", "psql's: null, format, expanded, pager", run_pset},
    {{"cache"},
     ".cache [TABLE | clear]",
     "what is kept decoded; keeps more, or nothing",
     run_cache},
    {{"timer", "timing"}, ".timer, \\timing [on|off]", "times of statements", run_timer},
    {{"output", "o"}, ".output, \\o [FILE]", "results to a file; without one, back", run_output},
    {{"once"}, ".once FILE", "the next statement's rows to a file", command_run_once},
    {{"maxrows"},
     ".maxrows N",
     "rows of a table on a terminal, the middle left out; 0: all",
     run_max_rows},
    {{"maxwidth"}, ".maxwidth N", "cells of a table's line; 0: the terminal's", run_max_width},
    {{"pager"}, ".pager [on|off]", "whole tables, by $PAGER", run_pager},
    {{"watch"}, ".watch, \\watch [SECONDS] [c=N]", "repeats the last statement", run_watch},
    {{"cd"}, ".cd [DIR]", "goes to a folder", run_cd},
    {{"read", "i", "include"}, ".read FILE, \\i FILE", "runs the SQL of a file", command_run_read},
    {{"edit", "e"},
     ".edit, \\e [FILE]",
     "the last statement, or a file, in $EDITOR, then runs it",
     run_editor},
    {{"copy"}, "\\copy ... TO FILE", "the same as COPY", run_copy},
    {{"print", "echo"}, ".print, \\echo TEXT", "prints the text", run_print},
    {{"shell", "system", "!"}, ".shell, \\! COMMAND", "runs a command of the system", run_system},
};
#define COMMAND_COUNT (sizeof commands / sizeof *commands)

static int run_help(cli_session *s, char *argument)
{
    (void)s;
    (void)argument;
    printf(
        "SQL ends with a semicolon and may take several lines. Ctrl-C drops what has been typed, "
        "or\ncancels the query that runs. Commands take a line:\n");
    for (size_t i = 0; i < COMMAND_COUNT; i++)
        printf("  %-31s %s\n", commands[i].usage, commands[i].help);
    return 0;
}

const char *command_name(unsigned index)
{
    for (size_t i = 0; i < COMMAND_COUNT; i++)
        for (size_t n = 0; n < NAMES_MAX && commands[i].names[n]; n++)
            if (!index--)
                return commands[i].names[n];
    return NULL;
}

int command_run(cli_session *s, char *line)
{
    char *name = line + 1, *argument = name + strcspn(name, " \t\r;");
    if (*name == '!') /* needs no blank */
        argument = name + 1;
    size_t bytes = (size_t)(argument - name);
    argument += strspn(argument, " \t\r;");
    for (size_t i = 0; i < COMMAND_COUNT; i++)
        for (size_t n = 0; n < NAMES_MAX && commands[i].names[n]; n++)
            if (strlen(commands[i].names[n]) == bytes && !memcmp(commands[i].names[n], name, bytes))
                return commands[i].run(s, argument);
    fprintf(stderr, "error: there is no command %.*s; .help lists them\n", (int)bytes + 1, line);
    return 1;
}
