/* driver.cpp - the functions of libcuda.so.1 that the CUDA device calls, on the host's memory. Each
 * stream is a thread that does late what is enqueued.
 *
 *   PISTACHIO_CUDA_FAIL=NAME:N[:ERROR]  the N-th call of function NAME, here or in nvcomp.cpp, fails
 *   PISTACHIO_CUDA_CAPABILITY=N   of all devices (80)
 *   PISTACHIO_CUDA_MULTIPROCESSORS=N  of all devices (1)
 *   PISTACHIO_CUDA_REGISTERED=1   memory that the driver is told of has one address for both
 *   PISTACHIO_CUDA_GONE_DEVICE=N  of several devices the one that PISTACHIO_CUDA_GONE is about (all)
 * devices.cpp has how many there are, their memory and links; faults.cpp has more that fails. In addition:
 *   PISTACHIO_CUDA_COUNTS=FILE    what each kernel had to do is added to it in the end: a line each of
 *                                 name, launches, jobs, rows, seconds; then for each function of the driver
 *                                 call_NAME, calls, those under a device's lock, 0, 0
 *
 * What a real driver would put up with, and what the device shall not do, fails here: copies from
 * and to memory that is not pinned (but what the device says it copies through all the same), or of bytes
 * that no buffer has; kernels that are given other addresses; launches of one thread for many rows; calls of a
 * thread that has no context. */
#include "devices.h"

#include <set>
#include <stdarg.h>
#include <sys/mman.h>
#include <thread>
#include <time.h>
#include <vector>

/* A launch over so many rows has a thread for each so many of them at least. */
#define MANY_ROWS 100000
#define ROWS_PER_THREAD 64
#define CALLS_PER_LOOK 16 /* whether the device is still there, of each function */

extern "C" uint32_t kernels_layout[];
extern "C" const size_t kernels_layout_bytes;

std::mutex emulated_lock;
std::map<std::string, uint64_t> emulated_counts;
static std::mutex running; /* one kernel at a time */
static std::map<char *, size_t> pinned;
/* Memory of the process's own, of which the driver was told. */
static std::map<char *, size_t> registered;
static std::map<char *, size_t> pageable; /* that the device said it copies through */
static std::set<CUstream_st *> streams;
static char why[512] = "no text for it";
static char failed_call[64] = "emulated"; /* the one that was made to fail */

/* ---- faults and counts ---- */

/* The device is gone from the machine, or all are. */
static void look_for_devices()
{
    static const char *given = getenv("PISTACHIO_CUDA_GONE_DEVICE");
    if (!emulated_fault_gone())
        return;
    for (int i = 0; i < emulated_device_count(); i++)
        if (!emulated_devices[i].lost && (!given || strtol(given, nullptr, 10) == i))
            emulated_devices[i].lost = ERROR_NO_LONGER_THERE;
}

/* A client may have made a context by itself, of which nothing is known. */
static emulated_device *known(emulated_device *device)
{
    bool is_ours = device >= emulated_devices && device < emulated_devices + EMULATED_DEVICES_MAX;
    return is_ours ? device : nullptr;
}

static thread_local int locks; /* of devices, that the thread has */
static std::map<std::string, uint64_t> locked_counts;

EXPORTED void pistachio_watch_lock(int more)
{
    locks += more;
}

