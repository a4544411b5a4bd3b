/* ranked.c - one statement on several ranks: the client's side, and what serves it on the others. */
#include "api/ranks.h"
#include "plan/optimize.h"

#include <stdio.h>

/* Of the statement's collectives; exchanges follow from EXEC_NET_FIRST_EXCHANGE on. */
enum { NET_STATEMENT, NET_PLAN, NET_END };

#define STATEMENT_BYTES_MAX ((uint64_t)256 << 20)

/* A rank's part. */
typedef struct rank_run {
    api_ranked *ranked;
    unsigned rank;
    net_query *net;
    pthread_t thread;
    bool has_thread;
    net_waiter waiter;
    pthread_mutex_t lock; /* of what follows */
    pthread_cond_t changed;
    bool is_woken, has_failed;
    exec_query *query; /* to be stopped; NULL: there is none */
} rank_run;

struct api_ranked {
    sql_catalog *catalog;
    api_engine *engine; /* the result's */
    unsigned count;
    bool is_finished; /* on all ranks */
    rank_run runs[];
};

/* ---- failures, and waiting ---- */

static void failed(void *argument)
{
    rank_run *run = argument;
    pthread_mutex_lock(&run->lock);
    run->has_failed = true;
    if (run->query)
        exec_query_stop(run->query);
    pthread_mutex_unlock(&run->lock);
}

static void attach(rank_run *run, exec_query *query)
{
    pthread_mutex_lock(&run->lock);
    run->query = query;
    if (run->has_failed && query)
        exec_query_stop(query);
    pthread_mutex_unlock(&run->lock);
}

static void wake(void *argument)
{
    rank_run *run = argument;
    pthread_mutex_lock(&run->lock);
    run->is_woken = true;
    pthread_cond_signal(&run->changed);
    pthread_mutex_unlock(&run->lock);
}

/* The thread of a client, or of a rank that has nothing else to do. */
static status await(rank_run *run, net_collective *collective)
{
    for (;;) {
        net_state is;
        run->is_woken = false;
        TRY(net_try_collective(collective, &run->waiter, &is));
        if (is != NET_WAIT)
            return STATUS_OK;
        pthread_mutex_lock(&run->lock);
        while (!run->is_woken)
            pthread_cond_wait(&run->changed, &run->lock);
        pthread_mutex_unlock(&run->lock);
    }
}

/* ---- what ranks tell each other ---- */

static status agree_plan(rank_run *run, const plan_statement *plan)
{
    uint64_t hash;
    const uint8_t same = NET_SAME;
    net_collective *collective;
    TRY(plan_hash(plan, &hash));
    TRY(net_agree(run->net, NET_PLAN, "plan", &hash, &same, 1, &collective));
    status st = await(run, collective);
    int other = st ? -1 : net_collective_differs(collective, 0);
    net_collective_close(collective);
    if (!st && other >= 0)
        st = status_hint(
            status_new(STATUS_KIND_INVALID, "rank %d has another plan than rank 0", other),
            "tables, their files and settings must be the same on all ranks");
    return st;
}

static status agree_end(rank_run *run)
{
    const uint64_t none = 0;
    const uint8_t same = NET_SAME;
    net_collective *collective;
    TRY(net_agree(run->net, NET_END, "end of the statement", &none, &same, 1, &collective));
    status st = await(run, collective);
    net_collective_close(collective);
    return st;
}

/* The time, then texts with their closing NUL: names and values of settings, an empty one, the
 * statement. */
