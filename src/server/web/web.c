/* web.c - see web.h. */
#include "server/web/reply.h"
#include "server/web/route.h"
#include "server/web/web_parts.h"

#include <event2/bufferevent.h>
#include <event2/bufferevent_ssl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/eventfd.h>
#include <unistd.h>

#define TICK_MILLISECONDS 250
/* For a request to come whole. */
#define PATIENCE_MILLISECONDS 60000
/* A client that takes no byte for so long is gone. */
#define STUCK_SECONDS 600
#define INPUT_BYTES 65536
#define OUTPUT_BYTES (1 << 20) /* at once */
/* Connections beyond those that may run something. */
#define SPARE 100
/* From cancelling to breaking connections off. */
#define CUT_MILLISECONDS 2000

/* ---- jobs that are ready ---- */

void web_wake(job *j)
{
    web *w = j->web;
    uint64_t one = 1;
    mutex_lock(&w->lock);
    bool is_new = !j->is_ready;
    if (is_new) {
        j->is_ready = true;
        j->next_ready = w->ready;
        w->ready = job_ref(j);
    }
    mutex_unlock(&w->lock);
    if (is_new && write(w->wake, &one, sizeof one) < 0)
        return; /* it is full: the loop is awake */
}

static job *take_ready(web *w)
{
    mutex_lock(&w->lock);
    job *j = w->ready;
    if (j) {
        w->ready = j->next_ready;
        j->is_ready = false;
    }
    mutex_unlock(&w->lock);
    return j;
}

static void wake_up(evutil_socket_t socket, short events, void *argument)
{
    uint64_t count;
    (void)events;
    (void)!read(socket, &count, sizeof count);
    for (job *j; (j = take_ready(argument));) {
        reply_pump(j);
        job_unref(j);
    }
}

/* ---- connections ---- */

typedef struct new_connection {
    web *web;
    struct bufferevent *stream;
} new_connection;

/* Adds the socket, which evhttp has set by now. */
static void note_connection(evutil_socket_t socket, short events, void *argument)
{
    new_connection *made = argument;
    (void)events;
    socket = bufferevent_getfd(made->stream);
    if (socket >= 0)
        sockets_add(&made->web->sockets, socket, stream_milliseconds());
    bufferevent_decref(made->stream);
    mem_free(made);
}

static struct bufferevent *make_plain_stream(struct event_base *base)
{
    struct bufferevent *made = bufferevent_socket_new(base, -1, BEV_OPT_CLOSE_ON_FREE);
    if (made)
        (void)bufferevent_set_max_single_write(made, OUTPUT_BYTES);
    return made;
}

/* Makes a stream, encrypted or not. Encrypted ones keep to the 16 KiB that libevent writes at once: of more it leaves out
 * what does not fit one record, in front of the next piece. */
static struct bufferevent *make_stream(web *w, struct event_base *base)
{
    SSL_CTX *context = (SSL_CTX *)w->shared->tls;
    if (!context)
        return make_plain_stream(base);
    SSL *session = SSL_new(context);
    struct bufferevent *made =
        session ? bufferevent_openssl_socket_new(base, -1, session, BUFFEREVENT_SSL_ACCEPTING,
                                                 BEV_OPT_CLOSE_ON_FREE)
                : NULL;
    if (made)
        bufferevent_openssl_set_allow_dirty_shutdown(made, 1);
    else
        SSL_free(session);
    return made;
}

/* Makes the stream of a new connection, whose socket evhttp sets after it. */
static struct bufferevent *connect_stream(struct event_base *base, void *argument)
{
    web *w = argument;
    new_connection *made = mem_new(sizeof *made);
    struct bufferevent *stream = made ? make_stream(w, base) : NULL;
    if (!stream) {
        mem_free(made);
        return NULL;
    }
    bufferevent_setwatermark(stream, EV_READ, 0, INPUT_BYTES);
    bufferevent_incref(stream);
    *made = (new_connection){w, stream};
    if (event_base_once(base, -1, EV_TIMEOUT, note_connection, made, NULL)) {
        bufferevent_decref(stream);
        mem_free(made);
    }
    return stream;
}

/* ---- the end ---- */

static void close_addresses(web *w)
{
    for (size_t i = 0; i < w->address_count; i++)
        evhttp_free(w->addresses[i].http);
    w->address_count = 0;
}

static void web_begin_end(evutil_socket_t socket, short events, void *argument)
{
    web *w = argument;
    (void)socket;
    (void)events;
    w->end = stream_milliseconds() + (int64_t)w->options->grace * 1000;
}

static void cancel_late(web *w, int64_t now)
{
    mutex_lock(&w->lock);
    if (w->end && now >= w->end)
        history_cancel_all(&w->history);
    else
        history_cancel_again(&w->history);
    mutex_unlock(&w->lock);
}

