/* answer.c - see answer.h. */
#include "server/web/answer.h"

#include "server/protocol/failure.h"
#include "server/web/access.h"
#include "server/web/web_text.h"

#include <stdio.h>
#include <stdlib.h>

/* ---- failures ---- */

static int answer_code_of(status st)
{
    if (!strcmp(failure_state(st), SQLSTATE_PRIVILEGE))
        return 403;
    switch (status_get_kind(st)) {
    case STATUS_KIND_INVALID:
    case STATUS_KIND_UNSUPPORTED:
    case STATUS_KIND_NOT_FOUND:
    case STATUS_KIND_DATA:
        return 400;
    case STATUS_KIND_CANCELLED:
        return 409;
    case STATUS_KIND_NO_MEMORY:
    case STATUS_KIND_LIMIT:
        return 503;
    default:
        return 500;
    }
}

static void answer_failure(FILE *out, status st, const char *sql, size_t start)
{
    int64_t position = status_position(st);
    fputs("{\"error\": {\"message\": ", out);
    json_text(out, status_message(st));
    fprintf(out, ", \"sqlstate\": \"%s\"", failure_state(st));
    if (status_get_hint(st)) {
        fputs(", \"hint\": ", out);
        json_text(out, status_get_hint(st));
    }
    if (sql && position >= 0) /* in characters, from 1 */
        fprintf(out, ", \"position\": %zu", failure_characters(sql, start + (size_t)position) + 1);
    fputs("}}\n", out);
}

void web_failure(job *j, status st, const char *sql, size_t start)
{
    bool is_whole = job_drop(j);
    FILE *out = is_whole ? job_file(j) : NULL;
    job_set_head(j, answer_code_of(st), "application/json");
    if (out) {
        answer_failure(out, st, sql, start);
        is_whole = !fclose(out);
    }
    status_free(st);
    job_end(j, !is_whole);
}

static void refuse(job *j, int code, const char *message)
{
    FILE *out = job_file(j);
    job_set_head(j, code, "application/json");
    if (out) {
        fputs("{\"error\": {\"message\": ", out);
        json_text(out, message);
        fputs("}}\n", out);
        fclose(out);
    }
    job_end(j, !out);
}

/* ---- statements that run and ran ---- */

static void write_entry(FILE *out, const history_entry *one)
{
    static const char *const states[] = {"", "running", "done", "failed", "cancelled"};
    uint64_t done = one->done, total = one->total;
    if (one->state == HISTORY_RUNNING)
        pistachio_progress(one->connection, &done, &total);
    fprintf(out, "{\"id\": \"%s\", \"state\": \"%s\", \"began\": %lld, \"ended\": %lld, ", one->id,
            states[one->state], (long long)one->began, (long long)one->ended);
    fprintf(out, "\"rows\": %llu, \"done\": %llu, \"total\": %llu, \"sql\": ",
            (unsigned long long)one->rows, (unsigned long long)done, (unsigned long long)total);
    json_text(out, one->sql);
    fprintf(out, ", \"timeline\": %s, \"error\": ",
            one->usage && usage_has_steps(one->usage) ? "true" : "false");
    json_text(out, one->error);
    fputs("}", out);
}

/* Writes to memory: a client that reads slowly must not hold the lock. */
static void list(job *j, const char *user)
{
    web *w = j->web;
    char *text = NULL;
    size_t bytes;
    bool is_first = true;
    FILE *memory = open_memstream(&text, &bytes), *out = job_file(j);
    if (!memory || !out) {
        if (memory)
            fclose(memory);
        (free)(text); /* the C library's memory */
        web_failure(j, status_no_memory("list", 0), NULL, 0);
        return;
    }
    fputs("[", memory);
    mutex_lock(&w->lock);
    for (size_t i = 0; i < HISTORY_MAX; i++) {
        const history_entry *one = &w->history.items[i];
        if (!one->state || strcmp(one->user, user) != 0)
            continue;
        fputs(is_first ? "\n" : ",\n", memory);
        write_entry(memory, one);
        is_first = false;
    }
    mutex_unlock(&w->lock);
    fputs("\n]\n", memory);
    fclose(memory);
    fwrite(text, 1, bytes, out);
    fclose(out);
    (free)(text); /* the C library's memory */
    job_end(j, false);
}

static void cancel(job *j, const char *user)
{
    web *w = j->web;
    mutex_lock(&w->lock);
    bool is_there = history_cancel(&w->history, j->id, user);
    mutex_unlock(&w->lock);
    refuse(j, is_there ? 202 : 404,
           is_there ? "the statement is being cancelled" : "no statement with this id runs");
}

/* Says when the statement's threads were busy. Written to memory, as a query's threads wait for the lock. */
static void timeline(job *j, const char *user)
{
    web *w = j->web;
    char *text = NULL;
    size_t bytes;
    mutex_lock(&w->lock);
    usage *noted = history_usage(&w->history, j->id, user);
    mutex_unlock(&w->lock);
    if (!noted) {
        refuse(j, 404,
               "nothing is known of the time of a statement with this id: it is noted with "
               "?timeline=1");
        return;
    }
    FILE *memory = open_memstream(&text, &bytes);
    if (memory) {
        usage_write(noted, memory, json_text);
        fclose(memory);
    }
    usage_unref(noted);
    FILE *out = memory ? job_file(j) : NULL;
    if (!out) {
        (free)(text); /* the C library's memory */
        web_failure(j, status_no_memory("timeline", 0), NULL, 0);
        return;
    }
    fwrite(text, 1, bytes, out);
    fclose(out);
    (free)(text); /* the C library's memory */
    job_end(j, false);
}

