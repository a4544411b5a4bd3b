/* cluster_tables.c - tables of ranks that are processes: rank 0 opens one with all others when it needs it;
 * the others use, by the same text, what they have opened with it. */
#include "api/ranks/cluster_tables.h"

#include "api/engine/cluster.h"
#include "api/engine/cluster_known.h"
#include "api/engine/engine.h"
#include "api/engine/place_text.h"
#include "api/ranks/ranks_parts.h"
#include "api/ranks/statement_bytes.h"
#include "lake/lake.h"
#include "parquet/table/table_given.h"
#include "parquet/table/table_share.h"
#include "parquet/table/table_spec.h"
#include "storage/object_store.h"

#include <stdio.h>
#include <unistd.h>

/* Numbers of an opening's collectives; the first is the statement's (rank_statement.c). */
enum { NET_FILES = 1, NET_FOOTERS, NET_OPENED };

/* Bytes of all ranks' lists together, at most. */
#define LISTS_BYTES_MAX ((uint64_t)1 << 30)
#define FOOTERS_BYTES_MAX ((uint64_t)8 << 30)

/* ---- opening together ---- */

/* All ranks' bytes, each rank's as a part in the collective's memory; to be closed, and the parts freed. */
static status cluster_tables_gather(rank_run *run, uint32_t id, const char *what, const char *data,
                                    uint64_t bytes, uint64_t most, net_collective **out,
                                    pq_share_part **out_parts)
{
    unsigned ranks = run->engine->rank_count;
    pq_share_part *parts = mem_new_array(ranks, sizeof *parts);
    *out = NULL;
    *out_parts = parts;
    if (!parts)
        return status_no_memory(what, ranks * sizeof *parts);
    TRY(net_gather(run->net, id, what, data, bytes, NET_ANY, most, out));
    TRY(rank_run_await(run, *out));
    for (unsigned rank = 0; rank < ranks; rank++) {
        parts[rank].host = net_comm_host(run->place->comm, rank);
        parts[rank].data = net_collective_bytes(*out, rank, &parts[rank].bytes);
    }
    return STATUS_OK;
}

static status exchange_lists(rank_run *run, pq_share *share)
{
    const char *data;
    uint64_t bytes;
    net_collective *lists;
    pq_share_part *parts;
    TRY(pq_share_list(share, &data, &bytes));
    status st = cluster_tables_gather(run, NET_FILES, "files", data, bytes, LISTS_BYTES_MAX, &lists,
                                      &parts);
    if (!st)
        st = pq_share_compare(share, parts);
    net_collective_close(lists);
    mem_free(parts);
    return st;
}

static status exchange_footers(rank_run *run, pq_share *share, pq_table **out)
{
    const char *data;
    uint64_t bytes;
    net_collective *footers;
    pq_share_part *parts;
    TRY(pq_share_footers(share, &data, &bytes));
    status st = cluster_tables_gather(run, NET_FOOTERS, "footers", data, bytes, FOOTERS_BYTES_MAX,
                                      &footers, &parts);
    if (!st)
        st = pq_share_table(share, parts, out);
    net_collective_close(footers);
    mem_free(parts);
    return st;
}

static status new_share(rank_run *run, const char *text, bool use_cache, pq_share **out)
{
    char *here;
    TRY(api_place_text(text, run->rank, net_comm_host(run->place->comm, run->rank), &here));
    status st = pq_share_new(text, here, use_cache, run->rank, run->engine->rank_count, out);
    mem_free(here);
    return st;
}

/* Nobody uses it before all have it. */
static status agree_opened(rank_run *run)
{
    const uint64_t none = 0;
    const uint8_t same = NET_SAME;
    net_collective *collective;
    TRY(net_agree(run->net, NET_OPENED, "opening a table", &none, &same, 1, &collective));
    status st = rank_run_await(run, collective);
    net_collective_close(collective);
    return st;
}

