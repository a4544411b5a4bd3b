/* sockets.c - see sockets.h. */
#include "server/web/sockets.h"

#include "server/engine.h"

#include <sys/socket.h>

/* Returns the cookie of an open socket, else 0. */
static uint64_t cookie_of(int socket)
{
    uint64_t cookie = 0;
    socklen_t bytes = sizeof cookie;
    return getsockopt(socket, SOL_SOCKET, SO_COOKIE, &cookie, &bytes) ? 0 : cookie;
}

static void forget_closed(sockets *all)
{
    size_t kept = 0;
    for (size_t i = 0; i < all->entries.count; i++)
        if (cookie_of(all->entries.items[i].socket) == all->entries.items[i].cookie)
            all->entries.items[kept++] = all->entries.items[i];
    all->entries.count = kept;
}

void sockets_add(sockets *all, int socket, int64_t now)
{
    socket_entry entry = {.socket = socket, .cookie = cookie_of(socket), .since = now};
    if (all->entries.count >= all->most)
        forget_closed(all);
    bool is_full = all->entries.count >= all->most;
    status st = is_full ? STATUS_OK : array_push(NULL, &all->entries, entry);
    if (is_full || st)
        (void)shutdown(socket, SHUT_RDWR);
    status_free(st);
}

void sockets_set_busy(sockets *all, int socket, bool is_busy, int64_t now)
{
    for (size_t i = all->entries.count; i > 0; i--) {
        socket_entry *entry = &all->entries.items[i - 1];
        if (entry->socket != socket || entry->cookie != cookie_of(socket))
            continue;
        entry->is_busy = is_busy;
        entry->since = now;
        return;
    }
}

void sockets_sweep(sockets *all, int64_t now)
{
    forget_closed(all);
    for (size_t i = 0; i < all->entries.count; i++) {
        const socket_entry *entry = &all->entries.items[i];
        if (!entry->is_busy && now - entry->since > all->patience)
            (void)shutdown(entry->socket, SHUT_RDWR);
    }
}

void sockets_release(sockets *all)
{
    array_release(&all->entries);
}
