/* simulated.c - a device with a GPU's manners and scalar kernels, for tests.
 *
 * Each stream is a thread that runs what is enqueued in order, late: now and then it sleeps first.
 * Memory is out of the host's reach (memory.c), counts are known only on the device, chunks are
 * large.
 *
 * What a stream is told to do is put together first (launch_window.h) and queued when somebody is to
 * see it done, or when it is much. */
#include "device/simulated/simulated.h"

#include "base/system/mutex.h"
#include "base/trace/trace.h"
#include "device/simulated/allocate.h"
#include "device/simulated/memory.h"
#include "device/simulated/stream.h"

#include <pthread.h>
#include <time.h>

#define DEFAULT_CHUNK_ROWS 131072
#define STREAMS 3
/* Launches of one kernel that may be one, at most: as on a GPU, whose launches take few arguments. */
#define LAUNCHES_TOGETHER 16
/* One command in DELAY_EVERY waits up to DELAY_NANOSECONDS. */
#define DELAY_EVERY 16
#define DELAY_NANOSECONDS 100000
/* A stream sleeps off what its launches cost when it is so much, and before others look at it. */
#define DEBT_NANOSECONDS 100000

static void event_unref(dev_event *event)
{
    if (atomic_fetch_sub(&event->references, 1) == 1)
        mem_free(event);
}

/* The stream stays until it was called: whoever has drained it is woken no more. */
static void wake_late(late_wake *late)
{
    dev_event *event = (dev_event *)(void *)((char *)late - offsetof(dev_event, late));
    simulated_device *dev = event->dev;
    event->wake(event->argument);
    mutex_lock(&dev->lock);
    event->stream->late_wakes--;
    pthread_cond_broadcast(&event->stream->idle);
    mutex_unlock(&dev->lock);
    event_unref(event);
}

static void event_reach(dev_event *event)
{
    simulated_device *dev = event->dev;
    mutex_lock(&dev->lock);
    atomic_store(&event->is_reached, true);
    bool wakes = event->wake, wakes_late = wakes && dev->wait_cost;
    event->stream->late_wakes += wakes_late;
    pthread_cond_broadcast(&dev->reached);
    mutex_unlock(&dev->lock);
    if (!wakes_late) {
        if (wakes)
            event->wake(event->argument);
        event_unref(event);
        return;
    }
    event->late = (late_wake){.due = cost_now() + dev->wait_cost, .call = wake_late};
    cost_waker_add(&dev->waker, &event->late);
}

static void simulated_wait_for(dev_event *event)
{
    simulated_device *dev = event->dev;
    mutex_lock(&dev->lock);
    while (!atomic_load(&event->is_reached))
        pthread_cond_wait(&dev->reached, &dev->lock);
    mutex_unlock(&dev->lock);
}

/* One launch, of several that may come in any order. */
static void run_kernels(command *c)
{
    dev_work *work = c->is_timed ? c->work : NULL;
    uint64_t since = work ? cost_now() : 0;
    for (; c; c = c->together)
        simulated_run(c->kernel, c->arguments);
    if (work)
        atomic_fetch_add_explicit(&work->kernel_nanoseconds, cost_now() - since,
                                  memory_order_relaxed);
}

static void command_free(command *c)
{
    while (c) {
        command *next = c->together;
        mem_free(c);
        c = next;
    }
}

static void run_command(command *c)
{
    switch (c->kind) {
    case COMMAND_KERNEL:
        run_kernels(c);
        break;
    case COMMAND_COPY:
        memcpy(simulated_real(c->target), simulated_real(c->source), c->bytes);
        break;
    case COMMAND_ZERO:
        memset(simulated_real(c->target), 0, c->bytes);
        break;
    case COMMAND_MARK:
        simulated_memory_renew(c->mark.address, c->mark.bytes_before, c->mark.bytes_now);
        break;
    case COMMAND_EVENT:
        event_reach(c->event);
        break;
    case COMMAND_WAIT:
        simulated_wait_for(c->event);
        event_unref(c->event);
        break;
    }
}

static void delay(simulated_stream *stream)
{
    if (((simulated_device *)stream->base.dev)->is_punctual)
        return;
    stream->random = stream->random * 6364136223846793005u + 1442695040888963407u;
    if (stream->random >> 33 & (DELAY_EVERY - 1))
        return;
    struct timespec pause = {0, (long)((stream->random >> 40) % DELAY_NANOSECONDS)};
    nanosleep(&pause, NULL);
}

