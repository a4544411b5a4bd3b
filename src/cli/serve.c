/* serve.c - `pistachio serve`: the server is in a module of its own. */
#include "cli/serve.h"

/* The engine's functions by their own names. */
#define SERVER_IS_LINKED
#include "api/handles/error.h"
#include "base/module.h"
#include "cli/ranks/processes.h"
#include "cli/ranks/rank.h"
#include "cli/shell/run.h"
#include "server/server.h"

#include <signal.h>
#include <unistd.h>

/* ---- this process as a rank ---- */

static cli_rank rank;

static int find_rank(unsigned processes)
{
    rank.processes = processes;
    return cli_rank_find(&rank);
}

static int start_rank(pistachio_database *database)
{
    return cli_rank_start(&rank, database);
}

static bool is_first(void)
{
    return cli_rank_is_client(&rank);
}

/* Seconds between SIGTERM and the end. */
static volatile sig_atomic_t patience;

/* Lets rank 0, which is often told at the same time, end its statements first. A second signal ends the process at once. */
static void end_soon(int number)
{
    (void)number;
    alarm((unsigned)patience + 1);
}

static int follow(pistachio_database *database, unsigned grace)
{
    const struct sigaction action = {.sa_handler = end_soon, .sa_flags = SA_RESETHAND | SA_RESTART};
    patience = (sig_atomic_t)grace;
    sigaction(SIGTERM, &action, NULL);
    return cli_rank_serve(&rank, database);
}

static const server_ranks ranks = {.find = find_rank,
                                   .start = start_rank,
                                   .is_first = is_first,
                                   .follow = follow,
                                   .end = cli_processes_end};

/* ---- the command ---- */

static status run(int count, char **words, int *out_exit_status)
{
    static const server_engine engine = {
#define FUNCTION(name) .name = name,
        SERVER_ENGINE_LIST(FUNCTION)
#undef FUNCTION
    };
    const void *functions;
    TRY(module_load("serve", "pistachio serve", &functions));
    return ((const server_functions *)functions)
        ->serve(&engine, &ranks, count, words, out_exit_status);
}

int cli_serve(int count, char **words)
{
    int exit_status = 0;
    status st = run(count, words, &exit_status);
    if (!st)
        return exit_status;
    cli_report(api_error(st), NULL, 0);
    return 1;
}
