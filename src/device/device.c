/* device.c - what is the same for every device: references to it, and its memory's allocation. */
#include "device/device.h"

device *dev_ref(device *dev)
{
    atomic_fetch_add_explicit(&dev->references, 1, memory_order_relaxed);
    return dev;
}

void dev_close(device *dev)
{
    if (!dev || atomic_fetch_sub_explicit(&dev->references, 1, memory_order_acq_rel) != 1)
        return;
    mem_budget *budget = dev->budget;
    dev->ops->close(dev);
    mem_budget_free(budget);
}

status dev_alloc(device *dev, size_t bytes, const char *who, dev_buffer **out)
{
    *out = NULL;
    return dev->ops->alloc(dev, bytes, who, out);
}