static bool simulated_is_seen(const command *c)
{
    return c->kind == COMMAND_EVENT || c->kind == COMMAND_WAIT;
}

/* Sleeps off what the stream owes. Under the lock, which is given up meanwhile. */
static void pay(simulated_stream *stream)
{
    simulated_device *dev = (simulated_device *)stream->base.dev;
    uint64_t owed = stream->debt;
    mutex_unlock(&dev->lock);
    cost_sleep_until(cost_now() + owed);
    mutex_lock(&dev->lock);
    stream->debt -= owed;
    pthread_cond_broadcast(&stream->idle);
}

/* Calls who waits for memory on the stream. Under the lock, which is given up meanwhile: the stream is
 * busy as long. */
static void wake_for_memory(simulated_stream *stream)
{
    simulated_device *dev = (simulated_device *)stream->base.dev;
    void (*wake)(void *) = stream->memory_wake;
    stream->memory_wake = NULL;
    stream->has_memory = false;
    stream->late_wakes++;
    mutex_unlock(&dev->lock);
    wake(stream->memory_argument);
    mutex_lock(&dev->lock);
    stream->late_wakes--;
    pthread_cond_broadcast(&stream->idle);
}

static void *stream_main(void *argument)
{
    simulated_stream *stream = argument;
    simulated_device *dev = (simulated_device *)stream->base.dev;
    mutex_lock(&dev->lock);
    for (;;) {
        command *c = stream->first;
        if (stream->has_memory) {
            wake_for_memory(stream);
            continue;
        }
        if (stream->debt &&
            (stream->debt > DEBT_NANOSECONDS || (c ? simulated_is_seen(c) : stream->drainers))) {
            pay(stream);
            continue;
        }
        if (!c && stream->is_ending)
            break;
        if (!c) {
            pthread_cond_wait(&stream->changed, &dev->lock);
            continue;
        }
        stream->first = c->next;
        if (!stream->first)
            stream->end = &stream->first;
        stream->running = c;
        mutex_unlock(&dev->lock);
        delay(stream);
        trace_point("begin", stream, NULL, 0);
        run_command(c);
        trace_point("done", stream, NULL, 0);
        mutex_lock(&dev->lock);
        stream->running = NULL;
        stream->debt += simulated_is_seen(c) || c->kind == COMMAND_MARK ? 0 : dev->launch_cost;
        if (!stream->first)
            pthread_cond_broadcast(&stream->idle);
        command_free(c);
        simulated_reclaim(dev);
    }
    mutex_unlock(&dev->lock);
    return NULL;
}

static const char *const command_names[] = {
    [COMMAND_KERNEL] = "kernel", [COMMAND_COPY] = "copy",   [COMMAND_ZERO] = "zero",
    [COMMAND_MARK] = "mark",     [COMMAND_EVENT] = "event", [COMMAND_WAIT] = "wait",
};

/* Under the lock. */
void simulated_enqueue(simulated_stream *stream, command *c, uint64_t number)
{
    c->number = number;
    trace_point(command_names[c->kind], stream, simulated_is_seen(c) ? c->event : NULL,
                c->kind == COMMAND_COPY || c->kind == COMMAND_ZERO ? c->bytes : 0);
    *stream->end = c;
    stream->end = &c->next;
    pthread_cond_signal(&stream->changed);
}

/* As one command: the last comes first, as nothing may depend on their order. */
static command *simulated_put_together(void **commands, unsigned count)
{
    command *all = NULL;
    for (unsigned i = 0; i < count; i++) {
        command *c = commands[i];
        c->together = all;
        all = c;
    }
    return all;
}

/* Queues what the window has. Under the lock. */
void simulated_flush(simulated_stream *stream)
{
    void *commands[LAUNCHES_TOGETHER];
    unsigned count;
    while ((count = window_take(&stream->window, LAUNCHES_TOGETHER, commands))) {
        command *c = simulated_put_together(commands, count);
        if (c->kind == COMMAND_KERNEL && c->work)
            atomic_fetch_add_explicit(&c->work->launches, 1, memory_order_relaxed);
        if (c->kind == COMMAND_EVENT)
            c->event->is_kept = false;
        simulated_enqueue(stream, c, stream->window_number);
    }
}

