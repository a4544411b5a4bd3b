/* timing.c - how long kernels take on the device, for streams that are timed (EXPLAIN ANALYZE).
 *
 * An event is recorded before and after each launch. Nobody waits for them: what has passed is counted when the next launch is
 * timed, and the rest when the stream is closed. Two kernels of different streams at once count both. */
#include "device/cuda/timing.h"
#include "device/cuda/cuda.h"

#define PAIRS_MAX 4096 /* of launches that have not ended; those beyond are not timed */

typedef struct timed_launch {
    cuda_mark before, after;
    dev_work *work;
} timed_launch;

struct cuda_timing {
    timed_launch *launches; /* a ring */
    size_t room, first, pending;
    size_t made; /* that have their events */
};

/* Returns whether the launch has ended, and counts it then. */
static bool count_if_ended(const cuda_driver *driver, const timed_launch *launch)
{
    float milliseconds;
    cuda_result result = driver->cuEventQuery(launch->after);
    if (result == CUDA_NOT_READY)
        return false;
    if (!result)
        result = driver->cuEventElapsedTime(&milliseconds, launch->before, launch->after);
    if (!result && milliseconds > 0)
        atomic_fetch_add_explicit(&launch->work->kernel_nanoseconds,
                                  (uint64_t)((double)milliseconds * 1e6), memory_order_relaxed);
    return true;
}

void cuda_timing_count(cuda_stream *stream)
{
    const cuda_device *dev = (const cuda_device *)stream->base.dev;
    cuda_timing *t = stream->timing;
    while (t && t->pending && count_if_ended(dev->driver, &t->launches[t->first])) {
        t->first = (t->first + 1) % t->room;
        t->pending--;
    }
}

static bool make_events(const cuda_driver *driver, timed_launch *launch)
{
    if (driver->cuEventCreate(&launch->before, 0))
        return false;
    if (!driver->cuEventCreate(&launch->after, 0))
        return true;
    driver->cuEventDestroy_v2(launch->before);
    return false;
}

/* Takes the place for the next launch; NULL: there is none. */
static timed_launch *next_launch(cuda_stream *stream)
{
    const cuda_driver *driver = ((const cuda_device *)stream->base.dev)->driver;
    cuda_timing *t = stream->timing;
    if (!t) {
        t = mem_new(sizeof *t);
        if (!t)
            return NULL;
        t->launches = mem_new_array(PAIRS_MAX, sizeof *t->launches);
        t->room = t->launches ? PAIRS_MAX : 0;
        stream->timing = t;
    }
    cuda_timing_count(stream);
    if (t->pending == t->room)
        return NULL;
    if (!t->pending)
        t->first = 0; /* so that no more events are made than launches are pending */
    timed_launch *launch = &t->launches[(t->first + t->pending) % t->room];
    size_t number = (size_t)(launch - t->launches);
    if (number == t->made && make_events(driver, launch))
        t->made++;
    return number < t->made ? launch : NULL;
}

timed_launch *cuda_timing_begin(cuda_stream *stream, dev_work *work)
{
    const cuda_driver *driver = ((const cuda_device *)stream->base.dev)->driver;
    timed_launch *launch = stream->base.is_timed && work ? next_launch(stream) : NULL;
    if (!launch || driver->cuEventRecord(launch->before, stream->queue))
        return NULL;
    launch->work = work;
    return launch;
}

void cuda_timing_end(cuda_stream *stream, timed_launch *launch)
{
    const cuda_driver *driver = ((const cuda_device *)stream->base.dev)->driver;
    if (launch && !driver->cuEventRecord(launch->after, stream->queue))
        stream->timing->pending++;
}

void cuda_timing_free(cuda_stream *stream)
{
    const cuda_device *dev = (const cuda_device *)stream->base.dev;
    cuda_timing *t = stream->timing;
    if (!t)
        return;
    for (size_t i = 0; i < t->made && !atomic_load(&dev->is_lost); i++) {
        dev->driver->cuEventDestroy_v2(t->launches[i].before);
        dev->driver->cuEventDestroy_v2(t->launches[i].after);
    }
    mem_free(t->launches);
    mem_free(t);
    stream->timing = NULL;
}
