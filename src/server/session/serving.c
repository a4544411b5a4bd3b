/* serving.c - see serving.h. */
#include "server/session/serving.h"

#include "server/engine.h"
#include "server/protocol/failure.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <time.h>
#include <unistd.h>

#define STACK_BYTES ((size_t)8 << 20)
#define EVENTS_MAX 64
/* How often statements of those who are gone are cancelled, and an end is looked for. */
#define TICK_MILLISECONDS 50
/* From cancelling to breaking connections off. */
#define CUT_MILLISECONDS 2000

/* Kinds of events, above a listener's or client's number. */
#define EVENT_LISTENER ((uint64_t)1 << 32)
#define EVENT_SIGNAL ((uint64_t)2 << 32)
#define EVENT_CLIENT ((uint64_t)3 << 32)
#define EVENT_TIMER ((uint64_t)4 << 32)
#define EVENT_KIND(event) ((event) >> 32 << 32)

typedef struct serving {
    session_shared *shared;
    listeners *listeners;
    int events, signals; /* epoll, signalfd */
    int64_t grace;       /* milliseconds */
    int64_t end;         /* by when statements are to be over; 0: no end is asked for */
    bool is_cut;         /* connections that are left were broken off */
} serving;

static status watch(const serving *s, int descriptor, uint32_t events, uint64_t data)
{
    struct epoll_event event = {.events = events, .data.u64 = data};
    if (epoll_ctl(s->events, EPOLL_CTL_ADD, descriptor, &event))
        return status_new_errno(errno, "could not wait for clients");
    return STATUS_OK;
}

/* ---- a client's thread ---- */

typedef struct thread_start {
    session_shared *shared;
    client *client;
} thread_start;

static void *run_thread(void *argument)
{
    thread_start start = *(thread_start *)argument;
    mem_free(argument);
    slice_manage();
    session_run(start.shared, start.client);
    return NULL;
}

static status start_thread(session_shared *shared, client *one)
{
    pthread_attr_t attributes;
    pthread_t thread;
    thread_start *start = mem_new(sizeof *start);
    if (!start)
        return status_no_memory("thread", sizeof *start);
    *start = (thread_start){shared, one};
    pthread_attr_init(&attributes);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    pthread_attr_setstacksize(&attributes, STACK_BYTES);
    int error = pthread_create(&thread, &attributes, run_thread, start);
    pthread_attr_destroy(&attributes);
    if (!error)
        return STATUS_OK;
    mem_free(start);
    return status_new_errno(error, "could not start a thread for a client");
}

/* ---- letting clients in ---- */

/* Tells a client why it is not let in, without waiting for it. */
static void refuse(int socket, status st)
{
    wire_writer out = {0};
    failure_write_own(&out, "FATAL", SQLSTATE_TOO_MANY, status_message(st), NULL);
    if (!out.is_failed)
        (void)send(socket, out.bytes.items, out.bytes.count, MSG_NOSIGNAL | MSG_DONTWAIT);
    status_free(st);
    wire_release(&out);
}

static void keep_alive(int socket, bool is_local)
{
    int on = 1;
    if (is_local)
        return;
    (void)setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    (void)setsockopt(socket, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);
}

static void let_in(serving *s, int socket, const listener *from)
{
    client *one;
    keep_alive(socket, from->is_local);
    status st = clients_add(&s->shared->clients, socket, from->is_trusted, &one);
    if (st) {
        refuse(socket, st);
        close(socket);
        return;
    }
    one->needs_tls = from->needs_tls;
    one->is_owner = from->is_local;
    st = watch(s, socket, EPOLLRDHUP | EPOLLET, EVENT_CLIENT | one->number);
    if (!st)
        st = start_thread(s->shared, one);
    if (st) {
        refuse(socket, st);
        clients_remove(&s->shared->clients, one);
    }
}

