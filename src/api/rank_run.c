/* rank_run.c - one rank's part of a statement on several ranks. */
#include "api/rank_run.h"

#include "api/cluster.h"
#include "api/explain_metrics.h"
#include "api/place_text.h"
#include "api/statement_bytes.h"
#include "plan/optimize.h"

/* Of the statement's collectives, and that of explain_metrics.c; exchanges follow from EXEC_NET_FIRST_EXCHANGE on. */
enum { NET_STATEMENT, NET_PLAN, NET_END };

#define STATEMENT_BYTES_MAX ((uint64_t)256 << 20)

/* ---- failures, and waiting ---- */

void rank_run_failed(void *argument)
{
    rank_run *run = argument;
    pthread_mutex_lock(&run->lock);
    run->has_failed = true;
    if (run->query)
        exec_query_stop(run->query);
    pthread_mutex_unlock(&run->lock);
}

void rank_run_attach(rank_run *run, exec_query *query)
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
    sem_post(&run->changed); /* with the lock: who sees is_woken may end the run */
    pthread_mutex_unlock(&run->lock);
}

void rank_run_init(rank_run *run, pistachio_database *database, api_engine *engine, unsigned rank,
                   const api_rank *place)
{
    *run = (rank_run){.database = database,
                      .catalog = database->catalog,
                      .rank = rank,
                      .engine = engine,
                      .place = place};
    atomic_fetch_add(&engine->references, 1);
    run->waiter = (net_waiter){.wake = wake, .argument = run};
    pthread_mutex_init(&run->lock, NULL);
    sem_init(&run->changed, 0, 0);
}

void rank_run_release(rank_run *run)
{
    net_query_end(run->net);
    if (run->owns_catalog)
        sql_catalog_free(run->catalog);
    api_engine_unref(run->engine);
    sem_destroy(&run->changed);
    pthread_mutex_destroy(&run->lock);
}

void rank_run_cancel(rank_run *run)
{
    atomic_store(&run->is_cancelled, true);
    sem_post(&run->changed);
}

static bool take_woken(rank_run *run)
{
    pthread_mutex_lock(&run->lock);
    bool is_woken = run->is_woken;
    run->is_woken = false;
    pthread_mutex_unlock(&run->lock);
    return is_woken;
}

/* Cancelled, the query fails, which wakes it: the waiter is registered until then. */
static void wait_woken(rank_run *run)
{
    bool has_failed = false;
    while (!take_woken(run)) {
        if (atomic_load(&run->is_cancelled) && !has_failed) {
            has_failed = true;
            net_query_fail(run->net, status_new(STATUS_KIND_CANCELLED, "query cancelled"));
        }
        sem_wait(&run->changed); /* perhaps interrupted */
    }
}

static status await(rank_run *run, net_collective *collective)
{
    for (;;) {
        net_state is;
        TRY(net_try_collective(collective, &run->waiter, &is));
        if (is != NET_WAIT)
            return STATUS_OK;
        wait_woken(run);
    }
}

status rank_run_await(rank_run *run, net_collective *collective)
{
    api_client_waits(run);
    status st = await(run, collective);
    api_client_waits(NULL);
    return st;
}

/* ---- the statement ---- */

static status send_bytes(rank_run *run, const char *data, uint64_t bytes)
{
    net_collective *collective;
    status st = net_gather(run->net, NET_STATEMENT, "statement", data, bytes, NET_ANY,
                           STATEMENT_BYTES_MAX, &collective);
    if (!st) {
        st = rank_run_await(run, collective);
        net_collective_close(collective);
    }
    return st;
}

status rank_run_send(rank_run *run, const pistachio_result *result)
{
    const api_cluster *cluster = run->database->cluster;
    uint64_t memory = api_distribution(run->engine, &result->settings).memory_bytes;
    char *data;
    uint64_t bytes;
    TRY(statement_write(result, memory, cluster ? &cluster->initial : NULL, &data, &bytes));
    status st = send_bytes(run, data, bytes);
    mem_free(data);
    return st;
}