static status open_together(rank_run *run, const char *text, bool use_cache, uint64_t age,
                            pq_table **out)
{
    api_cluster *cluster = run->database->cluster;
    pq_share *share;
    pq_table *table;
    TRY(new_share(run, text, use_cache, &share));
    status st = exchange_lists(run, share);
    if (!st)
        st = exchange_footers(run, share, &table);
    pq_share_free(share);
    TRY(st);
    TRY(api_cluster_know_table(cluster, text, &table, age));
    *out = table;
    return agree_opened(run);
}

status api_cluster_serve_table(rank_run *run, const char *text, bool use_cache)
{
    pq_table *table;
    return open_together(run, text, use_cache, 0, &table);
}

/* Rank 0's part. */
static status ask_and_open(rank_run *run, const char *text, bool use_cache, uint64_t age,
                           pq_table **out)
{
    TRY(api_cluster_ask(run, REQUEST_TABLE, text, use_cache));
    status st = open_together(run, text, use_cache, age, out);
    if (st)
        net_query_fail(run->net, status_copy(st));
    return st;
}

static status open_with_all(pistachio_database *database, const char *text, bool use_cache,
                            uint64_t age, pq_table **out)
{
    settings s;
    api_engine *engine;
    rank_run run;
    TRY(api_engine_hold(database, &s, &engine));
    rank_run_init(&run, database, engine, 0, &engine->ranks[0]);
    status st = ask_and_open(&run, text, use_cache, age, out);
    rank_run_release(&run);
    api_engine_unref(engine);
    return st;
}

/* ---- lakes: rank 0 says which state the others open ---- */

status api_cluster_serve_lake(rank_run *run, const char *told, const settings *keys, bool use_cache)
{
    pq_table *table;
    const char *text;
    TRY(lake_open_told(told, keys, use_cache, &text, &table));
    TRY(api_cluster_know_table(run->database->cluster, text, &table, 0));
    return agree_opened(run);
}

static status tell_lake(rank_run *run, const char *text, bool use_cache, uint64_t age,
                        pq_table **io)
{
    arena *scratch;
    TRY(arena_new(&scratch));
    const char *told = lake_tell(scratch, *io);
    uint32_t before = object_store_use(pq_given_store((*io)->given)); /* its keys go along */
    status st = told ? api_cluster_ask(run, REQUEST_LAKE, told, use_cache)
                     : status_no_memory("lake", strlen(text));
    object_store_use(before);
    arena_free(scratch);
    if (st) {
        pq_table_close(*io);
        return st;
    }
    st = api_cluster_know_table(run->database->cluster, text, io, age);
    if (!st)
        st = agree_opened(run);
    if (st)
        net_query_fail(run->net, status_copy(st));
    return st;
}

/* Has all others open the state of the table, which is the cluster's afterwards. */
static status open_lake_with_all(pistachio_database *database, const char *text, bool use_cache,
                                 uint64_t age, pq_table **io)
{
    settings s;
    api_engine *engine;
    rank_run run;
    status st = api_engine_hold(database, &s, &engine);
    if (st) {
        pq_table_close(*io);
        return st;
    }
    rank_run_init(&run, database, engine, 0, &engine->ranks[0]);
    st = tell_lake(&run, text, use_cache, age, io);
    rank_run_release(&run);
    api_engine_unref(engine);
    return st;
}

/* Has all ranks know a lake's state, which rank 0 has opened. */
static status share_lake(pistachio_database *database, const char *text, bool use_cache,
                         uint64_t age, pq_table **out)
{
    api_cluster *cluster = database->cluster;
    api_comm *comm = api_cluster_comm(cluster);
    status lost = net_comm_failure(comm->net);
    api_comm_unref(comm);
    if (!lost)
        return open_lake_with_all(database, text, use_cache, age, out);
    status_free(lost); /* files of a lake are the same for all ranks: this one goes on alone */
    return api_cluster_know_table(cluster, text, out, age);
}

