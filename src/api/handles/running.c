/* running.c - the query that started last, as other threads find it to cancel it or to ask how far it
 * is. */
#include "api/handles/running.h"

#include "base/system/mutex.h"
#include "storage/object_store.h"

#include <sched.h>

void api_running_init(api_running *running)
{
    mutex_init(&running->lock);
}

void api_running_release(api_running *running)
{
    mutex_destroy(&running->lock);
}

void api_running_show(api_running *running, exec_query *query)
{
    atomic_store(&running->query, query);
}

/* Waits for whoever has found the query to cancel it: that takes a few instructions. */
void api_running_hide(api_running *running, exec_query *query)
{
    mutex_lock(&running->lock);
    atomic_compare_exchange_strong(&running->query, &query, NULL);
    mutex_unlock(&running->lock);
    while (atomic_load(&running->cancel_count))
        sched_yield();
}

static void cancel_wait(api_wait *wait)
{
    atomic_store(&wait->is_cancelled, true);
    sem_post(&wait->changed);
}

/* A lock would not do: the thread that a signal interrupts may have it. */
void api_running_cancel(api_running *running)
{
    atomic_fetch_add(&running->cancels, 1);
    atomic_fetch_add(&running->cancel_count, 1);
    cancel_flag *flag = atomic_load(&running->flag);
    exec_query *query = atomic_load(&running->query);
    api_wait *waiting = atomic_load(&running->waiting);
    if (flag)
        atomic_store(flag, true);
    if (query)
        exec_query_cancel(query);
    if (waiting)
        cancel_wait(waiting);
    atomic_fetch_sub(&running->cancel_count, 1);
}

uint32_t api_running_cancels(api_running *running)
{
    return atomic_load(&running->cancels);
}

/* ---- who waits for other ranks ---- */

void api_wait_init(api_wait *wait)
{
    sem_init(&wait->changed, 0, 0);
}

void api_wait_release(api_wait *wait)
{
    sem_destroy(&wait->changed);
}

static _Thread_local api_client here;

api_client api_client_set(api_client client)
{
    api_client before = here;
    here = client;
    return before;
}

static void show_waiting(api_running *running, api_wait *wait)
{
    if (!running)
        return;
    atomic_store(&running->waiting, wait);
    while (!wait && atomic_load(&running->cancel_count))
        sched_yield();
}

void api_client_waits(api_wait *wait)
{
    show_waiting(here.connection, wait);
    show_waiting(here.statement, wait);
}

/* ---- who works for a client ---- */

static void show_flag(api_running *running, cancel_flag *flag)
{
    if (running)
        atomic_store(&running->flag, flag);
}

/* Another statement of the connection, which began later, may be shown by now. */
static void hide_flag(api_running *running, cancel_flag *flag)
{
    if (!running)
        return;
    atomic_compare_exchange_strong(&running->flag, &flag, NULL);
    while (atomic_load(&running->cancel_count))
        sched_yield();
}

void api_working_begin(api_working *working, cancel_flag *flag, api_client client)
{
    *working = (api_working){.flag = flag, .client = client};
    working->client_before = api_client_set(client);
    working->before = cancel_set(flag);
    working->store_before = object_store_used();
    show_flag(client.connection, flag);
    show_flag(client.statement, flag);
}

status api_working_choose(const settings *s)
{
    uint32_t choice;
    TRY(object_store_choose(s, &choice));
    object_store_use(choice);
    return STATUS_OK;
}

void api_working_end(api_working *working)
{
    hide_flag(working->client.connection, working->flag);
    hide_flag(working->client.statement, working->flag);
    cancel_set(working->before);
    object_store_use(working->store_before);
    api_client_set(working->client_before);
}
