/* route.c - see route.h. */
#include "server/web/route.h"

#include "server/web/access.h"
#include "server/web/answer.h"
#include "server/web/reply.h"

#include <event2/buffer.h>
#include <event2/bufferevent.h>
#include <pthread.h>

#define STACK_BYTES ((size_t)8 << 20)

/* ---- what is answered at once ---- */

static void say(web *w, struct evhttp_request *request, int code, const char *text)
{
    reply_send(w, request, code, "text/plain; charset=utf-8", text, strlen(text));
}

/* Says whether statements are taken, and run on all ranks. */
static void say_ready(web *w, struct evhttp_request *request)
{
    uint64_t losses;
    status loss;
    unsigned ranks = api_database_ranks(w->shared->database, &losses, &loss);
    if (w->end) {
        say(w, request, 503, "ending\n");
    } else if (loss) {
        char text[512];
        snprintf(text, sizeof text, "%s; waiting until all %u ranks are there\n",
                 status_message(loss), ranks);
        say(w, request, 503, text);
    } else {
        say(w, request, 200, "ready\n");
    }
    status_free(loss);
}

static bool answer_at_once(web *w, struct evhttp_request *request, const char *path)
{
    web_file file;
    if (!strcmp(path, "/healthz")) {
        say(w, request, 200, "ok\n");
    } else if (!strcmp(path, "/readyz")) {
        say_ready(w, request);
    } else if (web_page_find(path, &file)) {
        (void)evhttp_add_header(evhttp_request_get_output_headers(request),
                                "Content-Security-Policy", w->page.policy);
        reply_send(w, request, 200, file.type, file.text, file.bytes);
    } else {
        return false;
    }
    return true;
}

/* ---- what has a thread ---- */

static void *run_thread(void *argument)
{
    job *j = argument;
    web *w = j->web;
    slice_manage();
    answer_request(j);
    job_unref(j);
    atomic_fetch_sub(&w->running, 1);
    return NULL;
}

static status start_thread(job *j)
{
    pthread_attr_t attributes;
    pthread_t thread;
    pthread_attr_init(&attributes);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    pthread_attr_setstacksize(&attributes, STACK_BYTES);
    atomic_fetch_add(&j->web->running, 1);
    int error = pthread_create(&thread, &attributes, run_thread, job_ref(j));
    pthread_attr_destroy(&attributes);
    if (!error)
        return STATUS_OK;
    job_unref(j);
    atomic_fetch_sub(&j->web->running, 1);
    return status_new_errno(error, "could not start a thread for a request");
}

static char *route_copy(const char *text)
{
    return text ? mem_copy_text(text, strlen(text)) : NULL;
}

static status take_request(job *j, struct evhttp_request *request, const char *id)
{
    struct evkeyvalq *headers = evhttp_request_get_input_headers(request);
    struct evbuffer *body = evhttp_request_get_input_buffer(request);
    const char *query = evhttp_uri_get_query(evhttp_request_get_evhttp_uri(request));
    size_t bytes = evbuffer_get_length(body);
    j->body = mem_new(bytes + 1);
    if (!j->body || evbuffer_remove(body, j->body, bytes) != (int)bytes)
        return status_no_memory("request", bytes);
    if (query && evhttp_parse_query_str(query, &j->parameters))
        return status_new(STATUS_KIND_INVALID, "what is after ? are not names and values");
    j->authorization = route_copy(evhttp_find_header(headers, "Authorization"));
    j->accept = route_copy(evhttp_find_header(headers, "Accept"));
    j->id = route_copy(id ? id : evhttp_find_header(&j->parameters, "id"));
    if (strlen(j->body) != bytes)
        return status_new(STATUS_KIND_INVALID, "the body holds a byte 0");
    return sql_check_utf8(j->body, bytes, "the body");
}

