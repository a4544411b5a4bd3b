/* kernel_tables.c - the CUDA device's kernels, emulated or a GPU's, behind plain functions. */
#include "kernel_tables.h"
#include "device/cuda/debug.h"
#include "test.h"

#include <dlfcn.h>
#include <limits.h>
#include <malloc.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define ATTRIBUTE_PAGEABLE_MEMORY 88    /* CU_DEVICE_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS */
#define ATTRIBUTE_REGISTERED_AT_HOST 91 /* ..._CAN_USE_HOST_POINTER_FOR_REGISTERED_MEM */
#define REGISTER_PORTABLE_AND_MAPPED 3  /* of cuMemHostRegister */
#define RANGES 64
#define PIECES 4096
#define HEAP_STEP_BYTES (16 << 20) /* it is registered in pieces of no less */

/* ---- memory that a GPU can read ----
 * The inputs of tests lie on the heap, on the stack and in the program. Where the system does not let a
 * GPU read all of the host's memory, these are registered with the driver, before each launch what is new
 * of them. For that the heap must stay one piece that only grows. */

static struct {
    int (*add)(void *address, size_t bytes,
               unsigned flags);   /* cuMemHostRegister; NULL: there is no need */
    int (*remove)(void *address); /* cuMemHostUnregister */
    struct {
        char *start, *end;
    } ranges[RANGES]; /* registered, the last of each mapping */
    unsigned count;
    void *pieces[PIECES]; /* as they were registered */
    unsigned piece_count;
} registered;

__attribute__((constructor)) static void keep_one_heap(void)
{
    if (!getenv("PISTACHIO_CUDA_LIBRARY"))
        return;
    mallopt(M_MMAP_MAX, 0);
    mallopt(M_TRIM_THRESHOLD, INT_MAX);
    mallopt(M_TOP_PAD, HEAP_STEP_BYTES);
    mallopt(M_ARENA_MAX, 1);
}

/* A kernel that reads what is not registered ends all work of the process on the device: so this is said. */
static bool add_piece(char *start, char *end)
{
    int result = registered.piece_count == PIECES
                     ? -1
                     : registered.add(start, (size_t)(end - start), REGISTER_PORTABLE_AND_MAPPED);
    if (result) {
        printf("the driver does not register %zu bytes at %p: %d\n", (size_t)(end - start),
               (void *)start, result);
        return false;
    }
    registered.pieces[registered.piece_count++] = start;
    return true;
}

/* Before the device's context goes, or it may find them registered when it comes again. */
static void remove_pieces(void)
{
    while (registered.piece_count)
        registered.remove(registered.pieces[--registered.piece_count]);
    registered.count = 0;
}

/* Registers what is new of a mapping, which may have grown at either end. */
static void add_range(char *start, char *end)
{
    unsigned i = 0;
    while (i < registered.count &&
           (registered.ranges[i].end < start || registered.ranges[i].start > end))
        i++;
    if (i == RANGES)
        return;
    if (i == registered.count) {
        registered.ranges[i].start = registered.ranges[i].end = start;
        registered.count++;
    }
    char *known = registered.ranges[i].start, *known_end = registered.ranges[i].end;
    if (start < known && add_piece(start, known))
        registered.ranges[i].start = start;
    if (end > known_end && add_piece(known_end, end))
        registered.ranges[i].end = end;
}

/* Pages of the program's file are the process's own only once they were written to. */
static bool make_own(char *start, char *end)
{
    if (mprotect(start, (size_t)(end - start), PROT_READ | PROT_WRITE))
        return false;
    for (volatile char *at = start; at < end; at += 4096)
        *at = *at;
    return true;
}

/* The heap and the stack, whatever they are called. */
static bool has_own(const char *start, const char *end)
{
    char local, *top = sbrk(0);
    return (&local >= start && &local < end) || (top > start && top <= end);
}

static void register_memory(void)
{
    char line[1024], program[512] = "", access[8], path[512];
    char *program_end =
        NULL; /* of what was seen last of it: what has no file behind that are its zeroed variables */
    unsigned long start, end;
    if (readlink("/proc/self/exe", program, sizeof program - 1) < 0)
        return;
    FILE *maps = fopen("/proc/self/maps", "r");
    CHECK(maps);
    while (maps && fgets(line, sizeof line, maps)) {
        path[0] = 0;
        if (sscanf(line, "%lx-%lx %7s %*s %*s %*s %511s", &start, &end, access, path) < 3)
            continue;
        char *first = (char *)(uintptr_t)start, *last = (char *)(uintptr_t)end;
        bool is_file = !strcmp(path, program), is_zeroed = !path[0] && first == program_end;
        if (is_file || is_zeroed)
            program_end = last;
        if (strchr(access, 'x') || access[0] != 'r')
            continue;
        if (is_file ? make_own(first, last) : is_zeroed || has_own(first, last))
            add_range(first, last);
    }
    if (maps)
        fclose(maps);
}

