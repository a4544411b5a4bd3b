/* run.c - the life of a query: made from a plan, started, drained batch by batch, freed. */
#include "exec/run.h"

#include "base/system/guard.h"
#include "base/system/mutex.h"
#include "exec/operators/op_move.h"
#include "exec/pipeline.h"
#include "exec/scan/scan_ahead.h"
#include "exec/scan/scan_memory.h"
#include "exec/sched/task.h"
#include "net/net.h"
#include "plan/nodes/nested_check.h"
#include "storage/object_store.h"

static status new_bounds(exec_query *query, uint32_t count)
{
    query->bounds = arena_alloc_array(query->memory, count + 1, sizeof *query->bounds);
    if (!query->bounds)
        return status_no_memory("bounds", count * sizeof *query->bounds);
    for (uint32_t i = 0; i < count; i++)
        runtime_bound_init(&query->bounds[i]);
    return STATUS_OK;
}

/* Makes a query without operators. */
static status new_query(const plan_statement *statement, const exec_place *place,
                        const settings *settings, exec_query **out)
{
    *out = NULL;
    exec_query *query = mem_new(sizeof *query);
    if (!query)
        return status_no_memory("query", sizeof *query);
    mutex_init(&query->lock);
    pthread_cond_init(&query->changed, NULL);
    query->statement = statement;
    query->dev = place->dev;
    query->pool = place->pool;
    query->budget = place->dev->budget;
    if (place->dev->is_host &&
        mem_budget_limit(query->budget)) /* others take less where it is short */
        query->task_bytes = scan_memory_task_bytes(statement);
    query->net = place->net;
    query->rank = place->rank;
    query->rank_count = place->rank_count;
    query->net_message_bytes = place->message_bytes;
    query->sends_cargo = place->net && place->takes_cargo && place->dev->ops->copy_from &&
                         settings->device_exchange.number;
    if (statement->message_bytes_max && statement->message_bytes_max < place->message_bytes)
        query->net_message_bytes = statement->message_bytes_max;
    query->store = object_store_used();
    query->is_buffering = settings->dynamic_buffering.number;
    query->has_open_tables = !strcmp(settings->join_table.text, "open");
    query->is_synchronous = !strcmp(settings->synchronization.text, "blocking");
    status st = scan_reads_new(query, settings, &query->reads);
    if (!st)
        st = arena_new(&query->memory);
    if (!st) {
        const char *directory = settings->temp_directory.text;
        query->temp_directory = arena_copy_text(query->memory, directory, strlen(directory));
        if (!query->temp_directory)
            st = status_no_memory("query", strlen(directory));
    }
    if (!st && statement->runtime_filter_count) {
        size_t count = statement->runtime_filter_count;
        query->filters = arena_alloc_array(query->memory, count, sizeof *query->filters);
        query->filter_stages = arena_alloc_array(query->memory, count, sizeof(exec_stage *));
        if (!query->filters || !query->filter_stages)
            st = status_no_memory("runtime filters", count * sizeof *query->filters);
    }
    if (!st)
        st = new_bounds(query, statement->bound_count);
    if (!st && statement->shared.count) {
        size_t count = statement->shared.count;
        query->shared_sinks = arena_alloc_array(query->memory, count, sizeof(exec_operator *));
        query->shared_stages = arena_alloc_array(query->memory, count, sizeof(exec_stage *));
        query->shared_is_sent = arena_alloc_array(query->memory, count, sizeof(bool));
        if (!query->shared_sinks || !query->shared_stages || !query->shared_is_sent)
            st = status_no_memory("common subplans", count * sizeof(exec_stage *));
    }
    if (!st) {
        query->heavy =
            arena_alloc_array(query->memory, statement->heavy_count + 1, sizeof *query->heavy);
        query->overflows = arena_alloc_array(query->memory, statement->overflow_count + 1,
                                             sizeof *query->overflows);
        st = query->heavy && query->overflows
                 ? STATUS_OK
                 : status_no_memory("query", statement->heavy_count + statement->overflow_count);
    }
    if (st) {
        task_tell_ranks(query, st); /* why: freeing it tells them that it was cancelled */
        exec_query_free(query);
        return st;
    }
    *out = query;
    return STATUS_OK;
}

/* ---- parts ---- */

/* The statement of a part, whose plan is the child of a move. */
static status part_statement(exec_query *whole, const plan_node *move, plan_statement **out)
{
    *out = arena_alloc(whole->memory, sizeof **out);
    if (!*out)
        return status_no_memory("move", sizeof **out);
    **out = *whole->statement;
    (*out)->root = move->children[0];
    return STATUS_OK;
}

static status query_build(exec_query *query, exec_operator *sink, const exec_place *place,
                          const settings *settings);

