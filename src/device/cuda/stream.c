/* stream.c - streams, marks and events. */
#include "device/cuda/stream.h"
#include "base/system/mutex.h"
#include "device/cuda/cuda.h"
#include "device/cuda/memory.h"
#include "device/cuda/reuse.h"
#include "device/cuda/timing.h"
#include "device/cuda/trace.h"
#include "device/cuda/wake.h"
#include "device/cuda/window.h"

#include <sys/prctl.h>
#include <time.h>

/* The first looks come one upon the other, for some 20 microseconds; then the thread sleeps, each time by a
 * microsecond longer, so that it oversleeps by a few hundredths of what it has waited, or of 20 milliseconds. */
#define IDLE_MOST 64 /* streams, of 128 KB each */
#define SPIN_TURNS 16
#define SPINS 32 /* pauses of the processor, of 20 to 50 nanoseconds each */
#define PAUSE_NANOSECONDS_MIN 2000
#define PAUSE_NANOSECONDS_STEP 1000
#define PAUSE_NANOSECONDS_MAX 200000

static void spin(void)
{
    for (int i = 0; i < SPINS; i++)
#if defined __x86_64__
        __builtin_ia32_pause();
#elif defined __aarch64__
        __asm__ volatile("isb");
#else
        __asm__ volatile("" ::: "memory");
#endif
}

long cuda_pause_length(const cuda_device *dev, unsigned *turn)
{
    unsigned sleeps = *turn - SPIN_TURNS;
    if ((*turn)++ < SPIN_TURNS) {
        if (dev->driver->slowness == 1)
            spin();
        return 0;
    }
    if (sleeps >= (PAUSE_NANOSECONDS_MAX - PAUSE_NANOSECONDS_MIN) / PAUSE_NANOSECONDS_STEP)
        return PAUSE_NANOSECONDS_MAX;
    long pause = (PAUSE_NANOSECONDS_MIN + (long)sleeps * PAUSE_NANOSECONDS_STEP) *
                 (long)dev->driver->slowness;
    return pause < PAUSE_NANOSECONDS_MAX ? pause : PAUSE_NANOSECONDS_MAX;
}

int cuda_sleep_exactly(void)
{
    int slack = prctl(PR_GET_TIMERSLACK);
    prctl(PR_SET_TIMERSLACK, 1UL);
    return slack;
}

void cuda_pause(const cuda_device *dev, unsigned *turn)
{
    struct timespec time = {0, cuda_pause_length(dev, turn)};
    if (!time.tv_nsec)
        return;
    int slack = cuda_sleep_exactly();
    nanosleep(&time, NULL);
    prctl(PR_SET_TIMERSLACK, (unsigned long)(slack > 0 ? slack : 0));
}

/* ---- errors of the device ---- */

void cuda_lose(const cuda_stream *stream, cuda_result result, const char *where)
{
    cuda_device *dev = (cuda_device *)stream->base.dev;
    if (atomic_load(&dev->is_lost))
        return;
    status why =
        status_context(cuda_status(dev->driver, result, where), "device cuda:%d", dev->ordinal);
    cuda_lose_for(dev, cuda_trace_name_launches(stream, why));
}

void cuda_lose_for(cuda_device *dev, status why)
{
    mutex_lock(&dev->waker.lock);
    if (!dev->lost) {
        dev->lost = why;
        why = STATUS_OK;
        atomic_store(&dev->is_lost, true);
    }
    mutex_unlock(&dev->waker.lock);
    status_free(why);
}

/* Errors of the kinds that a call can have by itself; after any other the context is of no use. */
static bool is_the_calls_own(cuda_result result)
{
    return result == 1 /* invalid value */ || result == CUDA_OUT_OF_MEMORY ||
           result == 701 /* too many resources asked for by a launch */ ||
           result == 400 /* invalid handle */ || result == 801 /* not supported */;
}

