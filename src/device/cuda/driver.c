/* driver.c - finds the driver's functions in its library. */
#include "device/cuda/driver.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static cuda_driver driver;
static void
    *library; /* open for as long as the process lives: the driver's own threads run in it */

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
    *(void **)&out->watch_buffer = dlsym(handle, "pistachio_watch_buffer");
    *(void **)&out->watch_pageable = dlsym(handle, "pistachio_watch_pageable");
    return STATUS_OK;
}

static status open_library(const char *file, cuda_driver *out, void **handle)
{
    int version = 0;
    *handle = dlopen(file, RTLD_NOW | RTLD_LOCAL);
    if (!*handle)
        return no_driver(file);
    TRY(find_functions(*handle, out));
    CUDA_TRY(out, cuInit, 0);
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
    pthread_mutex_lock(&lock);
    if (!library) {
        cuda_driver found = {0};
        void *handle;
        st = open_library(file && *file ? file : "libcuda.so.1", &found, &handle);
        if (!st) {
            driver = found;
            library = handle;
        } else if (handle) {
            dlclose(handle);
        }
    }
    pthread_mutex_unlock(&lock);
    if (!st)
        *out = &driver;
    return st;
}
