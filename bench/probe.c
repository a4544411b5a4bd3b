/* probe.c - what a machine's CUDA driver says and does before any kernel of ours runs. For scripts/gpu-check.
 *
 *   probe [FILE OF KERNELS]
 *
 * Prints one JSON object, a line for each member as soon as it is known, so that a driver which hangs or crashes has
 * said everything up to there. Exit code 77: there is no driver, or no device; 1: a call failed. */
#include "device/cuda/driver.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#define COPY_BYTES ((size_t)256 << 20)
#define COPY_ROUNDS 4
#define SECONDS_MAX 20 /* for all rounds of a copy */
#define READERS_MAX 16
#define READ_BYTES ((size_t)512 << 10)
#define LARGE_PAGE ((size_t)2 << 20)

typedef struct probe {
    void *library;
    cuda_ordinal device;
    cuda_context context;
    cuda_module module;
    cuda_queue queue;
    void *host;
    cuda_address memory;
    cuda_allocation allocation;
    size_t bytes;
} probe;

static double seconds(void)
{
    struct timespec ts;
    clock_gettime(CLOCK_MONOTONIC, &ts);
    return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

static void tell_number(const char *name, double value)
{
    printf(" \"%s\": %.6g,\n", name, value);
    fflush(stdout);
}

static void tell_text(const char *name, const char *text)
{
    printf(" \"%s\": \"", name);
    for (; *text; text++)
        if ((unsigned char)*text >= ' ' && *text != '"' && *text != '\\')
            putchar(*text);
    printf("\",\n");
    fflush(stdout);
}

/* Ends the program: the call's result is the reason. */
static void fail(const probe *p, const char *call, cuda_result result)
{
    cuda_result (*name)(cuda_result error, const char **text) = NULL;
    const char *text = NULL;
    *(void **)&name = dlsym(p->library, "cuGetErrorName");
    if (name)
        name(result, &text);
    printf(" \"failed\": \"%s: %s (%d)\"}\n", call, text ? text : "no name", (int)result);
    exit(result == CUDA_NO_DEVICE || result == CUDA_STUB_LIBRARY ? 77 : 1);
}

/* A function of the driver, called; where its result is a failure the program ends. */
#define FUNCTION(name, ...) typedef cuda_result name##_function(__VA_ARGS__);
#include "device/cuda/driver_functions.def"
#undef FUNCTION
#define CALL(p, name, ...)                                                                         \
    do {                                                                                           \
        name##_function *function_;                                                                \
        *(void **)&function_ = dlsym((p)->library, #name);                                         \
        if (!function_) {                                                                          \
            printf(" \"failed\": \"the driver has no %s\"}\n", #name);                             \
            exit(1);                                                                               \
        }                                                                                          \
        cuda_result result_ = function_(__VA_ARGS__);                                              \
        if (result_)                                                                               \
            fail((p), #name, result_);                                                             \
    } while (0)
#define TIMED(p, label, name, ...)                                                                 \
    do {                                                                                           \
        double start_ = seconds();                                                                 \
        CALL((p), name, __VA_ARGS__);                                                              \
        tell_number((label), (seconds() - start_) * 1e3);                                          \
    } while (0)

static void open_library(probe *p)
{
    const char *name = getenv("PISTACHIO_CUDA_LIBRARY");
    p->library = dlopen(name && *name ? name : "libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    if (p->library)
        return;
    printf(" \"failed\": \"there is no CUDA driver\"}\n");
    exit(77);
}

/* A file of the device's folder in /sys, if it is there: how fast its link is, say. */
static void tell_link(const char *bus_id, const char *name)
{
    char path[256], text[128] = "";
    snprintf(path, sizeof path, "/sys/bus/pci/devices/%s/%s", bus_id, name);
    FILE *file = fopen(path, "re");
    if (!file)
        return;
    if (fgets(text, sizeof text, file))
        tell_text(name, text);
    fclose(file);
}

static void find_device(probe *p)
{
    static const struct {
        const char *name;
        int number;
    } attributes[] = {
        {"multiprocessors", 16},    {"kernels_have_a_time_limit", 17}, {"clock_khz", 13},
        {"memory_clock_khz", 36},   {"memory_bus_bits", 37},           {"l2_bytes", 38},
        {"copy_engines", 40},       {"unified_addressing", 41},        {"capability_major", 75},
        {"capability_minor", 76},   {"pageable_memory_access", 88},    {"compute_preemption", 90},
        {"registered_at_host", 91}, {"virtual_memory", 102},           {"stream_words", 122},
    };
    char bus_id[64] = "";
    int value = 0, count = 0;
    size_t bytes = 0;
    CALL(p, cuDeviceGetCount, &count);
    tell_number("devices", count);
    if (!count)
        fail(p, "cuDeviceGetCount", CUDA_NO_DEVICE);
    CALL(p, cuDeviceGet, &p->device, 0);
    CALL(p, cuDeviceTotalMem_v2, &bytes, p->device);
    tell_number("memory_gb", (double)bytes / 1e9);
    p->bytes = bytes / 8 < COPY_BYTES ? bytes / 8 : COPY_BYTES;
    for (size_t i = 0; i < sizeof attributes / sizeof *attributes; i++) {
        cuDeviceGetAttribute_function *ask;
        *(void **)&ask = dlsym(p->library, "cuDeviceGetAttribute");
        if (ask && !ask(&value, attributes[i].number, p->device))
            tell_number(attributes[i].name, value);
    }
    CALL(p, cuDeviceGetPCIBusId, bus_id, (int)sizeof bus_id - 1, p->device);
    for (char *at = bus_id; *at; at++)
        *at = (char)(*at >= 'A' && *at <= 'F' ? *at - 'A' + 'a' : *at);
    tell_text("bus", bus_id);
    static const char *const files[] = {"current_link_speed", "current_link_width", "max_link_speed",
                                        "max_link_width", "numa_node"};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        tell_link(bus_id, files[i]);
}

static char *read_file(const char *path)
{
    FILE *file = fopen(path, "re");
    char *bytes = NULL;
    long size = 0;
    if (file && !fseek(file, 0, SEEK_END) && (size = ftell(file)) > 0 && !fseek(file, 0, SEEK_SET))
        bytes = malloc((size_t)size);
    if (bytes && fread(bytes, 1, (size_t)size, file) != (size_t)size) {
        free(bytes);
        bytes = NULL;
    }
    if (file)
        fclose(file);
    return bytes;
}

static void load_kernels(probe *p, const char *path)
{
    char *image = read_file(path);
    if (!image) {
        printf(" \"failed\": \"could not read the file of kernels: %s\"}\n", strerror(errno));
        exit(1);
    }
    TIMED(p, "module_ms", cuModuleLoadData, &p->module, image);
    free(image);
    cuda_function function;
    TIMED(p, "function_ms", cuModuleGetFunction, &function, p->module, "kernel_fill");
}

static void take_memory(probe *p)
{
    cuda_allocation_properties properties = {.type = CUDA_ALLOCATION_PINNED,
                                             .location = {CUDA_LOCATION_DEVICE, p->device}};
    cuda_access access = {{CUDA_LOCATION_DEVICE, p->device}, CUDA_ACCESS_READ_WRITE};
    size_t unit = 0;
    CALL(p, cuMemGetAllocationGranularity, &unit, &properties, CUDA_GRANULARITY_RECOMMENDED);
    tell_number("granularity_kb", (double)unit / 1024);
    p->bytes = unit && p->bytes > unit ? p->bytes / unit * unit : unit;
    CALL(p, cuMemAddressReserve, &p->memory, p->bytes, 0, 0, 0);
    TIMED(p, "create_ms", cuMemCreate, &p->allocation, p->bytes, &properties, 0);
    TIMED(p, "map_ms", cuMemMap, p->memory, p->bytes, 0, p->allocation, 0);
    TIMED(p, "access_ms", cuMemSetAccess, p->memory, p->bytes, &access, 1);
    TIMED(p, "pinned_ms", cuMemHostAlloc, &p->host, p->bytes, CUDA_HOST_PORTABLE | CUDA_HOST_MAPPED);
    void *more;
    TIMED(p, "pinned_again_ms", cuMemHostAlloc, &more, p->bytes,
          CUDA_HOST_PORTABLE | CUDA_HOST_MAPPED);
    CALL(p, cuMemFreeHost, more);
    memset(p->host, 1, p->bytes);
    /* The emulation has to be told which bytes are a buffer's. */
    void (*watch)(uint64_t address, size_t bytes, size_t room) = NULL;
    *(void **)&watch = dlsym(p->library, "pistachio_watch_buffer");
    if (watch)
        watch(p->memory, p->bytes, p->bytes);
}

/* Returns when the queue has done what it was told. */
static void settle(probe *p)
{
    cuStreamQuery_function *ask;
    *(void **)&ask = dlsym(p->library, "cuStreamQuery");
    double start = seconds();
    cuda_result result;
    while ((result = ask(p->queue)) == CUDA_NOT_READY)
        if (seconds() - start > SECONDS_MAX) {
            printf(" \"failed\": \"a copy did not end within %d s\"}\n", SECONDS_MAX);
            exit(1);
        }
    if (result)
        fail(p, "cuStreamQuery", result);
}

static void copy(probe *p)
{
    double in = 0, out = 0;
    for (int round = 0; round < COPY_ROUNDS; round++) {
        double start = seconds();
        CALL(p, cuMemcpyHtoDAsync_v2, p->memory, p->host, p->bytes, p->queue);
        settle(p);
        double middle = seconds();
        CALL(p, cuMemcpyDtoHAsync_v2, p->host, p->memory, p->bytes, p->queue);
        settle(p);
        double end = seconds();
        in = !round || middle - start < in ? middle - start : in;
        out = !round || end - middle < out ? end - middle : out;
    }
    tell_number("probe_copy_in_gb_s", (double)p->bytes / in / 1e9);
    tell_number("probe_copy_out_gb_s", (double)p->bytes / out / 1e9);
}

/* ---- the host's side of a copy ---- */

typedef struct reading {
    int descriptor;
    char *target;
    size_t bytes;
    _Atomic size_t next;
    _Atomic bool has_failed;
} reading;

static void *read_parts(void *argument)
{
    reading *r = argument;
    for (size_t at; (at = atomic_fetch_add(&r->next, READ_BYTES)) < r->bytes;) {
        size_t left = r->bytes - at, bytes = left < READ_BYTES ? left : READ_BYTES;
        if (pread(r->descriptor, r->target + at, bytes, (off_t)at) != (ssize_t)bytes)
            atomic_store(&r->has_failed, true);
    }
    return NULL;
}

/* Returns the rate in GB/s of the best of some rounds; 0: a read failed. */
static double read_with(reading *r, unsigned threads)
{
    double best = 0;
    for (int round = 0; round < COPY_ROUNDS; round++) {
        pthread_t others[READERS_MAX];
        unsigned count = 0;
        atomic_store(&r->next, 0);
        double start = seconds();
        while (count + 1 < threads && !pthread_create(&others[count], NULL, read_parts, r))
            count++;
        read_parts(r);
        while (count)
            pthread_join(others[--count], NULL);
        double rate = (double)r->bytes / (seconds() - start) / 1e9;
        best = rate > best ? rate : best;
    }
    return atomic_load(&r->has_failed) ? 0 : best;
}

/* A file without a name, in the page cache, is read into pinned memory. */
static void read_cached(const probe *p)
{
    const char *folder = getenv("TMPDIR");
    char path[512];
    snprintf(path, sizeof path, "%s/probeXXXXXX", folder ? folder : "/tmp");
    reading r = {.descriptor = mkstemp(path), .target = p->host, .bytes = p->bytes};
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    if (r.descriptor < 0)
        return;
    unlink(path);
    if (write(r.descriptor, p->host, p->bytes) == (ssize_t)p->bytes) {
        tell_number("cached_by_one_gb_s", read_with(&r, 1));
        tell_number("cached_by_all_gb_s",
                    read_with(&r, cores < READERS_MAX ? (unsigned)cores : READERS_MAX));
    }
    close(r.descriptor);
}

/* Another way to pinned memory: large pages of the process's own, of which the driver is told. */
static void register_memory(const probe *p)
{
    cuda_result (*add)(void *memory, size_t bytes, unsigned flags), (*drop)(void *memory);
    *(void **)&add = dlsym(p->library, "cuMemHostRegister_v2");
    *(void **)&drop = dlsym(p->library, "cuMemHostUnregister");
    size_t room = p->bytes + LARGE_PAGE;
    char *memory = mmap(NULL, room, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (!add || !drop || memory == MAP_FAILED)
        return;
    char *start = (char *)(((uintptr_t)memory + LARGE_PAGE - 1) / LARGE_PAGE * LARGE_PAGE);
    madvise(start, p->bytes, MADV_HUGEPAGE);
    double began = seconds();
    for (size_t at = 0; at < p->bytes; at += 4096)
        start[at] = 1;
    tell_number("touched_ms", (seconds() - began) * 1e3);
    began = seconds();
    if (!add(start, p->bytes, CUDA_HOST_PORTABLE | CUDA_HOST_MAPPED)) {
        tell_number("registered_ms", (seconds() - began) * 1e3);
        drop(start);
    }
    munmap(memory, room);
}

static void give_back(probe *p)
{
    CALL(p, cuMemFreeHost, p->host);
    CALL(p, cuMemUnmap, p->memory, p->bytes);
    CALL(p, cuMemRelease, p->allocation);
    CALL(p, cuMemAddressFree, p->memory, p->bytes);
    CALL(p, cuStreamDestroy_v2, p->queue);
    if (p->module)
        CALL(p, cuModuleUnload, p->module);
    CALL(p, cuCtxSetCurrent, NULL);
    TIMED(p, "release_ms", cuDevicePrimaryCtxRelease_v2, p->device);
}

int main(int count, char **arguments)
{
    probe p = {0};
    int version = 0;
    printf("{\n");
    open_library(&p);
    TIMED(&p, "init_ms", cuInit, 0);
    CALL(&p, cuDriverGetVersion, &version);
    tell_number("driver_version", version);
    find_device(&p);
    TIMED(&p, "context_ms", cuDevicePrimaryCtxRetain, &p.context, p.device);
    CALL(&p, cuCtxSetCurrent, p.context);
    TIMED(&p, "stream_ms", cuStreamCreate, &p.queue, CUDA_QUEUE_NON_BLOCKING);
    take_memory(&p);
    copy(&p);
    read_cached(&p);
    register_memory(&p);
    if (count > 1)
        load_kernels(&p, arguments[1]);
    give_back(&p);
    printf(" \"ended\": 1}\n");
    return 0;
}
