/* transfer.c - the thread that does requests, its queue, and what is asked again. */
#include "http/transfer.h"

#include "base/system/mutex.h"
#include "http/answer.h"
#include "http/request.h"
#include "http/tardy.h"

#include <openssl/crypto.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "http/engine.h"

#define ERROR_BYTES_MAX 65536
#define HEADER_BYTES_MAX ((size_t)256 << 10)
#define PAUSE_MILLISECONDS 100
#define PAUSE_MILLISECONDS_MAX 5000
/* A name that is not known, or a host that takes no connection, is rarely there a moment later. */
#define CONNECTS_MAX 4

/* A transfer that is not done: in the queue, under way, or in a pause. */
struct transfer_run {
    transfer *transfer;
    struct transfer_run *next, *before; /* of all that are not done */
    CURL *easy;                         /* of the attempt that is under way; NULL: none is */
    request_parts parts;
    status failure;    /* found while the answer came */
    bool is_stopped;   /* under the lock */
    bool is_checked;   /* the body is what was asked for */
    bool has_progress; /* the attempt has given bytes that none before it gave */
    uint64_t furthest; /* the most bytes of the body that an attempt has come to */
    bool is_answered;  /* the attempt's header has begun to come */
    bool is_second;    /* it was slower than most, and is asked a second time */
    unsigned attempts, connects;
    size_t header_bytes;
    int64_t due;      /* when the next attempt may begin */
    int64_t asked;    /* when the attempt was sent */
    int64_t progress; /* when it began, or came further */
};
typedef struct transfer_run run;

static pthread_mutex_t lock = MUTEX_INITIALIZER;
/* Under the lock. */
static run *first, *last;
static bool is_started, has_stopped_some;
static CURLM *multi;
/* The thread's. */
static unsigned under_way;
static unsigned random_state;

static int64_t now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* ---- the end of a transfer ---- */

static void unlink_run(run *r)
{
    mutex_lock(&lock);
    *(r->before ? &r->before->next : &first) = r->next;
    *(r->next ? &r->next->before : &last) = r->before;
    mutex_unlock(&lock);
}

static void end_attempt(run *r)
{
    if (!r->easy)
        return;
    curl_multi_remove_handle(multi, r->easy);
    curl_easy_cleanup(r->easy);
    request_release(&r->parts);
    r->easy = NULL;
    under_way--;
}

static void finish(run *r, status st)
{
    transfer *t = r->transfer;
    end_attempt(r);
    unlink_run(r);
    status_free(r->failure);
    mem_free(r);
    t->run = NULL;
    t->done(t, st);
}

/* ---- what comes ---- */

/* The answer's error text is kept for its words, as far as it is not absurd. */
static size_t take_error(run *r, const char *data, size_t bytes)
{
    transfer *t = r->transfer;
    if (t->text.count + bytes > ERROR_BYTES_MAX)
        return 0;
    status st = array_reserve(NULL, &t->text, bytes);
    if (st) {
        status_free(st);
        return 0;
    }
    memcpy(t->text.items + t->text.count, data, bytes);
    t->text.count += bytes;
    return bytes;
}

static status transfer_keep_text(transfer *t, const char *data, size_t bytes)
{
    if (t->text.count + bytes > t->room)
        return status_new(STATUS_KIND_IO, "could not read \"%s\": the answer is too long",
                          t->question.shown);
    TRY(array_reserve(NULL, &t->text, bytes));
    memcpy(t->text.items + t->text.count, data, bytes);
    t->text.count += bytes;
    return STATUS_OK;
}

static status take_body(run *r, const char *data, size_t bytes)
{
    transfer *t = r->transfer;
    if (!r->is_checked)
        TRY(answer_check_body(t));
    r->is_checked = true;
    if (!t->target) {
        TRY(transfer_keep_text(t, data, bytes));
    } else {
        if (bytes > t->room - t->received)
            return status_new(STATUS_KIND_IO,
                              "could not read \"%s\": the server sends more than was asked for",
                              t->question.shown);
        memcpy(t->target + t->received, data, bytes);
    }
    t->received += bytes;
    if (t->received > r->furthest) {
        r->furthest = t->received;
        r->has_progress = true;
        r->progress = now_ms();
    }
    return STATUS_OK;
}

static bool is_success(const transfer *t)
{
    return t->answer.code >= 200 && t->answer.code < 300;
}

