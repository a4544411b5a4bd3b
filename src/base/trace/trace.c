/* trace.c - a slot for each thread, taken when it first notes something in a trace.
 *
 * A slot's lock is held by its thread while it notes, and by who stops the trace: nobody else. */
#include "base/trace/trace.h"

#include "base/fault.h"
#include "base/mem.h"
#include "base/system/mutex.h"
#include "base/trace/timeline.h"

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#define SLOT_COUNT 512
#define EVENTS_MAX ((size_t)1 << 18) /* of a thread; more are counted only */

typedef enum event_kind { EVENT_SPAN, EVENT_READ, EVENT_POINT } event_kind;

typedef struct event {
    event_kind kind;
    const char *what; /* of spans and points */
    int64_t start, end;
    union {
        struct {
            uint64_t offset, bytes;
        };
        struct {
            const void *a, *b;
            uint64_t number;
            int64_t used; /* nanoseconds of the processor */
        } point;
    };
    char name[TRACE_NAME_BYTES];
} event;

typedef struct slot {
    pthread_mutex_t lock;
    uint64_t session; /* the trace that the events are of; 0: none */
    ARRAY(event) events;
    uint64_t dropped;
} slot;

_Atomic bool trace_switch;

static slot slots[SLOT_COUNT];
static pthread_once_t once = PTHREAD_ONCE_INIT;
static _Atomic bool is_under_way; /* from start until all is written */
static _Atomic uint64_t session;
static _Atomic unsigned next_slot;
static int64_t session_start, session_end;
static _Atomic int64_t clock_taken; /* by a look at the processor's time */

int64_t trace_now(void)
{
    struct timespec ts;
    clock_gettime(CLOCK_MONOTONIC, &ts);
    return (int64_t)ts.tv_sec * 1000000000 + ts.tv_nsec;
}

/* ---- noting ---- */

/* The calling thread's slot in this trace, or NULL: all are taken. */
static slot *own_slot(uint64_t of_session)
{
    static _Thread_local uint64_t known_session;
    static _Thread_local unsigned number;
    if (known_session != of_session) {
        known_session = of_session;
        number = atomic_fetch_add(&next_slot, 1);
    }
    return number < SLOT_COUNT ? &slots[number] : NULL;
}

static void trace_note(const event *e)
{
    uint64_t now = atomic_load(&session);
    slot *s = own_slot(now);
    if (!s)
        return;
    mutex_lock(&s->lock);
    /* An event that began before the trace does not belong to it. */
    if (s->session == now && e->start >= session_start) {
        status st = s->events.count < EVENTS_MAX ? array_push(NULL, &s->events, *e)
                                                 : status_no_memory("trace", sizeof *e);
        s->dropped += st != NULL;
        status_free(st);
    }
    mutex_unlock(&s->lock);
}

static int64_t processor_time(void)
{
    struct timespec ts;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
    return (int64_t)ts.tv_sec * 1000000000 + ts.tv_nsec;
}

/* Measures the clock: asks for it twice in a row and takes the least difference of some. */
static int64_t clock_nanoseconds(void)
{
    int64_t least = INT64_MAX;
    for (unsigned i = 0; i < 64; i++) {
        int64_t before = processor_time(), taken = processor_time() - before;
        least = taken < least ? taken : least;
    }
    return least;
}

void trace_point(const char *what, const void *a, const void *b, uint64_t number)
{
    static _Thread_local int64_t noting; /* what points took of the thread's time */
    if (!trace_is_on())
        return;
    int64_t before = processor_time(), at = trace_now();
    event e = {.kind = EVENT_POINT, .what = what, .start = at, .end = at};
    e.point.a = a;
    e.point.b = b;
    e.point.number = number;
    e.point.used = before - noting;
    trace_note(&e);
    noting += processor_time() - before + clock_taken;
}

/* Copies a name; characters that need not be escaped in JSON stay. */
static void copy_name(char *target, const char *name)
{
    size_t i = 0;
    for (; name[i] && i + 1 < TRACE_NAME_BYTES; i++)
        target[i] =
            name[i] >= ' ' && name[i] <= '~' && name[i] != '"' && name[i] != '\\' ? name[i] : '?';
    target[i] = '\0';
}