void simulated_flush_all(simulated_device *dev)
{
    for (simulated_stream *stream = dev->streams; stream; stream = stream->next)
        simulated_flush(stream);
}

static void simulated_stream_flush(dev_stream *base)
{
    simulated_device *dev = (simulated_device *)base->dev;
    mutex_lock(&dev->lock);
    simulated_flush((simulated_stream *)base);
    mutex_unlock(&dev->lock);
}

static status copy_command(const dev_stream *stream, const command *source, command **out)
{
    command *c = *out = mem_new(sizeof *c);
    if (!c)
        return status_no_memory("command", sizeof *c);
    *c = *source;
    c->is_timed = stream->is_timed;
    c->work = dev_work_now;
    return STATUS_OK;
}

/* A command behind all others. */
static status submit(dev_stream *base, const command *source)
{
    simulated_device *dev = (simulated_device *)base->dev;
    command *c;
    TRY(copy_command(base, source, &c));
    mutex_lock(&dev->lock);
    simulated_flush((simulated_stream *)base);
    simulated_enqueue((simulated_stream *)base, c, dev->next_number++);
    mutex_unlock(&dev->lock);
    return STATUS_OK;
}

status simulated_wait_for_stream(simulated_stream *stream, simulated_stream *other)
{
    simulated_device *dev = (simulated_device *)stream->base.dev;
    dev_event *event = mem_new(sizeof *event);
    command *record = mem_new(sizeof *record), *wait = mem_new(sizeof *wait);
    if (!event || !record || !wait) {
        mem_free(event);
        mem_free(record);
        mem_free(wait);
        return status_no_memory("event", sizeof *event);
    }
    *event = (dev_event){.dev = dev, .stream = other};
    atomic_store(&event->references, 2);
    *record = (command){.kind = COMMAND_EVENT, .event = event};
    *wait = (command){.kind = COMMAND_WAIT, .event = event};
    simulated_flush(other);
    simulated_enqueue(other, record, dev->next_number++);
    simulated_flush(stream);
    simulated_enqueue(stream, wait, dev->next_number++);
    return STATUS_OK;
}

/* The window's next command. Under the lock. */
static uint32_t prepare_window(simulated_stream *stream, unsigned use_count)
{
    if (!window_has_room(&stream->window, use_count))
        simulated_flush(stream);
    if (!stream->window.count)
        stream->window_number = ((simulated_device *)stream->base.dev)->next_number++;
    return DEV_KERNEL_COUNT + stream->window.count; /* a group of its own */
}

static status note_uses(simulated_stream *stream, const window_use *uses, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        TRY(simulated_note_use(stream, uses[i].block));
    return STATUS_OK;
}

/* A command that comes after those that its uses say. Launches of one kernel become one. */
static status submit_among(dev_stream *base, const command *source, const kernel_use *addresses,
                           unsigned count)
{
    simulated_device *dev = (simulated_device *)base->dev;
    simulated_stream *stream = (simulated_stream *)base;
    window_use uses[KERNEL_USES];
    command *c;
    TRY(copy_command(base, source, &c));
    for (unsigned i = 0; i < count; i++)
        uses[i] = (window_use){simulated_block(addresses[i].address), addresses[i].kind};
    mutex_lock(&dev->lock);
    status st = note_uses(stream, uses, count);
    bool passes = !st && c->kind == COMMAND_COPY && !simulated_block(c->source) &&
                  window_may_pass(&stream->window, uses[1].block);
    uint32_t alone = passes ? 0 : prepare_window(stream, count);
    base->has_work = true;
    if (st)
        command_free(c);
    else if (passes) /* its number is no later than that of what it goes before */
        simulated_enqueue(stream, c,
                          stream->window.count ? stream->window_number : dev->next_number++);
    else if (c->kind == COMMAND_KERNEL)
        window_add(&stream->window, c->kernel, c, uses, count);
    else
        window_add_copy(&stream->window, alone, c, uses, count);
    mutex_unlock(&dev->lock);
    return st;
}

/* An event that nobody waits for yet. */
static status submit_event(dev_stream *base, const command *source)
{
    simulated_device *dev = (simulated_device *)base->dev;
    simulated_stream *stream = (simulated_stream *)base;
    command *c;
    TRY(copy_command(base, source, &c));
    mutex_lock(&dev->lock);
    uint32_t alone = prepare_window(stream, 0);
    c->event->is_kept = true;
    window_add_last(&stream->window, alone, c);
    mutex_unlock(&dev->lock);
    return STATUS_OK;
}

