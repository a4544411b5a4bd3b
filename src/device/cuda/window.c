/* window.c - a stream's window: commands in, driver's calls out. */
#include "device/cuda/window.h"
#include "base/system/mutex.h"
#include "device/cuda/cuda.h"
#include "device/cuda/launch.h"
#include "device/cuda/merge.h"
#include "device/cuda/reuse.h"
#include "device/cuda/stream.h"
#include "device/cuda/trace.h"

static cuda_address address_of(const void *memory)
{
    return (cuda_address)(uintptr_t)memory;
}

/* ---- out ---- */

static status window_begin_event(cuda_stream *stream, dev_event *event)
{
    uint64_t number = 0;
    status st = cuda_stream_write_mark(stream, &number);
    atomic_store(&event->number, number);
    cuda_event_free(event);
    return st;
}

/* Begins nvCOMP's work. The kernel that looks at its pages reports what nvCOMP refuses (library.c). */
static void begin_library(cuda_stream *stream, const cuda_command *c)
{
    const cuda_device *dev = (const cuda_device *)stream->base.dev;
    nvcomp_batch batch;
    memcpy(&batch, c->arguments, sizeof batch);
    if (c->work)
        atomic_fetch_add_explicit(&c->work->launches, 1, memory_order_relaxed);
    status_free(nvcomp_decompress(dev->library, &batch, stream->queue));
}

/* Devices of several ranks may be one GPU, with one context. */
static status begin_copy_across(cuda_stream *stream, const cuda_command *c)
{
    const cuda_device *dev = (const cuda_device *)stream->base.dev;
    cuda_address target = (uintptr_t)c->target, source = (uintptr_t)c->source;
    if (dev->context == c->from->context)
        return CUDA_STREAM_CALL(stream, cuMemcpyDtoDAsync_v2, target, source, c->bytes,
                                stream->queue);
    return CUDA_STREAM_CALL(stream, cuMemcpyPeerAsync, target, dev->context, source,
                            c->from->context, c->bytes, stream->queue);
}

static status begin(cuda_stream *stream, cuda_command *const *commands, unsigned count)
{
    const cuda_command *c = commands[0];
    atomic_store(&stream->has_unmarked, true);
    switch (c->kind) {
    case CUDA_COMMAND_LAUNCH:
        return cuda_launch_jobs(stream, commands, count);
    case CUDA_COMMAND_COPY_IN:
        return CUDA_STREAM_CALL(stream, cuMemcpyHtoDAsync_v2, address_of(c->target), c->source,
                                c->bytes, stream->queue);
    case CUDA_COMMAND_COPY_OUT:
        return CUDA_STREAM_CALL(stream, cuMemcpyDtoHAsync_v2, c->target, address_of(c->source),
                                c->bytes, stream->queue);
    case CUDA_COMMAND_COPY:
        return CUDA_STREAM_CALL(stream, cuMemcpyDtoDAsync_v2, address_of(c->target),
                                address_of(c->source), c->bytes, stream->queue);
    case CUDA_COMMAND_COPY_ACROSS:
        return begin_copy_across(stream, c);
    case CUDA_COMMAND_ZERO:
        return CUDA_STREAM_CALL(stream, cuMemsetD8Async, address_of(c->target), 0, c->bytes,
                                stream->queue);
    case CUDA_COMMAND_LIBRARY:
        begin_library(stream, c);
        return STATUS_OK;
    case CUDA_COMMAND_EVENT:
        return window_begin_event(stream, c->event);
    }
    return STATUS_OK;
}

/* Zeroes what launches were given of the scratch since the last time. */
static status zero_scratch(cuda_stream *stream)
{
    size_t first = stream->scratch_zeroed, bytes = stream->scratch_used - first;
    if (!bytes)
        return STATUS_OK;
    DEV_WORK_NOTE(zeroings);
    stream->scratch_zeroed = stream->scratch_used;
    return CUDA_STREAM_CALL(stream, cuMemsetD8Async,
                            address_of((char *)stream->scratch->address + first), 0, bytes,
                            stream->queue);
}

