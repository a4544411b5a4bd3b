/* _interrupt.c - Ctrl-C while the library works: what runs is cancelled at once, then Python's own handler has its turn.
 *
 * Python's handler only notes the signal until the interpreter goes on, which it does not while a call of the library
 * lasts, or while a client pulls a stream with the interpreter's lock held. So a handler of ours stands in front of it
 * during such calls: it cancels by a function that any thread and any handler may call (pistachio_cancel and
 * pistachio_statement_cancel in pistachio.h), and calls Python's, which raises KeyboardInterrupt once the call is back.
 *
 * As _capsule.c it is called by ctypes with the interpreter's lock held, but for the functions of a stream and the handler. */
#include "pistachio/pistachio.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define API __attribute__((visibility("default")))
#define PLACES_MAX 64 /* calls and streams at once; more are not cancelled */

typedef struct python_object python_object;
python_object *PyCapsule_New(void *pointer, const char *name, void (*destructor)(python_object *));
int PyCapsule_IsValid(python_object *capsule, const char *name);
void *PyCapsule_GetPointer(python_object *capsule, const char *name);
python_object *PyObject_CallObject(python_object *callable, python_object *arguments);

/* ---- what a signal cancels ---- */

#define PAUSE_NANOSECONDS 1000000000 /* a stream that was not pulled for longer is not being pulled */

typedef void cancel_function(void *of);

static struct {
    _Atomic(void *) of; /* NULL: the place is free, or not filled yet */
    cancel_function *cancel;
    atomic_bool is_called;
    _Atomic int64_t called_until; /* when the last call was back */
    bool is_taken;                /* under the lock */
} places[PLACES_MAX];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned place_count;       /* that are taken; under the lock, as what follows */
static struct sigaction before;    /* the handler that ours stands in front of */
static atomic_uint handling_count; /* handlers that look at the places */

static int64_t now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

/* A client that holds the interpreter's lock goes on to the next call after a signal between two of them, so that
 * streams are cancelled then as well. */
static void on_signal(int number, siginfo_t *info, void *context)
{
    int error = errno;
    atomic_fetch_add(&handling_count, 1);
    for (int i = 0; i < PLACES_MAX; i++) {
        void *of = atomic_load(&places[i].of);
        if (of && (atomic_load(&places[i].is_called) ||
                   now() - atomic_load(&places[i].called_until) < PAUSE_NANOSECONDS))
            places[i].cancel(of);
    }
    atomic_fetch_sub(&handling_count, 1);
    errno = error;
    if (before.sa_flags & SA_SIGINFO)
        before.sa_sigaction(number, info, context);
    else
        before.sa_handler(number);
}

static bool is_ours(const struct sigaction *action)
{
    return (action->sa_flags & SA_SIGINFO) && action->sa_sigaction == on_signal;
}

/* Somebody may have installed another handler since. A program that ignores the signal, or ends by it, goes on doing so. */
static void install(void)
{
    struct sigaction current, ours = {.sa_sigaction = on_signal};
    if (sigaction(SIGINT, NULL, &current) || is_ours(&current) ||
        (!(current.sa_flags & SA_SIGINFO) &&
         (current.sa_handler == SIG_DFL || current.sa_handler == SIG_IGN)))
        return;
    before = current;
    ours.sa_flags = before.sa_flags | SA_SIGINFO;
    ours.sa_mask = before.sa_mask;
    sigaction(SIGINT, &ours, NULL);
}

static void uninstall(void)
{
    struct sigaction current;
    if (!sigaction(SIGINT, NULL, &current) && is_ours(&current))
        sigaction(SIGINT, &before, NULL);
}

/* Returns the place; -1: there is none. */
static int take_place(cancel_function *cancel, void *of)
{
    int place = -1;
    pthread_mutex_lock(&lock);
    for (int i = 0; i < PLACES_MAX && place < 0; i++)
        if (!places[i].is_taken)
            place = i;
    if (place >= 0) {
        place_count++;
        places[place].is_taken = true;
        places[place].cancel = cancel;
        atomic_store(&places[place].is_called, false);
        atomic_store(&places[place].called_until, now());
        atomic_store(&places[place].of, of);
    }
    pthread_mutex_unlock(&lock);
    return place;
}

/* No handler uses `of` after it. */
static void leave_place(int place)
{
    if (place < 0)
        return;
    atomic_store(&places[place].of, NULL);
    while (atomic_load(&handling_count))
        sched_yield();
    pthread_mutex_lock(&lock);
    places[place].is_taken = false;
    if (!--place_count)
        uninstall();
    pthread_mutex_unlock(&lock);
}

