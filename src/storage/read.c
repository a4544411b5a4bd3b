/* read.c - the queue of reads, and the threads that serve it.
 *
 * The threads start with the first read that needs one and stay until the process ends. */
#include "storage/read.h"

#include "base/fault.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/uio.h>

#define THREAD_COUNT 4

struct read_request {
    const file *file;
    uint64_t offset;
    char *target;
    size_t bytes;
    bool is_cold;
    /* Under the lock from here on. */
    bool is_done;
    status outcome;
    void (*wake)(void *argument);
    void *argument;
    read_request *next;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t has_work = PTHREAD_COND_INITIALIZER, has_done = PTHREAD_COND_INITIALIZER;
static read_request *first, **last = &first;
static unsigned thread_count;

static void complete(read_request *r, status outcome)
{
    pthread_mutex_lock(&lock);
    r->outcome = outcome;
    r->is_done = true;
    /* Under the lock: storage_read_finish returns only when nobody needs what waits any more. */
    if (r->wake)
        r->wake(r->argument);
    pthread_cond_broadcast(&has_done);
    pthread_mutex_unlock(&lock);
}

static void *serve(void *unused)
{
    (void)unused;
    for (;;) {
        pthread_mutex_lock(&lock);
        while (!first)
            pthread_cond_wait(&has_work, &lock);
        read_request *r = first;
        first = r->next;
        if (!first)
            last = &first;
        pthread_mutex_unlock(&lock);
        complete(r, file_read(r->file, r->offset, r->target, r->bytes));
    }
    return NULL;
}

/* Under the lock. One thread is enough to go on with. */
static status start_threads(void)
{
    while (thread_count < THREAD_COUNT) {
        pthread_t thread;
        int error = pthread_create(&thread, NULL, serve, NULL);
        if (error && !thread_count)
            return status_new_errno(error, "could not start a reading thread");
        if (error)
            break;
        pthread_detach(thread);
        thread_count++;
    }
    return STATUS_OK;
}

/* Reads what the page cache has; the rest stays in *r. An error or the file's end is met again, and
 * reported, by whoever reads the rest. */
static void read_cached(read_request *r)
{
    while (r->bytes && !fault_check(FAULT_READ)) {
        struct iovec part = {r->target, r->bytes};
        ssize_t got = preadv2(r->file->descriptor, &part, 1, (off_t)r->offset, RWF_NOWAIT);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return;
        r->target += got;
        r->offset += (uint64_t)got;
        r->bytes -= (size_t)got;
    }
}

status storage_read_submit(const file *f, uint64_t offset, void *target, size_t bytes,
                           read_request **out)
{
    *out = NULL;
    read_request *r = mem_new(sizeof *r);
    if (!r)
        return status_no_memory("read", sizeof *r);
    *r = (read_request){.file = f, .offset = offset, .target = target, .bytes = bytes};
    read_cached(r);
    r->is_cold = r->bytes > 0;
    r->is_done = !r->is_cold;
    if (r->is_cold) {
        pthread_mutex_lock(&lock);
        status st = start_threads();
        if (!st) {
            *last = r;
            last = &r->next;
            pthread_cond_signal(&has_work);
        }
        pthread_mutex_unlock(&lock);
        if (st) {
            mem_free(r);
            return st;
        }
    }
    *out = r;
    return STATUS_OK;
}

bool storage_read_wait(read_request *r, void (*wake)(void *argument), void *argument)
{
    pthread_mutex_lock(&lock);
    bool must_wait = !r->is_done;
    if (must_wait) {
        r->wake = wake;
        r->argument = argument;
    }
    pthread_mutex_unlock(&lock);
    return must_wait;
}

bool storage_read_was_cold(const read_request *r)
{
    return r->is_cold;
}

status storage_read_finish(read_request *r)
{
    if (!r)
        return STATUS_OK;
    pthread_mutex_lock(&lock);
    while (!r->is_done)
        pthread_cond_wait(&has_done, &lock);
    status outcome = r->outcome;
    pthread_mutex_unlock(&lock);
    mem_free(r);
    return outcome;
}

void storage_read_announce(const file *f, uint64_t offset, uint64_t bytes)
{
    posix_fadvise(f->descriptor, (off_t)offset, (off_t)bytes, POSIX_FADV_WILLNEED);
}
