/* query_run.c - the query of one statement: planned, started on this rank or on all, asked for its rows,
 * ended. */
#include "api/query/query_run.h"

#include "api/engine/cluster.h"
#include "api/engine/engine.h"
#include "api/engine/place_text.h"
#include "api/engine/ranks.h"
#include "api/query/query_device.h"
#include "api/query/retry.h"
#include "api/ranks/explain_metrics.h"
#include "api/ranks/ranked.h"
#include "api/session/database.h"
#include "base/system/guard.h"
#include "base/trace/trace.h"
#include "base/trace/usage.h"
#include "exec/operators/result_batch.h"
#include "plan/rules/nested/pack_columns.h"
#include "plan/rules/nested/pack_moves.h"
#include "plan/rules/optimize.h"
#include "plan/tree/rule.h"
#include "storage/object_store.h"

/* ---- its trace ---- */

/* The path that a setting gives, in the statement's memory, or NULL. */
static status copy_path(pistachio_result *result, const char *text, const char **out)
{
    *out = NULL;
    if (!strcmp(text, "off") || !*text)
        return STATUS_OK;
    *out = arena_copy_text(result->statement->query.memory, text, strlen(text));
    return *out ? STATUS_OK : status_no_memory("trace", strlen(text));
}

static status start_trace(pistachio_result *result)
{
    const settings *s = &result->settings;
    TRY(copy_path(result, s->trace.text, &result->trace_path));
    TRY(copy_path(result, s->timeline.text, &result->timeline_path));
    /* False: another query of the process is being traced. */
    result->is_traced = (result->trace_path || result->timeline_path) && trace_start();
    exec_query_trace(result->query, result->is_traced);
    return STATUS_OK;
}

status api_finish_trace(pistachio_result *result)
{
    bool is_traced = result->is_traced;
    result->is_traced = false;
    return is_traced
               ? trace_stop(result->trace_path, result->timeline_path, result->statement->query.sql)
               : STATUS_OK;
}

/* ---- its rows ---- */

api_client api_client_of(const pistachio_result *result)
{
    return (api_client){&result->connection->running,
                        result->prepared ? &result->prepared->running : NULL};
}

static status run_on_cpu(pistachio_result *result, status failure);

/* Gives the batch that was taken before anybody asked for it. */
static exec_batch *give_first(pistachio_result *result)
{
    exec_batch *first = result->first;
    result->first = NULL;
    result->has_first = false;
    return first;
}

status api_query_next(pistachio_result *result, exec_batch **out)
{
    if (result->has_first) {
        *out = give_first(result);
        return STATUS_OK;
    }
    status failure = exec_query_next(result->query, out);
    if (api_device_may_change(result, failure)) {
        TRY(run_on_cpu(result, failure));
        failure = exec_query_next(result->query, out);
    }
    TRY(failure);
    result->has_given |= *out != NULL;
    if (*out || !result->ranked)
        return STATUS_OK;
    api_client before = api_client_set(api_client_of(result));
    bool is_analyzed = result->statement->kind == SQL_EXPLAIN_ANALYZE;
    status st = api_ranked_finish(result->ranked, is_analyzed ? &result->statement->query : NULL,
                                  result->query);
    api_client_set(before);
    return st;
}

/* ---- its beginning ---- */

static status make_plan(pistachio_result *result)
{
    plan_statement *plan = &result->statement->query;
    TRY(api_engine_hold(result->connection->database, &result->settings, &result->engine));
    api_settings_apply(result->connection, &result->settings);
    TRY(plan_rules_parse(result->settings.disabled_optimizer_rules.text, &plan->rules_off));
    TRY(plan_optimize(plan));
    const plan_distribution distribution = api_distribution(result->engine, &result->settings);
    TRY(plan_distribute(plan, &distribution));
    TRY(plan_pack_moves(plan));
    TRY(api_device_choose(result));
    return result->dev->is_host || result->other_dev ? STATUS_OK : plan_pack_columns(plan);
}

status api_query_plan(pistachio_result *result)
{
    guard_state before = guard_enter();
    status st = guard_explain(make_plan(result));
    guard_leave(before);
    return st;
}

/* On this rank, or on all. */
static status make_query(pistachio_result *result)
{
    const api_engine *engine = result->engine;
    exec_place place = {.dev = result->dev, .other = result->other_dev, .pool = engine->pool};
    if (result->statement->query.exchange_count)
        TRY(api_ranked_begin(result, &place));
    const api_cluster *cluster = result->connection->database->cluster;
    const char *host = cluster ? cluster->host : NULL;
    TRY(api_place_settings(&result->settings, 0, host));
    guard_state before = guard_enter();
    status st = guard_explain(
        exec_query_new(&result->statement->query, &place, &result->settings, &result->query));
    guard_leave(before);
    TRY(st);
    if (result->statement->kind == SQL_EXPLAIN_ANALYZE)
        exec_query_time_kernels(result->query);
    if (result->ranked)
        api_ranked_attach(result->ranked, result->query);
    return STATUS_OK;
}