int emulated_count_call_of(const char *name, emulated_device *device)
{
    static const char *fail = getenv("PISTACHIO_CUDA_FAIL");
    std::lock_guard<std::mutex> guard(emulated_lock);
    uint64_t nth = ++emulated_counts[name];
    locked_counts[name] += locks > 0;
    device = known(device ? device : current);
    if (!device && emulated_device_count() == 1)
        device = emulated_devices;
    if (nth % CALLS_PER_LOOK == 1)
        look_for_devices();
    size_t length = strlen(name);
    char *end = nullptr;
    if (fail && !strncmp(fail, name, length) && fail[length] == ':' &&
        strtoull(fail + length + 1, &end, 10) == nth) {
        int error = *end == ':' ? (int)strtol(end + 1, nullptr, 10) : (int)ERROR_UNKNOWN;
        /* After a failure of what streams do nothing works any more, as with a real driver. Who finds
         * that first may be another thread in another call: the text says what it was. */
        if (device && !strncmp(name, "cu", 2) &&
            (strstr(name, "Async") || strstr(name, "Value64") || !strcmp(name, "cuLaunchKernel") ||
             !strcmp(name, "cuStreamQuery")))
            device->lost = error;
        snprintf(failed_call, sizeof failed_call, "%s was made to fail", name);
        return *end == ':' || strcmp(name, "cuMemCreate") ? error : (int)CUDA_OUT_OF_MEMORY;
    }
    return device ? device->lost.load() : 0;
}

/* Some drivers take such calls all the same: it is no use to find out which. */
bool emulated_has_context(const char *name)
{
    if (current)
        return true;
    fprintf(stderr, "emulated driver: %s is called by a thread that has no context\n", name);
    std::lock_guard<std::mutex> guard(emulated_lock);
    emulated_counts["without a context"]++;
    snprintf(failed_call, sizeof failed_call, "%s without a context", name);
    for (emulated_device &device : emulated_devices)
        if (!device.lost)
            device.lost = ERROR_CONTEXT;
    return false;
}

/* For the emulation of nvCOMP: counts a call of its, which fails if it is made to. */
EXPORTED int emulated_count_call(const char *name)
{
    return emulated_count_call_of(name, nullptr);
}

/* What a GPU does in 2 microseconds takes about so many times as long here. */
extern "C" __attribute__((visibility("default"))) const unsigned pistachio_slowness = 20;

/* How often a function was called. "bytes": of cuMemCreate; "without a context": calls for which it was missing. */
EXPORTED uint64_t emulated_calls(const char *name)
{
    std::lock_guard<std::mutex> guard(emulated_lock);
    return emulated_counts[name];
}

/* The names of the kernels, one by one; NULL behind the last. */
EXPORTED const char *emulated_kernel_name(unsigned index)
{
    const emulated_kernel *kernel = emulated_kernels;
    while (kernel && index--)
        kernel = kernel->next;
    return kernel ? kernel->name : nullptr;
}

int emulated_refuse(const char *format, ...)
{
    va_list list;
    va_start(list, format);
    vsnprintf(why, sizeof why, format, list);
    va_end(list);
    return ERROR_INVALID;
}

/* ---- streams ---- */

/* For the emulation of nvCOMP. */
EXPORTED void emulated_enqueue(CUstream_st *stream, void (*call)(void *), void *argument)
{
    stream->enqueue([=] { call(argument); });
}

/* One command in 16 comes late. */
void CUstream_st::main()
{
    std::unique_lock<std::mutex> guard(mutex);
    for (;;) {
        changed.wait(guard, [this] { return !commands.empty(); });
        std::function<void()> command = std::move(commands.front());
        commands.pop_front();
        is_busy = true;
        guard.unlock();
        random = random * 6364136223846793005u + 1442695040888963407u;
        if (!(random >> 33 & 15)) {
            timespec pause = {0, (long)((random >> 40) % 100000)};
            nanosleep(&pause, nullptr);
        }
        if (!device->lost)
            command();
        guard.lock();
        is_busy = false;
        if (commands.empty())
            done.notify_all();
    }
}

/* Streams that were destroyed wait for the next ones: with sanitizers a thread takes longer to begin and to end than a
 * short query does. */
static std::vector<CUstream_st *> idle;

static CUstream_st *take_idle()
{
    std::lock_guard<std::mutex> guard(emulated_lock);
    if (idle.empty())
        return nullptr;
    CUstream_st *stream = idle.back();
    idle.pop_back();
    return stream;
}