/* An id goes into headers and JSON as it is. */
static bool is_id(const char *id)
{
    static const char letters[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";
    return strlen(id) < HISTORY_ID_BYTES && *id && !id[strspn(id, letters)];
}

static status start(web_address *address, struct evhttp_request *request, job *j, const char *id)
{
    TRY(take_request(j, request, id));
    if (j->id && !is_id(j->id))
        return status_new(STATUS_KIND_INVALID, "an id has 1 to 64 letters, digits, - and _");
    j->is_trusted = address->is_trusted;
    TRY(start_thread(j));
    return STATUS_OK;
}

static void refuse_failure(web *w, struct evhttp_request *request, status st)
{
    reply_refuse(w, request, status_get_kind(st) == STATUS_KIND_INVALID ? 400 : 503,
                 status_message(st));
    status_free(st);
}

static void begin(web_address *address, struct evhttp_request *request, job_kind kind,
                  const char *id)
{
    web *w = address->web;
    job *j;
    if (atomic_load(&w->running) >= w->options->max_connections) {
        reply_refuse(w, request, 503, "too many requests run");
        return;
    }
    if (w->end && kind == JOB_QUERY) {
        reply_refuse(w, request, 503, "the server is shutting down");
        return;
    }
    status st = job_new(w, kind, &j);
    if (!st)
        st = reply_open(j, request);
    if (!st) {
        st = start(address, request, j, id);
        if (st)
            reply_close(j);
    } else if (j) {
        job_unref(j);
    }
    if (st)
        refuse_failure(w, request, st);
}

/* ---- all ---- */

static void begin_or_refuse(web_address *address, struct evhttp_request *request, const char *path)
{
    static const struct {
        const char *path;
        enum evhttp_cmd_type command;
        job_kind kind;
    } routes[] = {{"/query", EVHTTP_REQ_POST, JOB_QUERY},
                  {"/queries", EVHTTP_REQ_GET, JOB_LIST},
                  {"/metrics", EVHTTP_REQ_GET, JOB_METRICS},
                  {"/login", EVHTTP_REQ_POST, JOB_LOGIN}};
    enum evhttp_cmd_type command = evhttp_request_get_command(request);
    for (size_t i = 0; i < sizeof routes / sizeof *routes; i++) {
        if (strcmp(path, routes[i].path) != 0)
            continue;
        if (command == routes[i].command)
            begin(address, request, routes[i].kind, NULL);
        else
            reply_refuse(address->web, request, 405, "this path takes another method");
        return;
    }
    if (command == EVHTTP_REQ_DELETE && !strncmp(path, "/query/", 7))
        begin(address, request, JOB_CANCEL, path + 7);
    else if (command == EVHTTP_REQ_GET && !strncmp(path, "/timeline/", 10))
        begin(address, request, JOB_USAGE, path + 10);
    else
        reply_refuse(address->web, request, 404, "nothing is found at this path");
}

/* Notes that the reply is sent: the connection waits for its next request. */
static void route_is_complete(struct evhttp_request *request, void *argument)
{
    web *w = argument;
    struct evhttp_connection *connection = evhttp_request_get_connection(request);
    if (connection)
        sockets_set_busy(&w->sockets,
                         bufferevent_getfd(evhttp_connection_get_bufferevent(connection)), false,
                         stream_milliseconds());
}

static bool has_twice(struct evhttp_request *request, const char *name)
{
    const struct evkeyval *one = evhttp_request_get_input_headers(request)->tqh_first;
    unsigned count = 0;
    for (; one; one = one->next.tqe_next)
        count += !evutil_ascii_strcasecmp(one->key, name);
    return count > 1;
}

/* Two readers of a request whose length is told twice may take different parts of it for the next one. */
static bool is_ambiguous(struct evhttp_request *request)
{
    struct evkeyvalq *headers = evhttp_request_get_input_headers(request);
    const char *coding = evhttp_find_header(headers, "Transfer-Encoding");
    return has_twice(request, "Transfer-Encoding") || has_twice(request, "Content-Length") ||
           has_twice(request, "Host") ||
           (coding && evutil_ascii_strcasecmp(coding, "chunked") != 0) ||
           (coding && evhttp_find_header(headers, "Content-Length"));
}

void route_request(struct evhttp_request *request, void *argument)
{
    web_address *address = argument;
    web *w = address->web;
    struct evhttp_connection *connection = evhttp_request_get_connection(request);
    const char *path = evhttp_uri_get_path(evhttp_request_get_evhttp_uri(request));
    enum evhttp_cmd_type command = evhttp_request_get_command(request);
    sockets_set_busy(&w->sockets, bufferevent_getfd(evhttp_connection_get_bufferevent(connection)),
                     true, stream_milliseconds());
    evhttp_request_set_on_complete_cb(request, route_is_complete, w);
    if (is_ambiguous(request)) {
        (void)evhttp_add_header(evhttp_request_get_output_headers(request), "Connection", "close");
        reply_refuse(w, request, 400, "the request tells its length or host twice");
        return;
    }
    const char *refusal = access_refusal(w, request);
    bool is_question = command == EVHTTP_REQ_GET || command == EVHTTP_REQ_HEAD;
    path = path && *path ? path : "/";
    if (refusal)
        reply_refuse(w, request, 403, refusal);
    else if (!is_question || !answer_at_once(w, request, path))
        begin_or_refuse(address, request, path);
}