/* A SELECT's rows stay on the device where the client wants them there, if it has said which device. */
static status choose_memory(pistachio_result *result)
{
    const settings *s = &result->settings;
    bool is_select = result->statement->kind == SQL_QUERY && !result->is_round;
    if (!is_select || strcmp(s->result_memory.text, "device") || result->engine->dev->is_host)
        return STATUS_OK;
    if (s->arrow_dictionary.number)
        return status_hint(status_new(STATUS_KIND_UNSUPPORTED,
                                      "texts in a device's memory are offsets and bytes, no "
                                      "dictionaries, as arrow_dictionary = on would have them"),
                           "SET arrow_dictionary = off, or result_memory = 'host'");
    const plan_column_list *columns = &result->statement->query.root->columns;
    for (size_t i = 0; i < columns->count; i++)
        if (type_is_nested(columns->items[i].type))
            return status_hint(status_new(STATUS_KIND_UNSUPPORTED,
                                          "column \"%s\" of the result is a list, struct or map, "
                                          "which cannot stay in a device's memory yet",
                                          columns->items[i].name),
                               "SET result_memory = 'host'");
    result->is_on_device = true;
    exec_query_stay(result->query, (exec_device_layout){!strcmp(s->arrow_decimal.text, "64")});
    return STATUS_OK;
}

static void show_query(pistachio_result *result)
{
    api_running_show(&result->connection->running, result->query);
    if (result->prepared)
        api_running_show(&result->prepared->running, result->query);
}

/* Returns whether the plan reads rows that do not stand in the statement itself. */
static bool reads_rows(const plan_node *node)
{
    if (node->kind == PLAN_SCAN || node->kind == PLAN_TEXT_SCAN || node->kind == PLAN_SERIES)
        return true;
    for (uint32_t i = 0; i < node->child_count; i++)
        if (reads_rows(node->children[i]))
            return true;
    return false;
}

bool api_reads_rows(const plan_statement *plan)
{
    bool is_found = reads_rows(plan->root);
    for (size_t i = 0; i < plan->shared.count && !is_found; i++)
        is_found = reads_rows(plan->shared.items[i]);
    return is_found;
}

/* Waits until the statement may run, as the connection's owner says. */
static status query_run_await_turn(const pistachio_result *result)
{
    const pistachio_connection *connection = result->connection;
    if (!connection->await_turn || !api_reads_rows(&result->statement->query))
        return STATUS_OK;
    return connection->await_turn(connection->turn_context);
}

static status start(pistachio_result *result)
{
    TRY(make_query(result));
    TRY(choose_memory(result));
    exec_query_weigh(result->query, result->connection->weight);
    result->query->usage = result->connection->usage;
    if (result->query->usage && !result->is_round)
        usage_begin(result->query->usage, exec_pool_thread_count(result->query->pool));
    show_query(result);
    TRY(cancel_check()); /* by a call that found no query yet */
    if (!result->is_round)
        TRY(start_trace(result));
    if (result->shape)
        exec_query_shape(result->query, result->shape);
    return exec_query_start(result->query);
}

/* Takes the first batch of a query that may run again: nothing has been given out until it is there. */
static status take_first_batch(pistachio_result *result)
{
    bool is_select = result->statement->kind == SQL_QUERY && !result->is_round;
    if (!is_select || !result->ranked || !api_retry_is_on(result->connection, &result->settings))
        return STATUS_OK;
    TRY(api_query_next(result, &result->first));
    result->has_first = true;
    return STATUS_OK;
}

status api_query_start(pistachio_result *result)
{
    TRY(query_run_await_turn(result));
    status st = start(result);
    if (api_device_may_change(result, st))
        st = run_on_cpu(result, st);
    return st ? st : take_first_batch(result);
}

/* ---- its end ---- */

static void hide_query(pistachio_result *result)
{
    api_running_hide(&result->connection->running, result->query);
    if (result->prepared)
        api_running_hide(&result->prepared->running, result->query);
}

/* Runs the query of one rank again, on the CPU, for as long as nobody has cancelled it. Takes the failure. */
static status run_on_cpu(pistachio_result *result, status failure)
{
    api_client client = api_client_of(result);
    uint32_t cancels = api_running_cancels(client.connection), store = object_store_used();
    if (result->query) {
        object_store_use(result->query->store);
        hide_query(result);
        exec_query_free(result->query);
        result->query = NULL;
    }
    status_free(api_finish_trace(result));
    api_device_change(result, failure);
    status st = api_device_bound(result);
    if (!st)
        st = start(result);
    object_store_use(store);
    if (!st && cancels != api_running_cancels(client.connection))
        exec_query_cancel(result->query);
    return st;
}

void api_query_end(pistachio_result *result)
{
    if (result->query) {
        hide_query(result);
        if (result->ranked)
            api_ranked_attach(result->ranked, NULL);
        if (result->query->usage && !result->is_round)
            usage_set_bound(result->query->usage, metrics_storage_bound(result->query));
        exec_query_free(result->query);
        result->query = NULL;
    }
    exec_batch_free(give_first(result));
    api_ranked_end(result->ranked);
    result->ranked = NULL;
    status_free(api_finish_trace(result)); /* of a query that was given up */
}
