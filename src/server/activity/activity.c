/* activity.c - see activity.h. */
#include "server/activity/activity.h"

#include "server/protocol/stream.h"

#include <errno.h>
#include <stdio.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

/* How soon a statement is cancelled once more that did not hear of it. */
#define AGAIN_MILLISECONDS 50
/* Numbers of clients that come without one. */
#define NUMBERS_BEGIN 0x40000000u

int64_t activity_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

/* ---- texts ---- */

/* Copies a text for others to see: cut between characters; whole, so that it is UTF-8. */
static void copy_text(char *to, size_t room, const char *from, size_t bytes)
{
    bytes = strnlen(from, bytes);
    if (bytes >= room)
        bytes = room - 1;
    while (bytes && from[bytes] && ((unsigned char)from[bytes] & 0xc0) == 0x80)
        bytes--;
    memcpy(to, from, bytes);
    to[bytes] = 0;
    status st = sql_check_utf8(to, bytes, "the text");
    for (size_t i = 0; st && i < bytes; i++)
        if ((unsigned char)to[i] >= 0x80)
            to[i] = '?';
    status_free(st);
}

/* ---- all of them ---- */

/* Finds the group of that name, or adds it. Caller holds the lock. */
static status activity_find_group(activity *all, const char *name, size_t *out)
{
    for (*out = 0; *out < all->groups.count; ++*out)
        if (!strcmp(all->groups.items[*out].name, name))
            return STATUS_OK;
    TRY(array_reserve(NULL, &all->groups, 1));
    activity_group *group = &all->groups.items[all->groups.count++];
    *group = (activity_group){.running = 0};
    snprintf(group->name, sizeof group->name, "%s", name);
    return STATUS_OK;
}

status activity_open(activity *all, unsigned most)
{
    size_t group;
    *all = (activity){.most = most, .last_number = NUMBERS_BEGIN, .timer = -1};
    mutex_init(&all->lock);
    all->timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
    if (all->timer < 0)
        return status_new_errno(errno, "could not make a timer");
    all->past = mem_new_array(ACTIVITY_PAST_COUNT, sizeof *all->past);
    if (!all->past)
        return status_no_memory("statements", ACTIVITY_PAST_COUNT * sizeof *all->past);
    return activity_find_group(all, ROLE_GROUP_DEFAULT, &group);
}

void activity_close(activity *all)
{
    if (all->timer >= 0)
        close(all->timer);
    array_release(&all->groups);
    mem_free(all->past);
    mutex_destroy(&all->lock);
}

/* The engine's, before a query starts. */
static status await_turn(void *context)
{
    return activity_await_turn(context);
}

status activity_add(activity *all, activity_entry *one)
{
    mutex_lock(&all->lock);
    status st = activity_find_group(all, one->limits.group, &one->group);
    if (!st) {
        pthread_cond_init(&one->turn, NULL);
        one->all = all;
        one->number = one->number ? one->number : ++all->last_number;
        one->transaction = 'I';
        one->connected = one->changed = activity_now();
        one->next = all->first;
        one->link = &all->first;
        if (one->next)
            one->next->link = &one->next;
        all->first = one;
    }
    mutex_unlock(&all->lock);
    one->connection->weight = one->limits.weight;
    one->connection->memory = one->limits.memory;
    one->connection->await_turn = await_turn;
    one->connection->turn_context = one;
    return st;
}

void activity_remove(activity_entry *one)
{
    activity *all = one->all;
    if (!all)
        return;
    mutex_lock(&all->lock);
    *one->link = one->next;
    if (one->next)
        one->next->link = one->link;
    one->all = NULL;
    mutex_unlock(&all->lock);
    pthread_cond_destroy(&one->turn);
}

void activity_name(activity_entry *one, const char *application)
{
    char text[ACTIVITY_TEXT_BYTES];
    activity *all = one->all;
    copy_text(text, sizeof text, application, strlen(application));
    if (all)
        mutex_lock(&all->lock);
    memcpy(one->application, text, sizeof text);
    if (all)
        mutex_unlock(&all->lock);
}

/* ---- the queue ---- */

