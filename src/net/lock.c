/* lock.c - a communicator's lock, and who goes on, is woken or told when it is given back. */
#include "net/lock.h"

#include "base/system/mutex.h"
#include "net/internal.h"

#include <assert.h>

void net_lock(net_comm *comm)
{
    mutex_lock(&comm->lock);
    assert(!comm->woken.first && !comm->telling && !comm->active);
}

/* ---- waiters ---- */

void net_waiters_add(net_waiters *waiters, net_waiter *waiter)
{
    if (!waiter)
        return;
    waiter->next = NULL;
    if (!waiters->first)
        waiters->last = &waiters->first;
    *waiters->last = waiter;
    waiters->last = &waiter->next;
}

void net_waiters_wake(net_comm *comm, net_waiters *waiters)
{
    net_waiter *waiter = waiters->first;
    if (!waiter)
        return;
    waiters->first = waiter->next;
    net_waiters_add(&comm->woken, waiter);
}

void net_waiters_wake_all(net_comm *comm, net_waiters *waiters)
{
    while (waiters->first)
        net_waiters_wake(comm, waiters);
}

/* ---- whoever goes on when the lock is given back ---- */

void net_activate(net_comm *comm, net_active *active)
{
    if (active->is_active)
        return;
    active->is_active = true;
    active->next = comm->active;
    comm->active = active;
}

void net_deactivate(net_comm *comm, net_active *active)
{
    net_active **link = &comm->active;
    if (!active->is_active)
        return;
    while (*link != active)
        link = &(*link)->next;
    *link = active->next;
    active->is_active = false;
}

/* Without the lock. A waiter's memory is the caller's again as soon as it is called. */
static void call_woken(net_waiter *waiter)
{
    while (waiter) {
        net_waiter *next = waiter->next;
        waiter->wake(waiter->argument);
        waiter = next;
    }
}

static void call_telling(net_comm *comm, net_query *query)
{
    while (query) {
        net_query *next = query->next_telling;
        query->failed(query->argument);
        mutex_lock(&comm->lock);
        query->is_telling = false;
        pthread_cond_broadcast(&comm->changed);
        mutex_unlock(&comm->lock);
        query = next;
    }
}

static void lock_drop_all(net_cargo *cargo)
{
    for (net_cargo *next; cargo; cargo = next) {
        next = cargo->next;
        cargo->drop(cargo);
    }
}

void net_cargo_drop(net_comm *comm, net_cargo *cargo)
{
    if (!cargo)
        return;
    cargo->next = comm->dropped;
    comm->dropped = cargo;
}

void net_unlock(net_comm *comm)
{
    while (comm->active)
        comm->active->go_on(comm->active);
    net_waiter *woken = comm->woken.first;
    net_query *telling = comm->telling;
    comm->woken.first = NULL;
    comm->telling = NULL;
    net_cargo *dropped = comm->dropped;
    comm->dropped = NULL;
    mutex_unlock(&comm->lock);
    lock_drop_all(dropped);
    call_woken(woken);
    call_telling(comm, telling);
}