/* Makes the part that a move's source takes rows from, on the other device. */
static status part_new(exec_query *whole, exec_operator *move, const exec_place *place,
                       const settings *settings)
{
    exec_place there = *place;
    plan_statement *statement;
    exec_query *part;
    exec_operator *sink;
    if (!place->other)
        return status_new(STATUS_KIND_INTERNAL, "there is no device to move rows from");
    there.dev = place->other;
    there.other = place->dev;
    TRY(array_reserve(whole->memory, &whole->parts, 1));
    TRY(part_statement(whole, move->plan, &statement));
    TRY(new_query(statement, &there, settings, &part));
    whole->parts.items[whole->parts.count++] = part;
    part->whole = whole;
    part->start = exec_query_start;
    TRY(op_move_sink_open(part, move, &sink));
    TRY(exec_adopt(part, sink));
    TRY(query_build(part, sink, &there, settings));
    if (exec_is_of_one_task(part, sink))
        move->task_limit = 1;
    return STATUS_OK;
}

/* Makes the stages whose rows the sink takes, and those of other devices. */
static status query_build(exec_query *query, exec_operator *sink, const exec_place *place,
                          const settings *settings)
{
    TRY(guard_check());
    TRY(exec_build(query, sink));
    for (size_t i = 0; i < query->moves.count; i++)
        TRY(part_new(query, query->moves.items[i], place, settings));
    return STATUS_OK;
}

/* ---- the life of a statement's query ---- */

static status result_sink_new(exec_query *query)
{
    const plan_column_list *columns = &query->statement->root->columns;
    exec_operator *sink;
    TRY(op_result_open(query, (exec_layout){(uint32_t)columns->count, columns->items}, &sink));
    TRY(exec_adopt(query, sink));
    query->result_sink = sink;
    return STATUS_OK;
}

status exec_query_new(const plan_statement *statement, const exec_place *place,
                      const settings *settings, exec_query **out)
{
    exec_query *query;
    *out = NULL;
    TRY(plan_check_nested(statement, true));
    TRY(new_query(statement, place, settings, &query));
    status st = result_sink_new(query);
    if (!st)
        st = query_build(query, query->result_sink, place, settings);
    if (st) {
        task_tell_ranks(query, st); /* why: freeing it tells them that it was cancelled */
        exec_query_free(query);
        return st;
    }
    *out = query;
    return STATUS_OK;
}

void exec_query_stay(exec_query *query, exec_device_layout layout)
{
    op_result_stay(query->result_sink, layout);
}

void exec_query_time_kernels(exec_query *query)
{
    query->is_timed = true;
    for (size_t i = 0; i < query->parts.count; i++)
        exec_query_time_kernels(query->parts.items[i]);
}

void exec_query_trace(exec_query *query, bool is_traced)
{
    query->is_traced = is_traced;
    for (size_t i = 0; i < query->parts.count; i++)
        exec_query_trace(query->parts.items[i], is_traced);
}

void exec_query_weigh(exec_query *query, unsigned weight)
{
    query->share.weight = weight;
    for (size_t i = 0; i < query->parts.count; i++)
        exec_query_weigh(query->parts.items[i], weight);
}

status exec_query_start(exec_query *query)
{
    read_share *before = storage_share_use(&query->reading);
    scan_ahead_start(query);
    storage_share_use(before);
    return exec_pool_start(query->pool, query);
}

static bool run_is_ready(void *argument)
{
    exec_query *query = argument;
    return op_result_is_ready(query->result_sink) || atomic_load(&query->is_cancelled);
}

static bool never(void *argument)
{
    (void)argument;
    return false;
}

/* Returns, of several ranks' failures, the one that all of them report. Takes the one of this rank. */
static status shared_failure(exec_query *query, status st)
{
    status shared = query->net ? net_query_failure(query->net) : STATUS_OK;
    if (shared && status_get_kind(shared) != STATUS_KIND_CANCELLED) {
        status_free(st);
        return shared;
    }
    status_free(shared);
    return st;
}

/* Takes the failure out, or makes the one of a cancelled query. */
static status take_failure(exec_query *query)
{
    mutex_lock(&query->lock);
    status st = query->failure;
    query->failure = STATUS_OK;
    mutex_unlock(&query->lock);
    st = shared_failure(query, st);
    if (st &&
        (status_get_kind(st) == STATUS_KIND_CORRUPT || status_get_kind(st) == STATUS_KIND_IO)) {
        const file *changed = scan_ahead_changed_file(query);
        if (changed && strstr(status_message(st), "changed while it was read"))
            st = status_hint(st, "run the query again when nobody writes to the file");
        else if (changed)
            st = status_hint(st,
                             "\"%s\" changed while it was read: run the query again when nobody "
                             "writes to it",
                             changed->path);
    }
    return st ? st : status_new(STATUS_KIND_CANCELLED, "query cancelled");
}