static status write_statement(const pistachio_result *result, char **out, size_t *out_bytes)
{
    const plan_statement *plan = &result->statement->query;
    setting_info info;
    size_t bytes = sizeof(int64_t) + strlen(plan->sql) + 2, at = sizeof(int64_t);
    for (unsigned i = 0; setting_describe(i, &info); i++)
        bytes += strlen(info.name) + strlen(settings_get(&result->settings, info.name)) + 2;
    char *data = mem_new(bytes);
    if (!data)
        return status_no_memory("statement", bytes);
    memcpy(data, &result->statement_time, sizeof(int64_t));
    for (unsigned i = 0; setting_describe(i, &info); i++)
        at += (size_t)snprintf(data + at, bytes - at, "%s%c%s", info.name, 0,
                               settings_get(&result->settings, info.name)) +
              1;
    memcpy(data + at + 1, plan->sql, strlen(plan->sql));
    *out = data;
    *out_bytes = bytes;
    return STATUS_OK;
}

static status damaged(void)
{
    return status_new(STATUS_KIND_CORRUPT, "the statement from rank 0 is cut off");
}

/* *at becomes what follows the text; NULL: there is no end. */
static const char *next_text(const char **at, const char *end)
{
    const char *text = *at, *stop = memchr(text, 0, (size_t)(end - text));
    *at = stop ? stop + 1 : end;
    return stop ? text : NULL;
}

static status read_statement(const char *data, uint64_t bytes, settings *s, int64_t *out_time,
                             const char **out_sql)
{
    const char *at = data + sizeof *out_time, *end = data + bytes, *name;
    if (bytes < sizeof *out_time)
        return damaged();
    memcpy(out_time, data, sizeof *out_time);
    TRY(settings_init(s));
    while ((name = next_text(&at, end)) && *name) {
        const char *text = next_text(&at, end);
        if (!text)
            return damaged();
        TRY(settings_set(s, name, text));
    }
    *out_sql = name ? next_text(&at, end) : NULL;
    return *out_sql ? STATUS_OK : damaged();
}

/* ---- the other ranks ---- */

/* Binds and optimizes what rank 0 has sent. */
static status prepare(rank_run *run, settings *s, sql_statement **out)
{
    net_collective *collective;
    const char *sql, *rest;
    uint64_t bytes;
    TRY(net_gather(run->net, NET_STATEMENT, "statement", NULL, 0, NET_ANY, STATEMENT_BYTES_MAX,
                   &collective));
    status st = await(run, collective);
    if (!st) {
        sql_session session = {.catalog = run->ranked->catalog};
        const char *data = net_collective_bytes(collective, 0, &bytes);
        st = read_statement(data, bytes, s, &session.statement_time, &sql);
        if (!st)
            st = sql_prepare(&session, sql, out, &rest);
    }
    net_collective_close(collective);
    TRY(st);
    plan_statement *plan = &(*out)->query;
    const plan_distribution distribution = api_distribution(s);
    TRY(plan_rules_parse(s->disabled_optimizer_rules.text, &plan->rules_off));
    TRY(plan_optimize(plan));
    TRY(plan_distribute(plan, &distribution));
    return agree_plan(run, plan);
}

static exec_place place_of(const rank_run *run)
{
    const api_rank *rank = &run->ranked->engine->ranks[run->rank];
    return (exec_place){.dev = rank->dev,
                        .pool = rank->pool,
                        .net = run->net,
                        .rank = run->rank,
                        .rank_count = run->ranked->count,
                        .message_bytes = net_comm_options(rank->comm)->message_bytes};
}

/* No row comes out: the plan's last exchange sends them to rank 0. */
static status run_query(rank_run *run, exec_query *query)
{
    exec_batch *batch;
    attach(run, query);
    TRY(exec_query_start(query));
    do {
        TRY(exec_query_next(query, &batch));
        exec_batch_free(batch);
    } while (batch);
    return agree_end(run);
}

static status serve_statement(rank_run *run, sql_statement **statement)
{
    settings s;
    exec_query *query;
    TRY(prepare(run, &s, statement));
    const exec_place place = place_of(run);
    TRY(exec_query_new(&(*statement)->query, &place, &s, &query));
    status st = run_query(run, query);
    if (st)
        net_query_fail(run->net, st);
    attach(run, NULL);
    exec_query_free(query);
    return STATUS_OK;
}

