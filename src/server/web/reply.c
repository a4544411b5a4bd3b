/* reply.c - see reply.h.
 *
 * Pieces are handed to evhttp only once it has sent those before, so a client that reads slowly holds the job's queue and as much
 * again. evhttp frees a request after its reply, and tells of a connection that it frees by closecb. */
#include "server/web/reply.h"

#include "server/web/web_text.h"

#include <event2/buffer.h>
#include <event2/bufferevent.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>

/* ---- heads ---- */

static void reply_add_header(struct evhttp_request *request, const char *name, const char *value)
{
    (void)evhttp_add_header(evhttp_request_get_output_headers(request), name, value);
}

static void add_head(web *w, struct evhttp_request *request, int code, const char *type)
{
    atomic_fetch_add(&w->counters.replies[code / 100 % 6], 1);
    reply_add_header(request, "Content-Type", type);
    reply_add_header(request, "Cache-Control", "no-store");
    reply_add_header(request, "X-Content-Type-Options", "nosniff");
    reply_add_header(request, "Cross-Origin-Resource-Policy", "same-origin");
    reply_add_header(request, "Referrer-Policy", "no-referrer");
    if (code == 401) /* a page asks by itself, and a browser shall not */
        reply_add_header(
            request, "WWW-Authenticate",
            evhttp_find_header(evhttp_request_get_input_headers(request), "X-Pistachio")
                ? "Bearer"
                : "Basic realm=\"pistachio\", charset=\"UTF-8\"");
}

static int socket_of(struct evhttp_request *request)
{
    struct evhttp_connection *connection = evhttp_request_get_connection(request);
    return connection ? bufferevent_getfd(evhttp_connection_get_bufferevent(connection)) : -1;
}

/* ---- short replies ---- */

void reply_send(web *w, struct evhttp_request *request, int code, const char *type,
                const char *body, size_t bytes)
{
    struct evbuffer *buffer = evhttp_request_get_output_buffer(request);
    add_head(w, request, code, type);
    if (evhttp_request_get_command(request) != EVHTTP_REQ_HEAD)
        (void)evbuffer_add(buffer, body, bytes);
    atomic_fetch_add(&w->counters.bytes, bytes);
    evhttp_send_reply(request, code, NULL, NULL);
}

void reply_refuse(web *w, struct evhttp_request *request, int code, const char *message)
{
    char *text = NULL;
    size_t bytes = 0;
    FILE *out = open_memstream(&text, &bytes);
    if (out) {
        fputs("{\"error\": {\"message\": ", out);
        json_text(out, message);
        fputs("}}\n", out);
        fclose(out);
    }
    reply_send(w, request, code, "application/json", text ? text : "", bytes);
    (free)(text); /* the C library's memory */
}

/* ---- replies of jobs ---- */

/* Gives up the loop's part of the job. */
static void let_go(job *j)
{
    if (j->closed)
        event_free(j->closed);
    j->closed = NULL;
    j->request = NULL;
    *j->link = j->next;
    if (j->next)
        j->next->link = j->link;
    job_unref(j);
}

static void cancel(job *j)
{
    web *w = j->web;
    mutex_lock(&w->lock);
    if (j->entry) {
        j->entry->is_cancelled = true;
        activity_cancel(j->entry->activity);
    }
    mutex_unlock(&w->lock);
}

/* evhttp frees the connection. A request that it has taken off the connection already is ours to free. */
static void connection_is_gone(struct evhttp_connection *connection, void *argument)
{
    job *j = argument;
    (void)connection;
    if (!evhttp_request_get_connection(j->request))
        evhttp_request_free(j->request);
    job_give_up(j);
    cancel(j);
    let_go(j);
}

/* Frees the connection without TCP's ordinary end, which would look like that of a whole reply. */
static void break_off(job *j)
{
    struct evhttp_connection *connection = evhttp_request_get_connection(j->request);
    struct linger now = {.l_onoff = 1};
    (void)setsockopt(socket_of(j->request), SOL_SOCKET, SO_LINGER, &now, sizeof now);
    evhttp_connection_free(connection);
}

