/* answer_query.c - POST /query: statements are run, and the rows of the last one are written in the format that is asked for. */
#include "server/web/answer.h"

#include "server/activity/activity_list.h"
#include "server/protocol/failure.h"
#include "server/web/web_text.h"

#include <stdio.h>
#include <stdlib.h>
#include <strings.h>

#define SETTING_BYTES 1024
#define SETTING_PREFIX "set."
#define PARAMETER_PREFIX "param."

/* ---- formats ---- */

typedef enum reply_format {
    REPLY_JSON,
    REPLY_JSONL,
    REPLY_CSV,
    REPLY_TSV,
    REPLY_ARROW,
    REPLY_PARQUET
} reply_format;

static const struct {
    const char *name, *type;
    reply_format format;
} reply_formats[] = {
    {"json", "application/json", REPLY_JSON},
    {"ndjson", "application/x-ndjson", REPLY_JSONL},
    {"jsonl", "application/jsonl", REPLY_JSONL},
    {"csv", "text/csv; charset=utf-8", REPLY_CSV},
    {"tsv", "text/tab-separated-values; charset=utf-8", REPLY_TSV},
    {"arrow", IPC_MEDIA_TYPE, REPLY_ARROW},
    {"parquet", "application/vnd.apache.parquet", REPLY_PARQUET},
    {"any", "*/*", REPLY_JSON},
};
#define REPLY_FORMAT_COUNT (sizeof reply_formats / sizeof *reply_formats)

static bool is_media_type(const char *text, size_t bytes, const char *type)
{
    return strcspn(type, ";") == bytes && !strncasecmp(text, type, bytes);
}

/* Returns the quality that stands after a media type, from 0 to 1000. */
static unsigned read_quality(const char *text, size_t bytes)
{
    for (size_t i = 0; i + 3 < bytes; i++)
        if (text[i] == ';' || text[i] == ' ')
            if ((text[i + 1] | 0x20) == 'q' && text[i + 2] == '=') {
                double quality = strtod(text + i + 3, NULL);
                return quality >= 0 && quality <= 1 ? (unsigned)(quality * 1000) : 1000;
            }
    return 1000;
}

/* Takes the first of the media types with the highest quality that is known. */
static bool read_accept(const char *accept, size_t *out)
{
    unsigned best = 0;
    for (const char *at = accept; *at;) {
        at += strspn(at, " \t,");
        size_t bytes = strcspn(at, ","), name = strcspn(at, ",; \t");
        unsigned quality = read_quality(at, bytes);
        for (size_t i = 0; i < REPLY_FORMAT_COUNT && name; i++)
            if (quality > best && is_media_type(at, name, reply_formats[i].type)) {
                best = quality;
                *out = i;
            }
        at += bytes;
    }
    return best > 0;
}

static bool read_name(const char *name, size_t *out)
{
    for (size_t i = 0; i < REPLY_FORMAT_COUNT; i++)
        if (!strcmp(reply_formats[i].name, name)) {
            *out = i;
            return true;
        }
    return false;
}

/* Finds the format: that of ?format=, else what Accept asks for, else JSON. */
static status find_format(const job *j, size_t *out)
{
    const char *name = evhttp_find_header(&j->parameters, "format");
    *out = 0;
    if (name ? read_name(name, out) : !j->accept || read_accept(j->accept, out))
        return STATUS_OK;
    return status_hint(
        status_new(STATUS_KIND_INVALID, "rows cannot be had as \"%s\"", name ? name : j->accept),
        "?format= takes json, ndjson, csv, tsv, arrow or parquet");
}

/* ---- statements ---- */

typedef struct asked {
    job *job;
    pistachio_connection *connection;
    pistachio_result *result;
    history_entry *entry;
    activity_entry activity;
    session_definitions definitions;
    usage *usage; /* with ?timeline=: of the statement; else NULL */
    bool is_begun;
} asked;

