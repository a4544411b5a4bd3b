/* copy.c - copies. The driver is given pinned memory only, since with any other it waits: what lies
 * elsewhere goes through pinned blocks. */
#include "device/cuda/cuda.h"

#define BLOCK_BYTES ((size_t)1 << 20)

static cuda_address address_of(const void *memory)
{
    return (cuda_address)(uintptr_t)memory;
}

static status enqueue_in(cuda_stream *stream, void *target, const void *source, size_t bytes)
{
    cuda_device *dev = (cuda_device *)stream->base.dev;
    pthread_mutex_lock(&stream->lock);
    atomic_store(&stream->has_unmarked, true);
    cuda_result result =
        dev->driver->cuMemcpyHtoDAsync_v2(address_of(target), source, bytes, stream->queue);
    pthread_mutex_unlock(&stream->lock);
    return result ? cuda_stream_failure(dev, result, "cuMemcpyHtoDAsync") : STATUS_OK;
}

static status copy_in_block(cuda_stream *stream, void *target, const void *source, size_t bytes)
{
    cuda_buffer *block;
    TRY(cuda_pinned_take((cuda_device *)stream->base.dev, bytes, &block));
    memcpy(block->base.address, source, bytes);
    status st = enqueue_in(stream, target, block->base.address, bytes);
    dev_buffer_unref(&block->base);
    return st;
}

status cuda_copy_in(dev_stream *base, void *target, const void *source, size_t bytes)
{
    cuda_stream *stream = (cuda_stream *)base;
    cuda_device *dev = (cuda_device *)base->dev;
    TRY(cuda_check(base->dev));
    TRY(cuda_enter(dev));
    if (bytes && cuda_is_pinned(dev, source))
        return enqueue_in(stream, target, source, bytes);
    for (size_t done = 0, part; done < bytes; done += part) {
        part = bytes - done < BLOCK_BYTES ? bytes - done : BLOCK_BYTES;
        TRY(copy_in_block(stream, (char *)target + done, (const char *)source + done, part));
    }
    return STATUS_OK;
}

static status enqueue_out(cuda_stream *stream, void *target, const void *source, size_t bytes,
                          cuda_copy_out *copy)
{
    cuda_device *dev = (cuda_device *)stream->base.dev;
    pthread_mutex_lock(&stream->lock);
    atomic_store(&stream->has_unmarked, true);
    cuda_result result =
        dev->driver->cuMemcpyDtoHAsync_v2(target, address_of(source), bytes, stream->queue);
    if (copy && !result) {
        *stream->copies_end = copy;
        stream->copies_end = &copy->next;
    }
    pthread_mutex_unlock(&stream->lock);
    return result ? cuda_stream_failure(dev, result, "cuMemcpyDtoHAsync") : STATUS_OK;
}

static status copy_out_block(cuda_stream *stream, void *target, const void *source, size_t bytes)
{
    cuda_copy_out *copy = mem_new(sizeof *copy);
    if (!copy)
        return status_no_memory("copy", sizeof *copy);
    status st = cuda_pinned_take((cuda_device *)stream->base.dev, bytes, &copy->block);
    if (!st) {
        copy->target = target;
        copy->bytes = bytes;
        st = enqueue_out(stream, copy->block->base.address, source, bytes, copy);
        if (!st)
            return STATUS_OK;
        dev_buffer_unref(&copy->block->base);
    }
    mem_free(copy);
    return st;
}

status cuda_copy_out_to(dev_stream *base, void *target, const void *source, size_t bytes)
{
    cuda_stream *stream = (cuda_stream *)base;
    cuda_device *dev = (cuda_device *)base->dev;
    TRY(cuda_check(base->dev));
    TRY(cuda_enter(dev));
    if (!bytes)
        return STATUS_OK;
    if (cuda_is_pinned(dev, target))
        return enqueue_out(stream, target, source, bytes, NULL);
    return copy_out_block(stream, target, source, bytes);
}

/* Under the lock: the blocks whose bytes are where they belong now. */
static cuda_buffer *finish_copies(cuda_stream *stream, uint64_t number)
{
    bool is_lost = atomic_load(&((cuda_device *)stream->base.dev)->is_lost);
    cuda_buffer *finished = NULL;
    while (stream->copies &&
           (is_lost || (stream->copies->number && stream->copies->number <= number))) {
        cuda_copy_out *copy = stream->copies;
        stream->copies = copy->next;
        if (!stream->copies)
            stream->copies_end = &stream->copies;
        memcpy(copy->target, copy->block->base.address, copy->bytes);
        copy->block->next = finished;
        finished = copy->block;
        mem_free(copy);
    }
    return finished;
}

void cuda_copies_finish(cuda_stream *stream, uint64_t number)
{
    pthread_mutex_lock(&stream->lock);
    cuda_buffer *finished = finish_copies(stream, number);
    pthread_mutex_unlock(&stream->lock);
    /* The device's lock, which this takes, comes before the stream's. */
    while (finished) {
        cuda_buffer *block = finished;
        finished = block->next;
        dev_buffer_unref(&block->base);
    }
}

status cuda_copy(dev_stream *base, void *target, const void *source, size_t bytes)
{
    cuda_stream *stream = (cuda_stream *)base;
    cuda_device *dev = (cuda_device *)base->dev;
    TRY(cuda_check(base->dev));
    TRY(cuda_enter(dev));
    if (!bytes)
        return STATUS_OK;
    pthread_mutex_lock(&stream->lock);
    atomic_store(&stream->has_unmarked, true);
    cuda_result result = dev->driver->cuMemcpyDtoDAsync_v2(address_of(target), address_of(source),
                                                           bytes, stream->queue);
    pthread_mutex_unlock(&stream->lock);
    return result ? cuda_stream_failure(dev, result, "cuMemcpyDtoDAsync") : STATUS_OK;
}

status cuda_zero(dev_stream *base, void *target, size_t bytes)
{
    cuda_stream *stream = (cuda_stream *)base;
    cuda_device *dev = (cuda_device *)base->dev;
    TRY(cuda_check(base->dev));
    TRY(cuda_enter(dev));
    if (!bytes)
        return STATUS_OK;
    pthread_mutex_lock(&stream->lock);
    atomic_store(&stream->has_unmarked, true);
    cuda_result result = dev->driver->cuMemsetD8Async(address_of(target), 0, bytes, stream->queue);
    pthread_mutex_unlock(&stream->lock);
    return result ? cuda_stream_failure(dev, result, "cuMemsetD8Async") : STATUS_OK;
}
