/* task.c - drives the operators of one task: pulls, pushes, finishes, runs phases.
 *
 * The only caller of pull, push, local_finish and phase, so cancellation, timing and row counts are
 * here and in no operator. All it needs to go on after a wait is in the scheduled_task. */
#include "exec/sched/task.h"

#include "base/system/mutex.h"
#include "base/trace/trace.h"
#include "base/trace/usage.h"
#include "device/chunk.h"
#include "device/transfer.h"
#include "net/net.h"
#include "parquet/table/table.h"
#include "storage/object_store.h"

#include <stdio.h>
#include <time.h>

uint64_t task_now(void)
{
    struct timespec ts;
    clock_gettime(CLOCK_MONOTONIC, &ts);
    return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

void task_tell_ranks(exec_query *query, status st)
{
    if (!query->net)
        return;
    net_query_fail(query->net, status_copy(st));
}

void task_fail_query(exec_query *query, status st)
{
    if (query->whole)
        task_fail_query(query->whole, status_copy(st));
    task_tell_ranks(query,
                    st); /* before this one stops: then nobody waits for what it does not send */
    mutex_lock(&query->lock);
    /* Values of a query that its client has cancelled may be half computed: an error of theirs says nothing. */
    if (!query->failure && !exec_is_cancelled(query)) {
        query->failure = st;
        st = STATUS_OK;
    }
    exec_raise_cancelled(query);
    mutex_unlock(&query->lock);
    status_free(st);
}

exec_result exec_fail(exec_task *task, status st)
{
    const scheduled_task *scheduled = task->scheduled;
    if (status_get_kind(st) == STATUS_KIND_INTERNAL && scheduled && scheduled->called)
        st = status_context(st, "operator %s, %s", scheduled->called->ops->name,
                            scheduled->called_for);
    task_fail_query(task->query, st);
    return EXEC_FAILED;
}

bool exec_turn_begin(exec_task *task, uint64_t number)
{
    exec_operator *op = task->scheduled->stage->reorder;
    return !op || op->ops->begin_turn(op, task, number);
}

status task_new(exec_stage *stage, unsigned index, unsigned count, scheduled_task **out)
{
    *out = NULL;
    scheduled_task *scheduled = mem_new(sizeof *scheduled);
    if (!scheduled)
        return status_no_memory("task", sizeof *scheduled);
    scheduled->stage = stage;
    scheduled->task =
        (exec_task){.query = stage->query, .index = index, .count = count, .scheduled = scheduled};
    scheduled->operator_count = stage->source ? (unsigned)stage->operators.count : 0;
    scheduled->states = mem_new_array(scheduled->operator_count + 1, sizeof *scheduled->states);
    scheduled->inputs = mem_new_array(scheduled->operator_count + 1, sizeof *scheduled->inputs);
    scheduled->late = mem_new_array(scheduled->operator_count + 1, sizeof *scheduled->late);
    scheduled->has_more = mem_new_array(scheduled->operator_count + 1, sizeof *scheduled->has_more);
    if (!scheduled->states || !scheduled->inputs || !scheduled->late || !scheduled->has_more) {
        size_t bytes = (scheduled->operator_count + 1) * sizeof *scheduled->states;
        task_free(scheduled);
        return status_no_memory("task", bytes);
    }
    *out = scheduled;
    return STATUS_OK;
}

static const char *key_name(const expr_list *keys)
{
    const expr *key = keys->count ? keys->items[0] : NULL;
    return key && key->kind == EXPR_COLUMN && key->name ? key->name : "...";
}

/* Writes "scan orders", "join probe o_custkey=c_custkey": for people, who tell joins apart by their keys. */
static void name_operator(const exec_operator *op, char *out, size_t room)
{
    const plan_node *plan = op->plan;
    if (plan && plan->kind == PLAN_SCAN) {
        const char *table = plan->scan.table->name, *slash = strrchr(table, '/');
        snprintf(out, room, "%s %s", op->ops->name, slash ? slash + 1 : table);
    } else if (plan && plan->kind == PLAN_JOIN && plan->join.left_keys.count) {
        snprintf(out, room, "%s %s=%s", op->ops->name, key_name(&plan->join.left_keys),
                 key_name(&plan->join.right_keys));
    } else {
        snprintf(out, room, "%s", op->ops->name);
    }
}

static void trace_step(const exec_operator *op, const char *what, uint64_t since, uint64_t until)
{
    char name[TRACE_NAME_BYTES];
    name_operator(op, name, sizeof name);
    trace_span(what, name, (int64_t)since, (int64_t)until);
}

static void note_usage(const exec_operator *op, uint64_t since, uint64_t until)
{
    char name[USAGE_NAME_BYTES];
    usage *u = op->query->usage;
    if (usage_add(u, op, since, until,
                  atomic_load_explicit(&op->metrics.bytes_read, memory_order_relaxed)))
        return;
    name_operator(op, name, sizeof name);
    usage_name(u, op, name);
}

void task_step_begin(scheduled_task *scheduled, exec_operator *op, const char *what)
{
    scheduled->called = op;
    scheduled->called_for = what;
    scheduled->called_since = task_now();
    dev_work_now = &op->metrics.work;
    dev_stream_now = scheduled->task.stream;
    scheduled->flag_before = cancel_set(&scheduled->task.query->is_cancelled);
    scheduled->store_before = object_store_use(scheduled->task.query->store);
    scheduled->share_before = storage_share_use(&scheduled->task.query->reading);
}

void task_step_end(scheduled_task *scheduled)
{
    exec_operator *op = scheduled->called;
    uint64_t until = task_now(), since = scheduled->called_since;
    dev_work_now = NULL;
    dev_stream_now = NULL;
    cancel_set(scheduled->flag_before);
    object_store_use(scheduled->store_before);
    storage_share_use(scheduled->share_before);
    atomic_fetch_add_explicit(&op->metrics.nanoseconds, until - since, memory_order_relaxed);
    if (__builtin_expect(op->query->is_traced, 0) && scheduled->called_for)
        trace_step(op, scheduled->called_for, since, until);
    if (__builtin_expect(op->query->usage != NULL, 0))
        note_usage(op, since, until);
}

/* Number 0 is the source; k + 1 is operator k. */
static exec_operator *operator_at(const scheduled_task *scheduled, unsigned number)
{
    return number ? scheduled->stage->operators.items[number - 1] : scheduled->stage->source;
}

static status open_state(scheduled_task *scheduled, exec_operator *op, void *state)
{
    task_step_begin(scheduled, op, NULL);
    status st = op->ops->local_open(op, &scheduled->task, state);
    task_step_end(scheduled);
    return st;
}

/* Before the first launch: a task that launches nothing has nothing zeroed. */
static status zero_error(dev_stream *stream, void *argument)
{
    const scheduled_task *scheduled = argument;
    return stream->dev->ops->zero(stream, scheduled->task.error, sizeof(dev_error));
}

/* Makes the cell in which kernels report errors. */
static status open_error(scheduled_task *scheduled)
{
    exec_stage *stage = scheduled->stage;
    dev_stream *stream = scheduled->task.stream;
    task_step_begin(scheduled, stage->source ? stage->source : stage->sink, NULL);
    status st = dev_alloc(stream->dev, sizeof(dev_error), "error", &scheduled->error_buffer);
    task_step_end(scheduled);
    if (st)
        return st;
    scheduled->task.error = scheduled->error_buffer->address;
    if (stream->dev->is_host)
        return zero_error(stream, scheduled);
    stream->begin = zero_error;
    return STATUS_OK;
}

static status task_setup(scheduled_task *scheduled)
{
    device *dev = scheduled->stage->query->dev;
    if (!scheduled->task.stream)
        TRY(dev->ops->stream_open(dev, &scheduled->task.stream));
    scheduled->task.stream->is_timed = scheduled->stage->query->is_timed;
    scheduled->task.stream->await = task_await;
    scheduled->task.stream->await_memory = task_await_memory;
    scheduled->task.stream->await_argument = scheduled;
    if (!scheduled->error_buffer)
        TRY(open_error(scheduled));
    if (!scheduled->stage->source)
        return STATUS_OK;
    while (scheduled->opened_count <= scheduled->operator_count) {
        exec_operator *op = operator_at(scheduled, scheduled->opened_count);
        size_t bytes = op->ops->local_bytes ? op->ops->local_bytes : 1;
        void *state = mem_new(bytes);
        if (!state)
            return status_no_memory("task state", bytes);
        scheduled->states[scheduled->opened_count++] = state;
        if (op->ops->local_open)
            TRY(open_state(scheduled, op, state));
        task_check_made(op);
    }
    return STATUS_OK;
}

void task_close(scheduled_task *scheduled)
{
    device *dev = scheduled->stage->query->dev;
    /* After a failure kernels may be under way that use what the operators hold. */
    if (scheduled->task.stream) {
        scheduled->task.stream->begin = NULL;
        scheduled->task.stream->await = NULL;
        scheduled->task.stream->await_memory = NULL;
        dev->ops->stream_drain(scheduled->task.stream);
    }
    for (unsigned i = scheduled->opened_count; i-- > 0;) {
        exec_operator *op = operator_at(scheduled, i);
        if (op->ops->local_close)
            op->ops->local_close(op, scheduled->states[i]);
        mem_free(scheduled->states[i]);
    }
    for (unsigned i = 0; i <= scheduled->operator_count; i++) {
        chunk_free(scheduled->inputs[i]);
        late_chunk_close(dev, &scheduled->late[i]);
    }
    for (unsigned i = 0; i < TASK_CHUNKS_AHEAD; i++)
        if (scheduled->chunk_ends[i])
            dev->ops->event_free(scheduled->chunk_ends[i]);
    if (scheduled->task.stream)
        scheduled->task.stream->chunk_end = NULL;
    /* From here on nothing will wake the task: the stream has reached all of its events. */
    if (scheduled->task.stream)
        dev->ops->stream_close(scheduled->task.stream);
    dev_buffer_unref(scheduled->error_buffer);
}

void task_free(scheduled_task *scheduled)
{
    mem_free(scheduled->states);
    mem_free(scheduled->inputs);
    mem_free(scheduled->late);
    mem_free(scheduled->has_more);
    mem_free(scheduled);
}

/* The late chunk before operator k becomes its input. */
static status take_late(scheduled_task *scheduled, unsigned k, late_chunk *late)
{
    chunk *taken;
    bool was_lazy = late->count.words;
    TRY(late_chunk_finish(scheduled->task.stream, late, &taken));
    scheduled->inputs[k] = taken;
    if (taken && was_lazy)
        atomic_fetch_add_explicit(&operator_at(scheduled, k)->metrics.rows_out, taken->rows.bound,
                                  memory_order_relaxed);
    return STATUS_OK;
}

/* The output becomes operator k's late chunk, the late one before it the input. */
static status hand_on_late(scheduled_task *scheduled, unsigned k, chunk *output)
{
    late_chunk before = scheduled->late[k];
    scheduled->late[k] = (late_chunk){0};
    status st = late_chunk_start(scheduled->task.stream, output, &scheduled->late[k]);
    if (!st)
        return take_late(scheduled, k, &before);
    late_chunk_close(scheduled->task.stream->dev, &before);
    return st;
}

/* Operator k wants exact counts, and the output, or what came before it, has none. */
static bool comes_late(const scheduled_task *scheduled, unsigned k, const chunk *output)
{
    return k < scheduled->operator_count &&
           scheduled->stage->operators.items[k]->ops->exact_counts &&
           (output->rows.actual || scheduled->late[k].rows);
}

/* The next operator has got rows, perhaps. */
static void note_input(const scheduled_task *scheduled, unsigned number, const chunk *output)
{
    if (number == scheduled->operator_count || (!output->rows.actual && !output->rows.bound))
        return;
    exec_operator *next = scheduled->stage->operators.items[number];
    if (!atomic_load_explicit(&next->has_input, memory_order_relaxed))
        atomic_store_explicit(&next->has_input, true, memory_order_relaxed);
}

/* An operator's output goes to the next operator's input; empty chunks go nowhere. */
static status hand_on(scheduled_task *scheduled, unsigned number, chunk *output)
{
    exec_operator *op = operator_at(scheduled, number);
    dev_count_settle(scheduled->stage->query->dev, &output->rows);
    note_input(scheduled, number, output);
    atomic_fetch_add_explicit(&op->metrics.chunks_out, 1, memory_order_relaxed);
    if (!output->rows.actual)
        atomic_fetch_add_explicit(&op->metrics.rows_out, output->rows.bound, memory_order_relaxed);
    if (!output->rows.actual && !output->rows.bound) {
        chunk_free(output);
        return STATUS_OK;
    }
    if (!comes_late(scheduled, number, output)) {
        scheduled->inputs[number] = output;
        return STATUS_OK;
    }
    task_step_begin(scheduled, scheduled->stage->operators.items[number], "count");
    status st = hand_on_late(scheduled, number, output);
    task_step_end(scheduled);
    return st;
}

/* Operator k gets the last chunk that was on its way to it. */
static exec_result push_last(scheduled_task *scheduled, unsigned k)
{
    task_step_begin(scheduled, scheduled->stage->operators.items[k], "count");
    status st = take_late(scheduled, k, &scheduled->late[k]);
    task_step_end(scheduled);
    EXEC_TRY(&scheduled->task, st);
    return EXEC_NEED_INPUT;
}

/* Operator k wants no more: whatever is on its way to it is dropped, and the source is not asked
 * again. */
static void stop_before(scheduled_task *scheduled, unsigned k)
{
    for (unsigned i = 0; i <= k; i++) {
        chunk_free(scheduled->inputs[i]);
        late_chunk_close(scheduled->task.stream->dev, &scheduled->late[i]);
        scheduled->inputs[i] = NULL;
        scheduled->has_more[i] = false;
    }
    scheduled->is_drained = true;
    if (scheduled->finishing < k)
        scheduled->finishing = k;
}

static exec_result push_step(scheduled_task *scheduled, unsigned k)
{
    exec_operator *op = scheduled->stage->operators.items[k];
    chunk *output = NULL;
    task_step_begin(scheduled, op, "push");
    exec_result result = op->ops->push(op, &scheduled->task, scheduled->states[k + 1],
                                       &scheduled->inputs[k], &output);
    task_step_end(scheduled);
    task_check_output(op, k + 1 < scheduled->operator_count, result, output);
    switch (result) {
    case EXEC_HAVE_OUTPUT:
        scheduled->has_more[k] = true;
        EXEC_TRY(&scheduled->task, hand_on(scheduled, k + 1, output));
        break;
    case EXEC_NEED_INPUT:
        scheduled->has_more[k] = false;
        chunk_free(scheduled->inputs[k]);
        scheduled->inputs[k] = NULL;
        break;
    case EXEC_FINISHED:
        stop_before(scheduled, k);
        break;
    case EXEC_WAIT:
        scheduled->has_more[k] = true; /* it may have taken its input */
        break;
    default:
        break;
    }
    return result;
}

/* Has the device begin what the stream was told. */
static void flush_stream(const scheduled_task *scheduled)
{
    dev_stream *stream = scheduled->task.stream;
    if (stream->dev->ops->stream_flush)
        stream->dev->ops->stream_flush(stream);
}

/* Awaits the end of the chunk before the last, so that no stream is ever further behind: what waits
 * in it keeps memory, the host's as well. Every second time, so that a wake-up is two chunks'. */
static status keep_pace(scheduled_task *scheduled)
{
    dev_stream *stream = scheduled->task.stream;
    const dev_ops *ops = stream->dev->ops;
    dev_event **place = &scheduled->chunk_ends[stream->chunk_count % TASK_CHUNKS_AHEAD];
    dev_event *before_last = *place;
    status st = STATUS_OK;
    if (stream->dev->is_host || !scheduled->has_chunk)
        return STATUS_OK;
    scheduled->has_chunk = false;
    *place = NULL;
    flush_stream(scheduled);
    if (before_last && stream->chunk_count % TASK_CHUNKS_AHEAD == 0)
        st = dev_event_await(stream, before_last, dev_moment_of(stream));
    else if (before_last)
        ops->event_free(before_last);
    if (!st)
        st = ops->event_record(stream, NULL, NULL, place);
    stream->chunk_end = *place;
    stream->chunk_count++;
    return st;
}

static exec_result pull_step(scheduled_task *scheduled)
{
    exec_operator *op = scheduled->stage->source;
    chunk *output = NULL;
    task_step_begin(scheduled, op, "pull");
    status st = keep_pace(scheduled);
    exec_result result = st ? exec_fail(&scheduled->task, st)
                            : op->ops->pull(op, &scheduled->task, scheduled->states[0], &output);
    task_step_end(scheduled);
    task_check_output(op, true, result, output);
    scheduled->has_chunk |= result == EXEC_HAVE_OUTPUT;
    if (result == EXEC_HAVE_OUTPUT)
        EXEC_TRY(&scheduled->task, hand_on(scheduled, 0, output));
    else if (result == EXEC_FINISHED)
        scheduled->is_drained = true;
    return result;
}

static exec_result finish_step(scheduled_task *scheduled, unsigned k)
{
    exec_operator *op = scheduled->stage->operators.items[k];
    exec_result result = EXEC_FINISHED;
    if (scheduled->late[k].rows)
        return push_last(scheduled, k);
    if (op->ops->local_finish) {
        chunk *output = NULL;
        task_step_begin(scheduled, op, "finish");
        result = op->ops->local_finish(op, &scheduled->task, scheduled->states[k + 1], &output);
        task_step_end(scheduled);
        task_check_output(op, k + 1 < scheduled->operator_count, result, output);
        if (result == EXEC_HAVE_OUTPUT)
            EXEC_TRY(&scheduled->task, hand_on(scheduled, k + 1, output));
    }
    if (result == EXEC_FINISHED)
        scheduled->finishing = k + 1;
    return result;
}

/* One step of a pipeline: the deepest pending chunk first, so that little is in flight. */
static exec_result task_next_step(scheduled_task *scheduled)
{
    exec_result result;
    for (unsigned k = scheduled->operator_count; k-- > 0;)
        if (scheduled->inputs[k] || scheduled->has_more[k]) {
            result = push_step(scheduled, k);
            return result == EXEC_FINISHED ? EXEC_NEED_INPUT : result;
        }
    if (!scheduled->is_drained)
        result = pull_step(scheduled);
    else if (scheduled->finishing < scheduled->operator_count)
        result = finish_step(scheduled, scheduled->finishing);
    else
        return EXEC_FINISHED;
    return result == EXEC_FINISHED ? EXEC_NEED_INPUT : result;
}

/* Nothing comes of the pipeline any more, and its sink has not been told so. */
static bool is_given_up(const scheduled_task *scheduled)
{
    return atomic_load_explicit(&scheduled->stage->is_unwanted, memory_order_relaxed) &&
           (!scheduled->is_drained || scheduled->finishing + 1 < scheduled->operator_count);
}

/* Runs a step of the pipeline. A pipeline that is given up ends as if its sink wanted no more, but not while an
 * operator waits in the middle of something. */
static exec_result pipeline_step(scheduled_task *scheduled)
{
    if (!scheduled->is_amid && scheduled->operator_count && is_given_up(scheduled))
        stop_before(scheduled, scheduled->operator_count - 1);
    exec_result result = task_next_step(scheduled);
    scheduled->is_amid = result == EXEC_WAIT;
    return result;
}

static exec_result phase_step(scheduled_task *scheduled)
{
    exec_operator *sink = scheduled->stage->sink;
    task_step_begin(scheduled, sink, "phase");
    exec_result result = sink->ops->phase(sink, &scheduled->task, scheduled->stage->phase);
    task_step_end(scheduled);
    return result;
}

/* Looks at what the task's kernels reported, once all of them have run. A stream that was told nothing is not
 * awaited: most tasks of most phases find that others have done it all. */
static exec_result final_check(scheduled_task *scheduled)
{
    exec_task *task = &scheduled->task;
    exec_stage *stage = scheduled->stage;
    if (exec_device(task->query)->is_host) {
        EXEC_TRY(task, exec_check_error(task));
        return EXEC_FINISHED;
    }
    if (!task->stream->has_work)
        return EXEC_FINISHED;
    task_step_begin(scheduled,
                    stage->source ? operator_at(scheduled, scheduled->operator_count) : stage->sink,
                    "check");
    status st = exec_await_error(task);
    task_step_end(scheduled);
    EXEC_TRY(task, st);
    return EXEC_FINISHED;
}

static exec_result task_step(scheduled_task *scheduled)
{
    if (!scheduled->is_done) {
        exec_result result =
            scheduled->stage->source ? pipeline_step(scheduled) : phase_step(scheduled);
        if (result != EXEC_FINISHED)
            return result;
        scheduled->is_done = true;
    }
    return final_check(scheduled);
}

void task_turn_begin(scheduled_task *scheduled)
{
    scheduled->turn_since = task_now();
}

/* Returns whether another query has waited for a thread while the task had this one for a turn's time. */
static bool task_has_had_its_turn(const scheduled_task *scheduled, const task_asked *asked)
{
    return asked->shares &&
           pool_shares_others_wait(asked->shares, &scheduled->stage->query->share) &&
           scheduled->called_since > scheduled->turn_since + POOL_TURN_NANOSECONDS;
}

/* The query that the thread asks for may end while it runs another one's task. */
static bool task_is_done(const task_asked *asked)
{
    return (asked->is_done && asked->is_done(asked->argument)) ||
           (asked->query && !atomic_load(&asked->query->stages_active));
}

bool task_is_to_leave(const scheduled_task *scheduled, const task_asked *asked)
{
    return task_is_done(asked) || task_has_had_its_turn(scheduled, asked);
}

static task_end task_work(scheduled_task *scheduled, const task_asked *asked)
{
    exec_query *query = scheduled->stage->query;
    status st = task_setup(scheduled);
    if (st) {
        task_fail_query(query, st);
        return TASK_OVER;
    }
    while (!atomic_load_explicit(&query->is_cancelled, memory_order_relaxed)) {
        task_check(scheduled);
        exec_result result = task_step(scheduled);
        if (result == EXEC_WAIT)
            return TASK_WAITS;
        if (result == EXEC_FINISHED || result == EXEC_FAILED)
            return TASK_OVER;
        if (task_is_to_leave(scheduled, asked))
            return TASK_LEFT;
    }
    return TASK_OVER;
}

static void fiber_body(void *argument)
{
    /* The task asks nothing of the thread that resumes it: it waits soon enough, for the device. */
    static const task_asked nothing;
    scheduled_task *scheduled = argument;
    while (task_work(scheduled, &nothing) != TASK_OVER) {
        flush_stream(scheduled);
        trace_point("leave", scheduled, NULL, 0);
        fiber_suspend(scheduled->fiber);
    }
}

task_end task_run(scheduled_task *scheduled, const task_asked *asked, fiber_store *fibers)
{
    exec_query *query = scheduled->stage->query;
    if (query->dev->is_host)
        return task_work(scheduled, asked);
    status st =
        scheduled->fiber ? STATUS_OK : fiber_take(fibers, fiber_body, scheduled, &scheduled->fiber);
    if (st) {
        task_fail_query(query, st);
        return TASK_OVER;
    }
    if (!fiber_resume(scheduled->fiber))
        return TASK_WAITS;
    fiber_give(fibers, scheduled->fiber);
    scheduled->fiber = NULL;
    return TASK_OVER;
}
