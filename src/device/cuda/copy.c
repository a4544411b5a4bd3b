/* copy.c - copies. With memory that is not pinned the driver would wait: there is none of that here
 * (device.h: host_alloc). */
#include "device/cuda/cuda.h"

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
    TRY(not_pinned(stream, source, bytes));
    DEV_WORK_NOTE(copies);
    return add(stream, CUDA_COMMAND_COPY_IN, target, source, bytes);
}

status cuda_copy_out(dev_stream *stream, void *target, const void *source, size_t bytes)
{
    TRY(begin(stream));
    if (!bytes)
        return STATUS_OK;
    TRY(not_pinned(stream, target, bytes));
    DEV_WORK_NOTE(copies);
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
