/* pinned.c - the host side of a lazy device: a host device whose memory is pinned, so that what
 * chunk_to_host gives and chunk_to_device takes lies behind the same buffers as everything else, and
 * the host can run kernels on it (a merge of sorted runs, say). */
#include "device/cpu/tables.h"

typedef struct host_memory {
    device base;
    device *of; /* the lazy device, which owns this one */
} host_memory;

static status host_alloc(device *base, size_t bytes, const char *who, dev_buffer **out)
{
    device *of = ((host_memory *)base)->of;
    TRY(mem_budget_take(base->budget, bytes, who));
    dev_buffer *buffer = mem_new(sizeof *buffer);
    status st = buffer ? of->ops->host_alloc(of, bytes, who, &buffer->address)
                       : status_no_memory(who, sizeof *buffer);
    if (st) {
        mem_free(buffer);
        mem_budget_give(base->budget, bytes);
        return st;
    }
    buffer->dev = base;
    buffer->bytes = bytes;
    atomic_store_explicit(&buffer->references, 1, memory_order_relaxed);
    *out = buffer;
    return STATUS_OK;
}

static void host_release(dev_buffer *buffer)
{
    device *of = ((host_memory *)buffer->dev)->of;
    mem_budget_give(buffer->dev->budget, buffer->bytes);
    of->ops->host_free(of, buffer->address, buffer->bytes);
    mem_free(buffer);
}

static status host_launch(dev_stream *stream, dev_kernel_id kernel, const void *arguments,
                          size_t argument_bytes)
{
    (void)argument_bytes;
    stream->dev->host_kernels[kernel](arguments);
    return STATUS_OK;
}

static status host_copy(dev_stream *stream, void *target, const void *source, size_t bytes)
{
    (void)stream;
    if (bytes)
        memcpy(target, source, bytes);
    return STATUS_OK;
}

static status host_zero(dev_stream *stream, void *target, size_t bytes)
{
    (void)stream;
    memset(target, 0, bytes);
    return STATUS_OK;
}

static void host_close(device *base)
{
    mem_free(base);
}

static const dev_ops host_ops = {
    .abi = DEV_ABI,
    .name = "host",
    .close = host_close,
    .alloc = host_alloc,
    .release = host_release,
    .launch = host_launch,
    .copy_in = host_copy,
    .copy_out = host_copy,
    .copy = host_copy,
    .zero = host_zero,
};

status dev_host_open(device *dev, mem_budget *budget)
{
    if (dev->is_host)
        return STATUS_OK;
    host_memory *host = mem_new(sizeof *host);
    if (!host)
        return status_no_memory("device", sizeof *host);
    const char *isa;
    host->of = dev;
    host->base = (device){
        .ops = &host_ops,
        .host_kernels = dev_kernel_table(cpu_isa_name(dev->host_isa), &isa),
        .is_host = true,
        .chunk_rows = dev->chunk_rows,
        .isa = dev->isa,
        .host_isa = dev->host_isa,
        .budget = mem_budget_ref(budget),
        .references = 1,
    };
    dev->host = &host->base;
    return STATUS_OK;
}
