/* test_cuda_host.c - what the CUDA device's host side asks of the driver: memory, threads that wait, contexts. On the
 * emulation, which counts calls (tests/cuda_emulation/driver.cpp). */
#include "device/cuda/cuda.h"
#include "test.h"

#include <dlfcn.h>
#include <pthread.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define MEGABYTE ((size_t)1 << 20)
#define BUFFERS_MAX 300

static device *dev;
static dev_stream *stream;
static dev_buffer *buffers[BUFFERS_MAX];
static unsigned buffer_count;

/* Of the emulation: how often a function was called. */
static uint64_t calls_of(const char *name)
{
    uint64_t (*ask)(const char *) = NULL;
    void *driver = dlopen(getenv("PISTACHIO_CUDA_LIBRARY"), RTLD_NOW | RTLD_LOCAL);
    *(void **)&ask = driver ? dlsym(driver, "emulated_calls") : NULL;
    uint64_t count = ask ? ask(name) : 0;
    if (driver)
        dlclose(driver);
    return count;
}

static void close_device(void)
{
    while (buffer_count)
        dev_buffer_unref(buffers[--buffer_count]);
    if (stream)
        dev->ops->stream_close(stream);
    dev_close(dev);
    stream = NULL;
    dev = NULL;
    unsetenv("PISTACHIO_CUDA_MEMORY");
}

static void open_device(uint64_t limit)
{
    mem_budget *budget;
    if (!getenv("PISTACHIO_CUDA_LIBRARY"))
        SKIP("the driver is not emulated");
    CHECK_OK(mem_budget_new(limit, &budget));
    status st = dev_open_cuda(0, 0, budget, &dev);
    mem_budget_free(budget);
    CHECK_OK(st);
    test_at_end(close_device);
}

static status take(size_t bytes)
{
    status st = dev_alloc(dev, bytes, "test", &buffers[buffer_count]);
    buffer_count += !st;
    return st;
}

/* ---- threads ---- */

static int slack_of_waker;
static _Atomic bool was_woken;

static void note_slack(void *argument)
{
    (void)argument;
    slack_of_waker = prctl(PR_GET_TIMERSLACK);
    atomic_store(&was_woken, true);
}

static void sleep_a_moment(void)
{
    nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
}

/* Else each of its looks comes 50 microseconds late. */
TEST(who_wakes_sleeps_as_long_as_he_means_to)
{
    dev_event *event;
    int slack = prctl(PR_GET_TIMERSLACK);
    open_device(0);
    CHECK_OK(dev->ops->stream_open(dev, &stream));
    CHECK_OK(take(256));
    CHECK_OK(dev->ops->zero(stream, buffers[0]->address, 256));
    atomic_store(&was_woken, false);
    CHECK_OK(dev->ops->event_record(stream, note_slack, NULL, &event));
    while (!atomic_load(&was_woken))
        sleep_a_moment();
    dev->ops->event_free(event);
    CHECK_EQ(slack_of_waker, 1);
    CHECK_EQ(prctl(PR_GET_TIMERSLACK), slack);
}

static dev_event *shared_event;

static void *wait_and_free(void *argument)
{
    (void)argument;
    dev->ops->event_wait(shared_event);
    dev->ops->event_free(shared_event);
    return NULL;
}

/* A thread that never used the device asks the driver whether it still is there, and gives up what nobody else has of a
 * stream. */
TEST(threads_without_a_context)
{
    open_device(0);
    void *word;
    pthread_t thread;
    const cuda_driver *driver = ((cuda_device *)dev)->driver;
    CHECK_OK(dev->ops->stream_open(dev, &stream));
    CHECK_OK(dev->ops->host_alloc(dev, sizeof(uint64_t), "test", &word));
    _Atomic uint64_t *held = word;
    atomic_store(held, 0);
    CHECK_EQ(driver->cuStreamWaitValue64_v2(((cuda_stream *)stream)->queue, (uintptr_t)word, 1,
                                            CUDA_WAIT_AT_LEAST),
             0);
    CHECK_OK(dev->ops->event_record(stream, NULL, NULL, &shared_event));
    dev->ops->stream_flush(stream);
    uint64_t asked = calls_of("cuStreamQuery"), destroyed = calls_of("cuStreamDestroy_v2");
    CHECK_EQ(pthread_create(&thread, NULL, wait_and_free, NULL), 0);
    while (calls_of("cuStreamQuery") == asked)
        sleep_a_moment();
    atomic_store(held, 1);
    dev->ops->stream_drain(stream);
    pthread_join(thread, NULL);
    dev->ops->stream_close(stream);
    stream = NULL;
    dev->ops->host_free(dev, word, sizeof(uint64_t));
    CHECK_EQ(calls_of("cuStreamDestroy_v2") - destroyed, 1);
    CHECK_EQ(calls_of("without a context"), 0);
}

static void *free_event(void *argument)
{
    dev->ops->event_free(argument);
    return NULL;
}

TEST(a_stream_that_ends_with_its_last_event)
{
    open_device(0);
    pthread_t thread;
    dev_event *event;
    CHECK_OK(dev->ops->stream_open(dev, &stream));
    CHECK_OK(dev->ops->event_record(stream, NULL, NULL, &event));
    uint64_t destroyed = calls_of("cuStreamDestroy_v2");
    dev->ops->stream_close(stream);
    stream = NULL;
    CHECK_EQ(calls_of("cuStreamDestroy_v2"), destroyed);
    CHECK_EQ(pthread_create(&thread, NULL, free_event, event), 0);
    pthread_join(thread, NULL);
    CHECK_EQ(calls_of("cuStreamDestroy_v2") - destroyed, 1);
    CHECK_EQ(calls_of("without a context"), 0);
}

/* ---- processes ---- */

/* A driver does not come along with a fork: the child is told so. */
TEST(a_process_that_was_forked)
{
    open_device(0);
    int code = -1;
    pid_t child = fork();
    CHECK(child >= 0);
    if (!child) {
        const cuda_driver *driver;
        status st = cuda_driver_open(&driver);
        _exit(st && strstr(status_message(st), "before this process was forked") ? 0 : 1);
    }
    CHECK_EQ(waitpid(child, &code, 0), child);
    CHECK_EQ(code, 0);
}