static size_t on_body(char *data, size_t size, size_t count, void *argument)
{
    run *r = argument;
    size_t bytes = size * count;
    if (!is_success(r->transfer))
        return take_error(r, data, bytes);
    if (!r->failure)
        r->failure = take_body(r, data, bytes);
    return r->failure ? 0 : bytes;
}

static size_t on_header(char *data, size_t size, size_t count, void *argument)
{
    run *r = argument;
    size_t bytes = size * count;
    if (!r->is_answered && r->transfer->question.range != RANGE_NONE)
        tardy_add(now_ms() - r->asked);
    r->is_answered = true;
    r->header_bytes += bytes;
    if (r->header_bytes > HEADER_BYTES_MAX) {
        r->failure =
            status_new(STATUS_KIND_IO, "could not read \"%s\": the answer's header is too long",
                       r->transfer->question.shown);
        return 0;
    }
    answer_read_header(&r->transfer->answer, data, bytes);
    return bytes;
}

/* ---- attempts ---- */

static status start_attempt(run *r)
{
    transfer *t = r->transfer;
    t->answer = (transfer_answer){0};
    t->text.count = 0;
    if (t->question.range != RANGE_OF_BYTES)
        t->received = 0;
    r->header_bytes = 0;
    r->is_checked = r->is_answered = false;
    r->asked = now_ms();
    r->attempts++;
    if (!r->progress)
        r->progress = now_ms();
    TRY(request_make(t, &r->parts, &r->easy));
    under_way++;
    curl_easy_setopt(r->easy, CURLOPT_PRIVATE, r);
    curl_easy_setopt(r->easy, CURLOPT_WRITEFUNCTION, on_body);
    curl_easy_setopt(r->easy, CURLOPT_WRITEDATA, r);
    curl_easy_setopt(r->easy, CURLOPT_HEADERFUNCTION, on_header);
    curl_easy_setopt(r->easy, CURLOPT_HEADERDATA, r);
    if (r->is_second) /* the connection may be what is slow */
        curl_easy_setopt(r->easy, CURLOPT_FRESH_CONNECT, 1L);
    if (curl_multi_add_handle(multi, r->easy))
        return status_no_memory("request", 1);
    return STATUS_OK;
}

/* Half of the pause is random: those who failed together do not come again together. */
static int64_t pause_of(const run *r)
{
    int64_t most = PAUSE_MILLISECONDS;
    for (unsigned i = 1; i < r->attempts && most < PAUSE_MILLISECONDS_MAX; i++)
        most *= 2;
    most = most < PAUSE_MILLISECONDS_MAX ? most : PAUSE_MILLISECONDS_MAX;
    return most / 2 + rand_r(&random_state) % (most / 2 + 1);
}

/* Plans one more attempt. False: there is no time for it. */
static bool try_again(run *r)
{
    int64_t wait = pause_of(r);
    int64_t asked = (int64_t)r->transfer->answer.retry_after;
    if (asked > 0)
        wait = asked < 3600 ? asked * 1000 : 3600000;
    end_attempt(r);
    r->due = now_ms() + wait;
    return r->due - r->progress < (int64_t)transfer_timeout(r->transfer);
}

static bool may_change(CURLcode code)
{
    switch (code) {
    case CURLE_COULDNT_RESOLVE_HOST:
    case CURLE_COULDNT_CONNECT:
    case CURLE_PARTIAL_FILE:
    case CURLE_OPERATION_TIMEDOUT:
    case CURLE_GOT_NOTHING:
    case CURLE_SEND_ERROR:
    case CURLE_RECV_ERROR:
    case CURLE_SSL_CONNECT_ERROR:
    case CURLE_HTTP2:
    case CURLE_HTTP2_STREAM:
        return true;
    default:
        return false;
    }
}

static status connection_failure(const run *r, CURLcode code)
{
    const transfer_question *q = &r->transfer->question;
    const char *why = r->parts.error[0] ? r->parts.error : curl_easy_strerror(code);
    if (code == CURLE_OPERATION_TIMEDOUT)
        why = "the server does not answer";
    if (code == CURLE_OUT_OF_MEMORY) /* libcurl's word for it */
        why = "the answer's header is too long";
    status st = status_new(STATUS_KIND_IO, "could not %s \"%s\": %s%s", answer_verb(q), q->shown,
                           why, r->attempts > 1 ? ", again and again" : "");
    if (code == CURLE_PEER_FAILED_VERIFICATION && !strstr(why, "name"))
        st = status_hint(
            st, "a certificate of an authority of your own: set AWS_CA_BUNDLE to its file");
    return st;
}

