/* lane.c - drives the operators of one lane: pulls, pushes, finishes, runs phases.
 *
 * The only caller of pull, push, lane_finish and phase, so cancellation, timing and row counts are
 * here and in no operator. All it needs to go on after a wait is in the exec_lane. */
#include "exec/lane.h"

#include "base/trace.h"

#include <stdio.h>
#include <time.h>

static uint64_t now(void)
{
    struct timespec ts;
    clock_gettime(CLOCK_MONOTONIC, &ts);
    return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

void lane_fail_query(exec_query *query, status st)
{
    pthread_mutex_lock(&query->lock);
    if (!query->failure) {
        query->failure = st;
        st = STATUS_OK;
    }
    pthread_mutex_unlock(&query->lock);
    status_free(st);
    atomic_store(&query->is_cancelled, true);
}

exec_step exec_fail(exec_task *task, status st)
{
    lane_fail_query(task->query, st);
    return EXEC_FAILED;
}

status lane_new(exec_stage *stage, unsigned index, unsigned count, exec_lane **out)
{
    *out = NULL;
    exec_lane *lane = mem_new(sizeof *lane);
    if (!lane)
        return status_no_memory("lane", sizeof *lane);
    lane->stage = stage;
    lane->task =
        (exec_task){.query = stage->query, .lane = index, .lane_count = count, .scheduled = lane};
    lane->operator_count = stage->source ? (unsigned)stage->operators.count : 0;
    lane->states = mem_new_array(lane->operator_count + 1, sizeof *lane->states);
    lane->inputs = mem_new_array(lane->operator_count + 1, sizeof *lane->inputs);
    lane->has_more = mem_new_array(lane->operator_count + 1, sizeof *lane->has_more);
    if (!lane->states || !lane->inputs || !lane->has_more) {
        size_t bytes = (lane->operator_count + 1) * sizeof *lane->states;
        lane_free(lane);
        return status_no_memory("lane", bytes);
    }
    *out = lane;
    return STATUS_OK;
}

/* Number 0 is the source; k + 1 is operator k. */
static exec_operator *operator_at(const exec_lane *lane, unsigned number)
{
    return number ? lane->stage->operators.items[number - 1] : lane->stage->source;
}

static status lane_setup(exec_lane *lane)
{
    device *dev = lane->stage->query->dev;
    if (!lane->task.stream)
        TRY(dev->ops->stream_open(dev, &lane->task.stream));
    if (!lane->error_buffer) {
        TRY(dev_words_new(lane->task.stream, 2, &lane->error_buffer));
        lane->task.error = lane->error_buffer->address;
    }
    if (!lane->stage->source)
        return STATUS_OK;
    while (lane->opened_count <= lane->operator_count) {
        exec_operator *op = operator_at(lane, lane->opened_count);
        size_t bytes = op->ops->lane_bytes ? op->ops->lane_bytes : 1;
        void *state = mem_new(bytes);
        if (!state)
            return status_no_memory("lane state", bytes);
        lane->states[lane->opened_count++] = state;
        if (op->ops->lane_open)
            TRY(op->ops->lane_open(op, &lane->task, state));
    }
    return STATUS_OK;
}

void lane_close(exec_lane *lane)
{
    device *dev = lane->stage->query->dev;
    /* After a failure copies may be under way that end in the operators' states. */
    if (lane->task.stream)
        dev->ops->stream_drain(lane->task.stream);
    for (unsigned i = lane->opened_count; i-- > 0;) {
        exec_operator *op = operator_at(lane, i);
        if (op->ops->lane_close)
            op->ops->lane_close(op, lane->states[i]);
        mem_free(lane->states[i]);
    }
    for (unsigned i = 0; i <= lane->operator_count; i++)
        chunk_free(lane->inputs[i]);
    /* From here on nothing will wake the task: the stream has reached all of its events. */
    if (lane->task.stream)
        dev->ops->stream_close(lane->task.stream);
    if (lane->event)
        dev->ops->event_free(lane->event);
    if (lane->error_fetch.event)
        dev->ops->event_free(lane->error_fetch.event);
    dev_buffer_unref(lane->error_buffer);
}

void lane_free(exec_lane *lane)
{
    mem_free(lane->states);
    mem_free(lane->inputs);
    mem_free(lane->has_more);
    mem_free(lane);
}

/* An operator's output goes to the next operator's input; empty chunks go nowhere. */
static void hand_on(exec_lane *lane, unsigned number, chunk *output)
{
    exec_operator *op = operator_at(lane, number);
    dev_count_settle(lane->stage->query->dev, &output->rows);
    atomic_fetch_add_explicit(&op->metrics.chunks_out, 1, memory_order_relaxed);
    if (!output->rows.actual)
        atomic_fetch_add_explicit(&op->metrics.rows_out, output->rows.bound, memory_order_relaxed);
    if (!output->rows.actual && !output->rows.bound)
        chunk_free(output);
    else
        lane->inputs[number] = output;
}

static const char *key_name(const expr_list *keys)
{
    const expr *key = keys->count ? keys->items[0] : NULL;
    return key && key->kind == EXPR_COLUMN && key->name ? key->name : "...";
}

/* "scan orders", "join probe o_custkey=c_custkey": for people, who tell joins apart by their keys.
 */
static void trace_step(const exec_operator *op, const char *what, uint64_t since, uint64_t until)
{
    char name[TRACE_NAME_BYTES];
    const plan_node *plan = op->plan;
    if (plan && plan->kind == PLAN_SCAN) {
        const char *table = plan->scan.table->name, *slash = strrchr(table, '/');
        snprintf(name, sizeof name, "%s %s", op->ops->name, slash ? slash + 1 : table);
    } else if (plan && plan->kind == PLAN_JOIN && plan->join.left_keys.count) {
        snprintf(name, sizeof name, "%s %s=%s", op->ops->name, key_name(&plan->join.left_keys),
                 key_name(&plan->join.right_keys));
    } else {
        snprintf(name, sizeof name, "%s", op->ops->name);
    }
    trace_span(what, name, (int64_t)since, (int64_t)until);
}

/* `what` the operator was called for. */
static void count_time(exec_operator *op, const char *what, uint64_t since)
{
    uint64_t until = now();
    atomic_fetch_add_explicit(&op->metrics.nanoseconds, until - since, memory_order_relaxed);
    if (__builtin_expect(op->query->is_traced, 0))
        trace_step(op, what, since, until);
}

/* Operator k wants no more: whatever is on its way to it is dropped, and the source is not asked
 * again. */
static void stop_before(exec_lane *lane, unsigned k)
{
    for (unsigned i = 0; i <= k; i++) {
        chunk_free(lane->inputs[i]);
        lane->inputs[i] = NULL;
        lane->has_more[i] = false;
    }
    lane->is_drained = true;
    if (lane->finishing < k)
        lane->finishing = k;
}

static exec_step push_step(exec_lane *lane, unsigned k)
{
    exec_operator *op = lane->stage->operators.items[k];
    chunk *output = NULL;
    uint64_t start = now();
    exec_step step = op->ops->push(op, &lane->task, lane->states[k + 1], &lane->inputs[k], &output);
    count_time(op, "push", start);
    switch (step) {
    case EXEC_HAVE_OUTPUT:
        lane->has_more[k] = true;
        hand_on(lane, k + 1, output);
        break;
    case EXEC_NEED_INPUT:
        lane->has_more[k] = false;
        chunk_free(lane->inputs[k]);
        lane->inputs[k] = NULL;
        break;
    case EXEC_FINISHED:
        stop_before(lane, k);
        break;
    case EXEC_WAIT:
        lane->has_more[k] = true; /* it may have taken its input */
        break;
    default:
        break;
    }
    return step;
}

static exec_step pull_step(exec_lane *lane)
{
    exec_operator *op = lane->stage->source;
    chunk *output = NULL;
    uint64_t start = now();
    exec_step step = op->ops->pull(op, &lane->task, lane->states[0], &output);
    count_time(op, "pull", start);
    if (step == EXEC_HAVE_OUTPUT)
        hand_on(lane, 0, output);
    else if (step == EXEC_FINISHED)
        lane->is_drained = true;
    return step;
}

static exec_step finish_step(exec_lane *lane, unsigned k)
{
    exec_operator *op = lane->stage->operators.items[k];
    exec_step step = EXEC_FINISHED;
    if (op->ops->lane_finish) {
        chunk *output = NULL;
        uint64_t start = now();
        step = op->ops->lane_finish(op, &lane->task, lane->states[k + 1], &output);
        count_time(op, "finish", start);
        if (step == EXEC_HAVE_OUTPUT)
            hand_on(lane, k + 1, output);
    }
    if (step == EXEC_FINISHED)
        lane->finishing = k + 1;
    return step;
}

/* One step of a pipeline: the deepest pending chunk first, so that little is in flight. */
static exec_step pipeline_step(exec_lane *lane)
{
    exec_step step;
    for (unsigned k = lane->operator_count; k-- > 0;)
        if (lane->inputs[k] || lane->has_more[k]) {
            step = push_step(lane, k);
            return step == EXEC_FINISHED ? EXEC_NEED_INPUT : step;
        }
    if (!lane->is_drained)
        step = pull_step(lane);
    else if (lane->finishing < lane->operator_count)
        step = finish_step(lane, lane->finishing);
    else
        return EXEC_FINISHED;
    return step == EXEC_FINISHED ? EXEC_NEED_INPUT : step;
}

static exec_step phase_step(exec_lane *lane)
{
    exec_operator *sink = lane->stage->sink;
    uint64_t start = now();
    exec_step step = sink->ops->phase(sink, &lane->task, lane->stage->phase);
    count_time(sink, "phase", start);
    return step;
}

/* What the lane's kernels reported, once all of them have run. */
static exec_step final_check(exec_lane *lane)
{
    exec_task *task = &lane->task;
    dev_error error;
    if (exec_device(task->query)->is_host) {
        EXEC_TRY(task, exec_check_error(task));
        return EXEC_FINISHED;
    }
    status st = STATUS_OK;
    bool is_there =
        exec_fetch_words(task, &lane->error_fetch, task->error, lane->error_words, 2, &st);
    EXEC_TRY(task, st);
    if (!is_there)
        return EXEC_WAIT;
    memcpy(&error, lane->error_words, sizeof error);
    EXEC_TRY(task, exec_error_status(task->query, &error));
    return EXEC_FINISHED;
}

static exec_step lane_step(exec_lane *lane)
{
    if (!lane->is_done) {
        exec_step step = lane->stage->source ? pipeline_step(lane) : phase_step(lane);
        if (step != EXEC_FINISHED)
            return step;
        lane->is_done = true;
    }
    return final_check(lane);
}

bool lane_run(exec_lane *lane)
{
    exec_query *query = lane->stage->query;
    status st = lane_setup(lane);
    if (st) {
        lane_fail_query(query, st);
        return false;
    }
    while (!atomic_load_explicit(&query->is_cancelled, memory_order_relaxed)) {
        exec_step step = lane_step(lane);
        if (step == EXEC_WAIT)
            return true;
        if (step == EXEC_FINISHED || step == EXEC_FAILED)
            return false;
    }
    return false;
}
