/* copy.c - copies. With memory that is not pinned the driver would wait: there is none of that here
 * (device.h: host_alloc). */
#include "device/cuda/cuda.h"

static cuda_address address_of(const void *memory)
{
    return (cuda_address)(uintptr_t)memory;
}

static status begin(dev_stream *stream)
{
    TRY(cuda_check(stream->dev));
    return cuda_enter((cuda_device *)stream->dev);
}

static status not_pinned(const dev_stream *stream, const void *memory, size_t bytes)
{
    if (cuda_is_pinned((cuda_device *)stream->dev, memory))
        return STATUS_OK;
    DEV_WORK_NOTE(pageable_copies);
    return status_new(STATUS_KIND_INTERNAL,
                      "internal error: a copy of %zu bytes that are not pinned", bytes);
}

/* Calls driver function `name` in the stream's order, and counts it. */
#define ENQUEUE(stream, counter, name, ...)                                                        \
    ({                                                                                             \
        cuda_stream *s_ = (cuda_stream *)(stream);                                                 \
        cuda_device *dev_ = (cuda_device *)s_->base.dev;                                           \
        DEV_WORK_NOTE(counter);                                                                    \
        pthread_mutex_lock(&s_->lock);                                                             \
        atomic_store(&s_->has_unmarked, true);                                                     \
        cuda_result result_ = dev_->driver->name(__VA_ARGS__, s_->queue);                          \
        pthread_mutex_unlock(&s_->lock);                                                           \
        result_ ? cuda_stream_failure(dev_, result_, #name) : STATUS_OK;                           \
    })

status cuda_copy_in(dev_stream *stream, void *target, const void *source, size_t bytes)
{
    TRY(begin(stream));
    if (!bytes)
        return STATUS_OK;
    TRY(not_pinned(stream, source, bytes));
    return ENQUEUE(stream, copies, cuMemcpyHtoDAsync_v2, address_of(target), source, bytes);
}

status cuda_copy_out(dev_stream *stream, void *target, const void *source, size_t bytes)
{
    TRY(begin(stream));
    if (!bytes)
        return STATUS_OK;
    TRY(not_pinned(stream, target, bytes));
    return ENQUEUE(stream, copies, cuMemcpyDtoHAsync_v2, target, address_of(source), bytes);
}

status cuda_copy(dev_stream *stream, void *target, const void *source, size_t bytes)
{
    TRY(begin(stream));
    if (!bytes)
        return STATUS_OK;
    return ENQUEUE(stream, copies, cuMemcpyDtoDAsync_v2, address_of(target), address_of(source),
                   bytes);
}

status cuda_zero(dev_stream *stream, void *target, size_t bytes)
{
    TRY(begin(stream));
    if (!bytes)
        return STATUS_OK;
    return ENQUEUE(stream, zeroings, cuMemsetD8Async, address_of(target), 0, bytes);
}
