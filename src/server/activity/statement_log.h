/* statement_log.h - a line for each statement that has ended, as name=value or as JSON. */
#ifndef PISTACHIO_SERVER_ACTIVITY_STATEMENT_LOG_H
#define PISTACHIO_SERVER_ACTIVITY_STATEMENT_LOG_H

#include "base/status.h"
#include "server/activity/past.h"

typedef struct statement_log {
    bool is_on, is_json;
    int descriptor;
} statement_log;

/* path "-": standard error. */
CHECKED status statement_log_open(statement_log *log, const char *path, bool is_json);
void statement_log_close(statement_log *log);
/* Writes the statement's line in one piece. A log that cannot be written is left alone. */
void statement_log_write(const statement_log *log, const activity_past *one);

#endif
