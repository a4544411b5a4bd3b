/* copy.c - copies. With memory that is not pinned the driver would wait: there is none of that here
 * (device.h: host_alloc), but where it is asked for (dev_cuda_unpin). */
#include "device/cuda/copy.h"
#include "device/cuda/cuda.h"
#include "device/cuda/memory.h"
#include "device/cuda/window.h"

static status begin(dev_stream *stream)
{
    TRY(cuda_check(stream->dev));
    return cuda_enter((cuda_device *)stream->dev);
}

static status check_host(const dev_stream *stream, const void *memory, size_t bytes)
{
    bool is_pinned, is_ours = cuda_is_host((cuda_device *)stream->dev, memory, &is_pinned);
    if (is_pinned)
        return STATUS_OK;
    DEV_WORK_NOTE(pageable_copies);
    if (is_ours)
        return STATUS_OK;
    return status_new(STATUS_KIND_INTERNAL,
                      "internal error: a copy of %zu bytes that are not pinned", bytes);
}

static status add(dev_stream *stream, cuda_command_kind kind, void *target, const void *source,
                  size_t bytes)
{
    cuda_command command = {.kind = kind, .target = target, .source = source, .bytes = bytes};
    kernel_use uses[2];
    unsigned count = 0;
    /* Pinned memory is written and read behind events. */
    if (kind != CUDA_COMMAND_COPY_OUT)
        uses[count++] = (kernel_use){target, USE_WRITE};
    if (kind == CUDA_COMMAND_COPY_OUT || kind == CUDA_COMMAND_COPY)
        uses[count++] = (kernel_use){source, USE_READ};
    return cuda_window_add((cuda_stream *)stream, &command, uses, count);
}

status cuda_copy_in(dev_stream *stream, void *target, const void *source, size_t bytes)
{
    TRY(begin(stream));
    if (!bytes)
        return STATUS_OK;
    TRY(check_host(stream, source, bytes));
    DEV_WORK_NOTE(copies);
    DEV_WORK_ADD(bytes_in, bytes);
    return add(stream, CUDA_COMMAND_COPY_IN, target, source, bytes);
}

status cuda_copy_out(dev_stream *stream, void *target, const void *source, size_t bytes)
{
    TRY(begin(stream));
    if (!bytes)
        return STATUS_OK;
    TRY(check_host(stream, target, bytes));
    DEV_WORK_NOTE(copies);
    DEV_WORK_ADD(bytes_out, bytes);
    return add(stream, CUDA_COMMAND_COPY_OUT, target, source, bytes);
}

status cuda_copy(dev_stream *stream, void *target, const void *source, size_t bytes)
{
    TRY(begin(stream));
    if (!bytes)
        return STATUS_OK;
    DEV_WORK_NOTE(copies);
    return add(stream, CUDA_COMMAND_COPY, target, source, bytes);
}

status cuda_zero(dev_stream *stream, void *target, size_t bytes)
{
    TRY(begin(stream));
    if (!bytes)
        return STATUS_OK;
    DEV_WORK_NOTE(zeroings);
    return add(stream, CUDA_COMMAND_ZERO, target, NULL, bytes);
}

/* Devices of several ranks may be one GPU. */
static bool is_direct(const cuda_device *dev, const cuda_device *from)
{
    return from->ordinal == dev->ordinal ||
           (dev->ordinal < CUDA_PEERS_MAX && from->peers >> dev->ordinal & 1);
}

status cuda_copy_from(dev_stream *stream, void *target, device *from, const void *source,
                      size_t bytes)
{
    const cuda_device *peer = (const cuda_device *)from;
    cuda_command command = {.kind = CUDA_COMMAND_COPY_ACROSS,
                            .target = target,
                            .source = source,
                            .bytes = bytes,
                            .from = peer};
    kernel_use use = {target, USE_WRITE};
    TRY(cuda_check(from));
    TRY(cuda_check(stream->dev));
    TRY(cuda_enter((cuda_device *)stream->dev));
    if (!bytes)
        return STATUS_OK;
    DEV_WORK_NOTE(copies);
    DEV_WORK_ADD(bytes_across, bytes);
    if (!is_direct((cuda_device *)stream->dev, peer))
        DEV_WORK_NOTE(staged_copies);
    return cuda_window_add((cuda_stream *)stream, &command, &use, 1);
}