EXPORTED int cuStreamCreate(CUstream_st **out, unsigned)
{
    BEGIN_IN_CONTEXT
    static uint64_t seed;
    CUstream_st *stream = take_idle();
    bool is_new = !stream;
    if (is_new)
        stream = new CUstream_st;
    stream->random = ++seed;
    stream->device = current;
    stream->is_open = true;
    if (is_new)
        std::thread([stream] { stream->main(); }).detach();
    std::lock_guard<std::mutex> guard(emulated_lock);
    streams.insert(stream);
    *out = stream;
    return 0;
}

static void destroy(CUstream_st *stream)
{
    stream->must_be_open();
    stream->is_open = false;
    {
        std::unique_lock<std::mutex> guard(stream->mutex);
        stream->done.wait(guard, [stream] { return stream->commands.empty() && !stream->is_busy; });
    }
    std::lock_guard<std::mutex> guard(emulated_lock);
    idle.push_back(stream);
}

EXPORTED int cuStreamDestroy_v2(CUstream_st *stream)
{
    emulated_has_context(__func__);
    {
        std::lock_guard<std::mutex> guard(emulated_lock);
        streams.erase(stream);
    }
    destroy(stream);
    return emulated_count_call_of(__func__, nullptr);
}

EXPORTED int cuStreamQuery(CUstream_st *stream)
{
    BEGIN_IN_CONTEXT
    stream->must_be_open();
    std::lock_guard<std::mutex> guard(stream->mutex);
    return stream->commands.empty() && !stream->is_busy ? 0 : (int)CUDA_NOT_READY;
}

static bool is_in(const std::map<char *, size_t> &pieces, const void *memory, size_t bytes)
{
    std::lock_guard<std::mutex> guard(emulated_lock);
    auto next = pieces.upper_bound((char *)memory);
    if (next == pieces.begin())
        return false;
    auto found = std::prev(next);
    return (char *)memory + bytes <= found->first + found->second;
}

static bool is_pinned(const void *memory, size_t bytes)
{
    return is_in(pinned, memory, bytes) || is_in(registered, memory, bytes);
}

/* Memory that is not pinned, and that copies go through on purpose. 0 bytes: it goes. */
EXPORTED void pistachio_watch_pageable(const void *address, size_t bytes)
{
    std::lock_guard<std::mutex> guard(emulated_lock);
    if (bytes)
        pageable[(char *)address] = bytes;
    else
        pageable.erase((char *)address);
}

/* As the driver waits that copies through memory of its own. */
static void await(CUstream_st *stream)
{
    for (;;) {
        {
            std::lock_guard<std::mutex> guard(stream->mutex);
            if (stream->commands.empty() && !stream->is_busy)
                return;
        }
        std::this_thread::yield();
    }
}

EXPORTED int cuStreamWriteValue64_v2(CUstream_st *stream, uint64_t word, uint64_t value, unsigned)
{
    BEGIN_IN_CONTEXT
    if (!is_pinned((void *)word, 8))
        return emulated_refuse("a stream writes a word at %p, which is not pinned", (void *)word);
    stream->enqueue([=] { ((std::atomic<uint64_t> *)word)->store(value); });
    return 0;
}

EXPORTED int cuStreamWaitValue64_v2(CUstream_st *stream, uint64_t word, uint64_t value, unsigned)
{
    BEGIN_IN_CONTEXT
    stream->enqueue([=] {
        while (((std::atomic<uint64_t> *)word)->load() < value && !stream->device->lost)
            std::this_thread::yield();
    });
    return 0;
}

/* ---- events ---- */

/* The last record counts: a stream has passed it when none is to come. */
struct CUevent_st {
    std::atomic<int> coming{0};
    std::atomic<uint64_t> nanoseconds{0};
};

EXPORTED int cuEventCreate(CUevent_st **event, unsigned)
{
    BEGIN_IN_CONTEXT
    *event = new CUevent_st;
    return 0;
}