static bool is_whole(const transfer *t)
{
    switch (t->question.range) {
    case RANGE_OF_BYTES:
        return t->received == t->question.range_bytes;
    case RANGE_SUFFIX:
        return t->received == t->answer.range_end - t->answer.range_first;
    case RANGE_NONE:
        break;
    }
    return true;
}

/* An attempt has ended: the transfer is done, or another attempt is planned. */
static void after_attempt(run *r, CURLcode code)
{
    transfer *t = r->transfer;
    status st = r->failure;
    r->failure = STATUS_OK;
    if (!st && code == CURLE_OK && t->answer.code == 206 && !r->is_checked)
        st = answer_check_body(t); /* without a byte */
    if (st) {
        finish(r, st);
        return;
    }
    bool is_answered = t->answer.code >= 200 && (code == CURLE_OK || code == CURLE_WRITE_ERROR);
    bool connects = code == CURLE_COULDNT_RESOLVE_HOST || code == CURLE_COULDNT_CONNECT;
    r->connects += connects;
    if (r->has_progress) /* a server that gives some each time is a good one */
        r->attempts = r->connects = 0;
    r->has_progress = false;
    if (is_answered && is_success(t) && is_whole(t)) {
        finish(r, STATUS_OK);
        return;
    }
    bool again = is_answered ? is_success(t) || answer_may_change(t)
                             : may_change(code) && (!connects || r->connects < CONNECTS_MAX);
    if (!is_answered)
        st = connection_failure(r, code);
    else
        st = is_success(t) ? connection_failure(r, CURLE_PARTIAL_FILE) : answer_failure(t);
    if (again && try_again(r))
        status_free(st);
    else
        finish(r, st);
}

/* ---- the thread ---- */

static void finish_stopped(void)
{
    for (;;) {
        mutex_lock(&lock);
        run *r = first;
        while (r && !r->is_stopped)
            r = r->next;
        has_stopped_some = r;
        mutex_unlock(&lock);
        if (!r)
            return;
        finish(r, status_new(STATUS_KIND_CANCELLED, "the read was cancelled"));
    }
}

/* The first transfer that may begin an attempt, or NULL. *due: when one may that cannot yet. */
static run *next_to_start(int64_t now, int64_t *due)
{
    mutex_lock(&lock);
    run *r = first;
    for (; r; r = r->next) {
        if (r->easy)
            continue;
        if (r->due <= now)
            break;
        *due = r->due < *due ? r->due : *due;
    }
    mutex_unlock(&lock);
    return r;
}

/* Ends attempts of reads that wait for longer than most have: they begin again. */
static void give_up_tardy(void)
{
    int64_t now = now_ms(), limit = tardy_limit();
    if (limit == INT64_MAX)
        return;
    mutex_lock(&lock);
    run *r = first;
    while (r && (!r->easy || r->is_answered || r->is_second ||
                 r->transfer->question.range == RANGE_NONE || now - r->asked <= limit))
        r = r->next;
    mutex_unlock(&lock);
    if (!r)
        return;
    end_attempt(r);
    r->is_second = true;
    r->due = now;
    tardy_count();
}

/* Returns for how many milliseconds nothing is to be started. */
static int start_attempts(void)
{
    int64_t now = now_ms(), due = now + 1000;
    run *r;
    while (under_way < TRANSFERS_MAX && (r = next_to_start(now, &due))) {
        status st = start_attempt(r);
        if (st)
            finish(r, st);
    }
    return (int)(due - now);
}

static void finish_attempts(void)
{
    CURLMsg *message;
    int left;
    while ((message = curl_multi_info_read(multi, &left))) {
        run *r = NULL;
        if (message->msg != CURLMSG_DONE)
            continue;
        CURLcode code = message->data.result;
        curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &r);
        after_attempt(r, code);
    }
}

/* Requests that are under way are looked at so often. */
#define LOOK_MILLISECONDS 100