/* Returns whether a's turn comes before b's: its group runs less by its weight, or it came first. */
static bool activity_is_before(const activity *all, const activity_entry *a,
                               const activity_entry *b)
{
    uint64_t mine = (uint64_t)(all->groups.items[a->group].running + 1) * b->limits.weight;
    uint64_t other = (uint64_t)(all->groups.items[b->group].running + 1) * a->limits.weight;
    return mine != other ? mine < other : a->ticket < b->ticket;
}

static activity_entry *find_next(const activity *all)
{
    activity_entry *next = NULL;
    for (activity_entry *one = all->first; one; one = one->next)
        if (one->state == ACTIVITY_QUEUED && (!next || activity_is_before(all, one, next)))
            next = one;
    return next;
}

static void count_running(activity *all, const activity_entry *one, bool runs)
{
    all->running += runs ? 1 : -1;
    all->groups.items[one->group].running += runs ? 1 : -1;
}

static void give_turn(activity *all, activity_entry *one)
{
    one->state = ACTIVITY_RUNNING;
    one->has_turn = true;
    one->run = one->changed = activity_now();
    count_running(all, one, true);
}

/* Lets those run whose turn it is. Caller holds the lock, as in those above. */
static void give_turns(activity *all)
{
    while (all->running < all->most && all->waiting) {
        activity_entry *next = find_next(all);
        all->waiting--;
        give_turn(all, next);
        pthread_cond_signal(&next->turn);
    }
}

static void activity_leave(activity *all, activity_entry *one)
{
    if (one->has_turn && !one->paused)
        count_running(all, one, false);
    one->has_turn = false;
    one->state = ACTIVITY_IDLE;
    one->paused = NULL;
    one->deadline = 0;
    one->changed = activity_now();
    give_turns(all);
}

/* ---- time ---- */

/* Sets the timer, unless it is set for an earlier time. Caller holds the lock. */
static void set_alarm(activity *all, int64_t when)
{
    struct itimerspec timer = {.it_value = {when / 1000, when % 1000 * 1000000}};
    if (all->alarm && all->alarm <= when)
        return;
    all->alarm = when;
    (void)timerfd_settime(all->timer, TFD_TIMER_ABSTIME, &timer, NULL);
}

static void cancel(activity_entry *one)
{
    one->is_cancelled = true;
    if (one->state == ACTIVITY_QUEUED)
        pthread_cond_signal(&one->turn);
    else
        pistachio_cancel(one->connection);
}

void activity_expire(activity *all)
{
    uint64_t count;
    (void)!read(all->timer, &count, sizeof count);
    int64_t now = stream_milliseconds();
    mutex_lock(&all->lock);
    all->alarm = 0;
    for (activity_entry *one = all->first; one; one = one->next) {
        if (!one->deadline)
            continue;
        if (one->deadline <= now) {
            one->is_late = true;
            cancel(one);
            set_alarm(all, now + AGAIN_MILLISECONDS);
        } else {
            set_alarm(all, one->deadline);
        }
    }
    mutex_unlock(&all->lock);
}

/* ---- one statement ---- */

static int64_t activity_least_of(int64_t a, int64_t b)
{
    return !a || (b && b < a) ? b : a;
}

/* Waits in the queue. Caller holds the lock. */
static status wait_for_turn(activity *all, activity_entry *one)
{
    if (all->running < all->most && !all->waiting) {
        give_turn(all, one);
        return STATUS_OK;
    }
    one->state = ACTIVITY_QUEUED;
    one->ticket = ++all->tickets;
    all->waiting++;
    give_turns(all);
    while (one->state == ACTIVITY_QUEUED && !one->is_cancelled)
        pthread_cond_wait(&one->turn, &all->lock);
    if (!one->is_cancelled)
        return STATUS_OK;
    if (!one->has_turn) {
        all->waiting--;
        one->state = ACTIVITY_RUNNING;
        one->run = activity_now();
    }
    return status_new(STATUS_KIND_CANCELLED, "the statement was cancelled");
}

/* Notes its text and time. Caller holds the lock. */
static void note_begin(activity_entry *one, const char *sql, size_t bytes)
{
    size_t blanks = strspn(sql, " \t\r\n");
    blanks = blanks < bytes ? blanks : bytes;
    copy_text(one->sql, sizeof one->sql, sql + blanks, bytes - blanks);
    one->state = ACTIVITY_RUNNING;
    one->is_cancelled = one->is_late = false;
    one->begun = one->run = one->changed = activity_now();
}