EXPORTED int cuEventRecord(CUevent_st *event, CUstream_st *stream)
{
    BEGIN_IN_CONTEXT
    event->coming++;
    stream->enqueue([=] {
        struct timespec time;
        clock_gettime(CLOCK_MONOTONIC, &time);
        event->nanoseconds = (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
        event->coming--;
    });
    return 0;
}

EXPORTED int cuEventQuery(CUevent_st *event)
{
    BEGIN_IN_CONTEXT
    return event->coming ? (int)CUDA_NOT_READY : 0;
}

EXPORTED int cuEventElapsedTime(float *milliseconds, CUevent_st *before, CUevent_st *after)
{
    BEGIN_IN_CONTEXT
    if (before->coming || after->coming)
        return (int)CUDA_NOT_READY;
    *milliseconds = (float)(after->nanoseconds - before->nanoseconds) / 1e6f;
    return 0;
}

EXPORTED int cuEventDestroy_v2(CUevent_st *event)
{
    BEGIN_IN_CONTEXT
    if (event->coming)
        return emulated_refuse("an event is destroyed that a stream has yet to come to");
    delete event;
    return 0;
}

EXPORTED int cuStreamWaitEvent(CUstream_st *stream, CUevent_st *event, unsigned)
{
    BEGIN_IN_CONTEXT
    stream->enqueue([=] {
        while (event->coming && !stream->device->lost)
            std::this_thread::yield();
    });
    return 0;
}

/* ---- copies ---- */

static bool takes_any_address;

/* For tests that run kernels on memory of their own. */
EXPORTED void emulated_take_any_address()
{
    takes_any_address = true;
}


static bool is_registered(uint64_t address, size_t bytes)
{
    return is_in(registered, (const void *)address, bytes);
}

static bool is_device(uint64_t address, size_t bytes)
{
    return takes_any_address || is_registered(address, 1) ||
           emulated_is_reserved((const void *)address, bytes) || address == (uint64_t)kernels_layout;
}

/* 0, or the error of a call on the stream that uses memory of a device that the stream's has no access to. */
static int check_access(const CUstream_st *stream, const char *name, uint64_t address, size_t bytes)
{
    const emulated_device *owner = emulated_foreign(stream->device, (void *)address, bytes);
    return owner ? emulated_refuse("%s of %zu bytes at %p, of device %d, to which device %d has no access", name,
                                   bytes, (void *)address, emulated_ordinal(owner),
                                   emulated_ordinal(stream->device))
                 : 0;
}

static int copy(CUstream_st *stream, const char *name, void *target, const void *source,
                size_t bytes, const void *host)
{
    const void *device = host == target ? source : target;
    bool waits = host && is_in(pageable, host, bytes);
    if (host && !waits && !is_pinned(host, bytes))
        return emulated_refuse("%s of %zu bytes at %p, which is not pinned", name, bytes, host);
    if (!is_device((uint64_t)device, bytes) || (!host && !is_device((uint64_t)source, bytes)))
        return emulated_refuse("%s of %zu bytes at %p, which is not the device's", name, bytes, device);
    if (int error = check_access(stream, name, (uint64_t)device, bytes))
        return error;
    if (int error = host ? 0 : check_access(stream, name, (uint64_t)source, bytes))
        return error;
    stream->enqueue([=] { memmove(target, source, bytes); });
    if (waits)
        await(stream);
    return 0;
}

/* Of memory of the host's, which kernels and copies may then use: tests of kernels have theirs there. */
EXPORTED int cuMemHostRegister_v2(void *memory, size_t bytes, unsigned)
{
    BEGIN_IN_CONTEXT
    std::lock_guard<std::mutex> guard(emulated_lock);
    char *start = (char *)memory;
    auto next = registered.lower_bound(start);
    if ((next != registered.end() && next->first < start + bytes) ||
        (next != registered.begin() && std::prev(next)->first + std::prev(next)->second > start))
        return ERROR_REGISTERED;
    registered[start] = bytes;
    return 0;
}

EXPORTED int cuMemHostUnregister(void *memory)
{
    BEGIN_IN_CONTEXT
    std::lock_guard<std::mutex> guard(emulated_lock);
    return registered.erase((char *)memory) ? 0 : (int)ERROR_NOT_REGISTERED;
}

EXPORTED int cuMemcpyHtoDAsync_v2(uint64_t target, const void *source, size_t bytes,
                                  CUstream_st *stream)
{
    BEGIN_IN_CONTEXT
    return copy(stream, __func__, (void *)target, source, bytes, source);
}

EXPORTED int cuMemcpyDtoHAsync_v2(void *target, uint64_t source, size_t bytes, CUstream_st *stream)
{
    BEGIN_IN_CONTEXT
    return copy(stream, __func__, target, (void *)source, bytes, target);
}

/* A client's, which waits, and whose memory need not be pinned. */
EXPORTED int cuMemcpyDtoH_v2(void *target, uint64_t source, size_t bytes)
{
    BEGIN
    if (!is_device(source, bytes))
        return emulated_refuse("%s of %zu bytes at %p, which is not the device's", __func__, bytes,
                      (void *)source);
    memmove(target, (const void *)source, bytes);
    return 0;
}

EXPORTED int cuMemcpyDtoDAsync_v2(uint64_t target, uint64_t source, size_t bytes,
                                  CUstream_st *stream)
{
    BEGIN_IN_CONTEXT
    return copy(stream, __func__, (void *)target, (void *)source, bytes, nullptr);
}

EXPORTED int cuMemsetD8Async(uint64_t target, unsigned char value, size_t bytes,
                             CUstream_st *stream)
{
    BEGIN_IN_CONTEXT
    if (!is_device(target, bytes))
        return emulated_refuse("%s of %zu bytes at %p, which is not the device's", __func__, bytes,
                      (void *)target);
    if (int error = check_access(stream, __func__, target, bytes))
        return error;
    stream->enqueue([=] { memset((void *)target, value, bytes); });
    return 0;
}

/* ---- kernels ---- */

struct launch {
    const emulated_kernel *kernel;
    unsigned blocks, jobs, threads;
    alignas(16) char arguments[CUDA_JOBS_BYTES];

    const char *job(unsigned index) const
    {
        return arguments + index * CUDA_JOB_BYTES(kernel->argument_bytes);
    }
    /* Those that the job has of the launch's. */
    uint64_t job_blocks(unsigned index) const
    {
        cuda_extra extra;
        memcpy(&extra, job(index + 1) - sizeof extra, sizeof extra);
        return extra.blocks;
    }
};

/* What kernels had to do: under `running`. Written when the process ends. */
struct work_done {
    uint64_t launches = 0, jobs = 0, rows = 0, nanoseconds = 0;
};

static struct work_counts {
    std::map<std::string, work_done> of;
    const char *file = getenv("PISTACHIO_CUDA_COUNTS");

    ~work_counts()
    {
        FILE *out = file ? fopen(file, "a") : nullptr;
        for (auto &[name, done] : of)
            if (out)
                fprintf(out, "%s %llu %llu %llu %.6f\n", name.c_str(),
                        (unsigned long long)done.launches, (unsigned long long)done.jobs,
                        (unsigned long long)done.rows, (double)done.nanoseconds / 1e9);
        for (auto &[name, count] : emulated_counts)
            if (out)
                fprintf(out, "call_%s %llu %llu 0 0\n", name.c_str(), (unsigned long long)count,
                        (unsigned long long)locked_counts[name]);
        if (out) {
            emulated_write_links(out);
            fclose(out);
        }
    }
} counts;

static uint64_t now()
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

static void count_work(const launch *l, uint64_t began)
{
    if (!counts.file)
        return;
    work_done &done = counts.of[l->kernel->name];
    done.launches++;
    done.jobs += l->jobs;
    for (unsigned job = 0; job < l->jobs; job++)
        done.rows += l->kernel->rows_now(l->job(job));
    done.nanoseconds += now() - began;
}

/* What it fails with; 0: nothing. */
static int run_job(const launch *l, unsigned job, char *message, size_t bytes)
{
    emulated_before *before;
    cuda_extra extra;
    memcpy(&extra, l->job(job + 1) - sizeof extra, sizeof extra);
    int error = emulated_fault_before(l->kernel, l->job(job), extra.scratch, message, bytes, &before);
    if (!error && !emulated_run(l->kernel, (unsigned)l->job_blocks(job), l->threads, l->job(job), message, bytes))
        error = ERROR_LAUNCH_FAILED;
    emulated_fault_after(before);
    return error;
}

/* Jobs in any order: they know nothing of each other. */
static void run(const launch *l, emulated_device *device)
{
    char message[sizeof why];
    emulated_fault_hang(l->kernel);
    std::lock_guard<std::mutex> guard(running);
    uint64_t began = now();
    static unsigned turn;
    unsigned shift = ++turn % l->jobs;
    for (unsigned i = 0; i < l->jobs && !device->lost; i++) {
        unsigned job = (i + shift) % l->jobs;
        if (int error = run_job(l, job, message, sizeof message)) {
            memcpy(why, message, sizeof why);
            device->lost = error;
        }
    }
    count_work(l, began);
}

/* Those of few threads that go over no rows. */
static const char *const without_rows[] = {
    "kernel_key_statistics",        /* sets words before the rows */
    "kernel_key_statistics_end",    /* and behind them */
    "kernel_groups_partition_sum",  /* goes over parts */
    "kernel_ranks_partition_sum",   /* goes over ranks */
    "kernel_sort_rows_sources",     /* goes over words of keys */
};

/* Those of which each block takes tiles in turns. */
static const char *const in_turns[] = {
    "kernel_aggregate_count",      "kernel_aggregate_sum",  "kernel_aggregate_pick_wide",
    "kernel_aggregate_bits",       "kernel_aggregate_vary", "kernel_aggregate_sum_number",
    "kernel_aggregate_add_pair",   "kernel_aggregate_pick_text", "kernel_sort_rows_words",
    "kernel_sort_rows_radix",
};

static bool needs_many(const emulated_kernel *kernel)
{
    for (const char *name : without_rows)
        if (!strcmp(kernel->name, name))
            return false;
    for (const char *name : in_turns)
        if (!strcmp(kernel->name, name))
            return false;
    return true;
}

/* The blocks, of all that the launch has, and threads for the job's rows. */
static bool has_enough(const launch *l, unsigned job)
{
    uint64_t rows = l->kernel->rows(l->job(job)), blocks = l->job_blocks(job);
    return blocks && blocks <= l->blocks &&
           (rows < MANY_ROWS || blocks * l->threads >= rows / ROWS_PER_THREAD ||
            !needs_many(l->kernel));
}

/* Of the device's memory, or of what it may use of the host's. */
static bool is_known(const void *address)
{
    return is_device((uint64_t)address, 1) || is_pinned(address, 1);
}

static thread_local const emulated_device *asking; /* about is_within_reach */

static bool is_within_reach(const void *address)
{
    return !emulated_foreign(asking, address, 1);
}

EXPORTED int cuLaunchKernel(CUfunc_st *function, unsigned blocks, unsigned jobs, unsigned grid_z,
                            unsigned threads, unsigned block_y, unsigned block_z, unsigned shared,
                            CUstream_st *stream, void **arguments, void **)
{
    BEGIN_IN_CONTEXT
    const emulated_kernel *kernel = (const emulated_kernel *)function;
    if (!blocks || !threads || threads > 1024 || threads % 32 || !jobs ||
        jobs > CUDA_JOBS(kernel->argument_bytes) || grid_z != 1 || block_y != 1 || block_z != 1 ||
        shared)
        return emulated_refuse("%s is launched with %u x %u blocks of %u threads", kernel->name, blocks,
                      jobs, threads);
    launch l = {kernel, blocks, jobs, threads, {}};
    memcpy(l.arguments, arguments[0], jobs * CUDA_JOB_BYTES(kernel->argument_bytes));
    for (unsigned job = 0; job < jobs; job++)
        if (const char *name = kernel->strange(l.job(job), is_known))
            return emulated_refuse("%s is given an address, %s, that is not the device's", kernel->name,
                          name);
    asking = stream->device;
    for (unsigned job = 0; job < jobs; job++)
        if (const char *name = kernel->strange(l.job(job), is_within_reach))
            return emulated_refuse("%s is given an address, %s, of a device to which device %d has no access",
                                   kernel->name, name, emulated_ordinal(stream->device));
    for (unsigned job = 0; job < jobs; job++)
        if (!has_enough(&l, job))
            return emulated_refuse("%s has %llu blocks of %u threads for %llu rows", kernel->name,
                          (unsigned long long)l.job_blocks(job), threads,
                          (unsigned long long)kernel->rows(l.job(job)));
    stream->enqueue([l, stream] { run(&l, stream->device); });
    return 0;
}

EXPORTED int cuModuleLoadData(void **out, const void *image)
{
    BEGIN_IN_CONTEXT
    if (memcmp((const char *)image + 16, "emulated", 8) != 0)
        return CUDA_INVALID_IMAGE;
    *out = (void *)&emulated_kernels;
    return 0;
}

EXPORTED int cuModuleUnload(void *)
{
    BEGIN_IN_CONTEXT
    return 0;
}

EXPORTED int cuModuleGetFunction(const void **out, void *, const char *name)
{
    BEGIN_IN_CONTEXT
    for (const emulated_kernel *kernel = emulated_kernels; kernel; kernel = kernel->next)
        if (!strcmp(kernel->name, name)) {
            *out = kernel;
            return 0;
        }
    return CUDA_NOT_FOUND;
}

EXPORTED int cuModuleGetGlobal_v2(uint64_t *address, size_t *bytes, void *, const char *name)
{
    BEGIN_IN_CONTEXT
    if (strcmp(name, "kernels_layout") != 0)
        return CUDA_NOT_FOUND;
    *address = (uint64_t)kernels_layout;
    *bytes = kernels_layout_bytes;
    return 0;
}

/* ---- memory ---- */

EXPORTED int cuMemHostAlloc(void **out, size_t bytes, unsigned)
{
    BEGIN_IN_CONTEXT
    void *memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        return CUDA_OUT_OF_MEMORY;
    std::lock_guard<std::mutex> guard(emulated_lock);
    pinned[(char *)memory] = bytes;
    *out = memory;
    return 0;
}

EXPORTED int cuMemFreeHost(void *memory)
{
    emulated_has_context(__func__);
    {
        std::lock_guard<std::mutex> guard(emulated_lock);
        auto found = pinned.find((char *)memory);
        if (found == pinned.end())
            return ERROR_INVALID;
        munmap(memory, found->second);
        pinned.erase(found);
    }
    return emulated_count_call_of(__func__, nullptr);
}

/* ---- the device ---- */

EXPORTED int cuInit(unsigned)
{
    BEGIN
    return emulated_device_count() ? 0 : (int)CUDA_NO_DEVICE;
}

EXPORTED int cuDriverGetVersion(int *version)
{
    BEGIN
    const char *given = getenv("PISTACHIO_CUDA_VERSION");
    *version = given ? (int)strtol(given, nullptr, 10) : 12080;
    return 0;
}

EXPORTED int cuGetErrorName(int error, const char **text)
{
    *text = error == ERROR_LAUNCH_FAILED   ? "CUDA_ERROR_LAUNCH_FAILED"
            : error == ERROR_ILLEGAL_ADDRESS ? "CUDA_ERROR_ILLEGAL_ADDRESS"
            : error == ERROR_NO_LONGER_THERE ? "CUDA_ERROR_DEVICE_UNAVAILABLE"
            : error == ERROR_CONTEXT       ? "CUDA_ERROR_INVALID_CONTEXT"
            : error == CUDA_NO_BINARY      ? "CUDA_ERROR_NO_BINARY_FOR_GPU"
            : error == ERROR_INVALID       ? "CUDA_ERROR_INVALID_VALUE"
            : error == CUDA_OUT_OF_MEMORY  ? "CUDA_ERROR_OUT_OF_MEMORY"
            : error == CUDA_INVALID_IMAGE ? "CUDA_ERROR_INVALID_IMAGE"
            : error == CUDA_NOT_FOUND      ? "CUDA_ERROR_NOT_FOUND"
                                           : "CUDA_ERROR_UNKNOWN";
    return 0;
}

EXPORTED int cuGetErrorString(int error, const char **text)
{
    *text = error == ERROR_LAUNCH_FAILED || error == ERROR_ILLEGAL_ADDRESS || error == ERROR_INVALID ? why
            : error == ERROR_NO_LONGER_THERE ? "the device is gone"
                                             : failed_call;
    return 0;
}

EXPORTED int cuDeviceGetCount(int *count)
{
    BEGIN
    *count = emulated_device_count();
    return 0;
}

EXPORTED int cuDeviceGet(int *device, int ordinal)
{
    BEGIN
    *device = ordinal;
    return 0;
}

/* Of no bus of any machine. */
EXPORTED int cuDeviceGetPCIBusId(char *text, int bytes, int device)
{
    BEGIN
    snprintf(text, (size_t)bytes, "FFFF:FF:%02X.0", (unsigned)device & 0x1f);
    return 0;
}

EXPORTED int cuDeviceGetAttribute(int *value, int attribute, int)
{
    BEGIN
    const char *given = getenv("PISTACHIO_CUDA_CAPABILITY");
    int capability = given ? (int)strtol(given, nullptr, 10) : 80;
    const char *many = getenv("PISTACHIO_CUDA_MULTIPROCESSORS");
    switch (attribute) {
    case CUDA_ATTRIBUTE_CAPABILITY_MAJOR:
        *value = capability / 10;
        break;
    case CUDA_ATTRIBUTE_CAPABILITY_MINOR:
        *value = capability % 10;
        break;
    case CUDA_ATTRIBUTE_MULTIPROCESSORS:
        *value = many ? (int)strtol(many, nullptr, 10) : 1;
        break;
    case CUDA_ATTRIBUTE_REGISTERED_AT_HOST:
        *value = getenv("PISTACHIO_CUDA_REGISTERED") || getenv("PISTACHIO_TEST_REGISTERED");
        break;
    default:
        *value = 1;
    }
    return 0;
}

EXPORTED int cuDevicePrimaryCtxRetain(emulated_device **context, int ordinal)
{
    emulated_device *device = &emulated_devices[ordinal];
    if (int failed = emulated_count_call_of(__func__, device))
        return failed;
    *context = device;
    std::lock_guard<std::mutex> guard(emulated_lock);
    device->retained++;
    return 0;
}

/* With the context goes what is left in it, when nobody holds it any more. */
EXPORTED int cuDevicePrimaryCtxRelease_v2(int ordinal)
{
    emulated_device *device = &emulated_devices[ordinal];
    std::vector<CUstream_st *> left;
    {
        std::lock_guard<std::mutex> guard(emulated_lock);
        if (!--device->retained)
            for (CUstream_st *stream : streams)
                if (stream->device == device)
                    left.push_back(stream);
        for (CUstream_st *stream : left)
            streams.erase(stream);
    }
    for (CUstream_st *stream : left)
        destroy(stream);
    return emulated_count_call_of(__func__, device);
}

EXPORTED int cuDevicePrimaryCtxGetState(int ordinal, unsigned *flags, int *is_active)
{
    BEGIN
    std::lock_guard<std::mutex> guard(emulated_lock);
    *flags = 0;
    *is_active = emulated_devices[ordinal].retained > 0;
    return 0;
}

EXPORTED int cuCtxSetCurrent(emulated_device *context)
{
    if (int failed = emulated_count_call_of(__func__, context))
        return failed;
    current = context;
    return 0;
}

EXPORTED int cuCtxGetCurrent(emulated_device **context)
{
    BEGIN
    *context = current;
    return 0;
}

/* CUDA's run-time, and so nvCOMP, works on the device's primary context where that is the thread's. */
EXPORTED bool emulated_is_primary()
{
    return current;
}