void trace_span(const char *what, const char *name, int64_t start, int64_t end)
{
    event e = {.kind = EVENT_SPAN, .what = what, .start = start, .end = end};
    copy_name(e.name, name);
    trace_note(&e);
}

void trace_read(const char *name, uint64_t offset, uint64_t bytes, int64_t start, int64_t end)
{
    event e = {.kind = EVENT_READ, .start = start, .end = end, .offset = offset, .bytes = bytes};
    copy_name(e.name, name);
    trace_note(&e);
}

/* ---- start and stop ---- */

static void init_locks(void)
{
    for (unsigned i = 0; i < SLOT_COUNT; i++)
        mutex_init(&slots[i].lock);
}

bool trace_start(void)
{
    pthread_once(&once, init_locks);
    if (atomic_exchange(&is_under_way, true))
        return false;
    uint64_t number = atomic_load(&session) + 1;
    for (unsigned i = 0; i < SLOT_COUNT; i++) {
        mutex_lock(&slots[i].lock);
        slots[i].session = number;
        slots[i].dropped = 0;
        mutex_unlock(&slots[i].lock);
    }
    clock_taken = clock_nanoseconds();
    session_start = trace_now();
    atomic_store(&next_slot, 0);
    atomic_store(&session, number);
    atomic_store(&trace_switch, true);
    return true;
}

static double microseconds(int64_t at)
{
    return (double)(at - session_start) / 1e3;
}

static void write_track(FILE *f, unsigned thread, const char *name)
{
    fprintf(f,
            ",\n{\"ph\":\"M\",\"pid\":1,\"tid\":%u,\"name\":\"thread_name\",\"args\":{\"name\":"
            "\"%s\"}}",
            thread, name);
}

static void write_span(FILE *f, unsigned thread, const event *e)
{
    fprintf(f,
            ",\n{\"ph\":\"X\",\"pid\":1,\"tid\":%u,\"cat\":\"%s\",\"name\":\"%s %s\",\"ts\":%.3f,"
            "\"dur\":%.3f}",
            thread, e->what, e->what, e->name, microseconds(e->start),
            (double)(e->end - e->start) / 1e3);
}

/* A pair of events that the number joins: these may overlap. */
static void write_read(FILE *f, uint64_t number, const event *e)
{
    static const char format[] = ",\n{\"ph\":\"%c\",\"pid\":1,\"tid\":0,\"cat\":\"storage\","
                                 "\"id\":%" PRIu64 ",\"name\":\"read\",\"ts\":%.3f";
    fprintf(f, format, 'b', number, microseconds(e->start));
    fprintf(f, ",\"args\":{\"file\":\"%s\",\"offset\":%" PRIu64 ",\"bytes\":%" PRIu64 "}}", e->name,
            e->offset, e->bytes);
    fprintf(f, format, 'e', number, microseconds(e->end));
    fputc('}', f);
}

static void write_point(FILE *f, unsigned thread, const event *e)
{
    fprintf(f,
            ",\n{\"ph\":\"i\",\"s\":\"t\",\"pid\":1,\"tid\":%u,\"cat\":\"device\",\"name\":\"%s\","
            "\"ts\":%.3f,"
            "\"args\":{\"a\":\"%" PRIxPTR "\",\"b\":\"%" PRIxPTR "\",\"number\":%" PRIu64
            ",\"used\":%" PRId64 "}}",
            thread, e->what, microseconds(e->start), (uintptr_t)e->point.a, (uintptr_t)e->point.b,
            e->point.number, e->point.used);
}

static void write_slot(FILE *f, unsigned thread, const slot *s, uint64_t *reads)
{
    char name[32];
    bool has_spans = false;
    for (size_t i = 0; i < s->events.count; i++) {
        const event *e = &s->events.items[i];
        has_spans |= e->kind == EVENT_SPAN;
        if (e->kind == EVENT_SPAN)
            write_span(f, thread, e);
        else if (e->kind == EVENT_READ)
            write_read(f, ++*reads, e);
        else
            write_point(f, thread, e);
    }
    snprintf(name, sizeof name, "worker %u", thread);
    if (has_spans)
        write_track(f, thread, name);
}

