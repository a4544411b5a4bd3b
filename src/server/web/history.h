/* history.h - statements of HTTP that run, and the last ones that ran. */
#ifndef PISTACHIO_SERVER_WEB_HISTORY_H
#define PISTACHIO_SERVER_WEB_HISTORY_H

#include "server/access/users.h"
#include "server/activity/activity.h"

#define HISTORY_MAX 200
#define HISTORY_ID_BYTES 65
#define HISTORY_SQL_BYTES 2048
#define HISTORY_ERROR_BYTES 512

typedef enum history_state {
    HISTORY_NONE, /* the place is free */
    HISTORY_RUNNING,
    HISTORY_DONE,
    HISTORY_FAILED,
    HISTORY_CANCELLED
} history_state;

typedef struct history_entry {
    history_state state;
    bool is_cancelled; /* it was asked for: again and again, because a statement may just begin */
    char id[HISTORY_ID_BYTES], user[USERS_NAME_BYTES];
    char sql[HISTORY_SQL_BYTES], error[HISTORY_ERROR_BYTES];
    int64_t began, ended;             /* milliseconds of CLOCK_REALTIME */
    pistachio_connection *connection; /* while it runs, else NULL */
    activity_entry *activity;         /* while it runs, as others see it */
    _Atomic uint64_t rows;
    uint64_t done, total; /* bytes of scans */
    struct usage *usage;  /* when its threads were busy, or NULL */
} history_entry;

/* Caller holds the lock of the web, in each function. */
typedef struct history {
    history_entry items[HISTORY_MAX]; /* the newest replaces the oldest that does not run */
    uint64_t begun, failed, cancelled, rows;
} history;

/* Fails if a statement with the id runs, or too many run. An id of "" is replaced by a random one. */
CHECKED status history_begin(history *all, const char *id, const char *user, const char *sql,
                             history_entry **out);
/* Notes the connection's figures, then that it is not there any more. */
void history_end(history *all, history_entry *entry, history_state state, const char *error);
/* Cancels the user's statement of this id; false: none runs. */
bool history_cancel(history *all, const char *id, const char *user);
/* Returns when the threads of the user's last statement with this id were busy, with a reference for the caller; NULL: nobody
 * has noted it. */
struct usage *history_usage(const history *all, const char *id, const char *user);
void history_release(history *all);
void history_cancel_all(history *all);
/* Cancels once more whose cancelling was asked for. */
void history_cancel_again(history *all);
int64_t history_now(void);

#endif
