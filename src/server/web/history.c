/* history.c - see history.h. */
#include "server/web/history.h"

#include <stdio.h>
#include <sys/random.h>
#include <time.h>

int64_t history_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static status make_id(char id[HISTORY_ID_BYTES])
{
    uint64_t words[2];
    if (getrandom(words, sizeof words, 0) != sizeof words)
        return status_new(STATUS_KIND_IO, "the system gives no random numbers");
    snprintf(id, HISTORY_ID_BYTES, "%016llx%016llx", (unsigned long long)words[0],
             (unsigned long long)words[1]);
    return STATUS_OK;
}

/* Copies a text, cut between characters where it is too long. */
static void copy_cut(char *to, size_t room, const char *from)
{
    size_t bytes = strnlen(from, room);
    if (bytes >= room)
        bytes = room - 1;
    while (bytes && from[bytes] && ((unsigned char)from[bytes] & 0xc0) == 0x80)
        bytes--;
    memcpy(to, from, bytes);
    to[bytes] = 0;
}

static history_entry *history_find_place(history *all)
{
    history_entry *place = NULL;
    for (size_t i = 0; i < HISTORY_MAX; i++) {
        history_entry *one = &all->items[i];
        if (one->state != HISTORY_RUNNING && (!place || one->began < place->began))
            place = one;
    }
    return place;
}

static history_entry *find_running(history *all, const char *id)
{
    for (size_t i = 0; i < HISTORY_MAX; i++)
        if (all->items[i].state == HISTORY_RUNNING && !strcmp(all->items[i].id, id))
            return &all->items[i];
    return NULL;
}

status history_begin(history *all, const char *id, const char *user, const char *sql,
                     history_entry **out)
{
    char made[HISTORY_ID_BYTES];
    *out = NULL;
    if (*id && find_running(all, id))
        return status_new(STATUS_KIND_INVALID, "a statement with the id \"%s\" runs already", id);
    history_entry *place = history_find_place(all);
    if (!place)
        return status_new(STATUS_KIND_LIMIT, "too many statements run");
    TRY(make_id(made));
    usage_unref(place->usage);
    *place = (history_entry){.state = HISTORY_RUNNING, .began = history_now()};
    copy_cut(place->id, sizeof place->id, *id ? id : made);
    copy_cut(place->user, sizeof place->user, user);
    copy_cut(place->sql, sizeof place->sql, sql);
    all->begun++;
    *out = place;
    return STATUS_OK;
}

void history_end(history *all, history_entry *entry, history_state state, const char *error)
{
    pistachio_progress(entry->connection, &entry->done, &entry->total);
    entry->connection = NULL;
    entry->activity = NULL;
    entry->ended = history_now();
    entry->state = state;
    copy_cut(entry->error, sizeof entry->error, error);
    all->failed += state == HISTORY_FAILED;
    all->cancelled += state == HISTORY_CANCELLED;
    all->rows += entry->rows;
}

bool history_cancel(history *all, const char *id, const char *user)
{
    history_entry *entry = find_running(all, id);
    if (!entry || strcmp(entry->user, user) != 0)
        return false;
    entry->is_cancelled = true;
    activity_cancel(entry->activity);
    return true;
}

void history_cancel_all(history *all)
{
    for (size_t i = 0; i < HISTORY_MAX; i++)
        all->items[i].is_cancelled |= all->items[i].state == HISTORY_RUNNING;
    history_cancel_again(all);
}

void history_cancel_again(history *all)
{
    for (size_t i = 0; i < HISTORY_MAX; i++)
        if (all->items[i].state == HISTORY_RUNNING && all->items[i].is_cancelled)
            activity_cancel(all->items[i].activity);
}

usage *history_usage(const history *all, const char *id, const char *user)
{
    const history_entry *found = NULL;
    for (size_t i = 0; i < HISTORY_MAX; i++) {
        const history_entry *one = &all->items[i];
        if (one->usage && !strcmp(one->id, id) && !strcmp(one->user, user) &&
            (!found || found->began <= one->began))
            found = one;
    }
    return found ? usage_ref(found->usage) : NULL;
}

void history_release(history *all)
{
    for (size_t i = 0; i < HISTORY_MAX; i++)
        usage_unref(all->items[i].usage);
}