/* ---- figures for Prometheus ---- */

static void write_metric(FILE *out, const char *name, const char *kind, const char *help,
                         unsigned long long number)
{
    fprintf(out, "# HELP pistachio_%s %s\n# TYPE pistachio_%s %s\npistachio_%s %llu\n", name, help,
            name, kind, name, number);
}

static void write_replies(FILE *out, web_counters *counters)
{
    fputs("# HELP pistachio_http_replies_total Replies to HTTP requests.\n"
          "# TYPE pistachio_http_replies_total counter\n",
          out);
    for (int i = 2; i < 6; i++)
        fprintf(out, "pistachio_http_replies_total{code=\"%dxx\"} %llu\n", i,
                (unsigned long long)atomic_load(&counters->replies[i]));
}

static uint64_t memory_peak(const web *w)
{
    pistachio_connection *connection;
    status_free(api_error_status(pistachio_connect(w->shared->database, &connection)));
    if (!connection)
        return 0;
    uint64_t bytes = pistachio_memory_peak(connection);
    pistachio_disconnect(connection);
    return bytes;
}

/* Says how many ranks there are, and whether all of them are there. */
static void write_ranks(const web *w, FILE *out)
{
    uint64_t losses;
    status loss;
    unsigned ranks = api_database_ranks(w->shared->database, &losses, &loss);
    write_metric(out, "ranks", "gauge", "Ranks that run statements together.", ranks);
    write_metric(out, "ranks_complete", "gauge", "1: all ranks are there; 0: one is lost.", !loss);
    write_metric(out, "ranks_lost_total", "counter", "How often ranks were lost.", losses);
    status_free(loss);
}

static void metrics(job *j)
{
    web *w = j->web;
    FILE *out = job_file(j);
    job_set_head(j, 200, "text/plain; version=0.0.4; charset=utf-8");
    if (!out) {
        web_failure(j, status_no_memory("metrics", 0), NULL, 0);
        return;
    }
    mutex_lock(&w->lock);
    uint64_t begun = w->history.begun, failed = w->history.failed, cancelled = w->history.cancelled,
             rows = w->history.rows;
    mutex_unlock(&w->lock);
    write_metric(out, "clients", "gauge", "Clients of the PostgreSQL protocol.",
                 clients_count(&w->shared->clients));
    write_metric(out, "http_requests_running", "gauge", "HTTP requests that are being answered.",
                 atomic_load(&w->running));
    write_replies(out, &w->counters);
    write_metric(out, "http_reply_bytes_total", "counter", "Bytes of replies to HTTP requests.",
                 atomic_load(&w->counters.bytes));
    write_metric(out, "statements_total", "counter", "Statements of HTTP that were begun.", begun);
    write_metric(out, "statements_failed_total", "counter", "Statements of HTTP that failed.",
                 failed);
    write_metric(out, "statements_cancelled_total", "counter",
                 "Statements of HTTP that were cancelled.", cancelled);
    write_metric(out, "rows_total", "counter", "Rows sent to clients of HTTP.", rows);
    write_metric(out, "memory_peak_bytes", "gauge",
                 "Most memory that statements have held at once.", memory_peak(w));
    write_ranks(w, out);
    fclose(out);
    job_end(j, false);
}

/* ---- tokens ---- */

static void login(job *j, const char *user, const scram_verifier *verifier)
{
    web *w = j->web;
    char text[TOKEN_TEXT_BYTES] = "";
    status st = STATUS_OK;
    mutex_lock(&w->lock);
    if (!j->is_trusted)
        st = tokens_make(&w->tokens, user, verifier, stream_milliseconds(), text);
    mutex_unlock(&w->lock);
    FILE *out = st ? NULL : job_file(j);
    if (!out) {
        web_failure(j, st ? st : status_no_memory("reply", 0), NULL, 0);
        return;
    }
    fprintf(out, "{\"token\": \"%s\", \"user\": ", text);
    json_text(out, user);
    fputs("}\n", out);
    fclose(out);
    job_end(j, false);
}

/* ---- all ---- */

void answer_request(job *j)
{
    char user[USERS_NAME_BYTES];
    scram_verifier verifier;
    bool is_known;
    status st = access_check(j, &is_known, user, &verifier);
    if (st) {
        web_failure(j, st, NULL, 0);
        return;
    }
    if (!is_known) {
        refuse(j, 401, "a right user and password, or a token of POST /login, are needed");
        return;
    }
    switch (j->kind) {
    case JOB_QUERY:
        answer_query(j, user);
        break;
    case JOB_CANCEL:
        cancel(j, user);
        break;
    case JOB_LIST:
        list(j, user);
        break;
    case JOB_USAGE:
        timeline(j, user);
        break;
    case JOB_METRICS:
        metrics(j);
        break;
    case JOB_LOGIN:
        login(j, user, &verifier);
        break;
    }
}