/* Lets every task come to its end: on other ranks, too, and those that wait for messages. */
static void run_drain(exec_query *query)
{
    if (query->net && atomic_load(&query->is_cancelled))
        net_query_fail(query->net, status_new(STATUS_KIND_CANCELLED, "query cancelled"));
    if (query->result_sink)
        op_result_wake_all(query->result_sink);
    for (size_t i = 0; i < query->operators.count; i++) {
        exec_operator *op = query->operators.items[i];
        if (op->ops->wake_all)
            op->ops->wake_all(op);
    }
    exec_pool_work(query->pool, query, never, NULL);
    for (size_t i = 0; i < query->parts.count; i++) { /* nobody wants their rows any more */
        exec_raise_cancelled(query->parts.items[i]);
        run_drain(query->parts.items[i]);
    }
}

void exec_query_shape(exec_query *query, const exec_batch_shape *shape)
{
    op_result_shape(query->result_sink, shape);
}

status exec_query_next(exec_query *query, exec_batch **out)
{
    *out = NULL;
    exec_pool_work(query->pool, query, run_is_ready, query);
    if (atomic_load(&query->is_cancelled)) {
        run_drain(query);
        return take_failure(query);
    }
    *out = op_result_take(query->result_sink);
    query->is_finished = !*out;
    return STATUS_OK;
}

/* Adds what a part has read; its storage is not listed. */
static void run_add_report(const exec_query *part, exec_report *sum)
{
    exec_report of_part;
    exec_query_report(part, &of_part);
    sum->bytes_stored += of_part.bytes_stored;
    sum->bytes_cached += of_part.bytes_cached;
    sum->bytes_shared += of_part.bytes_shared;
    sum->bytes_done += of_part.bytes_done;
    sum->bytes_total += of_part.bytes_total;
    sum->turns += of_part.turns;
    sum->wakes += of_part.wakes;
}

void exec_query_report(const exec_query *query, exec_report *out)
{
    const scan_reads *reads = query->reads;
    *out = (exec_report){
        .storage = reads->storage.items,
        .storage_count = reads->storage.count,
        .bytes_cached = atomic_load(&reads->bytes_cached),
        .bytes_shared = atomic_load(&reads->bytes_shared),
        .bytes_done = atomic_load(&reads->bytes_done),
        .bytes_total = atomic_load(&reads->bytes_total),
    };
    for (size_t i = 0; i < reads->storage.count; i++)
        out->bytes_stored += atomic_load(&reads->storage.items[i].bytes);
    exec_pool_turns(query->pool, query, &out->turns, &out->wakes);
    for (size_t i = 0; i < query->parts.count; i++)
        run_add_report(query->parts.items[i], out);
}

void exec_query_cancel(exec_query *query)
{
    exec_raise_cancelled(query);
}

void exec_query_stop(exec_query *query)
{
    exec_raise_cancelled(query);
    exec_pool_notify(query->pool, query);
}

/* Returns whether what a lazy device has read may be kept. A client may have stopped fetching rows, and a limit may have stopped
 * scans before they looked whether their file had changed. */
static bool run_may_keep(const exec_query *query, bool was_cancelled)
{
    return !was_cancelled && !query->failure && query->reads && query->reads->stored.cache &&
           !scan_ahead_changed_file(query);
}

/* Releases a query of which no task is left, nor of its parts. */
static void run_release(exec_query *query, bool was_cancelled)
{
    bool keeps = run_may_keep(query, was_cancelled);
    for (size_t i = query->parts.count; i-- > 0;)
        run_release(query->parts.items[i], was_cancelled);
    scan_ahead_end(query);
    for (size_t i = query->operators.count; i-- > 0;)
        exec_operator_close(query->operators.items[i]);
    if (query->filters)
        for (uint32_t i = 0; i < query->statement->runtime_filter_count; i++)
            runtime_filter_release(&query->filters[i]);
    for (uint32_t i = 0; query->bounds && i < query->statement->bound_count; i++)
        runtime_bound_release(&query->bounds[i]);
    scan_reads_free(query->reads, keeps);
    status_free(query->failure);
    pthread_cond_destroy(&query->changed);
    mutex_destroy(&query->lock);
    arena_free(query->memory);
    mem_free(query);
}

void exec_query_free(exec_query *query)
{
    if (!query)
        return;
    bool was_cancelled = atomic_load(&query->is_cancelled);
    if (!query->is_finished)
        exec_raise_cancelled(query);
    run_drain(query);
    run_release(query, was_cancelled);
}