/* Somebody is to wait for the event. */
static void queue_event(dev_event *event)
{
    simulated_device *dev = event->dev;
    mutex_lock(&dev->lock);
    if (event->is_kept)
        simulated_flush(event->stream);
    mutex_unlock(&dev->lock);
}

static uint32_t new_id(void)
{
    static _Atomic uint32_t last;
    uint32_t id;
    do
        id = atomic_fetch_add(&last, 1) + 1;
    while (!id || id == BLOCK_OF_ANY);
    return id;
}

/* A stream with its thread, or what kept it from starting. */
static status start_stream(simulated_device *dev, simulated_stream **out)
{
    simulated_stream *stream = mem_new(sizeof *stream);
    *out = NULL;
    if (!stream)
        return status_no_memory("stream", sizeof *stream);
    stream->base.dev = &dev->base;
    stream->end = &stream->first;
    simulated_released_init(&stream->released);
    pthread_cond_init(&stream->changed, NULL);
    pthread_cond_init(&stream->idle, NULL);
    mutex_lock(&dev->lock);
    stream->random = ++dev->seed;
    mutex_unlock(&dev->lock);
    int number = pthread_create(&stream->thread, NULL, stream_main, stream);
    if (number) {
        pthread_cond_destroy(&stream->changed);
        pthread_cond_destroy(&stream->idle);
        mem_free(stream);
        return status_new_errno(number, "could not start a stream's thread");
    }
    *out = stream;
    return STATUS_OK;
}

/* A closed one, if there is one: threads are not for a task each. */
static status simulated_stream_open(device *base, dev_stream **out)
{
    simulated_device *dev = (simulated_device *)base;
    *out = NULL;
    mutex_lock(&dev->lock);
    simulated_stream *stream = dev->closed;
    if (stream)
        dev->closed = stream->next;
    mutex_unlock(&dev->lock);
    if (!stream)
        TRY(start_stream(dev, &stream));
    stream->base.has_work = false;
    stream->base.begin = NULL;
    stream->base.await = NULL;
    stream->base.await_memory = NULL;
    stream->base.chunk_count = 0;
    stream->base.chunk_end = NULL;
    stream->id = new_id();
    mutex_lock(&dev->lock);
    stream->next = dev->streams;
    dev->streams = stream;
    mutex_unlock(&dev->lock);
    *out = &stream->base;
    return STATUS_OK;
}

static bool simulated_is_busy(const simulated_stream *stream)
{
    return stream->first || stream->running || stream->debt || stream->late_wakes;
}

static void simulated_stream_drain(dev_stream *base)
{
    simulated_stream *stream = (simulated_stream *)base;
    simulated_device *dev = (simulated_device *)base->dev;
    DEV_WORK_NOTE(waits);
    mutex_lock(&dev->lock);
    simulated_flush(stream);
    bool is_late = simulated_is_busy(stream);
    stream->drainers++;
    pthread_cond_signal(&stream->changed);
    while (simulated_is_busy(stream))
        pthread_cond_wait(&stream->idle, &dev->lock);
    stream->drainers--;
    mutex_unlock(&dev->lock);
    if (is_late && dev->wait_cost)
        cost_sleep_until(cost_now() + dev->wait_cost);
}

static void simulated_stream_close(dev_stream *base)
{
    simulated_stream *stream = (simulated_stream *)base;
    simulated_device *dev = (simulated_device *)base->dev;
    mutex_lock(&dev->lock);
    simulated_flush(stream);
    stream->drainers++;
    pthread_cond_signal(&stream->changed);
    while (simulated_is_busy(stream))
        pthread_cond_wait(&stream->idle, &dev->lock);
    stream->drainers--;
    simulated_reclaim(dev); /* it has passed all that is in its list */
    for (simulated_stream **at = &dev->streams; *at; at = &(*at)->next)
        if (*at == stream) {
            *at = stream->next;
            break;
        }
    stream->next = dev->closed;
    dev->closed = stream;
    mutex_unlock(&dev->lock);
}

/* Ends the thread of a stream that is closed. */
static void end_stream(simulated_stream *stream)
{
    simulated_device *dev = (simulated_device *)stream->base.dev;
    mutex_lock(&dev->lock);
    stream->is_ending = true;
    pthread_cond_signal(&stream->changed);
    mutex_unlock(&dev->lock);
    pthread_join(stream->thread, NULL);
    pthread_cond_destroy(&stream->changed);
    pthread_cond_destroy(&stream->idle);
    mem_free(stream);
}