static status window_tell(cuda_stream *stream, cuda_command *const *commands, unsigned count)
{
    const cuda_device *dev = (cuda_device *)stream->base.dev;
    cuda_trace_begin(stream, commands, count);
    TRY(begin(stream, commands, count));
    return dev->debug.is_traced ? cuda_stream_await(stream) : STATUS_OK;
}

void cuda_window_flush(cuda_stream *stream)
{
    cuda_device *dev = (cuda_device *)stream->base.dev;
    void *commands[WINDOW_COMMANDS];
    unsigned count;
    if (!stream->window.count)
        return;
    atomic_fetch_add(&stream->flushes, 1);
    status st = cuda_check(&dev->base);
    if (!st)
        st = zero_scratch(stream);
    while ((count = window_take(&stream->window, CUDA_JOBS_MAX, commands))) {
        cuda_command *const *jobs = (cuda_command *const *)commands;
        if (!st)
            st = window_tell(stream, jobs, count);
        else if (jobs[0]->kind == CUDA_COMMAND_EVENT)
            cuda_event_free(jobs[0]->event);
    }
    /* A command that was enqueued and is not done cannot be made good for. */
    if (st)
        cuda_lose_for(dev, cuda_trace_name_launches(
                               stream, status_context(st, "device cuda:%d", dev->ordinal)));
}

void cuda_stream_flush(dev_stream *base)
{
    cuda_stream *stream = (cuda_stream *)base;
    status_free(cuda_enter((cuda_device *)base->dev));
    mutex_lock(&stream->lock);
    cuda_window_flush(stream);
    mutex_unlock(&stream->lock);
}

/* ---- in ---- */

static uint32_t block_of(const cuda_device *dev, const void *address)
{
    uint64_t offset = address_of(address) - dev->memory.range;
    uint32_t block =
        offset < dev->memory.range_bytes ? block_starts_find(&dev->memory.blocks, address) : 0;
    return block ? cuda_block_owner(dev, block)->block : 0;
}

/* Launches of a function whose blocks have as many threads may be one, if their arguments have room;
 * else each command is a group of its own. */
static uint32_t window_group_of(const cuda_stream *stream, const cuda_command *c)
{
    if (c->kind != CUDA_COMMAND_LAUNCH)
        return stream->window.count;
    return WINDOW_COMMANDS + (uint32_t)c->entry * CUDA_BLOCK + c->threads;
}

/* Under the stream's lock, which it gives up. */
static status begin_copy_in(cuda_stream *stream, const cuda_command *command)
{
    cuda_command *one = (cuda_command *)command;
    stream->base.has_work = true;
    status st = cuda_check(stream->base.dev);
    if (!st)
        st = window_tell(stream, &one, 1);
    mutex_unlock(&stream->lock);
    return st;
}

status cuda_window_add(cuda_stream *stream, const cuda_command *command,
                       const kernel_use *addresses, unsigned use_count)
{
    const cuda_device *dev = (cuda_device *)stream->base.dev;
    window_use uses[KERNEL_USES];
    for (unsigned i = 0; i < use_count; i++)
        uses[i] = (window_use){block_of(dev, addresses[i].address), addresses[i].kind};
    TRY(cuda_reuse_note(stream, uses, use_count));
    mutex_lock(&stream->lock);
    if (command->kind == CUDA_COMMAND_COPY_IN && window_may_pass(&stream->window, uses[0].block))
        return begin_copy_in(stream, command);
    if (!window_has_room(&stream->window, use_count))
        cuda_window_flush(stream);
    cuda_command *c = &stream->commands[stream->window.count];
    *c = *command;
    stream->base.has_work |= c->kind != CUDA_COMMAND_EVENT;
    if (c->kind == CUDA_COMMAND_EVENT)
        window_add_last(&stream->window, window_group_of(stream, c), c);
    else if (c->kind == CUDA_COMMAND_LAUNCH)
        window_add(&stream->window, window_group_of(stream, c), c, uses, use_count);
    else
        window_add_copy(&stream->window, window_group_of(stream, c), c, uses, use_count);
    atomic_store(&stream->has_unmarked, true);
    mutex_unlock(&stream->lock);
    return cuda_check(stream->base.dev);
}