/* Writes SET "name" = 'value', with quotes in them doubled. */
static bool write_setting(char sql[SETTING_BYTES], const char *name, const char *text)
{
    size_t at = (size_t)snprintf(sql, SETTING_BYTES, "set ");
    for (; *name && at < SETTING_BYTES - 8; name++) {
        if ((*name < 'a' || *name > 'z') && *name != '_' && (*name < '0' || *name > '9'))
            return false;
        sql[at++] = *name;
    }
    at += (size_t)snprintf(sql + at, SETTING_BYTES - at, " = '");
    for (; *text && at < SETTING_BYTES - 4; text++) {
        if (*text == '\'')
            sql[at++] = '\'';
        sql[at++] = *text;
    }
    sql[at++] = '\'';
    sql[at] = 0;
    return !*name && !*text;
}

static const struct evkeyval *first_parameter(const job *j)
{
    return j->parameters.tqh_first;
}

static status apply_settings(asked *a)
{
    char sql[SETTING_BYTES];
    for (const struct evkeyval *one = first_parameter(a->job); one; one = one->next.tqe_next) {
        pistachio_result *result;
        if (strncmp(one->key, SETTING_PREFIX, strlen(SETTING_PREFIX)) != 0)
            continue;
        if (!write_setting(sql, one->key + strlen(SETTING_PREFIX), one->value))
            return status_new(STATUS_KIND_INVALID, "\"%s\" is not a setting with a value",
                              one->key);
        TRY(api_error_status(pistachio_query(a->connection, sql, NULL, &result)));
        pistachio_result_free(result);
    }
    return STATUS_OK;
}

static bool has_parameters(const job *j)
{
    for (const struct evkeyval *one = first_parameter(j); one; one = one->next.tqe_next)
        if (!strncmp(one->key, PARAMETER_PREFIX, strlen(PARAMETER_PREFIX)))
            return true;
    return false;
}

static status answer_query_bind_parameter(pistachio_statement *statement,
                                          const struct evkeyval *one)
{
    const char *name = one->key + strlen(PARAMETER_PREFIX);
    uint32_t count = pistachio_parameter_count(statement);
    for (uint32_t i = 0; i < count; i++) {
        const char *own = pistachio_parameter_name(statement, i);
        if (own ? !strcmp(own, name) : strtoul(name, NULL, 10) == i + 1)
            return api_error_status(
                pistachio_bind_text(statement, i, one->value, strlen(one->value)));
    }
    return status_new(STATUS_KIND_INVALID, "the statement does not have a parameter \"%s\"", name);
}

static status bind_and_execute(asked *a, pistachio_statement *statement)
{
    for (const struct evkeyval *one = first_parameter(a->job); one; one = one->next.tqe_next) {
        if (!strncmp(one->key, PARAMETER_PREFIX, strlen(PARAMETER_PREFIX)))
            TRY(answer_query_bind_parameter(statement, one));
    }
    return api_error_status(pistachio_execute(statement, &a->result));
}

/* Runs a statement with parameters; what is after it must be empty. */
static status run_prepared(asked *a, const char *sql)
{
    const char *rest;
    pistachio_statement *statement;
    TRY(api_error_status(pistachio_prepare(a->connection, sql, &rest, &statement)));
    if (!statement)
        return STATUS_OK;
    status st = rest[strspn(rest, " \t\r\n;")]
                    ? status_new(STATUS_KIND_INVALID, "parameters go with one statement alone")
                    : bind_and_execute(a, statement);
    pistachio_statement_free(statement);
    return st;
}

/* Runs the statements; a->result is the last one's. *out_start: where a statement that failed begins. */
static status answer_query_run_statements(asked *a, const char *sql, const char **out_start)
{
    if (has_parameters(a->job))
        return run_prepared(a, sql);
    for (const char *at = sql; *at;) {
        pistachio_result *next;
        *out_start = at;
        TRY(api_error_status(pistachio_query(a->connection, at, &at, &next)));
        if (!next)
            continue;
        pistachio_result_free(a->result);
        a->result = next;
    }
    return STATUS_OK;
}

/* ---- rows ---- */

