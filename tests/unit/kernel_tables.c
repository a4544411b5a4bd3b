/* kernel_tables.c - the emulated CUDA device's kernels behind plain functions. */
#include "kernel_tables.h"
#include "test.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#define ATTRIBUTE_PAGEABLE_MEMORY 88 /* CU_DEVICE_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS */

/* A GPU's kernels read the host's memory where the system lets them: a device attribute says so. */
static bool reads_any_address(void *handle)
{
    static bool is_said;
    int (*init)(unsigned) = NULL, (*ask)(int *, int, int) = NULL, value = 0;
    *(void **)&init = dlsym(handle, "cuInit");
    *(void **)&ask = dlsym(handle, "cuDeviceGetAttribute");
    if (init && ask && !init(0) && !ask(&value, ATTRIBUTE_PAGEABLE_MEMORY, 0) && value)
        return true;
    if (!is_said)
        printf("skipped the CUDA device, which cannot read the host's memory\n");
    is_said = true;
    return false;
}

/* The emulation usually refuses copies of bytes that no buffer has. */
static bool take_any_address(void)
{
    const char *library = getenv("PISTACHIO_CUDA_LIBRARY");
    void *handle = library ? dlopen(library, RTLD_NOW | RTLD_LOCAL) : NULL;
    void (*take)(void) = NULL;
    if (!handle)
        return false;
    *(void **)&take = dlsym(handle, "emulated_take_any_address");
    if (!take)
        return reads_any_address(handle);
    take();
    return true;
}

/* On a device of its own, so that a test leaves nothing behind. */
static void launch(dev_kernel_id kernel, const void *arguments, size_t bytes)
{
    mem_budget *budget;
    device *dev;
    dev_stream *stream;
    CHECK_OK(mem_budget_new(0, &budget));
    CHECK_OK(dev_open_cuda(0, 0, budget, &dev));
    mem_budget_free(budget);
    CHECK_OK(dev->ops->stream_open(dev, &stream));
    CHECK_OK(dev->ops->launch(stream, kernel, arguments, bytes));
    dev->ops->stream_drain(stream);
    CHECK_OK(dev_check(dev));
    dev->ops->stream_close(stream);
    dev_close(dev);
}

#define KERNEL(name, ...)                                                                          \
    static void launch_##name(const void *arguments)                                               \
    {                                                                                              \
        launch(DEV_KERNEL_##name, arguments, sizeof(name##_arguments));                            \
    }
#include "device/kernels.def"
#undef KERNEL

static const dev_kernel_function cuda_table[DEV_KERNEL_COUNT] = {
#define KERNEL(name, ...) [DEV_KERNEL_##name] = launch_##name,
#include "device/kernels.def"
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
    return take_any_address() ? cuda_table : NULL;
}

dev_kernel_function test_kernel(const char *isa, dev_kernel_id id)
{
    const char *name;
    const dev_kernel_function *table = test_kernel_table(isa, &name);
    return table ? table[id] : NULL;
}
