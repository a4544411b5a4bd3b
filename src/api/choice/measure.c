/* measure.c - see measure.h. The best of some rounds counts; a round ends when the stream has done its work. */
#include "api/choice/measure.h"

#include "base/budget.h"
#include "device/transfer.h"

#include <time.h>

#define ROUNDS 5
#define LAUNCHES 500
#define COPY_BYTES ((size_t)128 << 20)

typedef struct measurement {
    device *dev;
    dev_stream *stream;
    void *host;
    dev_buffer *from, *to;
} measurement;

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static status launch_many(measurement *m)
{
    for (int i = 0; i < LAUNCHES; i++)
        TRY(DEV_LAUNCH(m->stream, count_up, .count = dev_count_exact(64), .out = m->to->address));
    return STATUS_OK;
}

static status copy_in(measurement *m)
{
    return m->dev->ops->copy_in(m->stream, m->from->address, m->host, COPY_BYTES);
}

static status copy_within(measurement *m)
{
    return m->dev->ops->copy(m->stream, m->to->address, m->from->address, COPY_BYTES);
}

/* Measures the seconds of the work's best round. */
static status time_of(measurement *m, status (*work)(measurement *m), double *out)
{
    for (int round = 0; round < ROUNDS; round++) {
        double begun = now();
        TRY(work(m));
        m->dev->ops->stream_drain(m->stream);
        double taken = now() - begun;
        *out = round && *out < taken ? *out : taken;
    }
    return dev_check(m->dev);
}

static status measure(measurement *m, device_figures *out)
{
    double launches, in, within;
    TRY(m->dev->ops->stream_open(m->dev, &m->stream));
    TRY(m->dev->ops->host_alloc(m->dev, COPY_BYTES, "calibrate", &m->host));
    TRY(dev_alloc(m->dev, COPY_BYTES, "calibrate", &m->from));
    TRY(dev_alloc(m->dev, COPY_BYTES, "calibrate", &m->to));
    TRY(time_of(m, copy_in, &in));
    TRY(time_of(m, copy_within, &within));
    TRY(time_of(m, launch_many, &launches));
    out->launch_seconds = launches / LAUNCHES;
    out->link_bytes = (double)COPY_BYTES / in;
    out->memory_bytes = (double)COPY_BYTES / within;
    return STATUS_OK;
}

static void release(measurement *m)
{
    dev_buffer_unref(m->from);
    dev_buffer_unref(m->to);
    if (m->host)
        m->dev->ops->host_free(m->dev, m->host, COPY_BYTES);
    if (m->stream)
        m->dev->ops->stream_close(m->stream);
    dev_close(m->dev);
}

status device_figures_measure(unsigned ordinal, device_figures *out)
{
    measurement m = {0};
    mem_budget *budget;
    double begun = now();
    TRY(mem_budget_new(0, &budget));
    status st = dev_open_cuda(ordinal, 0, budget, &m.dev);
    mem_budget_free(budget);
    TRY(st);
    out->open_seconds = now() - begun;
    st = measure(&m, out);
    release(&m);
    return st;
}
