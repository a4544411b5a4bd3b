/* activity.h - statements of all clients: which wait, which run, which ran.
 *
 *     activity_begin ──> activity_await_turn: queue ── at most `most` run ── activity_end ──> log, the last ACTIVITY_PAST_COUNT
 *                             │ by groups' shares      │ activity_pause while the client is waited for: another one runs
 *
 * A statement that reads no table needs no turn, so that the queue can be looked at when it is long. Any thread; one
 * lock. */
#ifndef PISTACHIO_SERVER_ACTIVITY_ACTIVITY_H
#define PISTACHIO_SERVER_ACTIVITY_ACTIVITY_H

#include "base/system/mutex.h"
#include "server/access/role.h"
#include "server/activity/statement_log.h"
#include "server/engine.h"

#define ACTIVITY_PAST_COUNT 1000

typedef enum activity_state { ACTIVITY_IDLE, ACTIVITY_QUEUED, ACTIVITY_RUNNING } activity_state;

/* A client, and its statement. What stands before `state` is written by its thread before it is added. */
typedef struct activity_entry {
    struct activity *all; /* NULL: it was not added */
    struct activity_entry *next, **link;
    uint32_t number;
    char user[USERS_NAME_BYTES], application[ACTIVITY_TEXT_BYTES];
    const char *protocol; /* static text */
    bool sees_all;        /* other users' statements, too */
    role_limits limits;
    pistachio_connection *connection;
    int64_t connected; /* microseconds since 1970, as those below */

    activity_state state;           /* under the lock, as what follows */
    struct pg_settings *settings;   /* the session's; NULL: it has none */
    struct wire_writer *told;       /* takes what a client is to know of a setting that changes */
    char shown[SETTING_TEXT_BYTES]; /* value of the setting that was asked for last */
    char transaction;               /* as in ReadyForQuery */
    bool has_turn;
    const char
        *paused; /* what is waited for of the client, in PostgreSQL's words; NULL: nothing is */
    bool is_cancelled, is_late;
    char sql[ACTIVITY_SQL_BYTES];
    int64_t transaction_begun, begun, run, changed;
    int64_t milliseconds, deadline; /* of stream_milliseconds; 0: none */
    uint64_t ticket;                /* of the queue */
    size_t group;                   /* its number in the groups */
    pthread_cond_t turn;
} activity_entry;

typedef struct activity_group {
    char name[ROLE_GROUP_BYTES];
    unsigned running;
} activity_group;

typedef struct activity {
    pthread_mutex_t lock;
    activity_entry *first;
    unsigned most, running, waiting;
    ARRAY(activity_group) groups; /* that clients were of; the first one is the default */
    uint64_t tickets;
    uint32_t last_number; /* of clients that come without one */
    activity_past *past;
    uint64_t past_count; /* ever; the last ACTIVITY_PAST_COUNT are there */
    int timer;           /* a timerfd that can be read when activity_expire is due */
    int64_t alarm;       /* for which it is set; 0: it is not */
    statement_log log;
} activity;

CHECKED status activity_open(activity *all, unsigned most);
void activity_close(activity *all);
/* Adds a client whose texts, limits and connection are set. */
CHECKED status activity_add(activity *all, activity_entry *one);
void activity_remove(activity_entry *one);
/* Sets the application's name, cut where it is too long. By the client's thread. */
void activity_name(activity_entry *one, const char *application);

/* Begins a statement, which may take so many milliseconds; 0: any time. */
void activity_begin(activity_entry *one, const char *sql, size_t bytes, int64_t milliseconds);
/* Waits until the statement may run. Fails with CANCELLED if it was cancelled before. Nothing happens if it has its turn. */
CHECKED status activity_await_turn(activity_entry *one);
/* Returns whether the statement has needed a turn. By the client's thread. */
bool activity_has_turn(const activity_entry *one);
/* Ends it. failure: borrowed, or NULL; sqlstate: its. */
void activity_end(activity_entry *one, status failure, const char *sqlstate, uint64_t rows);
/* Forgets it: there was none. */
void activity_drop(activity_entry *one);
/* Returns st, or in its place that the statement took too long, where that is why it failed. */
status activity_explain(activity_entry *one, status st);
/* Between the two the client is waited for, as PostgreSQL's name of that says (static text). Nothing happens where no
 * statement runs. */
void activity_pause(activity_entry *one, const char *name);
void activity_go_on(activity_entry *one);
void activity_set_transaction(activity_entry *one, char transaction);

/* Cancels the statement that waits or runs. */
void activity_cancel(activity_entry *one);
/* Cancels those whose time is over, and sets the timer for the next one. */
void activity_expire(activity *all);
int64_t activity_now(void);

#endif
