/* lock.c - locks that tasks hold across waits. */
#include "exec/sched/lock.h"

#include "base/system/mutex.h"
#include "exec/sched/task.h"

#include <assert.h>

struct exec_lock_waiter {
    exec_lock_waiter *next;
    scheduled_task *scheduled;
    _Atomic bool has_it;
};

void exec_lock_init(exec_lock *lock)
{
    *lock = (exec_lock){.is_taken = false};
    lock->end = &lock->first;
    mutex_init(&lock->mutex);
}

void exec_lock_destroy(exec_lock *lock)
{
    assert(!lock->is_taken && !lock->first);
    if (lock->passed)
        lock->dev->ops->event_free(lock->passed);
    mutex_destroy(&lock->mutex);
}

/* Returns when the lock is the caller's. */
static void lock_take(exec_lock *lock, scheduled_task *scheduled)
{
    exec_lock_waiter waiter = {.scheduled = scheduled};
    mutex_lock(&lock->mutex);
    bool is_free = !lock->is_taken;
    if (is_free) {
        lock->is_taken = true;
    } else {
        *lock->end = &waiter;
        lock->end = &waiter.next;
    }
    mutex_unlock(&lock->mutex);
    if (!is_free)
        task_lend(scheduled, &waiter.has_it, false);
}

static void lock_give(exec_lock *lock)
{
    mutex_lock(&lock->mutex);
    exec_lock_waiter *next = lock->first;
    if (!next) {
        lock->is_taken = false;
    } else {
        lock->first = next->next;
        if (!lock->first)
            lock->end = &lock->first;
        scheduled_task *scheduled = next->scheduled;
        atomic_store(&next->has_it, true);
        exec_wake(&scheduled->task);
    }
    mutex_unlock(&lock->mutex);
}

status exec_lock_take(exec_lock *lock, dev_stream *stream)
{
    if (stream->dev->is_host) {
        mutex_lock(&lock->mutex);
        return STATUS_OK;
    }
    lock_take(lock, stream->await_argument);
    status st = lock->passed ? stream->dev->ops->stream_wait(stream, lock->passed) : STATUS_OK;
    if (st)
        lock_give(lock);
    return st;
}

void exec_lock_give(exec_lock *lock, dev_stream *stream)
{
    const dev_ops *ops = stream->dev->ops;
    if (stream->dev->is_host) {
        mutex_unlock(&lock->mutex);
        return;
    }
    if (lock->passed)
        ops->event_free(lock->passed);
    lock->dev = stream->dev;
    lock->passed = NULL;
    status st = ops->event_record(stream, NULL, NULL, &lock->passed);
    if (st) {
        status_free(st);
        ops->stream_drain(stream);
    }
    lock_give(lock);
}