/* Rank 0 looks whether the log has grown, as each statement does; *out NULL: the text is not of a lake. */
static status open_lake(pistachio_database *database, const char *text, bool use_cache,
                        pq_table **out)
{
    uint64_t age;
    pq_table *before = api_cluster_known_table(database->cluster, text, &age);
    TRY(lake_open(text, use_cache, before && before->given ? before : NULL, out));
    if (!*out || *out == before)
        return STATUS_OK;
    return share_lake(database, text, use_cache, age, out);
}

/* ---- opening alone ---- */

/* The table's files are all within this rank's reach: they are not of the ranks that find them, unless this process
 * has made them. */
static status check_reach(arena *a, const char *text, status lost)
{
    char own[64];
    pq_table_spec spec;
    TRY(pq_table_spec_parse(a, text, &spec));
    snprintf(own, sizeof own, "/proc/%ld/fd/", (long)getpid());
    if (spec.access != PQ_LOCAL || !strncmp(spec.path, own, strlen(own)))
        return STATUS_OK;
    return status_context(status_copy(lost), "files of the table \"%s\" may be other ranks'", text);
}

/* When a rank is lost rank 0 goes on with what it can read by itself. Takes the loss. */
static status open_alone(api_cluster *cluster, const char *text, bool use_cache, uint64_t age,
                         status lost, pq_table **out)
{
    arena *a;
    char *here = NULL;
    pq_table *table;
    status st = arena_new(&a);
    if (!st) {
        st = check_reach(a, text, lost);
        arena_free(a);
    }
    status_free(lost);
    if (!st)
        st = api_place_text(text, cluster->rank, cluster->host, &here);
    if (!st)
        st = pq_table_open(here, use_cache, &table);
    mem_free(here);
    TRY(st);
    TRY(api_cluster_know_table(cluster, text, &table, age));
    *out = table;
    return STATUS_OK;
}

/* ---- the opener ---- */

static status not_current(const api_cluster *cluster, const char *text)
{
    return status_hint(
        status_new(STATUS_KIND_IO,
                   "files of table \"%s\" have changed since rank 0 (host %s) opened it", text,
                   net_comm_host(cluster->comm->net, 0)),
        "run the statement again: it opens the table anew");
}

static status cluster_tables_open_table(void *context, const char *text, bool use_cache,
                                        pq_table *before, pq_table **out)
{
    pistachio_database *database = context;
    api_cluster *cluster = database->cluster;
    uint64_t age;
    (void)before; /* other catalogs may have opened it since */
    *out = NULL;
    if (!cluster->rank)
        TRY(open_lake(database, text, use_cache, out));
    if (*out)
        return STATUS_OK;
    *out = api_cluster_known_table(cluster, text, &age);
    if (*out)
        return STATUS_OK;
    if (cluster->rank)
        return not_current(cluster, text);
    api_comm *comm = api_cluster_comm(cluster);
    status lost = net_comm_failure(comm->net);
    api_comm_unref(comm);
    return lost ? open_alone(cluster, text, use_cache, age, lost, out)
                : open_with_all(database, text, use_cache, age, out);
}

static status cluster_tables_locate(void *context, arena *a, const char *path, const char **out)
{
    const api_cluster *cluster = ((pistachio_database *)context)->cluster;
    char *here;
    TRY(api_place_text(path, cluster->rank, cluster->host, &here));
    *out = arena_copy_text(a, here, strlen(here));
    mem_free(here);
    return *out ? STATUS_OK : status_no_memory("path", strlen(path));
}

static pq_table *cluster_tables_known(void *context, const char *text)
{
    uint64_t age;
    return api_cluster_known_table(((pistachio_database *)context)->cluster, text, &age);
}

static status cluster_tables_share(void *context, const char *text, bool use_cache, pq_table **io)
{
    pistachio_database *database = context;
    uint64_t age;
    (void)api_cluster_known_table(database->cluster, text, &age);
    return share_lake(database, text, use_cache, age, io);
}

sql_opener api_cluster_opener(pistachio_database *database)
{
    return (sql_opener){.context = database,
                        .open = cluster_tables_open_table,
                        .locate = cluster_tables_locate,
                        .known = cluster_tables_known,
                        .share = database->cluster->rank ? NULL : cluster_tables_share};
}
