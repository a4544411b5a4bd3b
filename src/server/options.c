/* options.c - see options.h. */
#include "server/options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define RANKS_MAX 4096

static const char usage[] =
    "usage: pistachio serve [OPTIONS] DIR...\n"
    "\n"
    "Answers clients of PostgreSQL (psql, drivers). Each DIR becomes the tables in it, a FILE one "
    "table.\n"
    "\n"
    "  --listen unix:PATH    a Unix socket, for this user alone: a folder, in which psql -h finds\n"
    "                        .s.PGSQL.5432, or the socket's own name; without --listen\n"
    "                        $XDG_RUNTIME_DIR, else /tmp\n"
    "  --listen ADDR:PORT    TCP; several --listen may be given\n"
    "  --http ADDR:PORT      HTTP: a page, POST /query; with --tls HTTPS; several may be given\n"
    "  --http-name NAME      a host's name by which clients of HTTP know the server, besides its\n"
    "                        addresses and localhost\n"
    "  --users FILE          who may log in by TCP, with verifiers of their passwords\n"
    "  --add-user NAME       asks for NAME's password, writes it to the file of --users, and ends\n"
    "  --catalog FILE        keeps views, schemas and macros that clients make, for all of them\n"
    "  --tls CERT KEY        PEM files: clients may encrypt, those of other addresses must\n"
    "  --trust-loopback      clients of a loopback address need no password\n"
    "  --insecure            lets clients of other addresses come without TLS, too\n"
    "  --max-connections N   clients at the same time; default 100\n"
    "  --max-running N       statements that run at the same time, others wait; default 32\n"
    "  --log FILE            a line for each statement that has ended; -: standard error\n"
    "  --log-format FORMAT   of these lines: text or json\n"
    "  --grace SECONDS       how long running statements may go on after SIGTERM; default 30\n"
    "  --processes N         ranks, each a process, which run the statements together\n"
    "  --set NAME=VALUE      a setting of the engine\n"
    "  --help\n";

static int complain(const char *text, const char *word)
{
    fprintf(stderr, "pistachio serve: %s%s%s\nhint: pistachio serve --help\n", text,
            *word ? " " : "", word);
    return 2;
}

/* ---- values ---- */

static int read_number(const char *word, const char *value, unsigned most, unsigned *out)
{
    char *end;
    unsigned long number = strtoul(value, &end, 10);
    if (*value < '0' || *value > '9' || *end || number > most) {
        fprintf(stderr, "pistachio serve: %s is a number up to %u, not \"%s\"\n", word, most,
                value);
        return 2;
    }
    *out = (unsigned)number;
    return -1;
}

static int add_text(const char **texts, size_t *count, const char *word, const char *value)
{
    if (*count == OPTIONS_LISTEN_MAX)
        return complain("there are too many", word);
    texts[(*count)++] = value;
    return -1;
}

static int add_setting(server_options *o, char *value)
{
    char *equals = strchr(value, '=');
    if (!equals || equals == value)
        return complain("--set takes NAME=VALUE, not", value);
    if (o->setting_count == OPTIONS_SETTINGS_MAX)
        return complain("there are too many --set", "");
    *equals = 0;
    o->settings[o->setting_count++] = (pistachio_option){value, equals + 1};
    return -1;
}

static int read_log_format(server_options *o, const char *value)
{
    o->is_log_json = !strcmp(value, "json");
    return o->is_log_json || !strcmp(value, "text")
               ? -1
               : complain("--log-format is text or json, not", value);
}

/* ---- words ---- */

static int read_value(server_options *o, const char *word, char *value)
{
    if (!strcmp(word, "--listen"))
        return add_text(o->listen, &o->listen_count, word, value);
    if (!strcmp(word, "--http"))
        return add_text(o->http, &o->http_count, word, value);
    if (!strcmp(word, "--http-name"))
        return add_text(o->http_names, &o->http_name_count, word, value);
    if (!strcmp(word, "--set"))
        return add_setting(o, value);
    if (!strcmp(word, "--users") || !strcmp(word, "--add-user")) {
        *(strcmp(word, "--users") ? &o->new_user : &o->users) = value;
        return -1;
    }
    if (!strcmp(word, "--catalog"))
        o->catalog = value;
    else if (!strcmp(word, "--log"))
        o->log = value;
    else if (!strcmp(word, "--log-format"))
        return read_log_format(o, value);
    else if (!strcmp(word, "--max-connections"))
        return read_number(word, value, 10000, &o->max_connections);
    else if (!strcmp(word, "--max-running"))
        return read_number(word, value, 10000, &o->max_running);
    else if (!strcmp(word, "--processes"))
        return read_number(word, value, RANKS_MAX, &o->processes);
    else
        return read_number(word, value, 86400, &o->grace);
    return -1;
}

static bool takes_value(const char *word)
{
    static const char *const names[] = {
        "--listen",     "--set",       "--max-connections", "--grace",       "--users",
        "--add-user",   "--http",      "--http-name",       "--max-running", "--log",
        "--log-format", "--processes", "--catalog"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strcmp(word, names[i]))
            return true;
    return false;
}

static int read_tls(server_options *o, int count, char **words, int *at)
{
    if (*at + 2 >= count)
        return complain("two files are needed after --tls: the certificate and its key", "");
    o->certificate = words[*at + 1];
    o->key = words[*at + 2];
    *at += 2;
    return -1;
}

/* Reads the option at words[*at], with its value. */
static int read_option(server_options *o, int count, char **words, int *at)
{
    char *word = words[*at];
    if (!strcmp(word, "--help") || !strcmp(word, "-h")) {
        fputs(usage, stdout);
        return 0;
    }
    if (!strcmp(word, "--trust-loopback") || !strcmp(word, "--insecure")) {
        *(strcmp(word, "--insecure") ? &o->trusts_loopback : &o->is_insecure) = true;
        return -1;
    }
    if (!strcmp(word, "--tls"))
        return read_tls(o, count, words, at);
    if (!takes_value(word))
        return complain("there is no option", word);
    if (*at + 1 == count)
        return complain("a value is missing after", word);
    *at += 1;
    return read_value(o, word, words[*at]);
}

int options_read(server_options *o, int count, char **words)
{
    *o = (server_options){.max_connections = 100, .max_running = 32, .grace = 30, .paths = words};
    /* Tables alone, until a --set says otherwise: clients shall not read and write files of this machine. */
    o->settings[o->setting_count++] = (pistachio_option){"enable_external_access", "off"};
    for (int i = 0; i < count; i++) {
        if (words[i][0] != '-') {
            o->paths[o->path_count++] = words[i];
            continue;
        }
        int exit_status = read_option(o, count, words, &i);
        if (exit_status >= 0)
            return exit_status;
    }
    if (!o->max_running)
        return complain("--max-running is at least 1", "");
    return o->new_user && !o->users ? complain("--add-user needs --users FILE", "") : -1;
}
