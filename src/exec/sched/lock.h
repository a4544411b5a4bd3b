/* lock.h - a lock that a task may hold while it awaits its stream, and that orders device work.
 *
 * On lazy devices a task that finds it taken lends its thread to others, as when it awaits its
 * stream; and what the holder's stream does begins when the holder's before has done what it had
 * enqueued. So what lies on the device and changes under the lock needs nothing else. On host
 * devices it is a mutex. Not recursive; first come, first served. */
#ifndef PISTACHIO_EXEC_SCHED_LOCK_H
#define PISTACHIO_EXEC_SCHED_LOCK_H

#include "exec/sched/operator.h"

#include <pthread.h>

typedef struct exec_lock_waiter exec_lock_waiter;

typedef struct exec_lock {
    pthread_mutex_t mutex; /* of the members below; on host devices held as long as the lock is */
    bool is_taken;
    exec_lock_waiter *first, **end;
    device *dev;
    dev_event *passed; /* on the stream of who had it last, where it was given back */
} exec_lock;

void exec_lock_init(exec_lock *lock);
void exec_lock_destroy(exec_lock *lock);
/* `stream` is a task's own, on its thread. On failure it is not taken. */
CHECKED status exec_lock_take(exec_lock *lock, dev_stream *stream);
void exec_lock_give(exec_lock *lock, dev_stream *stream);

#endif
