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

/* Returns how often a function of the emulation was called. */
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

/* Returns what went from one device to another: 0 bytes, 1 copies, 2 of these by way of the host. */
static uint64_t link_of(int from, int to, int what)
{
    uint64_t (*ask)(int, int, int) = NULL;
    void *driver = dlopen(getenv("PISTACHIO_CUDA_LIBRARY"), RTLD_NOW | RTLD_LOCAL);
    *(void **)&ask = driver ? dlsym(driver, "emulated_link") : NULL;
    uint64_t count = ask ? ask(from, to, what) : 0;
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
    if (dev)
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

/* ---- memory ---- */

TEST(all_of_the_memory_in_few_pieces)
{
    setenv("PISTACHIO_CUDA_MEMORY", "4294967296", 1);
    open_device(0);
    uint64_t pieces = calls_of("cuMemCreate"), bytes = calls_of("bytes");
    for (unsigned i = 0; i < 256; i++)
        CHECK_OK(take(16 * MEGABYTE));
    CHECK_EQ(calls_of("bytes") - bytes, (uint64_t)4 << 30);
    CHECK(calls_of("cuMemCreate") - pieces <= 16);
    CHECK_EQ(calls_of("cuMemSetAccess"), calls_of("cuMemCreate"));
    CHECK_FAILS(take(1), STATUS_KIND_NO_MEMORY, "test, 1 bytes");
}

TEST(pieces_within_the_limit)
{
    open_device(200 * MEGABYTE);
    uint64_t bytes = calls_of("bytes");
    for (unsigned i = 0; i < 25; i++)
        CHECK_OK(take(8 * MEGABYTE));
    CHECK_EQ(calls_of("bytes") - bytes, 200 * MEGABYTE);
    CHECK_FAILS(take(1), STATUS_KIND_LIMIT, NULL);
}

/* Blocks that chunks are read into come in few pieces: for each the driver may wait for streams. */
static void check_host_pieces(void)
{
    enum { COUNT = 12 };
    void *blocks[COUNT];
    uint64_t before = calls_of("cuMemHostAlloc");
    for (unsigned i = 0; i < COUNT; i++)
        CHECK_OK(dev->ops->host_alloc(dev, 16 * MEGABYTE - 4096, "test", &blocks[i]));
    CHECK_EQ(calls_of("cuMemHostAlloc") - before, 1);
    for (unsigned i = 0; i < COUNT; i++)
        dev->ops->host_free(dev, blocks[i], 16 * MEGABYTE - 4096);
}

/* Chunks are large where there are many multiprocessors, and much memory; not more than somebody asks for. */
TEST(rows_of_a_chunk)
{
    setenv("PISTACHIO_CUDA_MEMORY", "150000000000", 1);
    open_device(4096 * MEGABYTE);
    CHECK_EQ(dev->chunk_rows, 1 << 20);
    close_device();
    setenv("PISTACHIO_CUDA_MULTIPROCESSORS", "132", 1);
    setenv("PISTACHIO_CUDA_MEMORY", "150000000000", 1);
    open_device(0);
    CHECK_EQ(dev->chunk_rows, 1 << 23);
    CHECK_EQ(dev_room_rows(dev), 1 << 20);
    check_host_pieces();
    close_device();
    setenv("PISTACHIO_CUDA_MEMORY", "150000000000", 1);
    open_device(1024 * MEGABYTE);
    CHECK_EQ(dev->chunk_rows, 1 << 18);
    unsetenv("PISTACHIO_CUDA_MULTIPROCESSORS");
    CHECK_EQ(dev_large_chunk_rows((uint64_t)40 << 30, 108, 1 << 20), 1 << 22);
    CHECK_EQ(dev_large_chunk_rows((uint64_t)80 << 30, 40, 1 << 20), 1 << 21);
}

/* The driver has less than the device says, as others have some of it: less is asked for. */
TEST(a_piece_that_the_driver_has_not)
{
    setenv("PISTACHIO_CUDA_MEMORY", "4294967296", 1);
    setenv("PISTACHIO_CUDA_MEMORY_OF_OTHERS", "3000000000", 1);
    open_device(0);
    for (unsigned i = 0; i < 77; i++)
        CHECK_OK(take(16 * MEGABYTE));
    CHECK_FAILS(take(16 * MEGABYTE), STATUS_KIND_NO_MEMORY, "cuMemCreate");
    unsetenv("PISTACHIO_CUDA_MEMORY_OF_OTHERS");
}

TEST(a_large_buffer_rather_than_none)
{
    setenv("PISTACHIO_CUDA_MEMORY", "67108864", 1);
    open_device(0);
    CHECK_OK(take(64 * MEGABYTE));
    dev_buffer_unref(buffers[--buffer_count]);
    CHECK_OK(take(MEGABYTE));
    CHECK_FAILS(take(MEGABYTE), STATUS_KIND_NO_MEMORY, NULL);
}

static void give_all(void)
{
    while (buffer_count)
        dev_buffer_unref(buffers[--buffer_count]);
}

#define FILL(address, value, bytes)                                                                \
    DEV_LAUNCH(stream, fill, .width = 8, .value_low = (value),                                     \
               .count = dev_count_exact((bytes) / 8), .out = (address))

/* Small buffers become a large one, within the limit; and what launches do with its parts they do in order, though these
 * were blocks of their own. */
TEST(small_buffers_become_a_large_one)
{
    open_device(64 * MEGABYTE);
    CHECK_OK(dev->ops->stream_open(dev, &stream));
    CHECK_OK(take(MEGABYTE)); /* also what streams take for themselves comes first */
    CHECK_OK(FILL(buffers[0]->address, 1, 256));
    uint64_t bytes = calls_of("bytes");
    for (unsigned round = 0; round < 3; round++) {
        for (unsigned i = 1; i < 60; i++)
            CHECK_OK(take(MEGABYTE));
        while (buffer_count > 1)
            dev_buffer_unref(buffers[--buffer_count]);
        CHECK_OK(take(28 * MEGABYTE));
        CHECK_OK(take(20 * MEGABYTE));
        for (unsigned i = 1; i < 3; i++) {
            char *address = buffers[i]->address;
            void *host;
            CHECK_OK(FILL(address + 3 * MEGABYTE, 5, 4096));
            CHECK_OK(dev->ops->zero(stream, address, buffers[i]->bytes));
            CHECK_OK(FILL(address + 7 * MEGABYTE, 7, 4096));
            CHECK_OK(dev->ops->host_alloc(dev, buffers[i]->bytes, "test", &host));
            CHECK_OK(dev->ops->copy_out(stream, host, address, buffers[i]->bytes));
            dev->ops->stream_drain(stream);
            const uint64_t *words = host;
            CHECK_EQ(words[3 * MEGABYTE / 8], 0);
            CHECK_EQ(words[7 * MEGABYTE / 8], 7);
            CHECK_EQ(words[buffers[i]->bytes / 8 - 1], 0);
            dev->ops->host_free(dev, host, buffers[i]->bytes);
        }
        while (buffer_count > 1)
            dev_buffer_unref(buffers[--buffer_count]);
    }
    CHECK(calls_of("bytes") - bytes <= 32 * MEGABYTE);
    give_all();
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

/* Without it each look comes 50 microseconds late. */
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
    CHECK_EQ(calls_of("cuStreamDestroy_v2") - destroyed, 0); /* it is kept */
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
    CHECK_EQ(calls_of("without a context"), 0);
}

/* ---- what is kept ---- */

/* Two streams at a time, whoever asks for them. */
TEST(streams_are_made_once)
{
    dev_stream *streams[2];
    open_device(0);
    uint64_t made = calls_of("cuStreamCreate");
    for (unsigned turn = 0; turn < 5; turn++) {
        for (unsigned i = 0; i < 2; i++)
            CHECK_OK(dev->ops->stream_open(dev, &streams[i]));
        for (unsigned i = 0; i < 2; i++) {
            CHECK(!streams[i]->has_work && !streams[i]->begin);
            dev->ops->stream_close(streams[i]);
        }
    }
    CHECK_EQ(calls_of("cuStreamCreate") - made, 2);
    uint64_t destroyed = calls_of("cuStreamDestroy_v2");
    close_device();
    CHECK(calls_of("cuStreamDestroy_v2") - destroyed >= 2);
}

/* SET device = 'cpu' and back. */
TEST(the_context_and_the_kernels_stay)
{
    open_device(0);
    close_device();
    uint64_t contexts = calls_of("cuDevicePrimaryCtxRetain"),
             modules = calls_of("cuModuleLoadData"), functions = calls_of("cuModuleGetFunction");
    for (unsigned i = 0; i < 3; i++) {
        open_device(0);
        close_device();
    }
    open_device(0);
    CHECK_EQ(calls_of("cuDevicePrimaryCtxRetain"), contexts);
    CHECK_EQ(calls_of("cuModuleLoadData"), modules);
    CHECK_EQ(calls_of("cuModuleGetFunction"), functions);
}

/* ---- several devices ---- */

static void open_other(unsigned ordinal, device **out)
{
    mem_budget *budget;
    CHECK_OK(mem_budget_new(0, &budget));
    status st = dev_open_cuda(ordinal, 0, budget, out);
    mem_budget_free(budget);
    CHECK_OK(st);
}

/* Copies bytes of another device's memory to this one's, and looks at them. */
static void copy_across(device *other, size_t bytes)
{
    dev_stream *theirs;
    dev_buffer *source;
    void *sent, *come;
    CHECK_OK(other->ops->stream_open(other, &theirs));
    CHECK_OK(dev_alloc(other, bytes, "test", &source));
    CHECK_OK(other->ops->host_alloc(other, bytes, "test", &sent));
    for (size_t i = 0; i < bytes; i++)
        ((uint8_t *)sent)[i] = (uint8_t)(i * 7 + other->ordinal);
    CHECK_OK(other->ops->copy_in(theirs, source->address, sent, bytes));
    other->ops->stream_drain(theirs);
    CHECK_OK(take(bytes));
    void *target = buffers[buffer_count - 1]->address;
    CHECK_OK(dev->ops->copy_from(stream, target, other, source->address, bytes));
    CHECK_OK(dev->ops->host_alloc(dev, bytes, "test", &come));
    CHECK_OK(dev->ops->copy_out(stream, come, target, bytes));
    dev->ops->stream_drain(stream);
    CHECK(!memcmp(sent, come, bytes));
    dev->ops->host_free(dev, come, bytes);
    other->ops->host_free(other, sent, bytes);
    dev_buffer_unref(source);
    other->ops->stream_close(theirs);
}

/* 70,000 pages beside one of 2 GB: blocks by the billion, and scratch for each. */
TEST(a_launch_of_too_many_blocks_is_refused)
{
    open_device(UINT64_C(1) << 30);
    CHECK_OK(dev->ops->stream_open(dev, &stream));
    status st = DEV_LAUNCH(stream, parquet_batch_decompress, .codecs = 2, .page_count = 70000,
                           .part_count = 1, .most_tiles = 65536);
    CHECK_EQ(status_get_kind(st), STATUS_KIND_LIMIT);
    CHECK(strstr(status_message(st), "at once"));
    CHECK(!strstr(status_message(st), "internal"));
    status_free(st);
    st = DEV_LAUNCH(stream, parquet_batch_split, .page_count = UINT32_MAX);
    CHECK_EQ(status_get_kind(st), STATUS_KIND_LIMIT);
    status_free(st);
}

TEST(copies_between_devices)
{
    enum { BYTES = 100000 };
    device *near, *far, *same;
    dev_work work = {0};
    setenv("PISTACHIO_CUDA_DEVICES", "3", 1);
    setenv("PISTACHIO_CUDA_LINKS", "0-1=1e9,0-2=0", 1);
    open_device(0);
    CHECK_OK(dev->ops->stream_open(dev, &stream));
    open_other(1, &near);
    open_other(2, &far);
    open_other(0, &same);
    device *others[] = {near, far, same};
    for (unsigned i = 0; i < 3; i++) {
        CHECK_OK(dev->ops->meet(dev, others[i]));
        CHECK_OK(others[i]->ops->meet(others[i], dev));
    }
    dev_work_now = &work;
    for (unsigned i = 0; i < 3; i++)
        copy_across(others[i], BYTES);
    dev_work_now = NULL;
    CHECK_EQ(link_of(1, 0, 0), BYTES);
    CHECK_EQ(link_of(1, 0, 1), 1);
    CHECK_EQ(link_of(1, 0, 2), 0);
    CHECK_EQ(link_of(2, 0, 0), BYTES);
    CHECK_EQ(link_of(2, 0, 2), 1);
    CHECK_EQ(link_of(0, 0, 1), 0);
    CHECK_EQ(atomic_load(&work.bytes_across), 3 * BYTES);
    CHECK_EQ(atomic_load(&work.staged_copies), 1);
    for (unsigned i = 0; i < 3; i++)
        dev_close(others[i]);
    unsetenv("PISTACHIO_CUDA_LINKS");
    unsetenv("PISTACHIO_CUDA_DEVICES");
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