status rank_run_send_request(rank_run *run, statement_request request, const char *text,
                             bool use_cache)
{
    char *data;
    uint64_t bytes;
    TRY(statement_write_request(request, text, use_cache, &data, &bytes));
    status st = send_bytes(run, data, bytes);
    mem_free(data);
    return st;
}

status rank_run_receive(rank_run *run, char **out, uint64_t *out_bytes)
{
    net_collective *collective;
    *out = NULL;
    TRY(net_gather(run->net, NET_STATEMENT, "statement", NULL, 0, NET_ANY, STATEMENT_BYTES_MAX,
                   &collective));
    status st = rank_run_await(run, collective);
    if (!st) {
        const char *data = net_collective_bytes(collective, 0, out_bytes);
        *out = mem_copy_text(data, *out_bytes);
        if (!*out)
            st = status_no_memory("statement", *out_bytes);
    }
    net_collective_close(collective);
    return st;
}

/* ---- agreement ---- */

/* A word of the plan, and words of the files of tables, each table's by its name. */
#define PLAN_WORDS 32

static uint32_t word_of_table(const char *name)
{
    uint32_t hash = 5381;
    for (; *name; name++)
        hash = hash * 33 + (unsigned char)*name;
    return 1 + hash % (PLAN_WORDS - 1);
}

static const char *scan_name(const plan_node *scan)
{
    return scan->scan.table_name ? scan->scan.table_name : "";
}

static void add_tables(const plan_node *node, uint64_t *words)
{
    if (node->kind == PLAN_SCAN)
        words[word_of_table(scan_name(node))] += plan_files_hash(node->scan.table);
    for (uint32_t i = 0; i < node->child_count; i++)
        add_tables(node->children[i], words);
}

/* A table whose word it is; NULL: there is none below the node. */
static const pq_table *table_of_word(const plan_node *node, uint32_t word)
{
    const pq_table *found = NULL;
    if (node->kind == PLAN_SCAN && word_of_table(scan_name(node)) == word)
        return node->scan.table;
    for (uint32_t i = 0; i < node->child_count && !found; i++)
        found = table_of_word(node->children[i], word);
    return found;
}

static status make_words(const plan_statement *plan, uint64_t *words)
{
    memset(words, 0, PLAN_WORDS * sizeof *words);
    TRY(plan_hash(plan, &words[0]));
    add_tables(plan->root, words);
    for (size_t i = 0; i < plan->shared.count; i++)
        add_tables(plan->shared.items[i], words);
    return STATUS_OK;
}

static status other_files(const rank_run *run, const plan_statement *plan, uint32_t word, int other)
{
    const pq_table *table = table_of_word(plan->root, word);
    for (size_t i = 0; !table && i < plan->shared.count; i++)
        table = table_of_word(plan->shared.items[i], word);
    return status_hint(
        status_new(STATUS_KIND_INVALID,
                   "rank %d (host %s) has other files than rank 0 (host %s) of table \"%s\"", other,
                   net_comm_host(run->place->comm, (unsigned)other),
                   net_comm_host(run->place->comm, 0), table ? table->name : "?"),
        "every rank opens all files of a table, which must be the same on all of them");
}

static status compare_words(const rank_run *run, const plan_statement *plan,
                            const net_collective *words)
{
    for (uint32_t word = 1; word < PLAN_WORDS; word++) {
        int other = net_collective_differs(words, word);
        if (other >= 0)
            return other_files(run, plan, word, other);
    }
    int other = net_collective_differs(words, 0);
    if (other < 0)
        return STATUS_OK;
    return status_hint(status_new(STATUS_KIND_INVALID,
                                  "rank %d (host %s) has another plan than rank 0 (host %s)", other,
                                  net_comm_host(run->place->comm, (unsigned)other),
                                  net_comm_host(run->place->comm, 0)),
                       "tables must have the same names and files on all ranks");
}