status cuda_stream_failure(const cuda_stream *stream, cuda_result result, const char *call)
{
    const cuda_device *dev = (cuda_device *)stream->base.dev;
    if (!is_the_calls_own(result))
        cuda_lose(stream, result, call);
    return status_context(cuda_status(dev->driver, result, call), "device cuda:%d", dev->ordinal);
}

status cuda_check(device *base)
{
    cuda_device *dev = (cuda_device *)base;
    if (!atomic_load(&dev->is_lost))
        return STATUS_OK;
    return status_hint(status_new(status_get_kind(dev->lost), "%s", status_message(dev->lost)),
                       "SET device = 'cpu' goes on without it; a device is looked for anew by the "
                       "next process");
}

/* ---- marks ---- */

status cuda_stream_mark(cuda_stream *stream, uint64_t *out_number)
{
    cuda_window_flush(stream);
    return cuda_stream_write_mark(stream, out_number);
}

status cuda_stream_write_mark(cuda_stream *stream, uint64_t *out_number)
{
    cuda_device *dev = (cuda_device *)stream->base.dev;
    uint64_t number = atomic_fetch_add(&dev->clock, 1) + 1;
    TRY(CUDA_STREAM_CALL(stream, cuStreamWriteValue64_v2, stream->queue,
                         (cuda_address)(uintptr_t)stream->progress, number, 0));
    atomic_store(&stream->last_mark, number);
    atomic_store(&stream->has_unmarked, false);
    *out_number = number;
    return STATUS_OK;
}

void cuda_stream_mark_rest(cuda_stream *stream)
{
    uint64_t number;
    mutex_lock(&stream->lock);
    /* Without a mark its memory is only free later, with the next. */
    if (atomic_load(&stream->has_unmarked))
        status_free(cuda_stream_mark(stream, &number));
    mutex_unlock(&stream->lock);
}

/* Marks of events that windows have would be later ones, before what uses the memory: so all begin first. */
static uint64_t number_streams(cuda_device *dev, cuda_stream *const *streams, size_t count)
{
    for (size_t i = 0; i < count; i++)
        cuda_stream_flush(&streams[i]->base);
    uint64_t number = atomic_fetch_add(&dev->clock, 1) + 1;
    for (size_t i = 0; i < count; i++)
        cuda_stream_mark_rest(streams[i]);
    return number;
}

/* Without memory for a list of the streams. Under the lock. */
static uint64_t number_streams_locked(cuda_device *dev)
{
    for (cuda_stream *stream = dev->streams; stream; stream = stream->next)
        cuda_stream_flush(&stream->base);
    uint64_t number = atomic_fetch_add(&dev->clock, 1) + 1;
    for (cuda_stream *stream = dev->streams; stream; stream = stream->next)
        cuda_stream_mark_rest(stream);
    return number;
}

uint64_t cuda_streams_number(cuda_device *dev)
{
    size_t count = 0;
    for (const cuda_stream *stream = dev->streams; stream; stream = stream->next)
        count++;
    cuda_stream **streams = mem_new_array(count + 1, sizeof *streams);
    if (!streams)
        return number_streams_locked(dev);
    count = 0;
    for (cuda_stream *stream = dev->streams; stream; stream = stream->next) {
        atomic_fetch_add(&stream->references, 1);
        streams[count++] = stream;
    }
    cuda_unlock(dev);
    uint64_t number = number_streams(dev, streams, count);
    for (size_t i = 0; i < count; i++)
        cuda_stream_unref(streams[i]);
    mem_free(streams);
    cuda_lock(dev);
    return number;
}

static bool is_passed(const cuda_stream *stream, uint64_t number)
{
    return atomic_load_explicit(stream->progress, memory_order_acquire) >= number;
}

bool cuda_stream_passed(const cuda_stream *stream, uint64_t number)
{
    bool is_idle =
        !atomic_load(&stream->has_unmarked) && is_passed(stream, atomic_load(&stream->last_mark));
    return is_idle || is_passed(stream, number);
}

