/* planted.c - does with the emulated CUDA device what it shall find: planted MISTAKE, one of the kernels of
 * planted.cpp, or a copy of memory that is not pinned, or a launch of few threads for many rows, or a stream that is gone.
 * Exit status 0: nothing was found. */
#include "device/cuda/driver.h"
#include "device/cuda/extra.h"
#include "device/device.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define ROWS 256 /* a block */
#define MANY_ROWS 1000000
#define FIRST 7

typedef struct scene {
    const cuda_driver *driver;
    device *dev;
    dev_stream *stream;
    dev_buffer *out;
} scene;

static void must(status st)
{
    if (st) {
        fprintf(stderr, "%s\n", status_message(st));
        _Exit(1); /* the device's memory is not of interest any more */
    }
}

static void await(const scene *s, cuda_queue queue)
{
    cuda_result result;
    struct timespec pause = {0, 100000};
    while ((result = s->driver->cuStreamQuery(queue)) == CUDA_NOT_READY)
        nanosleep(&pause, NULL);
    must(cuda_status(s->driver, result, "kernel"));
}

static void launch(const scene *s, const char *mistake, uint64_t rows)
{
    char name[64];
    cuda_function function;
    cuda_queue queue;
    count_up_arguments arguments = {
        .first = FIRST, .count = dev_count_exact(rows), .out = s->out->address};
    struct {
        count_up_arguments a;
        cuda_extra extra;
    } job = {arguments, {.blocks = 1}};
    void *all[] = {&job};
    snprintf(name, sizeof name, "kernel_planted_%s", mistake);
    must(cuda_status(s->driver, s->driver->cuModuleGetFunction(&function, NULL, name), name));
    must(cuda_status(s->driver, s->driver->cuStreamCreate(&queue, CUDA_QUEUE_NON_BLOCKING), name));
    must(cuda_status(s->driver,
                     s->driver->cuLaunchKernel(function, 1, 1, 1, ROWS, 1, 1, 0, queue, all, NULL),
                     name));
    await(s, queue);
    s->driver->cuStreamDestroy_v2(queue);
}

static void use_destroyed(const scene *s)
{
    cuda_queue queue;
    must(cuda_status(s->driver, s->driver->cuStreamCreate(&queue, CUDA_QUEUE_NON_BLOCKING),
                     "stream"));
    s->driver->cuStreamDestroy_v2(queue);
    must(cuda_status(
        s->driver,
        s->driver->cuMemsetD8Async((cuda_address)(uintptr_t)s->out->address, 0, 1, queue),
        "memset"));
}

/* The stream of one device is given memory of another one, without access. */
static void use_other(scene *s, bool by_kernel)
{
    device *other;
    dev_buffer *theirs;
    mem_budget *budget;
    must(mem_budget_new(0, &budget));
    must(dev_open_cuda(1, 0, budget, &other));
    mem_budget_free(budget);
    must(dev_alloc(other, ROWS * 4, "rows", &theirs));
    if (by_kernel)
        must(DEV_LAUNCH(s->stream, count_up, .first = FIRST, .count = dev_count_exact(ROWS),
                        .out = theirs->address));
    else
        must(s->dev->ops->copy(s->stream, s->out->address, theirs->address, ROWS * 4));
    s->dev->ops->stream_drain(s->stream);
    must(dev_check(s->dev));
}

static void check_rows(const scene *s)
{
    void *host;
    must(s->dev->ops->host_alloc(s->dev, ROWS * 4, "rows", &host));
    must(s->dev->ops->copy_out(s->stream, host, s->out->address, ROWS * 4));
    s->dev->ops->stream_drain(s->stream);
    for (uint32_t i = 0; i < ROWS; i++)
        if (((uint32_t *)host)[i] != FIRST + i) {
            fprintf(stderr, "row %u is wrong\n", i);
            _Exit(1);
        }
    s->dev->ops->host_free(s->dev, host, ROWS * 4);
}

int main(int count, char **arguments)
{
    static uint32_t pageable[ROWS];
    const char *mistake = count > 1 ? arguments[1] : "nothing";
    scene s;
    mem_budget *budget;
    must(cuda_driver_open(&s.driver));
    must(mem_budget_new(0, &budget));
    must(dev_open_cuda(0, 0, budget, &s.dev));
    mem_budget_free(budget);
    must(s.dev->ops->stream_open(s.dev, &s.stream));
    must(dev_alloc(s.dev, sizeof pageable, "rows", &s.out));
    if (!strcmp(mistake, "pageable_copy")) {
        must(cuda_status(s.driver,
                         s.driver->cuMemcpyHtoDAsync_v2((cuda_address)(uintptr_t)s.out->address,
                                                        pageable, sizeof pageable, NULL),
                         "copy"));
    } else if (!strcmp(mistake, "pageable_copy_of_device")) {
        must(s.dev->ops->copy_in(s.stream, s.out->address, pageable, sizeof pageable));
    } else if (!strncmp(mistake, "other_device", 12)) {
        use_other(&s, !strcmp(mistake, "other_device_kernel"));
    } else if (!strcmp(mistake, "destroyed_stream")) {
        use_destroyed(&s);
    } else if (!strcmp(mistake, "few_threads")) {
        launch(&s, "nothing", MANY_ROWS);
    } else {
        launch(&s, mistake, ROWS);
        check_rows(&s);
    }
    dev_buffer_unref(s.out);
    s.dev->ops->stream_close(s.stream);
    dev_close(s.dev);
    return 0;
}