/* Kernels of a GPU read the host's memory, all or what is registered, where device attributes say so. */
static bool reads_host_memory(void *handle, bool must_register)
{
    static bool is_said;
    int (*init)(unsigned) = NULL, (*ask)(int *, int, int) = NULL, value = 0;
    *(void **)&init = dlsym(handle, "cuInit");
    *(void **)&ask = dlsym(handle, "cuDeviceGetAttribute");
    if (init && ask && !init(0)) {
        if (!must_register && !ask(&value, ATTRIBUTE_PAGEABLE_MEMORY, 0) && value)
            return true;
        *(void **)&registered.add = dlsym(handle, "cuMemHostRegister_v2");
        *(void **)&registered.remove = dlsym(handle, "cuMemHostUnregister");
        if (registered.add && registered.remove && !ask(&value, ATTRIBUTE_REGISTERED_AT_HOST, 0) &&
            value)
            return true;
    }
    if (!is_said)
        printf("skipped the CUDA device, which cannot read the host's memory\n");
    is_said = true;
    return false;
}

/* The emulation usually refuses what no buffer has. With PISTACHIO_TEST_REGISTERED it is asked to
 * take what is registered, as a GPU would be. */
static bool takes_host_memory(void)
{
    const char *library = getenv("PISTACHIO_CUDA_LIBRARY");
    bool must_register = getenv("PISTACHIO_TEST_REGISTERED");
    void *handle = library ? dlopen(library, RTLD_NOW | RTLD_LOCAL) : NULL;
    void (*take)(void) = NULL;
    if (!handle)
        return false;
    *(void **)&take = dlsym(handle, "emulated_take_any_address");
    if (!take || must_register)
        return reads_host_memory(handle, must_register);
    take();
    return true;
}

/* ---- launches ---- */

static device *dev;

static void close_device(void)
{
    remove_pieces();
    dev_close(dev);
    dev = NULL;
}

/* Opening one takes a GPU a tenth of a second, so there is one for all launches of a test. */
static void open_device(void)
{
    mem_budget *budget;
    CHECK_OK(mem_budget_new(0, &budget));
    CHECK_OK(dev_open_cuda(0, 0, budget, &dev));
    mem_budget_free(budget);
    test_at_end(close_device);
}

/* The kernel and its arguments stand in the message, as a GPU's own text has neither. */
static void must_succeed(status st, dev_kernel_id kernel, const void *arguments)
{
    char said[512], text[2048];
    if (!st)
        return;
    snprintf(said, sizeof said, "%s", status_message(st));
    status_free(st);
    cuda_debug_arguments(kernel, arguments, text, sizeof text);
    test_fail(__FILE__, __LINE__, "kernel %s failed: %s\n  %s", cuda_debug_kernel_name(kernel),
              said, text);
}

static void launch(dev_kernel_id kernel, const void *arguments, size_t bytes)
{
    dev_stream *stream;
    if (!dev)
        open_device();
    if (registered.add)
        register_memory();
    CHECK_OK(dev->ops->stream_open(dev, &stream));
    must_succeed(dev->ops->launch(stream, kernel, arguments, bytes), kernel, arguments);
    dev->ops->stream_drain(stream);
    must_succeed(dev_check(dev), kernel, arguments);
    dev->ops->stream_close(stream);
}

#define KERNEL(name, ...)                                                                          \
    static void launch_##name(const void *arguments)                                               \
    {                                                                                              \
        launch(DEV_KERNEL_##name, arguments, sizeof(name##_arguments));                            \
    }
#include "device/kernels/kernels.def"
#undef KERNEL

static const dev_kernel_function cuda_table[DEV_KERNEL_COUNT] = {
#define KERNEL(name, ...) [DEV_KERNEL_##name] = launch_##name,
#include "device/kernels/kernels.def"
#undef KERNEL
};

bool test_is_cuda(const char *isa)
{
    return !strcmp(isa, "cuda");
}

const dev_kernel_function *test_kernel_table(const char *isa, const char **out_name)
{
    if (!test_is_cuda(isa))
        return dev_kernel_table(isa, out_name);
    *out_name = isa;
    return takes_host_memory() ? cuda_table : NULL;
}

void test_unify_nans(data_type type, void *values, size_t count)
{
    float *floats = values;
    double *doubles = values;
    for (size_t i = 0; i < count; i++)
        if (type.id == TYPE_FLOAT && isnan(floats[i]))
            floats[i] = NAN;
        else if (type.id == TYPE_DOUBLE && isnan(doubles[i]))
            doubles[i] = NAN;
}

dev_kernel_function test_kernel(const char *isa, dev_kernel_id id)
{
    const char *name;
    const dev_kernel_function *table = test_kernel_table(isa, &name);
    return table ? table[id] : NULL;
}