bool cuda_streams_passed(cuda_device *dev, uint64_t number)
{
    for (const cuda_stream *stream = dev->streams; stream; stream = stream->next)
        if (!cuda_stream_passed(stream, number))
            return false;
    return true;
}

/* ---- streams ---- */

static void destroy(cuda_stream *stream)
{
    cuda_device *dev = (cuda_device *)stream->base.dev;
    status st = cuda_enter(dev);
    cuda_timing_free(stream);
    if (stream->queue && !st)
        dev->driver->cuStreamDestroy_v2(stream->queue);
    status_free(st);
    if (stream->progress)
        cuda_host_free(&dev->base, stream->progress, sizeof *stream->progress);
    mutex_destroy(&stream->lock);
    mem_free(stream);
}

/* A task has a stream for each stage of a query, and the driver takes long to make one: it waits for the next task. */
static bool keep_idle(cuda_device *dev, cuda_stream *stream)
{
    mutex_lock(&dev->idle_lock);
    bool is_kept = stream->queue && dev->idle_count < IDLE_MOST && !atomic_load(&dev->is_lost);
    if (is_kept) {
        stream->next = dev->idle;
        dev->idle = stream;
        dev->idle_count++;
    }
    mutex_unlock(&dev->idle_lock);
    return is_kept;
}

static cuda_stream *take_idle(cuda_device *dev)
{
    mutex_lock(&dev->idle_lock);
    cuda_stream *stream = dev->idle;
    if (stream) {
        dev->idle = stream->next;
        dev->idle_count--;
    }
    mutex_unlock(&dev->idle_lock);
    return stream;
}

void cuda_streams_end(cuda_device *dev)
{
    for (cuda_stream *stream; (stream = take_idle(dev));)
        destroy(stream);
}

void cuda_stream_unref(cuda_stream *stream)
{
    if (atomic_fetch_sub(&stream->references, 1) == 1 &&
        !keep_idle((cuda_device *)stream->base.dev, stream))
        destroy(stream);
}

static status make_stream(cuda_device *dev, cuda_stream **out)
{
    cuda_stream *stream = mem_new(sizeof *stream);
    if (!stream)
        return status_no_memory("stream", sizeof *stream);
    stream->base.dev = &dev->base;
    mutex_init(&stream->lock);
    void *progress;
    status st = cuda_pinned_alloc(dev, sizeof *stream->progress, "stream", &progress);
    if (!st) {
        stream->progress = progress;
        atomic_store(stream->progress, 0);
        st = cuda_status(dev->driver,
                         dev->driver->cuStreamCreate(&stream->queue, CUDA_QUEUE_NON_BLOCKING),
                         "cuStreamCreate");
    }
    if (st) {
        destroy(stream);
        return st;
    }
    *out = stream;
    return STATUS_OK;
}

status cuda_stream_open(device *base, dev_stream **out)
{
    cuda_device *dev = (cuda_device *)base;
    *out = NULL;
    TRY(cuda_enter(dev));
    cuda_stream *stream = take_idle(dev);
    if (!stream)
        TRY(make_stream(dev, &stream));
    stream->base = (dev_stream){.dev = base};
    stream->id = cuda_stream_new_id();
    atomic_store(&stream->references, 1);
    cuda_lock(dev);
    stream->next = dev->streams;
    dev->streams = stream;
    cuda_unlock(dev);
    *out = &stream->base;
    return STATUS_OK;
}

void cuda_stream_drain(dev_stream *base)
{
    cuda_stream *stream = (cuda_stream *)base;
    cuda_device *dev = (cuda_device *)base->dev;
    status_free(cuda_enter(dev));
    mutex_lock(&stream->lock);
    uint64_t number = atomic_load(&stream->last_mark);
    if (atomic_load(&stream->has_unmarked)) {
        status st = cuda_stream_mark(stream, &number);
        if (st) /* a stream that takes no more has done what it will */
            cuda_lose(stream, CUDA_NOT_READY, status_message(st));
        status_free(st);
    }
    mutex_unlock(&stream->lock);
    dev_event event = {.stream = stream, .number = number};
    cuda_event_wait(&event); /* counted there */
}

