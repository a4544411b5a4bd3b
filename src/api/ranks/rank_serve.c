/* rank_serve.c - how a rank that is not the client's serves: it runs its part of a statement, or does what else
 * is asked for. */
#include "api/engine/cluster.h"
#include "api/engine/engine.h"
#include "api/engine/place_text.h"
#include "api/engine/ranks.h"
#include "api/ranks/cluster_tables.h"
#include "api/ranks/cluster_topology.h"
#include "api/ranks/copy_parts.h"
#include "api/ranks/explain_metrics.h"
#include "api/ranks/rank_statement.h"
#include "api/ranks/ranks_parts.h"
#include "api/session/database.h"
#include "base/system/guard.h"
#include "base/system/mutex.h"
#include "base/trace/trace.h"
#include "exec/operators/result_batch.h"
#include "lake/lake.h"
#include "plan/rules/nested/pack_columns.h"
#include "plan/rules/nested/pack_moves.h"
#include "plan/rules/optimize.h"
#include "plan/tree/rule.h"
#include "sql/statement/sql.h"
#include "storage/object_store.h"

/* On a rank that is a process: settings, tables and views become rank 0's. */
static status follow(rank_run *run, const settings *s, const statement_read *read)
{
    api_engine *engine;
    TRY(api_cluster_follow(run->database, s, read, &run->catalog, &engine));
    run->owns_catalog = true;
    api_engine_unref(run->engine);
    run->engine = engine;
    run->place = &engine->ranks[0];
    return STATUS_OK;
}

static status rank_serve_bind(rank_run *run, const statement_read *read, settings *s,
                              sql_statement **out)
{
    api_cluster *cluster = run->database->cluster;
    const char *rest;
    status st = STATUS_OK;
    if (cluster) {
        mutex_lock(&cluster->binding);
        st = follow(run, s, read);
    }
    const sql_session session = {.catalog = run->catalog,
                                 .hive_partitioning = s->hive_partitioning.text,
                                 .timezone = s->timezone.text,
                                 .search_path = s->search_path.text,
                                 .replaces_text = api_replaces_text(s),
                                 .ignores_checksums = api_ignores_checksums(s),
                                 .keeps_lists = api_keeps_lists(s),
                                 .statement_time = read->time,
                                 .rounds = read->rounds,
                                 .values = read->values.items,
                                 .value_count = (uint32_t)read->values.count};
    if (!st)
        st = sql_prepare(&session, read->sql, out, &rest);
    if (cluster)
        mutex_unlock(&cluster->binding);
    return st;
}

static status rank_serve_prepare(rank_run *run, const statement_read *read, settings *s,
                                 sql_statement **out)
{
    TRY(rank_serve_bind(run, read, s, out));
    plan_statement *plan = &(*out)->query;
    plan_distribution distribution = api_distribution(run->engine, s);
    distribution.memory_bytes = read->memory_bytes;
    TRY(plan_rules_parse(s->disabled_optimizer_rules.text, &plan->rules_off));
    guard_state before = guard_enter();
    status st = plan_optimize(plan);
    if (!st)
        st = plan_distribute(plan, &distribution);
    if (!st)
        st = plan_pack_moves(plan);
    if (!st && !run->engine->dev->is_host)
        st = plan_pack_columns(plan);
    st = guard_explain(st);
    guard_leave(before);
    return st ? st : rank_run_agree_plan(run, plan);
}

/* ---- its trace ---- */

/* Files that this rank writes, besides rank 0, because they are named after ranks; NULL: none. */
typedef struct rank_trace {
    const char *path, *timeline_path;
    bool is_on;
} rank_trace;

static bool names_rank(const char *path)
{
    return strstr(path, "{rank}");
}

/* Names of files become this rank's. Threads of rank 0's process are in its trace. */
static status place_settings(const rank_run *run, settings *s, const char *host, rank_trace *out)
{
    bool is_process = run->database->cluster;
    bool has_trace = is_process && names_rank(s->trace.text);
    bool has_timeline = is_process && names_rank(s->timeline.text);
    TRY(api_place_settings(s, run->rank, host));
    *out = (rank_trace){.path = has_trace ? s->trace.text : NULL,
                        .timeline_path = has_timeline ? s->timeline.text : NULL};
    return STATUS_OK;
}