static void client_has_closed(evutil_socket_t socket, short events, void *argument)
{
    (void)socket;
    (void)events;
    break_off(argument);
}

status reply_open(job *j, struct evhttp_request *request)
{
    web *w = j->web;
    j->closed = event_new(w->base, socket_of(request), EV_CLOSED, client_has_closed, j);
    if (!j->closed || event_add(j->closed, NULL)) {
        if (j->closed)
            event_free(j->closed);
        return status_no_memory("request", 0);
    }
    j->request = request;
    evhttp_connection_set_closecb(evhttp_request_get_connection(request), connection_is_gone, j);
    j->next = w->jobs;
    j->link = &w->jobs;
    if (j->next)
        j->next->link = &j->next;
    w->jobs = j;
    return STATUS_OK;
}

void reply_close(job *j)
{
    evhttp_connection_set_closecb(evhttp_request_get_connection(j->request), NULL, NULL);
    let_go(j);
}

static void free_piece(const void *bytes, size_t count, void *piece)
{
    (void)bytes;
    (void)count;
    job_piece_free(piece);
}

/* Moves pieces to a buffer that frees them. Returns false if some are missing. */
static bool reply_move_pieces(web *w, job_piece *piece, struct evbuffer *to)
{
    bool is_whole = true;
    while (piece) {
        job_piece *next = piece->next;
        is_whole =
            is_whole && !evbuffer_add_reference(to, piece->bytes, piece->count, free_piece, piece);
        if (!is_whole)
            job_piece_free(piece);
        else
            atomic_fetch_add(&w->counters.bytes, piece->count);
        piece = next;
    }
    return is_whole;
}

/* Makes the head of what the job says. */
static void add_job_head(job *j)
{
    mutex_lock(&j->lock);
    add_head(j->web, j->request, j->code, j->type);
    if (j->columns)
        reply_add_header(j->request, "X-Pistachio-Columns", j->columns);
    if (j->id)
        reply_add_header(j->request, "X-Pistachio-Query", j->id);
    mutex_unlock(&j->lock);
}

/* The reply is handed over: evhttp sends the rest and frees the request. */
static struct evhttp_request *hand_over(job *j)
{
    struct evhttp_request *request = j->request;
    reply_close(j);
    return request;
}

static void send_whole(job *j, struct evbuffer *body)
{
    int code = j->code;
    add_job_head(j);
    evhttp_send_reply(hand_over(j), code, NULL, body);
}

static void chunk_is_sent(struct evhttp_connection *connection, void *argument)
{
    job *j = argument;
    (void)connection;
    j->is_sending = false;
    reply_pump(j);
}

static void send_chunk(job *j, struct evbuffer *body)
{
    if (!j->has_begun) {
        add_job_head(j);
        evhttp_send_reply_start(j->request, j->code, NULL);
        j->has_begun = true;
    }
    j->is_sending = true;
    evhttp_send_reply_chunk_with_cb(j->request, body, chunk_is_sent, j);
}

/* Lets the loop break the connection off, because evhttp may be in the midst of using it. */
static void break_off_soon(job *j)
{
    event_active(j->closed, EV_CLOSED, 0);
}

static void send_pieces(job *j, job_piece *pieces, bool is_over)
{
    struct evbuffer *body = evbuffer_new();
    bool has_pieces = pieces;
    if (!body || !reply_move_pieces(j->web, pieces, body))
        break_off_soon(j);
    else if (is_over && !j->has_begun)
        send_whole(j, body);
    else if (has_pieces)
        send_chunk(j, body);
    else if (is_over)
        evhttp_send_reply_end(hand_over(j));
    if (body)
        evbuffer_free(body);
}

void reply_pump(job *j)
{
    bool is_over, is_broken;
    if (!j->request || j->is_sending)
        return;
    job_piece *pieces = job_take(j, &is_over, &is_broken);
    if (is_over && is_broken && !pieces)
        break_off_soon(j);
    else if (pieces || is_over)
        send_pieces(j, pieces, is_over && !is_broken);
}

void reply_cut_all(web *w)
{
    while (w->jobs)
        break_off(w->jobs);
}