void cuda_stream_close(dev_stream *base)
{
    cuda_stream *stream = (cuda_stream *)base;
    cuda_device *dev = (cuda_device *)base->dev;
    cuda_stream_drain(base);
    mutex_lock(&stream->lock);
    cuda_timing_count(stream);
    mutex_unlock(&stream->lock);
    cuda_lock(dev);
    for (cuda_stream **at = &dev->streams; *at; at = &(*at)->next)
        if (*at == stream) {
            *at = stream->next;
            break;
        }
    cuda_reuse_end(stream);
    cuda_unlock(dev);
    dev_buffer_unref(stream->scratch);
    stream->scratch = NULL;
    cuda_stream_unref(stream);
}

/* ---- events ---- */

void cuda_event_free(dev_event *event)
{
    if (event && atomic_fetch_sub(&event->references, 1) == 1) {
        cuda_stream_unref(event->stream);
        mem_free(event);
    }
}

static status mark_event(cuda_stream *stream, dev_event *event)
{
    uint64_t number;
    mutex_lock(&stream->lock);
    status st = cuda_stream_mark(stream, &number);
    if (!st)
        atomic_store(&event->number, number);
    mutex_unlock(&stream->lock);
    return st;
}

/* Nobody waits for it yet. */
static status keep_event(cuda_stream *stream, dev_event *event)
{
    cuda_command command = {.kind = CUDA_COMMAND_EVENT, .event = event};
    atomic_fetch_add(&event->references, 1);
    status st = cuda_window_add(stream, &command, NULL, 0);
    if (st)
        atomic_fetch_sub(&event->references, 1);
    return st;
}

/* Somebody is to wait for the event. */
static void begin_event(dev_event *event)
{
    if (atomic_load(&event->number) == CUDA_NO_NUMBER)
        cuda_stream_flush(&event->stream->base);
}

status cuda_event_record(dev_stream *base, void (*wake)(void *), void *argument, dev_event **out)
{
    cuda_stream *stream = (cuda_stream *)base;
    cuda_device *dev = (cuda_device *)base->dev;
    *out = NULL;
    TRY(cuda_enter(dev));
    dev_event *event = mem_new(sizeof *event);
    if (!event)
        return status_no_memory("event", sizeof *event);
    atomic_fetch_add(&stream->references, 1);
    *event = (dev_event){.stream = stream, .references = 1, .wake = wake, .argument = argument};
    atomic_init(&event->number, CUDA_NO_NUMBER);
    status st = wake ? mark_event(stream, event) : keep_event(stream, event);
    if (!st && wake)
        st = cuda_waker_add(dev, event);
    if (st) {
        cuda_event_free(event);
        return st;
    }
    *out = event;
    return STATUS_OK;
}

status cuda_event_notify(dev_event *event, void (*wake)(void *), void *argument)
{
    begin_event(event);
    event->wake = wake;
    event->argument = argument;
    return cuda_waker_add((cuda_device *)event->stream->base.dev, event);
}

status cuda_notify_at_mark(cuda_stream *stream, uint64_t mark, void (*wake)(void *), void *argument)
{
    dev_event *event = mem_new(sizeof *event);
    if (!event) {
        cuda_stream_unref(stream);
        return status_no_memory("event", sizeof *event);
    }
    *event = (dev_event){.stream = stream, .references = 1, .wake = wake, .argument = argument};
    atomic_init(&event->number, mark);
    status st = cuda_waker_add((cuda_device *)stream->base.dev, event);
    cuda_event_free(event);
    return st;
}

