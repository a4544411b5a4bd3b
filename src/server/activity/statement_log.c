/* statement_log.c - see statement_log.h. */
#include "server/activity/statement_log.h"

#include "server/engine.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

/* Room for a line: each byte of a text may become six. */
#define LINE_BYTES                                                                                 \
    (6 * (ACTIVITY_SQL_BYTES + ACTIVITY_MESSAGE_BYTES + ACTIVITY_TEXT_BYTES + USERS_NAME_BYTES +   \
          ROLE_GROUP_BYTES) +                                                                      \
     1024)

typedef struct line {
    bool is_json;
    size_t count;
    char text[LINE_BYTES];
} line;

status statement_log_open(statement_log *log, const char *path, bool is_json)
{
    *log = (statement_log){.is_json = is_json, .descriptor = STDERR_FILENO};
    if (strcmp(path, "-") != 0)
        log->descriptor = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    if (log->descriptor < 0)
        return status_new_errno(errno, "could not open the log \"%s\"", path);
    log->is_on = true;
    return STATUS_OK;
}

void statement_log_close(statement_log *log)
{
    if (log->is_on && log->descriptor != STDERR_FILENO)
        close(log->descriptor);
    log->is_on = false;
}

static void put(line *l, char c)
{
    l->text[l->count++] = c;
}

static void statement_log_put_text(line *l, const char *text)
{
    for (; *text; text++)
        put(l, *text);
}

/* Puts a text in quotes as JSON has it. */
static void put_quoted(line *l, const char *text)
{
    put(l, '"');
    for (; *text; text++) {
        unsigned char c = (unsigned char)*text;
        if (c >= ' ' && c != '"' && c != '\\')
            put(l, *text);
        else if (c >= ' ')
            put(l, '\\'), put(l, *text);
        else
            l->count += (size_t)snprintf(l->text + l->count, 8, "\\u%04x", c);
    }
    put(l, '"');
}

/* Puts what comes before a value: `, "name": ` or ` name=`. */
static void statement_log_put_name(line *l, const char *name)
{
    if (l->count)
        statement_log_put_text(l, l->is_json ? ", " : " ");
    if (l->is_json)
        put_quoted(l, name);
    else
        statement_log_put_text(l, name);
    statement_log_put_text(l, l->is_json ? ": " : "=");
}

static void put_field(line *l, const char *name, const char *text)
{
    bool is_plain = !l->is_json && *text && !text[strcspn(text, " \t\r\n\"\\=")];
    statement_log_put_name(l, name);
    if (is_plain)
        statement_log_put_text(l, text);
    else
        put_quoted(l, text);
}

static void statement_log_put_number(line *l, const char *name, const char *format, double number)
{
    statement_log_put_name(l, name);
    l->count += (size_t)snprintf(l->text + l->count, 32, format, number);
}

static void statement_log_put_time(line *l, int64_t microseconds)
{
    char day[32], text[48];
    struct tm parts;
    time_t seconds = (time_t)(microseconds / 1000000);
    gmtime_r(&seconds, &parts);
    strftime(day, sizeof day, "%Y-%m-%dT%H:%M:%S", &parts);
    snprintf(text, sizeof text, "%s.%06dZ", day, (int)(microseconds % 1000000));
    put_field(l, "time", text);
}

static void fill(line *l, const activity_past *one)
{
    statement_log_put_time(l, one->ended);
    statement_log_put_number(l, "pid", "%.0f", one->number);
    put_field(l, "user", one->user);
    put_field(l, "group", one->group);
    put_field(l, "protocol", one->protocol);
    put_field(l, "application", one->application);
    put_field(l, "state", one->state);
    statement_log_put_number(l, "queued_ms", "%.3f", (double)(one->run - one->begun) / 1000);
    statement_log_put_number(l, "ms", "%.3f", (double)(one->ended - one->run) / 1000);
    statement_log_put_number(l, "rows", "%.0f", (double)one->rows);
    if (*one->sqlstate) {
        put_field(l, "sqlstate", one->sqlstate);
        put_field(l, "message", one->message);
    }
    put_field(l, "query", one->sql);
}

void statement_log_write(const statement_log *log, const activity_past *one)
{
    line *l = log->is_on ? mem_new(sizeof *l) : NULL;
    if (!l)
        return;
    l->is_json = log->is_json;
    fill(l, one);
    if (log->is_json) {
        memmove(l->text + 1, l->text, l->count++);
        l->text[0] = '{';
        put(l, '}');
    }
    put(l, '\n');
    if (write(log->descriptor, l->text, l->count) < 0)
        errno = 0; /* a full disk does not stop statements */
    mem_free(l);
}
