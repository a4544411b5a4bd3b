/* device_test.c - bytes of any device. */
#include "device_test.h"

void *test_to_host(dev_stream *stream, const void *source, size_t bytes)
{
    void *pinned, *copy = mem_new(bytes + 1);
    CHECK_OK(dev_host_alloc(stream->dev, bytes, "test", &pinned));
    CHECK_OK(stream->dev->ops->copy_out(stream, pinned, source, bytes));
    CHECK_OK(dev_stream_await(stream));
    memcpy(copy, pinned, bytes);
    dev_host_free(stream->dev, pinned, bytes);
    return copy;
}