static status answer_query_check_rows(const asked *a)
{
    uint64_t limit = a->activity.limits.rows;
    if (!limit || a->entry->rows <= limit)
        return STATUS_OK;
    return status_new(STATUS_KIND_LIMIT,
                      "the result has more than the %llu rows that the user may get",
                      (unsigned long long)limit);
}

static status write_rows(asked *a, row_format format, FILE *out)
{
    api_row_writer writer;
    const pistachio_batch *batch;
    status st = api_row_writer_open(&writer, a->result, row_style_default(format), out, 1);
    while (!st && !ferror(out)) {
        st = api_error_status(pistachio_next(a->result, &batch));
        if (st || !batch)
            break;
        api_row_writer_add(&writer, batch);
        a->entry->rows += pistachio_batch_rows(batch);
        st = answer_query_check_rows(a);
        fflush(out);
    }
    if (!st)
        api_row_writer_end(&writer);
    api_row_writer_close(&writer);
    return st;
}

static bool answer_query_lend(void *to, const void *bytes, size_t count, ipc_batch *batch)
{
    return job_lend(to, bytes, count, batch);
}

static status write_arrow(asked *a, FILE *out)
{
    ipc_lender lender = {.to = a->job, .lend = answer_query_lend};
    struct ArrowArrayStream stream;
    uint64_t rows;
    TRY(api_error_status(pistachio_arrow_stream(a->result, &stream)));
    a->result = NULL;
    status st = ipc_write(&stream, out, &lender, &rows);
    a->entry->rows += rows;
    stream.release(&stream);
    return st ? st : answer_query_check_rows(a);
}

static status write_parquet(asked *a, FILE *out)
{
    uint64_t rows;
    status st = api_parquet_write(a->result, out, a->activity.limits.rows, &rows);
    a->entry->rows += rows;
    return st;
}

/* Writes names and types of the columns for the reply's head. They are left out where they are too long for it. */
static void note_columns(asked *a)
{
    char *text = NULL;
    size_t bytes = 0;
    uint32_t count = pistachio_column_count(a->result);
    FILE *out = open_memstream(&text, &bytes);
    if (!out)
        return;
    for (uint32_t i = 0; i < count && ftell(out) < JOB_HEADER_BYTES; i++) {
        fputs(i ? ", [" : "[[", out);
        json_text_ascii(out, pistachio_column_name(a->result, i));
        fputs(", ", out);
        json_text_ascii(out, pistachio_column_type(a->result, i));
        fputs("]", out);
    }
    fputs(count ? "]" : "[]", out);
    fclose(out);
    if (text && bytes < JOB_HEADER_BYTES)
        a->job->columns = mem_copy_text(text, bytes);
    (free)(text); /* the C library's memory */
}

static status write_result(asked *a, size_t format, FILE *out)
{
    const char *tag = pistachio_tag(a->result);
    if (!a->result || tag) {
        job_set_head(a->job, 200, "text/plain; charset=utf-8");
        fprintf(out, "%s\n", tag ? tag : "");
        return STATUS_OK;
    }
    note_columns(a);
    job_set_head(a->job, 200,
                 strchr(reply_formats[format].type, '*') ? "application/json"
                                                         : reply_formats[format].type);
    switch (reply_formats[format].format) {
    case REPLY_ARROW:
        return write_arrow(a, out);
    case REPLY_PARQUET:
        return write_parquet(a, out);
    case REPLY_CSV:
        return write_rows(a, ROW_CSV, out);
    case REPLY_TSV:
        return write_rows(a, ROW_TSV, out);
    case REPLY_JSONL:
        return write_rows(a, ROW_JSONL, out);
    default:
        return write_rows(a, ROW_JSON, out);
    }
}

/* ---- all ---- */

