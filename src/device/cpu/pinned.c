/* pinned.c - the host side of a lazy device: a host device whose memory is pinned, so that what
 * chunk_to_host gives and chunk_to_device takes lies behind the same buffers as everything else, and
 * the host can run kernels on it (a merge of sorted runs, say). */
#include "device/cpu/tables.h"

typedef struct host_memory {
    device base;
    device *of; /* the lazy device, which owns this one */
} host_memory;

typedef struct host_buffer {
    dev_buffer base;
    _Atomic bool is_exported;
} host_buffer;

/* Makes a buffer of the lazy device's pinned memory; a block that leaves the budget is not charged to it at all. */
static status pinned_buffer_new(device *base, size_t bytes, bool is_exported, const char *who,
                                dev_buffer **out)
{
    device *of = ((host_memory *)base)->of;
    host_buffer *buffer = mem_new(sizeof *buffer);
    *out = NULL;
    if (!buffer)
        return status_no_memory(who, sizeof *buffer);
    status st = of->ops->host_alloc(of, bytes, who, &buffer->base.address);
    if (st) {
        mem_free(buffer);
        return st;
    }
    buffer->base.dev = base;
    buffer->base.bytes = bytes;
    atomic_init(&buffer->is_exported, is_exported);
    atomic_store_explicit(&buffer->base.references, 1, memory_order_relaxed);
    *out = &buffer->base;
    return STATUS_OK;
}

static status host_alloc(device *base, size_t bytes, const char *who, dev_buffer **out)
{
    TRY(mem_budget_take(base->budget, bytes, who));
    status st = pinned_buffer_new(base, bytes, false, who, out);
    if (st)
        mem_budget_give(base->budget, bytes);
    return st;
}

static status host_alloc_exported(device *base, size_t bytes, const char *who, dev_buffer **out)
{
    TRY(pinned_buffer_new(base, bytes, true, who, out));
    mem_budget_add_exported(base->budget, bytes);
    return STATUS_OK;
}

static void host_release(dev_buffer *buffer)
{
    device *of = ((host_memory *)buffer->dev)->of;
    if (atomic_load(&((host_buffer *)buffer)->is_exported))
        mem_budget_give_exported(buffer->dev->budget, buffer->bytes);
    else
        mem_budget_give(buffer->dev->budget, buffer->bytes);
    of->ops->host_free(of, buffer->address, buffer->bytes);
    mem_free(buffer);
}

static void host_export(dev_buffer *buffer)
{
    if (!atomic_exchange(&((host_buffer *)buffer)->is_exported, true))
        mem_budget_export(buffer->dev->budget, buffer->bytes);
}

static status host_launch(dev_stream *stream, dev_kernel_id kernel, const void *arguments,
                          size_t argument_bytes)
{
    (void)argument_bytes;
    stream->dev->host_kernels[kernel](arguments);
    return cancel_seen();
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
    .export = host_export,
    .alloc_exported = host_alloc_exported,
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
        .chunk_rows = dev_room_rows(dev),
        .isa = dev->isa,
        .host_isa = dev->host_isa,
        .budget = mem_budget_ref(budget),
        .references = 1,
    };
    dev->host = &host->base;
    return STATUS_OK;
}
