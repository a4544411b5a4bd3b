/* rank.c - see rank.h. */
#include "cli/ranks/rank.h"

#include "api/handles/error.h"
#include "api/ranks/cluster_join.h"
#include "api/ranks/ranks_parts.h"
#include "base/setting/setting.h"
#include "cli/output/usage.h"
#include "cli/ranks/bind.h"
#include "cli/ranks/processes.h"
#include "cli/shell/run.h"

#include <stdlib.h>

int cli_rank_parse(const char *program, const char *value, cli_rank *out)
{
    char *end;
    unsigned long count = strtoul(value, &end, 10);
    if (*value < '0' || *value > '9' || *end || !count || count > NET_RANKS_MAX)
        return usage_value(program, "--processes", value, "a number of ranks, from 1 on");
    out->processes = (unsigned)count;
    return 0;
}

static int rank_report(status st)
{
    cli_report(api_error(st), NULL, 0);
    return 1;
}

int cli_rank_find(cli_rank *rank)
{
    status st = cli_processes_place(rank->processes, &rank->place);
    return st ? rank_report(st) : 0;
}

bool cli_rank_is_client(const cli_rank *rank)
{
    return !rank->place.rank;
}

/* Rank 0 says what is wrong; others that were started by hand have somebody who looks, too. */
static int end_rank(const cli_rank *rank, status st)
{
    if (st && (cli_rank_is_client(rank) || !rank->processes))
        return rank_report(st);
    status_free(st);
    return st != NULL;
}

void cli_rank_bind(const cli_rank *rank)
{
    static bool is_bound; /* a rank that comes back has its share */
    if (rank->processes < 2 || is_bound)
        return;
    is_bound = true;
    (void)setting_core_count(); /* all, of which engines take their share */
    cli_bind(rank->place.rank, rank->place.ranks, rank->place.nodes);
}

int cli_rank_start(const cli_rank *rank, pistachio_database *database)
{
    if (rank->place.ranks < 2)
        return 0;
    cli_rank_bind(rank);
    status st = api_cluster_join(database, &rank->place);
    return end_rank(rank, st ? st : api_cluster_start(database));
}

int cli_rank_serve(const cli_rank *rank, pistachio_database *database, bool is_kept)
{
    return end_rank(rank, api_cluster_serve(database, is_kept));
}
