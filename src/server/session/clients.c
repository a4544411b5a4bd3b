/* clients.c - see clients.h. */
#include "server/session/clients.h"

#include "server/engine.h"

#include <stdatomic.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

void clients_open(clients *all, unsigned most)
{
    *all = (clients){.most = most};
    mutex_init(&all->lock);
}

void clients_close(clients *all)
{
    mutex_destroy(&all->lock);
}

static status make(int socket, bool is_trusted, client **out)
{
    uint32_t secret;
    *out = NULL;
    if (getrandom(&secret, sizeof secret, 0) != sizeof secret)
        return status_new(STATUS_KIND_IO, "the system gives no random numbers");
    client *one = mem_new(sizeof *one);
    if (!one)
        return status_no_memory("client", sizeof *one);
    one->socket = socket;
    one->is_trusted = is_trusted;
    one->secret = secret;
    *out = one;
    return STATUS_OK;
}

/* Puts it at the head of the list. Caller holds the lock. */
static void link_client(clients *all, client *one)
{
    one->number = ++all->last_number;
    one->next = all->first;
    one->link = &all->first;
    if (one->next)
        one->next->link = &one->next;
    all->first = one;
    all->count++;
}

status clients_add(clients *all, int socket, bool is_trusted, client **out)
{
    TRY(make(socket, is_trusted, out));
    mutex_lock(&all->lock);
    bool has_room = all->count < all->most + CLIENTS_SPARE;
    if (has_room)
        link_client(all, *out);
    mutex_unlock(&all->lock);
    if (has_room)
        return STATUS_OK;
    mem_free(*out);
    *out = NULL;
    return status_new(STATUS_KIND_LIMIT, "there are too many connections");
}

void clients_remove(clients *all, client *one)
{
    mutex_lock(&all->lock);
    *one->link = one->next;
    if (one->next)
        one->next->link = one->link;
    all->count--;
    all->admitted -= one->is_admitted;
    close(one->socket);
    mutex_unlock(&all->lock);
    mem_free(one);
}

unsigned clients_count(clients *all)
{
    mutex_lock(&all->lock);
    unsigned count = all->count;
    mutex_unlock(&all->lock);
    return count;
}

bool clients_admit(clients *all, client *one)
{
    mutex_lock(&all->lock);
    one->is_admitted = all->admitted < all->most;
    all->admitted += one->is_admitted;
    mutex_unlock(&all->lock);
    return one->is_admitted;
}

status clients_show(clients *all, client *one, activity *statements)
{
    mutex_lock(&all->lock);
    one->activity.number = one->number;
    status st = activity_add(statements, &one->activity);
    mutex_unlock(&all->lock);
    return st;
}

void clients_hide(clients *all, client *one)
{
    mutex_lock(&all->lock);
    activity_remove(&one->activity);
    mutex_unlock(&all->lock);
}

/* ---- cancelling ---- */

void clients_cancel(clients *all, uint32_t number, uint32_t secret)
{
    mutex_lock(&all->lock);
    for (client *one = all->first; one; one = one->next)
        if (one->number == number && one->secret == secret)
            activity_cancel(&one->activity);
    mutex_unlock(&all->lock);
}

void clients_note_gone(clients *all, uint32_t number)
{
    mutex_lock(&all->lock);
    for (client *one = all->first; one; one = one->next)
        if (one->number == number)
            atomic_store(&one->is_gone, true);
    mutex_unlock(&all->lock);
}

static unsigned cancel(clients *all, bool is_all)
{
    unsigned count = 0;
    mutex_lock(&all->lock);
    for (client *one = all->first; one; one = one->next)
        if (is_all || atomic_load(&one->is_gone)) {
            activity_cancel(&one->activity);
            count++;
        }
    mutex_unlock(&all->lock);
    return count;
}

unsigned clients_cancel_gone(clients *all)
{
    return cancel(all, false);
}

unsigned clients_cancel_all(clients *all)
{
    return cancel(all, true);
}

void clients_cut_all(clients *all)
{
    mutex_lock(&all->lock);
    for (client *one = all->first; one; one = one->next)
        (void)shutdown(one->socket, SHUT_RDWR);
    mutex_unlock(&all->lock);
}
