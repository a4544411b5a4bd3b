/* cluster_ask.c - what rank 0 asks of the others besides statements. */

#include "api/engine/cluster.h"
#include "api/ranks/rank_statement.h"
#include "api/ranks/ranks_parts.h"
#include "base/system/mutex.h"

status api_cluster_ask(rank_run *run, statement_request request, const char *text, bool use_cache)
{
    api_cluster *cluster = run->database->cluster;
    mutex_lock(&cluster->lock);
    status st = net_query_begin(run->place->comm, cluster->statements + 1, run->place->budget,
                                rank_run_failed, run, &run->net);
    cluster->statements += !st; /* others wait for each number */
    mutex_unlock(&cluster->lock);
    TRY(st);
    st = rank_run_send_request(run, request, text, use_cache);
    if (st)
        net_query_fail(run->net, status_copy(st));
    return st;
}