status cuda_stream_wait(dev_stream *base, dev_event *event)
{
    cuda_stream *stream = (cuda_stream *)base;
    TRY(cuda_check(base->dev));
    TRY(cuda_enter((cuda_device *)base->dev));
    if (event->stream == stream || cuda_event_passed(event))
        return STATUS_OK;
    begin_event(event);
    base->has_work = true;
    mutex_lock(&stream->lock);
    cuda_window_flush(stream);
    atomic_store(&stream->has_unmarked, true);
    cuda_result result = ((cuda_device *)base->dev)
                             ->driver->cuStreamWaitValue64_v2(
                                 stream->queue, (cuda_address)(uintptr_t)event->stream->progress,
                                 atomic_load(&event->number), CUDA_WAIT_AT_LEAST);
    mutex_unlock(&stream->lock);
    return result ? cuda_stream_failure(stream, result, "cuStreamWaitValue64") : STATUS_OK;
}

bool cuda_event_passed(const dev_event *event)
{
    const cuda_stream *stream = event->stream;
    return is_passed(stream, atomic_load(&event->number)) ||
           atomic_load(&((cuda_device *)stream->base.dev)->is_lost);
}

bool cuda_event_reached(dev_event *event)
{
    bool is_reached = cuda_event_passed(event);
    if (!is_reached && atomic_exchange(&event->was_asked, true))
        DEV_WORK_NOTE(waits);
    if (!is_reached)
        begin_event(event);
    return is_reached;
}

/* A device that is lost writes no more words; only the driver can say so, perhaps by refusing the context. */
void cuda_ask_driver(cuda_device *dev, const cuda_stream *stream)
{
    const char *call = "cuCtxSetCurrent";
    if (atomic_load(&dev->is_lost))
        return;
    cuda_result result = dev->driver->cuCtxSetCurrent(dev->context);
    if (result == CUDA_SUCCESS) {
        call = "cuStreamQuery";
        result = dev->driver->cuStreamQuery(stream->queue);
    }
    if (result != CUDA_SUCCESS && result != CUDA_NOT_READY)
        cuda_lose(stream, result, call);
}

/* ---- waits that end ---- */

static uint64_t now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

void cuda_lose_patience(cuda_device *dev, const cuda_stream *stream, cuda_patience *patience)
{
    uint64_t progress = atomic_load(stream->progress), time;
    if (!dev->debug.timeout)
        return;
    time = now();
    if (!patience->since || patience->stream != stream || patience->progress != progress) {
        *patience = (cuda_patience){stream, progress, time};
        return;
    }
    if (time - patience->since < dev->debug.timeout)
        return;
    atomic_store(&dev->is_stuck, true);
    cuda_lose_for(dev,
                  cuda_trace_name_launches(
                      stream, status_new(STATUS_KIND_IO,
                                         "device cuda:%d has done nothing for %.3g s, which is "
                                         "PISTACHIO_CUDA_TIMEOUT",
                                         dev->ordinal, (double)dev->debug.timeout / 1e9)));
}

status cuda_stream_await(cuda_stream *stream)
{
    cuda_device *dev = (cuda_device *)stream->base.dev;
    uint64_t number;
    cuda_patience patience = {0};
    TRY(cuda_stream_write_mark(stream, &number));
    for (unsigned turn = 0; atomic_load(stream->progress) < number;) {
        TRY(cuda_check(&dev->base));
        cuda_pause(dev, &turn);
        cuda_ask_driver(dev, stream);
        cuda_lose_patience(dev, stream, &patience);
    }
    return STATUS_OK;
}

void cuda_event_wait(dev_event *event)
{
    cuda_stream *stream = event->stream;
    cuda_device *dev = (cuda_device *)stream->base.dev;
    cuda_patience patience = {0};
    DEV_WORK_NOTE(waits);
    begin_event(event);
    for (unsigned turn = 0; !cuda_event_passed(event);) {
        cuda_pause(dev, &turn);
        if (turn % CUDA_TURNS_PER_QUESTION == 0)
            cuda_ask_driver(dev, stream);
        cuda_lose_patience(dev, stream, &patience);
    }
}
