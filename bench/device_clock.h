/* device_clock.h - for programs that time a CUDA device: the host's clock, and a wait as fine as it. */
#ifndef PISTACHIO_BENCH_DEVICE_CLOCK_H
#define PISTACHIO_BENCH_DEVICE_CLOCK_H

#include "device/device.h"

#include <sched.h>
#include <time.h>

#define LOOK_SECONDS 1

static inline double seconds(void)
{
    struct timespec ts;
    clock_gettime(CLOCK_MONOTONIC, &ts);
    return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

/* Returns when the stream has done what it was told. Of kernels of some microseconds stream_drain, which sleeps between
 * two looks, would say up to twice as much; after a while, and of a device that fails, it is the one to wait. */
static inline status stream_settle(dev_stream *stream)
{
    const dev_ops *ops = stream->dev->ops;
    double start = seconds();
    dev_event *event;
    TRY(ops->event_record(stream, NULL, NULL, &event));
    while (!ops->event_reached(event) && seconds() - start < LOOK_SECONDS)
        sched_yield();
    ops->event_free(event);
    ops->stream_drain(stream);
    return dev_check(stream->dev);
}

#endif
