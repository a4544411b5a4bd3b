/* wait.c - how a task awaits its stream without blocking, and what kernels report. */
#include "base/fault.h"
#include "base/system/mutex.h"
#include "base/trace/trace.h"
#include "device/transfer.h"
#include "exec/sched/task.h"
#include "parquet/read/column.h"
#include "parquet/read/text_check.h"

void task_lend(scheduled_task *scheduled, const _Atomic bool *is_over, bool for_device)
{
    exec_operator *called = scheduled->called;
    const char *what = scheduled->called_for;
    task_step_end(scheduled);
    scheduled->awaits_device = for_device;
    if (!for_device)
        trace_point("leave", scheduled, NULL, 0);
    do
        fiber_suspend(scheduled->fiber);
    while (!atomic_load(is_over));
    scheduled->awaits_device = false;
    task_step_begin(scheduled, called, what);
}

/* Somebody to wake, and what tells it that it is this that it was woken for. */
typedef struct awaiting {
    scheduled_task *scheduled;
    _Atomic bool is_over;
} awaiting;

static void reached(void *argument)
{
    awaiting *a = argument;
    scheduled_task *scheduled = a->scheduled;
    atomic_store(&a->is_over, true);
    task_wake(scheduled);
}

/* The thread stands still: for measurements. */
static void block(scheduled_task *scheduled, dev_stream *stream, dev_event *event)
{
    const dev_ops *ops = stream->dev->ops;
    exec_operator *called = scheduled->called;
    const char *what = scheduled->called_for;
    task_step_end(scheduled);
    task_step_begin(scheduled, called, "wait");
    trace_point("stop", stream, NULL, 0);
    ops->stream_drain(stream);
    if (event && !ops->event_reached(event))
        ops->event_wait(event); /* another stream's */
    trace_point("block", stream, event, 0);
    task_step_end(scheduled);
    task_step_begin(scheduled, called, what);
}

status task_await(dev_stream *stream, dev_event *event, void *argument)
{
    const dev_ops *ops = stream->dev->ops;
    scheduled_task *scheduled = argument;
    awaiting a = {.scheduled = scheduled};
    dev_event *end = NULL;
    if (scheduled->task.query->is_synchronous || fault_check(FAULT_WAIT)) {
        block(scheduled, stream, event);
        return STATUS_OK;
    }
    DEV_WORK_NOTE(wakes);
    if (event)
        TRY(ops->event_notify(event, reached, &a));
    else
        TRY(ops->event_record(stream, reached, &a, &end));
    trace_point("await", stream, event ? event : end, 0);
    task_lend(scheduled, &a.is_over, true);
    if (end)
        ops->event_free(end);
    return STATUS_OK;
}

status task_await_memory(dev_stream *stream, bool *out_was, void *argument)
{
    const dev_ops *ops = stream->dev->ops;
    scheduled_task *scheduled = argument;
    awaiting a = {.scheduled = scheduled};
    if (scheduled->task.query->is_synchronous || fault_check(FAULT_WAIT)) {
        *out_was = ops->memory_wait(stream->dev);
        return STATUS_OK;
    }
    TRY(ops->memory_notify(stream, reached, &a, out_was));
    if (!*out_was)
        return STATUS_OK;
    DEV_WORK_NOTE(wakes);
    task_lend(scheduled, &a.is_over, true);
    return STATUS_OK;
}

