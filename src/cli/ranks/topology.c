/* topology.c - `pistachio topology`: the ranks, their machines, what is between them. */
#include "cli/ranks/topology.h"

#include "api/handles/error.h"
#include "api/ranks/cluster_topology.h"
#include "cli/output/usage.h"
#include "cli/ranks/processes.h"
#include "cli/ranks/rank.h"
#include "cli/shell/run.h"

#include <stdio.h>
#include <string.h>

#define PROGRAM "pistachio topology"

static const char usage[] =
    "usage: pistachio topology [--processes N]\n"
    "\n"
    "Shows this machine's cores, NUMA nodes, network and storage devices and GPUs, and which cores "
    "and "
    "GPU\n"
    "are used; of several ranks, started as `pistachio` without a command, each rank's, and how it "
    "reaches\neach of the others.\n";

static int topology_show(pistachio_database *database)
{
    char *text;
    status st = api_cluster_topology(database, &text);
    if (st) {
        cli_report(api_error(st), NULL, 0);
        return 1;
    }
    fputs(text, stdout);
    mem_free(text);
    return 0;
}

static int topology_run(const cli_rank *rank)
{
    pistachio_database *database;
    pistachio_error *error = pistachio_open(NULL, 0, &database);
    if (error) {
        cli_report(error, NULL, 0);
        return 1;
    }
    int exit_status = cli_rank_start(rank, database);
    if (!exit_status)
        exit_status = cli_rank_is_client(rank) ? topology_show(database)
                                               : cli_rank_serve(rank, database, false);
    pistachio_close(database);
    cli_processes_end(!exit_status);
    return exit_status;
}

int cli_topology(int count, char **words)
{
    static const char *const names[] = {"--processes", "--help"};
    cli_rank rank = {0};
    for (int i = 0; i < count; i++) {
        if (!strcmp(words[i], "--help") || !strcmp(words[i], "-h")) {
            fputs(usage, stdout);
            return 0;
        }
        if (strcmp(words[i], names[0]))
            return usage_no_option(PROGRAM, words[i], names, sizeof names / sizeof *names);
        if (i + 1 == count)
            return usage_error(PROGRAM, "a value is missing behind", words[i]);
        int exit_status = cli_rank_parse(PROGRAM, words[++i], &rank);
        if (exit_status)
            return exit_status;
    }
    int exit_status = cli_rank_find(&rank);
    return exit_status ? exit_status : topology_run(&rank);
}