static void begin(int place)
{
    if (place < 0)
        return;
    pthread_mutex_lock(&lock);
    install();
    pthread_mutex_unlock(&lock);
    atomic_store(&places[place].is_called, true);
}

static void end(int place)
{
    if (place < 0)
        return;
    atomic_store(&places[place].called_until, now());
    atomic_store(&places[place].is_called, false);
}

/* callable(), which a signal cancels by cancel(of). */
API python_object *pistachio_call(python_object *callable, cancel_function *cancel, void *of)
{
    int place = take_place(cancel, of);
    begin(place);
    python_object *result = PyObject_CallObject(callable, NULL);
    leave_place(place);
    return result;
}

/* ---- streams ---- */

/* The first failure of a stream: the stream and who asks for it each hold it. */
typedef struct failure {
    atomic_uint references;
    int number; /* of errno; 0: none */
    char *text; /* or NULL */
} failure;

typedef struct watched {
    struct ArrowArrayStream inner;
    int place;
    failure *failure;
} watched;

API void pistachio_failure_free(failure *f)
{
    if (atomic_fetch_sub(&f->references, 1) != 1)
        return;
    free(f->text);
    free(f);
}

API int pistachio_failure_number(const failure *f)
{
    return f->number;
}

API const char *pistachio_failure_text(const failure *f)
{
    return f->text;
}

static int note(watched *w, int number)
{
    if (number && !w->failure->number) {
        const char *text = w->inner.get_last_error(&w->inner);
        w->failure->text = text ? strdup(text) : NULL;
        w->failure->number = number;
    }
    return number;
}

static int get_schema(struct ArrowArrayStream *stream, struct ArrowSchema *out)
{
    watched *w = stream->private_data;
    return note(w, w->inner.get_schema(&w->inner, out));
}

static int get_next(struct ArrowArrayStream *stream, struct ArrowArray *out)
{
    watched *w = stream->private_data;
    begin(w->place);
    int number = w->inner.get_next(&w->inner, out);
    end(w->place);
    return note(w, number);
}

static const char *get_last_error(struct ArrowArrayStream *stream)
{
    watched *w = stream->private_data;
    return w->inner.get_last_error(&w->inner);
}

static void release(struct ArrowArrayStream *stream)
{
    watched *w = stream->private_data;
    leave_place(w->place);
    w->inner.release(&w->inner);
    pistachio_failure_free(w->failure);
    free(w);
    stream->release = NULL;
}

static const char stream_name[] = "arrow_array_stream";

static void drop_stream(python_object *capsule)
{
    struct ArrowArrayStream *stream = PyCapsule_IsValid(capsule, stream_name)
                                          ? PyCapsule_GetPointer(capsule, stream_name)
                                          : NULL;
    if (stream && stream->release)
        stream->release(stream);
    free(stream);
}

static bool make(struct ArrowArrayStream **out_stream, watched **out_watched, failure **out_failure)
{
    *out_stream = calloc(1, sizeof **out_stream);
    *out_watched = calloc(1, sizeof **out_watched);
    *out_failure = calloc(1, sizeof **out_failure);
    if (*out_stream && *out_watched && *out_failure)
        return true;
    free(*out_stream);
    free(*out_watched);
    free(*out_failure);
    return false;
}

/* A capsule of the stream, which is taken over (its release becomes NULL): a signal cancels its calls by cancel(of), which must
 * stay possible while it lives. *out_failure is the caller's to free. NULL with an exception, or, where *out_failure is
 * NULL, without memory. */
API python_object *pistachio_watch_stream(struct ArrowArrayStream *inner, cancel_function *cancel,
                                          void *of, failure **out_failure)
{
    struct ArrowArrayStream *stream;
    watched *w;
    if (!make(&stream, &w, out_failure))
        return *out_failure = NULL, NULL;
    atomic_init(&(*out_failure)->references, 2);
    *w = (watched){.inner = *inner, .place = take_place(cancel, of), .failure = *out_failure};
    inner->release = NULL;
    *stream = (struct ArrowArrayStream){.get_schema = get_schema,
                                        .get_next = get_next,
                                        .get_last_error = get_last_error,
                                        .release = release,
                                        .private_data = w};
    python_object *capsule = PyCapsule_New(stream, stream_name, drop_stream);
    if (!capsule) {
        stream->release(stream);
        free(stream);
    }
    return capsule;
}