status exec_error_status(exec_query *query, const dev_error *error)
{
    static const struct {
        status_kind kind;
        const char *text;
    } messages[] = {
        [DEV_ERROR_OVERFLOW] = {STATUS_KIND_DATA, "a value does not fit its type"},
        [DEV_ERROR_DIVISION_BY_ZERO] = {STATUS_KIND_DATA, "division by zero"},
        [DEV_ERROR_CAST] = {STATUS_KIND_DATA, "a text is not a value of the type it is cast to"},
        [DEV_ERROR_ARGUMENT] = {STATUS_KIND_DATA, "a function's argument is out of its domain"},
        [DEV_ERROR_MULTIPLE_ROWS] = {STATUS_KIND_DATA,
                                     "a subquery used as a value gave more than one row"},
        [DEV_ERROR_CORRUPT] = {STATUS_KIND_CORRUPT, "the page's bytes break the format"},
        [DEV_ERROR_BOUNDS] = {STATUS_KIND_CORRUPT, PQ_BOUNDS_MESSAGE},
        [DEV_ERROR_NULL] = {STATUS_KIND_INTERNAL, "a NULL among keys that have none"},
        [DEV_ERROR_CHECKSUM] = {STATUS_KIND_CORRUPT, PQ_CHECKSUM_MESSAGE},
        [DEV_ERROR_TEXT] = {STATUS_KIND_CORRUPT, "a text is not valid UTF-8"},
        [DEV_ERROR_LIBRARY] = {STATUS_KIND_IO, "nvCOMP did not decompress the page"},
        [DEV_ERROR_NANOSECONDS] = {STATUS_KIND_DATA, "an interval's microseconds do not fit the "
                                                     "nanoseconds that Arrow's intervals have"},
    };
    uint32_t code = atomic_load(&((dev_error *)error)->code);
    if (code == DEV_ERROR_NONE)
        return STATUS_OK;
    if (code >= sizeof messages / sizeof *messages)
        return status_new(STATUS_KIND_INTERNAL, "a kernel reported the unknown error %u", code);
    status st = status_new(messages[code].kind, "%s", messages[code].text);
    if (code == DEV_ERROR_NANOSECONDS)
        st = status_hint(st, "cast it to text");
    if (error->location == DEV_LOCATION_NONE)
        return st;
    if (error->location & EXEC_LOCATION_READER) {
        uint32_t number = error->location & ~EXEC_LOCATION_READER;
        mutex_lock(&query->lock);
        const char *location =
            number < query->locations.count ? query->locations.items[number] : "";
        mutex_unlock(&query->lock);
        if (code == DEV_ERROR_CHECKSUM)
            return status_context(status_context(status_hint(st, PQ_CHECKSUM_HINT),
                                                 "page at byte %llu",
                                                 (unsigned long long)error->detail),
                                  "%s", location);
        if (code == DEV_ERROR_TEXT) {
            status_free(st);
            return status_context(pq_text_error(error->detail), "%s", location);
        }
        if (code == DEV_ERROR_LIBRARY)
            return status_hint(status_context(st, "%s", location),
                               "with PISTACHIO_NVCOMP_LIBRARY=none the host decompresses");
        return status_context(st, "%s, at byte or row %llu", location,
                              (unsigned long long)error->detail);
    }
    return status_at(st, (int32_t)error->location);
}

status exec_check_error(exec_task *task)
{
    if (!task->stream->dev->is_host ||
        atomic_load_explicit(&task->error->code, memory_order_relaxed) == DEV_ERROR_NONE)
        return STATUS_OK;
    return exec_error_status(task->query, task->error);
}

status exec_await_error(exec_task *task)
{
    uint64_t words[sizeof(dev_error) / sizeof(uint64_t)];
    dev_error error;
    if (task->stream->dev->is_host)
        return exec_check_error(task);
    if (task->stream->begin) /* no kernel has run */
        return dev_stream_await(task->stream);
    TRY(dev_words_read(task->stream, task->error, words, sizeof words / sizeof *words));
    memcpy(&error, words, sizeof error);
    return exec_error_status(task->query, &error);
}

status exec_location_register(exec_query *query, const char *text, uint32_t *out)
{
    mutex_lock(&query->lock);
    char *copy = arena_copy_text(query->memory, text, strlen(text));
    status st = copy ? array_push(query->memory, &query->locations, copy)
                     : status_no_memory("place", strlen(text));
    *out = EXEC_LOCATION_READER | (uint32_t)(query->locations.count - 1);
    mutex_unlock(&query->lock);
    return st;
}
