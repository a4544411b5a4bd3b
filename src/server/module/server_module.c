/* server_module.c - pistachio-serve.so: the server, from its arguments to its end. */
#include "base/system/build_id.h"
#include "base/system/module.h"
#include "server/access/users.h"
#include "server/options.h"
#include "server/session/server.h"
#include "server/session/serving.h"
#include "server/web/web.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <sys/eventfd.h>
#include <sys/random.h>
#include <unistd.h>

#define LOGIN_MILLISECONDS 30000

const server_engine *engine_calls;

static status add_paths(pistachio_database *database, const server_options *options)
{
    pistachio_connection *connection;
    status st = api_error_status(pistachio_connect(database, &connection));
    for (int i = 0; i < options->path_count && !st; i++)
        st = api_error_status(pistachio_add_path(connection, options->paths[i]));
    pistachio_disconnect(connection);
    return st;
}

/* Says whether the place's clients are trusted, and refuses one whose clients could not log in. */
static status check_listener(const server_options *options, listener *one)
{
    one->is_trusted = one->is_local || (one->is_loopback && options->trusts_loopback);
    if (one->is_trusted || options->users)
        return STATUS_OK;
    return status_hint(
        status_new(STATUS_KIND_INVALID,
                   "clients of %s need passwords, and there is no --users FILE", one->name),
        "pistachio serve --users FILE --add-user NAME makes one; a Unix socket needs none");
}

static status listen_all(const server_options *options, listeners *all)
{
    if (!options->listen_count)
        TRY(listen_at_default(all));
    for (size_t i = 0; i < options->listen_count; i++)
        TRY(listen_at(all, options->listen[i], options->certificate, options->is_insecure));
    for (size_t i = 0; i < all->count; i++)
        TRY(check_listener(options, &all->items[i]));
    for (size_t i = 0; i < all->count; i++)
        printf("listening on %s\n", all->items[i].name);
    fflush(stdout);
    return STATUS_OK;
}

static status listen_and_serve(session_shared *shared, const server_options *options)
{
    listeners all = {.count = 0};
    web *web = NULL;
    shared->ending = eventfd(0, EFD_CLOEXEC);
    if (shared->ending < 0)
        return status_new_errno(errno, "could not make an event");
    (void)signal(SIGPIPE, SIG_IGN); /* libraries write to sockets of clients that are gone */
    clients_open(&shared->clients, options->max_connections);
    status st = activity_open(&shared->activity, options->max_running);
    if (!st && options->log)
        st = statement_log_open(&shared->activity.log, options->log, options->is_log_json);
    if (!st)
        st = listen_all(options, &all);
    if (!st)
        st = web_open(options, shared, &web);
    if (!st)
        st = serve_clients(shared, &all, options->grace);
    web_close(web);
    listen_close(&all);
    clients_close(&shared->clients);
    statement_log_close(&shared->activity.log);
    activity_close(&shared->activity);
    close(shared->ending);
    return st;
}

static status run(pistachio_database *database, const server_options *options)
{
    session_shared shared = {
        .database = database, .users = options->users, .login_milliseconds = LOGIN_MILLISECONDS};
    TRY(add_paths(database, options));
    if (getrandom(shared.secret, sizeof shared.secret, 0) != sizeof shared.secret)
        return status_new(STATUS_KIND_IO, "the system gives no random numbers");
    if (options->certificate)
        TRY(tls_identity_load(options->certificate, options->key, &shared.tls));
    status st = definitions_open(&shared.definitions, database, options->catalog);
    if (!st)
        st = listen_and_serve(&shared, options);
    definitions_close(&shared.definitions);
    tls_identity_free(shared.tls);
    return st;
}

/* Joins the other ranks. Rank 0 serves clients, others serve rank 0. */
static status run_rank(pistachio_database *database, const server_options *options,
                       const server_ranks *ranks, int *out_exit_status)
{
    *out_exit_status = ranks->start(database);
    if (!*out_exit_status && ranks->is_first())
        *out_exit_status = ranks->keep(database);
    if (*out_exit_status)
        return STATUS_OK;
    if (ranks->is_first())
        return run(database, options);
    *out_exit_status = ranks->follow(database, options->grace);
    return STATUS_OK;
}

static status open_and_run(const server_options *options, const server_ranks *ranks,
                           int *out_exit_status)
{
    pistachio_database *database;
    if (ranks->is_first())
        serving_hold_signals();
    TRY(api_error_status(pistachio_open(options->settings, options->setting_count, &database)));
    status st = run_rank(database, options, ranks, out_exit_status);
    pistachio_close(database);
    return st;
}

static status server_module_serve(const server_engine *engine, const server_ranks *ranks, int count,
                                  char **arguments, int *out_exit_status)
{
    server_options options;
    engine_calls = engine;
    *out_exit_status = options_read(&options, count, arguments);
    if (*out_exit_status >= 0)
        return STATUS_OK;
    *out_exit_status = 0;
    if (options.new_user)
        return users_ask_and_add(options.users, options.new_user);
    *out_exit_status = ranks->find(options.processes);
    if (*out_exit_status)
        return STATUS_OK;
    status st;
    do
        st = open_and_run(&options, ranks, out_exit_status);
    while (!st && *out_exit_status && !ranks->is_first() && ranks->comes_back());
    ranks->end(!st && !*out_exit_status);
    return st;
}

static status server_module_open(const module_host *host, const void **out)
{
    static const server_functions functions = {.serve = server_module_serve};
    (void)host;
    *out = &functions;
    return STATUS_OK;
}

__attribute__((visibility("default"))) const module_description pistachio_module;
const module_description pistachio_module = {MODULE_VERSION, build_id, server_module_open};