static status simulated_stream_wait(dev_stream *stream, dev_event *event)
{
    command c = {.kind = COMMAND_WAIT, .event = event};
    queue_event(event);
    stream->has_work = true;
    atomic_fetch_add(&event->references, 1);
    status st = submit(stream, &c);
    if (st)
        event_unref(event);
    return st;
}

static status simulated_launch(dev_stream *stream, dev_kernel_id kernel, const void *arguments,
                               size_t argument_bytes)
{
    command c = {.kind = COMMAND_KERNEL, .kernel = kernel};
    kernel_use uses[KERNEL_USES];
    if (dev_kernel_is_host(kernel))
        return status_new(STATUS_KIND_INTERNAL, "a kernel of the host's was launched on a device");
    memcpy(c.arguments, arguments, argument_bytes);
    return submit_among(stream, &c, uses, kernel_uses(kernel, arguments, uses));
}

static status simulated_copy(dev_stream *stream, void *target, const void *source, size_t bytes)
{
    command c = {.kind = COMMAND_COPY, .target = target, .source = source, .bytes = bytes};
    if (!bytes)
        return STATUS_OK;
    DEV_WORK_NOTE(copies);
    if (!simulated_is_known(target) || !simulated_is_known(source)) {
        DEV_WORK_NOTE(pageable_copies);
        return status_new(STATUS_KIND_INTERNAL,
                          "a copy of %zu bytes %s host memory that is not pinned", bytes,
                          simulated_is_known(source) ? "to" : "from");
    }
    kernel_use uses[] = {{source, USE_READ}, {target, USE_WRITE}};
    return submit_among(stream, &c, uses, 2);
}

/* Other devices' memory is as much out of the host's reach as this one's. */
static status simulated_copy_from(dev_stream *stream, void *target, device *from,
                                  const void *source, size_t bytes)
{
    command c = {.kind = COMMAND_COPY, .target = target, .source = source, .bytes = bytes};
    (void)from;
    if (!bytes)
        return STATUS_OK;
    DEV_WORK_NOTE(copies);
    DEV_WORK_ADD(bytes_across, bytes);
    if (!simulated_is_known(target) || !simulated_is_known(source))
        return status_new(STATUS_KIND_INTERNAL,
                          "a copy of %zu bytes between devices is of memory of the host", bytes);
    kernel_use use = {target, USE_WRITE};
    return submit_among(stream, &c, &use, 1);
}

static status simulated_copy_in(dev_stream *stream, void *target, const void *source, size_t bytes)
{
    DEV_WORK_ADD(bytes_in, bytes);
    return simulated_copy(stream, target, source, bytes);
}

static status simulated_copy_out(dev_stream *stream, void *target, const void *source, size_t bytes)
{
    DEV_WORK_ADD(bytes_out, bytes);
    return simulated_copy(stream, target, source, bytes);
}

static status simulated_zero(dev_stream *stream, void *target, size_t bytes)
{
    command c = {.kind = COMMAND_ZERO, .target = target, .bytes = bytes};
    DEV_WORK_NOTE(zeroings);
    kernel_use use = {target, USE_WRITE};
    return submit_among(stream, &c, &use, 1);
}

static status simulated_event_record(dev_stream *stream, void (*wake)(void *), void *argument,
                                     dev_event **out)
{
    dev_event *event = mem_new(sizeof *event);
    *out = NULL;
    if (!event)
        return status_no_memory("event", sizeof *event);
    event->dev = (simulated_device *)stream->dev;
    event->stream = (simulated_stream *)stream;
    event->wake = wake;
    event->argument = argument;
    atomic_store(&event->references, 2);
    command c = {.kind = COMMAND_EVENT, .event = event};
    *out = event;
    status st = wake ? submit(stream, &c) : submit_event(stream, &c);
    if (st) {
        mem_free(event);
        *out = NULL;
    }
    return st;
}

static status simulated_event_notify(dev_event *event, void (*wake)(void *), void *argument)
{
    simulated_device *dev = event->dev;
    mutex_lock(&dev->lock);
    if (event->is_kept)
        simulated_flush(event->stream);
    bool is_reached = atomic_load(&event->is_reached);
    if (!is_reached) {
        event->wake = wake;
        event->argument = argument;
    }
    mutex_unlock(&dev->lock);
    if (is_reached)
        wake(argument);
    return STATUS_OK;
}