static void accept_all(serving *s, const listener *from)
{
    for (;;) {
        int socket = accept4(from->socket, NULL, NULL, SOCK_CLOEXEC);
        if (socket >= 0)
            let_in(s, socket, from);
        else if (errno == EMFILE || errno == ENFILE || errno == ENOMEM || errno == ENOBUFS)
            nanosleep(&(struct timespec){.tv_nsec = TICK_MILLISECONDS * 1000000}, NULL);
        if (socket < 0 && errno != EINTR && errno != ECONNABORTED)
            return;
    }
}

/* ---- the end ---- */

/* Lets nobody in any more, and tells those who wait for their client that the server ends. */
static void begin_end(serving *s)
{
    struct signalfd_siginfo info;
    uint64_t one = 1;
    while (read(s->signals, &info, sizeof info) > 0)
        ;
    bool is_asked_again = s->end;
    s->end = stream_milliseconds() + (is_asked_again ? 0 : s->grace);
    listen_close(s->listeners);
    if (write(s->shared->ending, &one, sizeof one) < 0)
        s->end = 1; /* cannot fail; else all are cut off */
}

static void end_statements(serving *s)
{
    int64_t now = stream_milliseconds();
    if (!s->end || now < s->end)
        return;
    (void)clients_cancel_all(&s->shared->clients);
    if (!s->is_cut && now >= s->end + CUT_MILLISECONDS) {
        s->is_cut = true; /* once: each time is an event of each socket */
        clients_cut_all(&s->shared->clients);
    }
}

/* ---- the loop ---- */

static void take_event(serving *s, const struct epoll_event *event)
{
    uint32_t number = (uint32_t)event->data.u64;
    switch (EVENT_KIND(event->data.u64)) {
    case EVENT_LISTENER:
        if (number < s->listeners->count)
            accept_all(s, &s->listeners->items[number]);
        break;
    case EVENT_SIGNAL:
        begin_end(s);
        break;
    case EVENT_TIMER:
        activity_expire(&s->shared->activity);
        break;
    default:
        clients_note_gone(&s->shared->clients, number);
    }
}

static status run(serving *s)
{
    bool has_gone = false;
    while (!s->end || clients_count(&s->shared->clients)) {
        struct epoll_event events[EVENTS_MAX];
        int timeout = has_gone || s->end ? TICK_MILLISECONDS : -1;
        int count = epoll_wait(s->events, events, EVENTS_MAX, timeout);
        if (count < 0 && errno != EINTR)
            return status_new_errno(errno, "could not wait for clients");
        for (int i = 0; i < count; i++)
            take_event(s, &events[i]);
        has_gone = clients_cancel_gone(&s->shared->clients);
        end_statements(s);
    }
    return STATUS_OK;
}

static sigset_t signals_of_end(void)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGINT);
    return set;
}

void serving_hold_signals(void)
{
    const sigset_t set = signals_of_end();
    pthread_sigmask(SIG_BLOCK, &set, NULL);
}

/* Makes SIGTERM and SIGINT readable. */
static status take_signals(serving *s)
{
    const sigset_t set = signals_of_end();
    s->signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
    if (s->signals < 0)
        return status_new_errno(errno, "could not wait for signals");
    return watch(s, s->signals, EPOLLIN, EVENT_SIGNAL);
}

static status serving_open_and_run(serving *s)
{
    s->events = epoll_create1(EPOLL_CLOEXEC);
    if (s->events < 0)
        return status_new_errno(errno, "could not wait for clients");
    TRY(take_signals(s));
    TRY(watch(s, s->shared->activity.timer, EPOLLIN, EVENT_TIMER));
    for (size_t i = 0; i < s->listeners->count; i++)
        TRY(watch(s, s->listeners->items[i].socket, EPOLLIN, EVENT_LISTENER | i));
    return run(s);
}

status serve_clients(session_shared *shared, listeners *all, unsigned grace)
{
    serving s = {.shared = shared,
                 .listeners = all,
                 .events = -1,
                 .signals = -1,
                 .grace = (int64_t)grace * 1000};
    status st = serving_open_and_run(&s);
    listen_close(all);
    if (s.signals >= 0)
        close(s.signals);
    if (s.events >= 0)
        close(s.events);
    return st;
}
