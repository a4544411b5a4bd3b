/* copiers.c - a queue, and threads that start with the first copy and stay until the process ends. */
#include "storage/copiers.h"

#include "base/system/mutex.h"

#include <pthread.h>
#include <stdatomic.h>

#define THREADS_MAX 16u

static _Atomic unsigned wanted = 1;
static pthread_mutex_t lock = MUTEX_INITIALIZER;
static pthread_cond_t has_work = PTHREAD_COND_INITIALIZER;
static copier_item *first, **last = &first;
static unsigned thread_count;

void storage_use_copiers(unsigned threads)
{
    atomic_store(&wanted, threads < THREADS_MAX ? threads : THREADS_MAX);
}

bool copiers_are_parallel(void)
{
    return atomic_load_explicit(&wanted, memory_order_relaxed) > 1;
}

static void *copiers_serve(void *unused)
{
    (void)unused;
    for (;;) {
        mutex_lock(&lock);
        while (!first)
            pthread_cond_wait(&has_work, &lock);
        copier_item *item = first;
        first = item->next;
        if (!first)
            last = &first;
        mutex_unlock(&lock);
        item->run(item);
    }
    return NULL;
}

/* Under the lock. Returns whether there is one thread at least. */
static bool start_copiers(void)
{
    while (thread_count < atomic_load(&wanted)) {
        pthread_t thread;
        if (pthread_create(&thread, NULL, copiers_serve, NULL))
            break;
        pthread_detach(thread);
        thread_count++;
    }
    return thread_count;
}

bool copiers_submit(copier_item *items)
{
    mutex_lock(&lock);
    bool is_taken = start_copiers();
    if (is_taken) {
        *last = items;
        while (*last)
            last = &(*last)->next;
        pthread_cond_broadcast(&has_work);
    }
    mutex_unlock(&lock);
    return is_taken;
}