static bool simulated_event_reached(dev_event *event)
{
    bool is_reached = atomic_load(&event->is_reached);
    if (is_reached)
        trace_point("reached", event->stream, event, 0);
    if (!is_reached && atomic_exchange(&event->was_asked, true))
        DEV_WORK_NOTE(waits);
    if (!is_reached)
        queue_event(event);
    return is_reached;
}

static void simulated_event_wait(dev_event *event)
{
    simulated_device *dev = event->dev;
    DEV_WORK_NOTE(waits);
    queue_event(event);
    bool is_late = !atomic_load(&event->is_reached);
    simulated_wait_for(event);
    if (is_late && dev->wait_cost)
        cost_sleep_until(cost_now() + dev->wait_cost);
}

static void simulated_event_free(dev_event *event)
{
    if (event)
        event_unref(event);
}

static void simulated_close(device *base)
{
    simulated_device *dev = (simulated_device *)base;
    while (dev->closed) {
        simulated_stream *stream = dev->closed;
        dev->closed = stream->next;
        end_stream(stream);
    }
    cost_waker_stop(&dev->waker);
    pthread_cond_destroy(&dev->reached);
    pthread_cond_destroy(&dev->reclaimed);
    mutex_destroy(&dev->lock);
    mem_free(dev);
}

static const dev_ops simulated_ops = {
    .abi = DEV_ABI,
    .name = "simulated",
    .close = simulated_close,
    .stream_open = simulated_stream_open,
    .stream_close = simulated_stream_close,
    .stream_drain = simulated_stream_drain,
    .stream_flush = simulated_stream_flush,
    .stream_wait = simulated_stream_wait,
    .alloc = simulated_alloc,
    .release = simulated_release,
    .export = simulated_export,
    .lend = simulated_lend,
    .memory_notify = simulated_memory_notify,
    .memory_wait = simulated_memory_wait,
    .host_alloc = simulated_host_alloc,
    .host_free = simulated_host_free,
    .host_piece = simulated_host_piece,
    .launch = simulated_launch,
    .copy_in = simulated_copy_in,
    .copy_out = simulated_copy_out,
    .copy = simulated_copy,
    .copy_from = simulated_copy_from,
    .zero = simulated_zero,
    .event_record = simulated_event_record,
    .event_notify = simulated_event_notify,
    .event_reached = simulated_event_reached,
    .event_wait = simulated_event_wait,
    .event_free = simulated_event_free,
};

status dev_open_simulated(uint32_t chunk_rows, mem_budget *budget, device **out)
{
    *out = NULL;
    TRY(simulated_memory_open());
    simulated_device *dev = mem_new(sizeof *dev);
    if (!dev)
        return status_no_memory("device", sizeof *dev);
    mutex_init(&dev->lock);
    pthread_cond_init(&dev->reached, NULL);
    pthread_cond_init(&dev->reclaimed, NULL);
    simulated_released_init(&dev->released);
    dev->base = (device){
        .ops = &simulated_ops,
        .memory = DEV_MEMORY_SIMULATED,
        .chunk_rows = chunk_rows ? chunk_rows : dev_chunk_rows(budget, DEFAULT_CHUNK_ROWS),
        .stream_count = STREAMS,
        .isa = "scalar",
        .host_isa = CPU_ISA_SCALAR,
        .runs_tiles = true,
        .has_rows_in_slots = true,
        .codecs = {.all = UINT32_MAX},
        .budget = mem_budget_ref(budget),
        .references = 1,
    };
    *out = &dev->base;
    return STATUS_OK;
}

status dev_simulated_cost(device *base, uint64_t launch_microseconds, uint64_t wait_microseconds)
{
    simulated_device *dev = (simulated_device *)base;
    if (wait_microseconds && !dev->waker.is_started)
        TRY(cost_waker_start(&dev->waker));
    dev->launch_cost = launch_microseconds * 1000;
    dev->wait_cost = wait_microseconds * 1000;
    return STATUS_OK;
}

void dev_simulated_seed(device *base, uint64_t seed)
{
    simulated_device *dev = (simulated_device *)base;
    dev->is_punctual = !seed;
    dev->seed = seed;
}