static void tick(evutil_socket_t socket, short events, void *argument)
{
    web *w = argument;
    int64_t now = stream_milliseconds();
    (void)socket;
    (void)events;
    sockets_sweep(&w->sockets, now);
    cancel_late(w, now);
    if (w->end && now >= w->end + CUT_MILLISECONDS)
        reply_cut_all(w);
    if (w->end && !w->jobs && !atomic_load(&w->running))
        event_base_loopbreak(w->base);
}

/* ---- the loop ---- */

static void *run_loop(void *argument)
{
    web *w = argument;
    struct timeval often = {.tv_usec = TICK_MILLISECONDS * 1000};
    struct event *ticks = event_new(w->base, -1, EV_PERSIST, tick, w),
                 *wakes = event_new(w->base, w->wake, EV_READ | EV_PERSIST, wake_up, w),
                 *end = event_new(w->base, w->shared->ending, EV_READ, web_begin_end, w);
    if (ticks && wakes && end && !event_add(ticks, &often) && !event_add(wakes, NULL) &&
        !event_add(end, NULL))
        event_base_dispatch(w->base);
    close_addresses(w);
    if (ticks)
        event_free(ticks);
    if (wakes)
        event_free(wakes);
    if (end)
        event_free(end);
    return NULL;
}

static status listen_at_place(web *w, const char *place)
{
    const server_options *o = w->options;
    listeners found = {.count = 0};
    status st = listen_at(&found, place, w->shared->tls, o->is_insecure);
    for (size_t i = 0; i < found.count; i++) {
        web_address *address = &w->addresses[w->address_count];
        struct evhttp *http = st ? NULL : evhttp_new(w->base);
        bool is_trusted = found.items[i].is_loopback && o->trusts_loopback;
        if (!st && !is_trusted && !o->users)
            st = status_new(STATUS_KIND_INVALID,
                            "clients of %s need passwords, and there is no --users FILE",
                            found.items[i].name);
        if (!st && (!http || evhttp_accept_socket(http, found.items[i].socket)))
            st = status_new(STATUS_KIND_IO, "could not listen on %s", found.items[i].name);
        if (st) {
            close(found.items[i].socket);
            if (http)
                evhttp_free(http);
            continue;
        }
        *address = (web_address){w, http, is_trusted, ""};
        memcpy(address->name, found.items[i].name, sizeof address->name);
        w->address_count++;
        evhttp_set_max_headers_size(http, WEB_HEAD_BYTES_MAX);
        evhttp_set_max_body_size(http, WEB_BODY_BYTES_MAX);
        evhttp_set_allowed_methods(http, EVHTTP_REQ_GET | EVHTTP_REQ_HEAD | EVHTTP_REQ_POST |
                                             EVHTTP_REQ_DELETE);
        evhttp_set_timeout(http, STUCK_SECONDS);
        evhttp_set_bevcb(http, connect_stream, w);
        evhttp_set_gencb(http, route_request, address);
        printf("listening on %s://%s\n", w->shared->tls ? "https" : "http", found.items[i].name);
    }
    return st;
}

static status start(web *w)
{
    w->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    w->base = event_base_new();
    if (w->wake < 0 || !w->base)
        return status_new(STATUS_KIND_IO, "could not make an event loop");
    for (size_t i = 0; i < w->options->http_count; i++)
        TRY(listen_at_place(w, w->options->http[i]));
    fflush(stdout);
    sigset_t all, before; /* signals are the other loop's */
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int error = pthread_create(&w->thread, NULL, run_loop, w);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return error ? status_new_errno(error, "could not start a thread for HTTP") : STATUS_OK;
}

static void release(web *w)
{
    close_addresses(w);
    if (w->base)
        event_base_free(w->base);
    if (w->wake >= 0)
        close(w->wake);
    sockets_release(&w->sockets);
    history_release(&w->history);
    mutex_destroy(&w->lock);
    mem_free(w);
}

status web_open(const server_options *options, session_shared *shared, web **out)
{
    *out = NULL;
    if (!options->http_count)
        return STATUS_OK;
    web *w = mem_new(sizeof *w);
    if (!w)
        return status_no_memory("HTTP server", sizeof *w);
    w->options = options;
    w->shared = shared;
    w->wake = -1;
    w->sockets.most = options->max_connections + SPARE;
    w->sockets.patience = PATIENCE_MILLISECONDS;
    mutex_init(&w->lock);
    web_page_open(&w->page);
    status st = start(w);
    if (st)
        release(w);
    else
        *out = w;
    return st;
}

void web_close(web *w)
{
    uint64_t one = 1;
    if (!w)
        return;
    if (write(w->shared->ending, &one, sizeof one) < 0)
        return; /* cannot fail */
    pthread_join(w->thread, NULL);
    for (job *j; (j = take_ready(w));)
        job_unref(j);
    release(w);
}
