/* driver.c - finds the driver's functions in its library. */
#include "device/cuda/driver.h"

#include "base/system/mutex.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static pthread_mutex_t lock = MUTEX_INITIALIZER;
static cuda_driver driver;
static bool is_open; /* for as long as the process lives: the driver's own threads run in it */
static pid_t opened_by;

status cuda_status(const cuda_driver *d, cuda_result result, const char *call)
{
    const char *name = NULL, *text = NULL;
    if (result == CUDA_SUCCESS)
        return STATUS_OK;
    status_kind kind = result == CUDA_OUT_OF_MEMORY ? STATUS_KIND_NO_MEMORY : STATUS_KIND_IO;
    if (!d->cuGetErrorName || d->cuGetErrorName(result, &name) || !name)
        name = "unknown";
    if (!d->cuGetErrorString || d->cuGetErrorString(result, &text) || !text)
        text = "no text for it";
    return status_new(kind, "%s: %s (%s, %d)", call, text, name, result);
}

static const char *const names[] = {
#define FUNCTION(name, ...) #name,
#include "device/cuda/driver_functions.def"
#undef FUNCTION
};

static status no_driver(const char *file)
{
    const char *why = dlerror();
    return status_hint(
        status_new(STATUS_KIND_NOT_FOUND, "there is no CUDA driver: %s", why ? why : file),
        "device = 'cpu' needs none");
}

/* Functions stand in the struct in the order of the list. dlsym gives an object pointer, which POSIX
 * lets stand for a function. */
static status find_functions(void *handle, cuda_driver *out)
{
    void **slots = (void **)out;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        slots[i] = dlsym(handle, names[i]);
        if (!slots[i])
            return status_hint(status_new(STATUS_KIND_UNSUPPORTED,
                                          "the CUDA driver is too old: it has no %s", names[i]),
                               "install a driver for CUDA 12.0 or later");
    }
    *(void **)&out->watch_lock = dlsym(handle, "pistachio_watch_lock");
    *(void **)&out->watch_buffer = dlsym(handle, "pistachio_watch_buffer");
    *(void **)&out->watch_pageable = dlsym(handle, "pistachio_watch_pageable");
    const unsigned *slowness = dlsym(handle, "pistachio_slowness");
    out->slowness = slowness ? *slowness : 1;
    return STATUS_OK;
}

/* Returns a remedy for failures of drivers that begin, for reasons that are the machine's. */
static const char *how_to_begin(cuda_result result)
{
    switch (result) {
    case CUDA_UNKNOWN:
    case CUDA_OPERATING_SYSTEM:
        return "are the kernel's modules loaded, and /dev/nvidia* and /dev/nvidia-uvm there "
               "(nvidia-modprobe -u -c 0)?";
    case CUDA_SYSTEM_NOT_READY:
        return "machines with NVSwitch need nvidia-fabricmanager to run";
    case CUDA_DRIVER_MISMATCH:
        return "the driver's library and its kernel module are of different versions: after an "
               "update the machine starts anew";
    case CUDA_COMPAT_NOT_SUPPORTED:
        return "this libcuda.so.1 is one for newer programs (cuda-compat), which this device does "
               "not take: the driver's own has to be found before it";
    default:
        return "nvidia-smi shows whether the driver works; device = 'cpu' needs none";
    }
}

static status begin(const cuda_driver *d, const char *file)
{
    cuda_result result = d->cuInit(0);
    if (result == CUDA_SUCCESS)
        return STATUS_OK;
    if (result == CUDA_NO_DEVICE)
        return status_hint(
            status_new(STATUS_KIND_NOT_FOUND, "there is no device cuda: the driver has found none"),
            "nvidia-smi lists them, but for those that CUDA_VISIBLE_DEVICES leaves "
            "out; device = 'cpu' needs none");
    if (result == CUDA_STUB_LIBRARY)
        return status_hint(status_new(STATUS_KIND_NOT_FOUND,
                                      "there is no CUDA driver: %s is what a toolkit has to link "
                                      "with",
                                      file),
                           "the driver's own has to be found before it; device = 'cpu' needs none");
    return status_hint(cuda_status(d, result, "cuInit"), "%s", how_to_begin(result));
}

/* The library is never closed: once begun, drivers are not made for that. */
static status open_library(const char *file, cuda_driver *out)
{
    int version = 0;
    void *handle = dlopen(file, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (!handle)
        return no_driver(file);
    status st = find_functions(handle, out);
    dlclose(handle);
    TRY(st);
    TRY(begin(out, file));
    CUDA_TRY(out, cuDriverGetVersion, &version);
    if (version < CUDA_DRIVER_VERSION)
        return status_hint(status_new(STATUS_KIND_UNSUPPORTED,
                                      "the CUDA driver is too old: it is for CUDA %d.%d",
                                      version / 1000, version % 1000 / 10),
                           "install a driver for CUDA 12.0 or later");
    return STATUS_OK;
}

status cuda_driver_open(const cuda_driver **out)
{
    const char *file = getenv("PISTACHIO_CUDA_LIBRARY");
    status st = STATUS_OK;
    *out = NULL;
    mutex_lock(&lock);
    if (!is_open) {
        cuda_driver found = {0};
        st = open_library(file && *file ? file : "libcuda.so.1", &found);
        if (!st) {
            driver = found;
            is_open = true;
            opened_by = getpid();
        }
    }
    if (is_open && opened_by != getpid())
        st = status_hint(status_new(STATUS_KIND_UNSUPPORTED,
                                    "the CUDA driver was opened before this process was forked"),
                         "processes that use a device are started anew (Python: spawn), or forked "
                         "before the first one is opened");
    mutex_unlock(&lock);
    if (!st)
        *out = &driver;
    return st;
}
