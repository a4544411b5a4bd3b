/* test_simulated_cost.c - the simulated device's model of a GPU's costs: time passes at least, for the
 * stream or for who waits.
 *
 * test_label: release threads */
#include "device_test.h"

#include <time.h>

static mem_budget *budget;
static device *dev;
static dev_stream *stream;

static void begin(uint64_t launch_microseconds, uint64_t wait_microseconds)
{
    CHECK_OK(mem_budget_new(0, &budget));
    CHECK_OK(dev_open_simulated(0, budget, &dev));
    CHECK_OK(dev_simulated_cost(dev, launch_microseconds, wait_microseconds));
    dev_simulated_seed(dev, 0);
    CHECK_OK(dev->ops->stream_open(dev, &stream));
}

static void end(void)
{
    dev->ops->stream_close(stream);
    dev_close(dev);
    mem_budget_free(budget);
}

static double now(void)
{
    struct timespec ts;
    clock_gettime(CLOCK_MONOTONIC, &ts);
    return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

static void launch(int count)
{
    dev_buffer *buffer;
    CHECK_OK(dev_alloc(dev, 64, "test", &buffer));
    for (int i = 0; i < count; i++)
        CHECK_OK(DEV_LAUNCH(stream, count_up, .count = dev_count_exact(8), .out = buffer->address));
    dev_buffer_unref(buffer);
}

TEST(launches_take_the_streams_time)
{
    begin(1000, 0);
    double since = now();
    launch(50);
    dev->ops->stream_drain(stream);
    CHECK(now() - since >= 0.050);
    end();
}

TEST(waiting_costs_who_waits)
{
    begin(0, 20000);
    dev_event *event;
    launch(1);
    CHECK_OK(dev->ops->event_record(stream, NULL, NULL, &event));
    dev->ops->stream_drain(stream);
    double since = now();
    dev->ops->event_wait(event); /* it has been reached */
    dev->ops->stream_drain(stream);
    CHECK(dev->ops->event_reached(event));
    dev->ops->event_free(event);
    CHECK(now() - since < 10);
    end();
}

typedef struct woken {
    _Atomic int count;
    double at;
} woken;

static void wake(void *argument)
{
    woken *w = argument;
    w->at = now();
    atomic_fetch_add(&w->count, 1);
}

/* A waiter that has drained the stream is woken no more. */
TEST(wake_ups_are_late_and_come_before_a_drain_returns)
{
    woken w = {0};
    dev_event *event;
    begin(0, 30000);
    double since = now();
    for (int i = 0; i < 3; i++) {
        CHECK_OK(dev->ops->event_record(stream, wake, &w, &event));
        dev->ops->event_free(event);
    }
    dev->ops->stream_drain(stream);
    CHECK_EQ(atomic_load(&w.count), 3);
    CHECK(w.at - since >= 0.030);
    end();
}