static status run(asked *a, size_t format, const char **out_start)
{
    FILE *out = job_file(a->job);
    if (!out)
        return status_no_memory("reply", 0);
    status st = apply_settings(a);
    if (!st)
        st = answer_query_run_statements(a, a->job->body, out_start);
    if (!st)
        st = write_result(a, format, out);
    if (st)
        (void)job_drop(a->job);
    bool is_lost = ferror(out);
    if ((fclose(out) || is_lost) && !st)
        st = status_new(STATUS_KIND_CANCELLED, "the client has gone");
    return st;
}

/* Reads what the user's statements may take. What is wrong with the file is said where the server's own words go. */
static status answer_query_read_limits(const job *j, const char *user, role_limits *out)
{
    const char *users = j->web->shared->users;
    role_limits_init(out);
    status st = users && !j->is_trusted ? users_limits(users, user, out) : STATUS_OK;
    if (!st)
        return STATUS_OK;
    fprintf(stderr, "pistachio serve: %s\n", status_message(st));
    status_free(st);
    return status_new(STATUS_KIND_IO, "the server cannot read what users may do");
}

static status fill_activity(asked *a, const char *user)
{
    activity_entry *one = &a->activity;
    TRY(answer_query_read_limits(a->job, user, &one->limits));
    one->connection = a->connection;
    one->protocol = "http";
    one->sees_all = a->job->is_trusted;
    snprintf(one->user, sizeof one->user, "%s", user);
    return STATUS_OK;
}

/* Adds the statement to those that others see and cancel. Caller holds the lock. */
static status answer_query_show(asked *a, const char *user)
{
    const char *id = a->job->id ? a->job->id : "";
    web *w = a->job->web;
    TRY(history_begin(&w->history, id, user, a->job->body, &a->entry));
    a->entry->connection = a->connection;
    if (a->usage)
        a->entry->usage = usage_ref(a->usage);
    a->entry->activity = &a->activity;
    a->entry->is_cancelled = atomic_load(&a->job->is_gone);
    a->job->entry = a->entry;
    return activity_add(&w->shared->activity, &a->activity);
}

static status begin(asked *a, const char *user)
{
    web *w = a->job->web;
    TRY(api_error_status(pistachio_connect_session(w->shared->database, &a->connection)));
    TRY(fill_activity(a, user));
    if (evhttp_find_header(&a->job->parameters, "timeline")) {
        TRY(usage_new(&a->usage));
        a->connection->usage = a->usage;
    }
    definitions_join(&a->definitions, &w->shared->definitions, a->connection,
                     a->activity.limits.writes_catalog);
    mutex_lock(&w->lock);
    status st = answer_query_show(a, user);
    mutex_unlock(&w->lock);
    TRY(st);
    activity_show(&a->activity);
    a->job->activity = &a->activity;
    a->is_begun = true;
    activity_begin(&a->activity, a->job->body, strlen(a->job->body), 0);
    return STATUS_OK;
}

static void end(asked *a, status st)
{
    web *w = a->job->web;
    history_state state = !st                                            ? HISTORY_DONE
                          : status_get_kind(st) == STATUS_KIND_CANCELLED ? HISTORY_CANCELLED
                                                                         : HISTORY_FAILED;
    if (a->is_begun)
        activity_end(&a->activity, st, st ? failure_state(st) : "", a->entry->rows);
    a->job->activity = NULL;
    mutex_lock(&w->lock);
    a->job->entry = NULL;
    activity_remove(&a->activity);
    if (a->entry)
        history_end(&w->history, a->entry, state, st ? status_message(st) : "");
    mutex_unlock(&w->lock);
    pistachio_result_free(a->result);
    definitions_leave(&a->definitions);
    pistachio_disconnect(a->connection);
    usage_unref(a->usage); /* after the result, whose tasks note their time */
}

void answer_query(job *j, const char *user)
{
    asked a = {.job = j};
    size_t format;
    const char *start = j->body;
    status st = find_format(j, &format);
    if (!st)
        st = begin(&a, user);
    if (!st)
        st = run(&a, format, &start);
    st = activity_explain(&a.activity, st);
    end(&a, st);
    if (st)
        web_failure(j, st, j->body, (size_t)(start - j->body));
    else
        job_end(j, false);
}