static void *serve(void *argument)
{
    rank_run *run = argument;
    sql_statement *statement = NULL;
    status st = serve_statement(run, &statement);
    if (st)
        net_query_fail(run->net, st);
    sql_statement_free(statement);
    return NULL;
}

/* ---- the client's rank ---- */

static status send_statement(rank_run *run, const pistachio_result *result)
{
    char *data;
    size_t bytes;
    net_collective *collective;
    TRY(write_statement(result, &data, &bytes));
    status st = net_gather(run->net, NET_STATEMENT, "statement", data, bytes, NET_ANY,
                           STATEMENT_BYTES_MAX, &collective);
    if (!st) {
        st = await(run, collective);
        net_collective_close(collective);
    }
    mem_free(data);
    return st;
}

static void run_init(api_ranked *ranked, unsigned rank)
{
    rank_run *run = &ranked->runs[rank];
    *run = (rank_run){.ranked = ranked, .rank = rank};
    run->waiter = (net_waiter){.wake = wake, .argument = run};
    pthread_mutex_init(&run->lock, NULL);
    pthread_cond_init(&run->changed, NULL);
}

/* The ranks' queries begin in one order on all of them. */
static status begin_queries(api_ranked *ranked)
{
    api_engine *engine = ranked->engine;
    status st = STATUS_OK;
    pthread_mutex_lock(&engine->lock);
    uint64_t number = ++engine->statements;
    for (unsigned rank = 0; rank < ranked->count && !st; rank++)
        st = net_query_begin(engine->ranks[rank].comm, number, engine->ranks[rank].budget, failed,
                             &ranked->runs[rank], &ranked->runs[rank].net);
    pthread_mutex_unlock(&engine->lock);
    return st;
}

static status start_threads(api_ranked *ranked)
{
    for (unsigned rank = 1; rank < ranked->count; rank++) {
        rank_run *run = &ranked->runs[rank];
        int number = pthread_create(&run->thread, NULL, serve, run);
        if (number)
            return status_new_errno(number, "could not start a thread for rank %u", rank);
        run->has_thread = true;
    }
    return STATUS_OK;
}

status api_ranked_begin(pistachio_result *result, exec_place *place)
{
    unsigned count = result->engine->rank_count;
    api_ranked *ranked = mem_new(sizeof *ranked + count * sizeof *ranked->runs);
    if (!ranked)
        return status_no_memory("ranks", count * sizeof *ranked->runs);
    ranked->catalog = api_catalog(result->connection);
    ranked->engine = result->engine;
    ranked->count = count;
    for (unsigned rank = 0; rank < count; rank++)
        run_init(ranked, rank);
    result->ranked = ranked;
    TRY(begin_queries(ranked));
    TRY(start_threads(ranked));
    TRY(send_statement(&ranked->runs[0], result));
    TRY(agree_plan(&ranked->runs[0], &result->statement->query));
    *place = place_of(&ranked->runs[0]);
    return STATUS_OK;
}

void api_ranked_attach(api_ranked *ranked, exec_query *query)
{
    attach(&ranked->runs[0], query);
}

status api_ranked_finish(api_ranked *ranked)
{
    if (!ranked->is_finished)
        TRY(agree_end(&ranked->runs[0]));
    ranked->is_finished = true;
    return STATUS_OK;
}

void api_ranked_end(api_ranked *ranked)
{
    if (!ranked)
        return;
    if (ranked->runs[0].net && !ranked->is_finished)
        net_query_fail(ranked->runs[0].net,
                       status_new(STATUS_KIND_CANCELLED, "the statement was given up"));
    for (unsigned rank = 0; rank < ranked->count; rank++) {
        rank_run *run = &ranked->runs[rank];
        if (run->has_thread)
            pthread_join(run->thread, NULL);
        net_query_end(run->net);
        pthread_cond_destroy(&run->changed);
        pthread_mutex_destroy(&run->lock);
    }
    mem_free(ranked);
}