status rank_run_agree_plan(rank_run *run, const plan_statement *plan)
{
    uint64_t words[PLAN_WORDS];
    uint8_t operations[PLAN_WORDS];
    net_collective *collective;
    TRY(make_words(plan, words));
    memset(operations, NET_SAME, sizeof operations);
    TRY(net_agree(run->net, NET_PLAN, "plan", words, operations, PLAN_WORDS, &collective));
    status st = rank_run_await(run, collective);
    if (!st)
        st = compare_words(run, plan, collective);
    net_collective_close(collective);
    return st;
}

status rank_run_agree_end(rank_run *run)
{
    const uint64_t none = 0;
    const uint8_t same = NET_SAME;
    net_collective *collective;
    TRY(net_agree(run->net, NET_END, "end of the statement", &none, &same, 1, &collective));
    status st = rank_run_await(run, collective);
    net_collective_close(collective);
    return st;
}

/* ---- serving ---- */

exec_place rank_run_place(const rank_run *run)
{
    return (exec_place){.dev = run->place->dev,
                        .pool = run->place->pool,
                        .net = run->net,
                        .rank = run->rank,
                        .rank_count = run->engine->rank_count,
                        .message_bytes =
                            (uint32_t)run->engine->made_of.network_message_bytes.number};
}

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

static status bind(rank_run *run, const statement_read *read, settings *s, sql_statement **out)
{
    api_cluster *cluster = run->database->cluster;
    const char *rest;
    status st = STATUS_OK;
    if (cluster) {
        pthread_mutex_lock(&cluster->binding);
        st = follow(run, s, read);
    }
    const sql_session session = {.catalog = run->catalog,
                                 .hive_partitioning = s->hive_partitioning.text,
                                 .statement_time = read->time,
                                 .rounds = read->rounds,
                                 .values = read->values.items,
                                 .value_count = (uint32_t)read->values.count};
    if (!st)
        st = sql_prepare(&session, read->sql, out, &rest);
    if (cluster)
        pthread_mutex_unlock(&cluster->binding);
    return st;
}

static status prepare(rank_run *run, const statement_read *read, settings *s, sql_statement **out)
{
    TRY(bind(run, read, s, out));
    plan_statement *plan = &(*out)->query;
    plan_distribution distribution = api_distribution(run->engine, s);
    distribution.memory_bytes = read->memory_bytes;
    TRY(plan_rules_parse(s->disabled_optimizer_rules.text, &plan->rules_off));
    TRY(plan_optimize(plan));
    TRY(plan_distribute(plan, &distribution));
    return rank_run_agree_plan(run, plan);
}

/* No row comes out: the plan's last exchange sends them to rank 0. */
static status run_query(rank_run *run, const sql_statement *statement, exec_query *query)
{
    exec_batch *batch;
    ranked_metrics none;
    rank_run_attach(run, query);
    TRY(exec_query_start(query));
    do {
        TRY(exec_query_next(query, &batch));
        exec_batch_free(batch);
    } while (batch);
    if (statement->kind == SQL_EXPLAIN_ANALYZE)
        TRY(metrics_gather(run, &statement->query, query, &none));
    return rank_run_agree_end(run);
}

static status serve_statement(rank_run *run, const statement_read *read, settings *s,
                              sql_statement **statement)
{
    exec_query *query;
    TRY(prepare(run, read, s, statement));
    const exec_place place = rank_run_place(run);
    bool is_thread = !run->database->cluster; /* of this machine */
    const char *host = is_thread ? NULL : net_comm_host(run->place->comm, run->rank);
    TRY(api_place_settings(s, run->rank, host));
    TRY(exec_query_new(&(*statement)->query, &place, s, &query));
    status st = run_query(run, *statement, query);
    if (st)
        net_query_fail(run->net, st);
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
    switch (read->request) {
    case REQUEST_TABLE:
        return api_cluster_serve_table(run, read->table, read->use_cache);
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
    status st = read_and_serve(run, data, bytes, &read, &statement);
    if (st)
        net_query_fail(run->net, st);
    sql_statement_free(statement);
    statement_read_release(&read);
}