static void *work(void *unused)
{
    (void)unused;
    for (;;) {
        int running;
        mutex_lock(&lock);
        bool must_stop_some = has_stopped_some;
        mutex_unlock(&lock);
        if (must_stop_some)
            finish_stopped();
        curl_multi_perform(multi, &running);
        finish_attempts();
        give_up_tardy();
        int wait = start_attempts();
        if (under_way && wait > LOOK_MILLISECONDS)
            wait = LOOK_MILLISECONDS;
        mutex_lock(&lock);
        bool is_idle = !first;
        mutex_unlock(&lock);
        curl_multi_poll(multi, NULL, 0, is_idle ? 3600000 : wait, NULL);
    }
    return NULL;
}

/* Signals are other threads' to take; one that a closed connection raises is nobody's. */
static int create_thread(pthread_t *thread)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int error = pthread_create(thread, NULL, work, NULL);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return error;
}

/* Under the lock. OpenSSL takes nothing down when the process ends: the thread may still be at work. */
static status start_thread(void)
{
    pthread_t thread;
    if (is_started)
        return STATUS_OK;
    OPENSSL_init_crypto(OPENSSL_INIT_NO_ATEXIT, NULL);
    if (!multi && (curl_global_init(CURL_GLOBAL_ALL) || !(multi = curl_multi_init())))
        return status_no_memory("requests", 1);
    curl_multi_setopt(multi, CURLMOPT_MAXCONNECTS, (long)TRANSFERS_MAX);
    random_state = (unsigned)now_ms() ^ (unsigned)(uintptr_t)&thread;
    int error = create_thread(&thread);
    if (error)
        return status_new_errno(error, "could not start a thread for requests");
    pthread_detach(thread);
    is_started = true;
    return STATUS_OK;
}

/* ---- the interface ---- */

status transfer_start(transfer *t)
{
    run *r = mem_new(sizeof *r);
    if (!r)
        return status_no_memory("request", sizeof *r);
    r->transfer = t;
    mutex_lock(&lock);
    status st = start_thread();
    if (!st) {
        t->run = r;
        r->before = last;
        *(last ? &last->next : &first) = r;
        last = r;
    }
    mutex_unlock(&lock);
    if (st)
        mem_free(r);
    else
        curl_multi_wakeup(multi);
    return st;
}

void transfer_stop(const void *argument)
{
    mutex_lock(&lock);
    for (run *r = first; r; r = r->next)
        if (r->transfer->argument == argument)
            r->is_stopped = has_stopped_some = true;
    mutex_unlock(&lock);
    if (multi)
        curl_multi_wakeup(multi);
}

unsigned transfer_timeout(const transfer *t)
{
    return t->question.timeout ? t->question.timeout : t->question.config->timeout;
}

void transfer_release(transfer *t)
{
    array_release(&t->text);
}

/* ---- waiting ---- */

typedef struct waiting {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    bool is_done;
    status outcome;
} waiting;

static void wake(transfer *t, status outcome)
{
    waiting *w = t->argument;
    mutex_lock(&w->lock);
    w->is_done = true;
    w->outcome = outcome;
    pthread_cond_signal(&w->changed);
    mutex_unlock(&w->lock);
}

#define LOOK_NANOSECONDS 50000000

void transfer_wait_a_moment(pthread_cond_t *changed, pthread_mutex_t *lock)
{
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += LOOK_NANOSECONDS;
    if (until.tv_nsec >= 1000000000) {
        until.tv_nsec -= 1000000000;
        until.tv_sec++;
    }
    (void)pthread_cond_timedwait(changed, lock, &until);
}

static status wait_for(waiting *w, bool is_not_cancelled)
{
    bool is_stopped = false;
    mutex_lock(&w->lock);
    while (!w->is_done) {
        transfer_wait_a_moment(&w->changed, &w->lock);
        if (w->is_done || is_stopped || is_not_cancelled || !cancel_is_asked())
            continue;
        is_stopped = true;
        mutex_unlock(&w->lock);
        transfer_stop(w);
        mutex_lock(&w->lock);
    }
    mutex_unlock(&w->lock);
    return w->outcome;
}

status transfer_run(transfer *t)
{
    waiting w = {.lock = MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};
    t->done = wake;
    t->argument = &w;
    status st = transfer_start(t);
    if (!st)
        st = wait_for(&w, t->is_not_cancelled);
    pthread_cond_destroy(&w.changed);
    mutex_destroy(&w.lock);
    return st;
}
