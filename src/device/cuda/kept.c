/* kept.c - what the process keeps of each GPU until it ends: the primary context and the file of kernels in it. Making them
 * takes some tenths of a second, which SET device would take each time. */
#include "device/cuda/kept.h"
#include "base/system/mutex.h"
#include "device/cuda/cuda.h"

#include <string.h>

#define DEVICES_MAX 64
#define PATH_BYTES_MAX 512

typedef struct kept {
    cuda_context context; /* retained once; NULL: not yet */
    char path
        [PATH_BYTES_MAX]; /* of the file that the module is of; "": none is loaded, or it is too long */
    cuda_module module;
    cuda_function functions[CUDA_ENTRIES];
} kept;

static pthread_mutex_t lock = MUTEX_INITIALIZER;
static kept all[DEVICES_MAX];

static kept *kept_of(const cuda_device *dev)
{
    return dev->ordinal >= 0 && dev->ordinal < DEVICES_MAX ? &all[dev->ordinal] : NULL;
}

status cuda_kept_context(cuda_device *dev)
{
    kept *k = kept_of(dev);
    cuda_context context = NULL;
    status st = STATUS_OK;
    mutex_lock(&lock);
    if (k && k->context)
        context = k->context;
    else
        st = cuda_status(dev->driver, dev->driver->cuDevicePrimaryCtxRetain(&context, dev->ordinal),
                         "cuDevicePrimaryCtxRetain");
    if (k)
        k->context = context;
    mutex_unlock(&lock);
    dev->context = context;
    return st;
}

bool cuda_kept_module(cuda_device *dev, const char *path)
{
    const kept *k = kept_of(dev);
    mutex_lock(&lock);
    bool is_there = k && *k->path && !strcmp(k->path, path);
    if (is_there) {
        dev->module = k->module;
        memcpy(dev->functions, k->functions, sizeof dev->functions);
    }
    mutex_unlock(&lock);
    return is_there;
}

void cuda_kept_add_module(const cuda_device *dev, const char *path)
{
    kept *k = kept_of(dev);
    mutex_lock(&lock);
    if (k && !*k->path && strlen(path) < PATH_BYTES_MAX) {
        memcpy(k->path, path, strlen(path) + 1);
        k->module = dev->module;
        memcpy(k->functions, dev->functions, sizeof k->functions);
    }
    mutex_unlock(&lock);
}

/* A launch that does not end keeps the driver from giving its context up: the call would not return. */
void cuda_kept_lose(cuda_device *dev)
{
    kept *k = kept_of(dev);
    bool is_held = !k;
    mutex_lock(&lock);
    if (k && k->context == dev->context) {
        is_held = true;
        memset(k, 0, sizeof *k);
    }
    mutex_unlock(&lock);
    dev->driver->cuCtxSetCurrent(NULL);
    if (is_held && !atomic_load(&dev->is_stuck))
        dev->driver->cuDevicePrimaryCtxRelease_v2(dev->ordinal);
}
