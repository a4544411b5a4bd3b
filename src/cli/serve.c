/* serve.c - `pistachio serve`: the server is in a module of its own. */
#include "cli/serve.h"

/* The engine's functions by their own names. */
#define SERVER_IS_LINKED
#include "api/handles/error.h"
#include "api/ranks/cluster_keep.h"
#include "base/system/module.h"
#include "cli/ranks/processes.h"
#include "cli/ranks/rank.h"
#include "cli/shell/run.h"
#include "server/session/server.h"

#include <signal.h>
#include <stdio.h>
#include <time.h>
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

static void say(const char *text)
{
    fprintf(stderr, "pistachio serve: %s\n", text);
}

static int keep_ranks(pistachio_database *database)
{
    static const cluster_keeper keeper = {.revive = cli_processes_revive, .say = say};
    if (rank.place.ranks < 2 || rank.place.is_pmix) /* whose launcher ends all when one is lost */
        return 0;
    status st = api_cluster_keep(database, &rank.place, &keeper);
    if (!st)
        return 0;
    cli_report(api_error(st), NULL, 0);
    return 1;
}

/* ---- as another one ---- */

static bool has_followed; /* since this process has begun, or since the last loss */
static time_t gives_up;   /* seconds of the monotonic clock */

static time_t seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec;
}

/* Comes back after it has followed rank 0, for as long as ranks wait for each other at first. */
static bool comes_back(void)
{
    if (rank.place.is_pmix || !(has_followed || gives_up))
        return false;
    if (has_followed)
        gives_up = seconds_now() + rank.place.timeout_ms / 1000;
    has_followed = false;
    nanosleep(&(struct timespec){.tv_nsec = 50000000}, NULL);
    return seconds_now() < gives_up;
}

static bool serve_is_first(void)
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
    has_followed = true;
    patience = (sig_atomic_t)grace;
    sigaction(SIGTERM, &action, NULL);
    return cli_rank_serve(&rank, database, true);
}

static const server_ranks ranks = {.find = find_rank,
                                   .start = start_rank,
                                   .keep = keep_ranks,
                                   .comes_back = comes_back,
                                   .is_first = serve_is_first,
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
