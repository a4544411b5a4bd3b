/* test_simulated_memory.c - memory that was released and is still in use is awaited, by who can.
 *
 * test_label: threads */
#include "device_test.h"

#include <time.h>

#define LIMIT 1000000

static mem_budget *budget;
static device *dev;
static dev_stream *stream;
static dev_work work;

static void begin(void)
{
    CHECK_OK(mem_budget_new(LIMIT, &budget));
    CHECK_OK(dev_open_simulated(0, budget, &dev));
    CHECK_OK(dev_simulated_cost(dev, 20000, 0));
    dev_simulated_seed(dev, 0);
    CHECK_OK(dev->ops->stream_open(dev, &stream));
    work = (dev_work){0};
    dev_stream_now = stream;
    dev_work_now = &work;
}

static void end(void)
{
    dev_stream_now = NULL;
    dev_work_now = NULL;
    stream->await_memory = NULL;
    dev->ops->stream_close(stream);
    dev_close(dev);
    mem_budget_free(budget);
}

/* Two thirds of the memory are released, and the stream has yet to do something with them. */
static void release_some(void)
{
    for (int i = 0; i < 2; i++) {
        dev_buffer *buffer;
        CHECK_OK(dev_alloc(dev, LIMIT / 3, "test", &buffer));
        for (int k = 0; k < 5; k++)
            CHECK_OK(
                DEV_LAUNCH(stream, count_up, .count = dev_count_exact(8), .out = buffer->address));
        dev_buffer_unref(buffer);
    }
}

static void take_most(void)
{
    dev_buffer *buffer;
    CHECK_OK(dev_alloc(dev, LIMIT / 4 * 3, "test", &buffer));
    dev_buffer_unref(buffer);
}

static void wake(void *argument)
{
    atomic_store((_Atomic bool *)argument, true);
}

static status await_memory(dev_stream *its, bool *out_was, void *argument)
{
    _Atomic bool is_woken = false;
    CHECK(its == stream);
    CHECK(argument == &work);
    TRY(dev->ops->memory_notify(its, wake, &is_woken, out_was));
    while (*out_was && !atomic_load(&is_woken))
        nanosleep(&(struct timespec){0, 1000000}, NULL);
    return STATUS_OK;
}

TEST(a_task_awaits_what_was_released)
{
    begin();
    stream->await_memory = await_memory;
    stream->await_argument = &work;
    release_some();
    take_most();
    CHECK_EQ(atomic_load(&work.waits), 0);
    end();
}

TEST(others_wait)
{
    begin();
    release_some();
    take_most();
    end();
}

TEST(what_is_held_is_not_awaited)
{
    dev_buffer *held, *more;
    begin();
    stream->await_memory = await_memory;
    stream->await_argument = &work;
    CHECK_OK(dev_alloc(dev, LIMIT / 2, "test", &held));
    CHECK_FAILS(dev_alloc(dev, LIMIT / 4 * 3, "test", &more), STATUS_KIND_LIMIT,
                "test needs 750000 bytes, 500000 are in use");
    stream->await_memory = NULL;
    CHECK_FAILS(dev_alloc(dev, LIMIT / 4 * 3, "test", &more), STATUS_KIND_LIMIT, "test needs");
    CHECK_EQ(atomic_load(&work.waits), 0);
    dev_buffer_unref(held);
    end();
}