static uint64_t count_dropped(void)
{
    unsigned taken = atomic_load(&next_slot);
    uint64_t dropped = taken > SLOT_COUNT ? taken - SLOT_COUNT : 0;
    for (unsigned i = 0; i < SLOT_COUNT; i++)
        dropped += slots[i].dropped;
    return dropped;
}

static void trace_write_all(FILE *f)
{
    uint64_t reads = 0;
    fputs("{\"displayTimeUnit\":\"ms\",\"traceEvents\":[\n"
          "{\"ph\":\"M\",\"pid\":1,\"name\":\"process_name\",\"args\":{\"name\":\"pistachio\"}}",
          f);
    write_track(f, 0, "storage");
    for (unsigned i = 0; i < SLOT_COUNT; i++)
        write_slot(f, i + 1, &slots[i], &reads);
    fprintf(f, "],\n\"otherData\":{\"dropped\":\"%" PRIu64 "\"}}\n", count_dropped());
}

/* Draws the trace as a picture. */
static status trace_draw(FILE *f, const char *statement)
{
    unsigned workers = 0;
    timeline *t;
    for (unsigned i = 0; i < SLOT_COUNT; i++)
        for (size_t e = 0; e < slots[i].events.count; e++)
            if (slots[i].events.items[e].kind == EVENT_SPAN) {
                workers++;
                break;
            }
    TRY(timeline_new(session_start, session_end, workers, &t));
    timeline_set_statement(t, statement);
    status st = STATUS_OK;
    for (unsigned i = 0; i < SLOT_COUNT; i++)
        for (size_t n = 0; n < slots[i].events.count && !st; n++) {
            const event *e = &slots[i].events.items[n];
            if (e->kind == EVENT_SPAN)
                st = timeline_add_span(t, e->name, e->start, e->end);
            else if (e->kind == EVENT_READ)
                st = timeline_add_read(t, e->bytes, e->start, e->end);
        }
    if (!st)
        timeline_write(t, f);
    timeline_free(t);
    return st;
}

static status write_trace(FILE *f, const char *statement)
{
    (void)statement;
    trace_write_all(f);
    return STATUS_OK;
}

/* `what`: of the message. */
static status trace_write_file(const char *what, const char *path,
                               status (*write)(FILE *f, const char *statement),
                               const char *statement)
{
    char temporary[4096];
    int length = snprintf(temporary, sizeof temporary, "%s.%ld", path, (long)getpid());
    if (length < 0 || (size_t)length >= sizeof temporary)
        return status_new(STATUS_KIND_INVALID, "the path of a %s is too long", what);
    FILE *f = fopen(temporary, "we");
    if (!f)
        return status_new_errno(errno, "could not write %s \"%s\"", what, path);
    status st = write(f, statement);
    bool has_failed = ferror(f) || fault_check(FAULT_WRITE);
    has_failed |= fclose(f) != 0;
    if (!st && (has_failed || rename(temporary, path)))
        st = status_new_errno(has_failed ? EIO : errno, "could not write %s \"%s\"", what, path);
    if (st)
        unlink(temporary);
    return st;
}

status trace_stop(const char *path, const char *timeline_path, const char *statement)
{
    atomic_store(&trace_switch, false);
    session_end = trace_now();
    /* From here on whoever is late finds its slot closed. */
    for (unsigned i = 0; i < SLOT_COUNT; i++) {
        mutex_lock(&slots[i].lock);
        slots[i].session = 0;
        mutex_unlock(&slots[i].lock);
    }
    status st = path ? trace_write_file("trace", path, write_trace, statement) : STATUS_OK;
    if (!st && timeline_path)
        st = trace_write_file("timeline", timeline_path, trace_draw, statement);
    for (unsigned i = 0; i < SLOT_COUNT; i++)
        array_release(&slots[i].events);
    atomic_store(&is_under_way, false);
    return st;
}
