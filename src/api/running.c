/* running.c - the query that started last, as other threads find it to cancel it or to ask how far it
 * is. */
#include "api/internal.h"

#include <sched.h>

void api_running_init(api_running *running)
{
    pthread_mutex_init(&running->lock, NULL);
}

void api_running_release(api_running *running)
{
    pthread_mutex_destroy(&running->lock);
}

void api_running_show(api_running *running, exec_query *query)
{
    atomic_store(&running->query, query);
}

/* Who has found the query to cancel it is done in a few instructions. */
void api_running_hide(api_running *running, exec_query *query)
{
    pthread_mutex_lock(&running->lock);
    atomic_compare_exchange_strong(&running->query, &query, NULL);
    pthread_mutex_unlock(&running->lock);
    while (atomic_load(&running->cancel_count))
        sched_yield();
}

/* A lock would not do: the thread that a signal interrupts may have it. */
void api_running_cancel(api_running *running)
{
    atomic_fetch_add(&running->cancel_count, 1);
    exec_query *query = atomic_load(&running->query);
    if (query)
        exec_query_cancel(query);
    atomic_fetch_sub(&running->cancel_count, 1);
}
