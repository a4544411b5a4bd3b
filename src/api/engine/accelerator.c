/* accelerator.c - see accelerator.h. The GPU shares the engine's workers and its budget of host memory. */
#include "api/engine/accelerator.h"

#include "api/engine/engine_device.h"
#include "base/system/mutex.h"

#include <stdio.h>

void api_accelerator_init(api_engine *engine)
{
    mutex_init(&engine->accelerator.lock);
}

void api_accelerator_close(api_engine *engine)
{
    api_accelerator *a = &engine->accelerator;
    dev_retire(a->dev);
    dev_close(a->dev);
    status_free(a->lost);
    mutex_destroy(&a->lock);
}

bool api_accelerator_is_open(api_engine *engine)
{
    mutex_lock(&engine->accelerator.lock);
    bool is_open = engine->accelerator.dev;
    mutex_unlock(&engine->accelerator.lock);
    return is_open;
}

static status open_gpu(const api_engine *engine, device **out)
{
    settings s = engine->made_of;
    const api_neighbors alone = {0};
    snprintf(s.device.text, sizeof s.device.text, "cuda");
    return api_device_open(&s, 1, &alone, engine->budget, out);
}

status api_accelerator_open(api_engine *engine, device **out)
{
    api_accelerator *a = &engine->accelerator;
    status st = STATUS_OK;
    *out = NULL;
    mutex_lock(&a->lock);
    if (!a->dev && !a->lost) {
        a->lost = open_gpu(engine, &a->dev);
        if (a->lost) {
            dev_close(a->dev);
            a->dev = NULL;
        }
    }
    if (a->lost)
        st = status_copy(a->lost);
    else
        *out = dev_ref(a->dev);
    mutex_unlock(&a->lock);
    return st;
}

status api_accelerator_check(api_engine *engine)
{
    api_accelerator *a = &engine->accelerator;
    mutex_lock(&a->lock);
    status st = a->lost ? status_copy(a->lost) : STATUS_OK;
    mutex_unlock(&a->lock);
    return st;
}

void api_accelerator_lose(api_engine *engine, status why)
{
    api_accelerator *a = &engine->accelerator;
    mutex_lock(&a->lock);
    device *dev = a->dev;
    a->dev = NULL;
    if (a->lost)
        status_free(why);
    else
        a->lost = why;
    mutex_unlock(&a->lock);
    dev_retire(dev);
    dev_close(dev);
}

double api_accelerator_miss(api_engine *engine, double seconds)
{
    api_accelerator *a = &engine->accelerator;
    mutex_lock(&a->lock);
    double missed = a->missed += seconds;
    mutex_unlock(&a->lock);
    return missed;
}
