/* read_threads.c - reads by threads, by shares of those who read (read_queue.h).
 *
 * The threads start with the first read and stay until the process ends. */
#include "base/system/mutex.h"
#include "storage/read_engine.h"

#include <errno.h>
#include <pthread.h>
#include <unistd.h>

#define THREAD_COUNT 8

static pthread_mutex_t lock = MUTEX_INITIALIZER;
static pthread_cond_t has_work = PTHREAD_COND_INITIALIZER;
static read_queue queue;
static unsigned thread_count, waiting;

static void *read_threads_serve(void *unused)
{
    (void)unused;
    for (;;) {
        mutex_lock(&lock);
        while (!waiting)
            pthread_cond_wait(&has_work, &lock);
        waiting--;
        read_part *part = (read_part *)(void *)read_queue_take(&queue);
        mutex_unlock(&lock);
        ssize_t got = pread(part->descriptor, part->target, part->bytes, (off_t)part->offset);
        read_part_done(part, got < 0 ? -errno : got);
    }
    return NULL;
}

/* Under the lock. One thread is enough to go on with. */
static status start_threads(void)
{
    while (thread_count < THREAD_COUNT) {
        pthread_t thread;
        int error = pthread_create(&thread, NULL, read_threads_serve, NULL);
        if (error && !thread_count)
            return status_new_errno(error, "could not start a reading thread");
        if (error)
            break;
        pthread_detach(thread);
        thread_count++;
    }
    return STATUS_OK;
}

status read_threads_submit(read_part *part)
{
    mutex_lock(&lock);
    status st = start_threads();
    if (!st) {
        part->item.bytes = part->bytes;
        read_queue_put(&queue, &part->item);
        waiting++;
        pthread_cond_signal(&has_work);
    }
    mutex_unlock(&lock);
    return st;
}
