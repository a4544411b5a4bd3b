/* wait.c - how a task learns what a lazy device knows, without blocking; and what kernels report.
 */
#include "exec/sched/task.h"
#include "parquet/read/column.h"

static void wake(void *argument)
{
    exec_wake(argument);
}

bool exec_wait_stream(exec_task *task)
{
    device *dev = task->stream->dev;
    scheduled_task *scheduled = task->scheduled;
    if (dev->is_host)
        return false;
    if (scheduled->event)
        dev->ops->event_free(scheduled->event);
    scheduled->event = NULL;
    status st = dev->ops->event_record(task->stream, wake, task, &scheduled->event);
    if (st) {
        task_fail_query(task->query, st);
        exec_wake(task); /* the task finds the query cancelled */
    }
    return true;
}

bool exec_fetch_words(exec_task *task, exec_fetch *fetch, const void *words, uint64_t *target,
                      uint32_t count, status *out)
{
    device *dev = task->stream->dev;
    *out = STATUS_OK;
    if (dev->is_host) {
        memcpy(target, words, count * sizeof *target);
        return true;
    }
    if (fetch->event) {
        if (!dev->ops->event_reached(fetch->event)) {
            *out = status_new(STATUS_KIND_INTERNAL, "a task was woken before its event");
            return false;
        }
        dev->ops->event_free(fetch->event);
        fetch->event = NULL;
        *out = dev_check(dev);
        return !*out;
    }
    *out = dev->ops->copy_out(task->stream, target, words, count * sizeof *target);
    if (!*out)
        *out = dev->ops->event_record(task->stream, wake, task, &fetch->event);
    return false;
}

bool exec_fetch_count(exec_task *task, exec_fetch *fetch, dev_count *count, uint64_t *scratch,
                      status *out)
{
    *out = STATUS_OK;
    if (!count->actual)
        return true;
    if (!exec_fetch_words(task, fetch, count->actual, scratch, 1, out))
        return false;
    if (*scratch < count->bound)
        count->bound = *scratch;
    count->actual = NULL;
    return true;
}

status exec_error_status(exec_query *query, const dev_error *error)
{
    static const struct {
        status_kind kind;
        const char *text;
    } messages[] = {
        [DEV_ERROR_OVERFLOW] = {STATUS_KIND_DATA, "a value does not fit its type"},
        [DEV_ERROR_DIVISION_BY_ZERO] = {STATUS_KIND_DATA, "division by zero"},
        [DEV_ERROR_CAST] = {STATUS_KIND_DATA, "a text is no value of the type it is cast to"},
        [DEV_ERROR_ARGUMENT] = {STATUS_KIND_DATA, "a function's argument is out of its domain"},
        [DEV_ERROR_MULTIPLE_ROWS] = {STATUS_KIND_DATA,
                                     "a subquery used as a value gave more than one row"},
        [DEV_ERROR_CORRUPT] = {STATUS_KIND_CORRUPT, "the page's bytes break the format"},
        [DEV_ERROR_BOUNDS] = {STATUS_KIND_CORRUPT, PQ_BOUNDS_MESSAGE},
        [DEV_ERROR_NULL] = {STATUS_KIND_INTERNAL, "a NULL among keys that have none"},
    };
    uint32_t code = atomic_load(&((dev_error *)error)->code);
    if (code == DEV_ERROR_NONE)
        return STATUS_OK;
    if (code >= sizeof messages / sizeof *messages)
        return status_new(STATUS_KIND_INTERNAL, "a kernel reported the unknown error %u", code);
    status st = status_new(messages[code].kind, "%s", messages[code].text);
    if (error->location == DEV_LOCATION_NONE)
        return st;
    if (error->location & EXEC_LOCATION_READER) {
        uint32_t number = error->location & ~EXEC_LOCATION_READER;
        pthread_mutex_lock(&query->lock);
        const char *location =
            number < query->locations.count ? query->locations.items[number] : "";
        pthread_mutex_unlock(&query->lock);
        st = status_context(st, "%s, at byte or row %llu", location,
                            (unsigned long long)error->detail);
        return st;
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

status exec_location_register(exec_query *query, const char *text, uint32_t *out)
{
    pthread_mutex_lock(&query->lock);
    char *copy = arena_copy_text(query->memory, text, strlen(text));
    status st = copy ? array_push(query->memory, &query->locations, copy)
                     : status_no_memory("place", strlen(text));
    *out = EXEC_LOCATION_READER | (uint32_t)(query->locations.count - 1);
    pthread_mutex_unlock(&query->lock);
    return st;
}