void activity_begin(activity_entry *one, const char *sql, size_t bytes, int64_t milliseconds)
{
    activity *all = one->all;
    mutex_lock(&all->lock);
    note_begin(one, sql, bytes);
    one->milliseconds = activity_least_of(one->limits.milliseconds, milliseconds);
    if (one->milliseconds) {
        one->deadline = stream_milliseconds() + one->milliseconds;
        set_alarm(all, one->deadline);
    }
    mutex_unlock(&all->lock);
}

status activity_await_turn(activity_entry *one)
{
    activity *all = one->all;
    if (one->has_turn)
        return STATUS_OK;
    mutex_lock(&all->lock);
    status st = wait_for_turn(all, one);
    mutex_unlock(&all->lock);
    return st;
}

bool activity_has_turn(const activity_entry *one)
{
    return one->has_turn;
}

void activity_drop(activity_entry *one)
{
    activity *all = one->all;
    mutex_lock(&all->lock);
    activity_leave(all, one);
    mutex_unlock(&all->lock);
}

status activity_explain(activity_entry *one, status st)
{
    bool is_late = st && status_get_kind(st) == STATUS_KIND_CANCELLED && one->is_late;
    if (!is_late)
        return st;
    status_free(st);
    return status_hint(
        status_new(STATUS_KIND_CANCELLED,
                   "the statement took longer than the %lld ms that it may take",
                   (long long)one->milliseconds),
        "statement_timeout sets this time, and the server's file of users limits it");
}

static const char *word_of(status failure)
{
    if (!failure)
        return "done";
    return status_get_kind(failure) == STATUS_KIND_CANCELLED ? "cancelled" : "failed";
}

/* Fills what is known of the statement when it is over. */
static void fill_past(const activity_entry *one, status failure, const char *sqlstate,
                      uint64_t rows, activity_past *out)
{
    *out = (activity_past){.number = one->number,
                           .protocol = one->protocol,
                           .state = word_of(failure),
                           .begun = one->begun,
                           .run = one->run,
                           .ended = activity_now(),
                           .rows = rows};
    snprintf(out->user, sizeof out->user, "%s", one->user);
    snprintf(out->application, sizeof out->application, "%s", one->application);
    snprintf(out->group, sizeof out->group, "%s", one->limits.group);
    snprintf(out->sql, sizeof out->sql, "%s", one->sql);
    if (failure) {
        snprintf(out->sqlstate, sizeof out->sqlstate, "%s", sqlstate);
        copy_text(out->message, sizeof out->message, status_message(failure),
                  strlen(status_message(failure)));
    }
}

void activity_end(activity_entry *one, status failure, const char *sqlstate, uint64_t rows)
{
    activity *all = one->all;
    activity_past past;
    fill_past(one, failure, sqlstate, rows, &past);
    mutex_lock(&all->lock);
    all->past[all->past_count++ % ACTIVITY_PAST_COUNT] = past;
    activity_leave(all, one);
    mutex_unlock(&all->lock);
    statement_log_write(&all->log, &past);
}

static void set_paused(activity_entry *one, const char *name)
{
    activity *all = one->all;
    mutex_lock(&all->lock);
    if (one->has_turn && !one->paused != !name) {
        one->paused = name;
        count_running(all, one, !name);
        give_turns(all);
    }
    mutex_unlock(&all->lock);
}

void activity_pause(activity_entry *one, const char *name)
{
    set_paused(one, name);
}

void activity_go_on(activity_entry *one)
{
    set_paused(one, NULL);
}

void activity_set_transaction(activity_entry *one, char transaction)
{
    activity *all = one->all;
    if (one->transaction == transaction)
        return;
    mutex_lock(&all->lock);
    if (one->transaction == 'I')
        one->transaction_begun = activity_now();
    one->transaction = transaction;
    mutex_unlock(&all->lock);
}

void activity_cancel(activity_entry *one)
{
    activity *all = one->all;
    if (!all)
        return;
    mutex_lock(&all->lock);
    cancel(one);
    mutex_unlock(&all->lock);
}
