/* device_test.c - bytes of any device. */
#include "device_test.h"

#include "device/transfer.h"

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

void test_cpu_open(mem_budget **budget, device **dev, dev_stream **stream)
{
    CHECK_OK(mem_budget_new(0, budget));
    CHECK_OK(dev_open_cpu("auto", 0, *budget, dev));
    CHECK_OK((*dev)->ops->stream_open(*dev, stream));
}

void test_cpu_close(mem_budget *budget, device *dev, dev_stream *stream)
{
    dev->ops->stream_close(stream);
    CHECK_EQ(mem_budget_used(budget), 0);
    dev_close(dev);
    mem_budget_free(budget);
}

data_type test_type_at(unsigned index)
{
    if (index == TYPE_FLAT_COUNT)
        return type_decimal(38, 10);
    return index == TYPE_DECIMAL ? type_decimal(18, 2) : type_make((type_id)index);
}