static void start_rank_trace(rank_trace *trace, exec_query *query)
{
    /* False: another statement of this process is being traced. */
    trace->is_on = (trace->path || trace->timeline_path) && trace_start();
    query->is_traced = trace->is_on;
}

static status stop_rank_trace(rank_trace *trace, const char *sql)
{
    bool is_on = trace->is_on;
    trace->is_on = false;
    return is_on ? trace_stop(trace->path, trace->timeline_path, sql) : STATUS_OK;
}

/* ---- its rows ---- */

/* No row comes out: the plan's last exchange sends them to rank 0. Or each rank writes its own. */
static status rank_serve_run_query(rank_run *run, const statement_read *read,
                                   const sql_statement *statement, exec_query *query,
                                   const char *host, rank_trace *trace)
{
    exec_batch *batch;
    ranked_metrics none;
    rank_run_attach(run, query);
    TRY(exec_query_start(query));
    if (statement->query.keeps_parts)
        return api_copy_serve(run, statement, query, host, read->time);
    do {
        TRY(exec_query_next(query, &batch));
        exec_batch_free(batch);
    } while (batch);
    if (read->is_measured) /* rank 0 decides: it may only look at some rows first (rounds.c) */
        TRY(metrics_gather(run, &statement->query, query, &none));
    TRY(stop_rank_trace(trace, statement->query.sql));
    return rank_run_agree_end(run);
}

static status serve_statement(rank_run *run, const statement_read *read, settings *s,
                              sql_statement **statement)
{
    exec_query *query;
    TRY(rank_serve_prepare(run, read, s, statement));
    const exec_place place = rank_run_place(run);
    bool is_thread = !run->database->cluster; /* of this machine */
    const char *host = is_thread ? NULL : net_comm_host(run->place->comm, run->rank);
    rank_trace trace;
    TRY(place_settings(run, s, host, &trace));
    guard_state before = guard_enter();
    status st = guard_explain(exec_query_new(&(*statement)->query, &place, s, &query));
    guard_leave(before);
    TRY(st);
    exec_query_weigh(query, read->weight);
    start_rank_trace(&trace, query);
    st = rank_serve_run_query(run, read, *statement, query, host, &trace);
    if (st)
        net_query_fail(run->net, st);
    status_free(stop_rank_trace(&trace, read->sql)); /* of a query that was given up, or a COPY */
    rank_run_attach(run, NULL);
    exec_query_free(query);
    return STATUS_OK;
}

static status read_and_serve(rank_run *run, const char *data, uint64_t bytes, statement_read *read,
                             sql_statement **statement)
{
    const api_cluster *cluster = run->database->cluster;
    settings s;
    if (cluster)
        s = cluster->initial;
    else
        TRY(settings_init(&s));
    TRY(statement_read_bytes(data, bytes, &s, read));
    /* Keys that a catalog has lent open one table: lake_open_told keeps them. */
    if (read->request != REQUEST_LAKE || !lake_tells_keys(read->table))
        TRY(api_working_choose(&s));
    switch (read->request) {
    case REQUEST_TABLE:
        return api_cluster_serve_table(run, read->table, read->use_cache);
    case REQUEST_LAKE:
        return api_cluster_serve_lake(run, read->table, &s, read->use_cache);
    case REQUEST_TOPOLOGY:
        return api_cluster_serve_topology(run);
    default:
        return serve_statement(run, read, &s, statement);
    }
}

void rank_run_serve(rank_run *run, const char *data, uint64_t bytes)
{
    statement_read read = {0};
    sql_statement *statement = NULL;
    cancel_flag *before = cancel_set(&run->is_cancelled);
    uint32_t store_before = object_store_used();
    status st = read_and_serve(run, data, bytes, &read, &statement);
    cancel_set(before);
    object_store_use(store_before);
    if (st)
        net_query_fail(run->net, st);
    sql_statement_free(statement);
    statement_read_release(&read);
}
