/* host.c - running functions of rows: the table, the loop over rows, and where new texts go. */
#include "device/host/host.h"

#define CANCEL_ROWS 64 /* between two looks at whether the query is cancelled */
#define HEAP_BYTES_MIN 1024
#define HEAP_BYTES_MAX ((uint64_t)4 << 20)

#define HOST_FUNCTION(NAME, name, ops, traits) status host_##name(host_call *c, uint64_t row);
#include "device/host/host_functions.def"

static const struct {
    status (*row)(host_call *c, uint64_t row);
    const host_function_ops *ops;
    unsigned traits;
} functions[HOST_FUNCTION_COUNT] = {
#define HOST_FUNCTION(NAME, name, ops, traits) [HOST_##NAME] = {host_##name, ops, traits},
#include "device/host/host_functions.def"
};

unsigned host_traits_of(host_function function)
{
    return functions[function].traits;
}

status host_plan(host_function function, host_constants args, uint32_t arg_count, arena *memory,
                 const void **out)
{
    const host_function_ops *ops = functions[function].ops;
    *out = NULL;
    return ops && ops->plan ? ops->plan(function, args, arg_count, memory, out) : STATUS_OK;
}

/* ---- new texts ---- */

/* A buffer for at least so many bytes; each is twice as large as the one before. */
static status heap_grow(host_call *c, uint64_t bytes)
{
    host_heap *heap = &c->heap;
    uint64_t wanted = HEAP_BYTES_MIN << (heap->buffers.count < 20 ? heap->buffers.count : 20);
    wanted = wanted > HEAP_BYTES_MAX ? HEAP_BYTES_MAX : wanted;
    wanted = wanted < bytes ? bytes : wanted;
    if (!c->dev) {
        heap->at = arena_alloc(c->memory, wanted);
        if (!heap->at)
            return status_no_memory("text", wanted);
        heap->end = heap->at + wanted;
        return STATUS_OK;
    }
    dev_buffer *buffer;
    TRY(dev_alloc(c->dev, wanted, "text", &buffer));
    status st = array_push(NULL, &heap->buffers, buffer);
    if (st) {
        dev_buffer_unref(buffer);
        return st;
    }
    heap->at = buffer->address;
    heap->end = heap->at + buffer->bytes;
    return STATUS_OK;
}

status host_put_room(host_call *c, uint64_t bytes, char **out)
{
    uint64_t most = c->text_max ? c->text_max : HOST_TEXT_MAX;
    if (bytes > most)
        return status_new(STATUS_KIND_DATA, "a text would have %llu bytes; the limit is %llu",
                          (unsigned long long)bytes, (unsigned long long)most);
    if (!c->heap.at || (uint64_t)(c->heap.end - c->heap.at) < bytes)
        TRY(heap_grow(c, bytes));
    *out = c->heap.at;
    return STATUS_OK;
}

void host_put_filled(host_call *c, uint64_t row, size_t bytes)
{
    host_put_part(c, row, c->heap.at, bytes);
    if (bytes > STRING_INLINE_BYTES)
        c->heap.at += bytes;
}

status host_put_text(host_call *c, uint64_t row, const char *text, size_t bytes)
{
    char *room;
    if (bytes <= STRING_INLINE_BYTES) {
        host_put_part(c, row, text, bytes);
        return STATUS_OK;
    }
    TRY(host_put_room(c, bytes, &room));
    memcpy(room, text, bytes);
    host_put_filled(c, row, bytes);
    return STATUS_OK;
}

status host_heap_take(host_call *c, string_heap **out)
{
    *out = NULL;
    if (!c->heap.buffers.count)
        return STATUS_OK;
    /* The references go with the array, also on failure. */
    status st = string_heap_new(c->heap.buffers.items, (uint32_t)c->heap.buffers.count, out);
    array_release(&c->heap.buffers);
    return st;
}

void host_heap_drop(host_call *c)
{
    for (size_t i = 0; i < c->heap.buffers.count; i++)
        dev_buffer_unref(c->heap.buffers.items[i]);
    array_release(&c->heap.buffers);
}

/* ---- rows ---- */

static status run_rows(host_call *c)
{
    status (*row_function)(host_call * c, uint64_t row) = functions[c->function].row;
    bool sees_nulls = functions[c->function].traits & HOST_SEES_NULLS;
    for (uint64_t row = 0; row < c->count; row++) {
        if (row % CANCEL_ROWS == 0)
            TRY(cancel_check());
        if (sees_nulls || !c->validity || c->validity[row / 64] >> (row % 64) & 1)
            TRY(row_function(c, row));
    }
    return STATUS_OK;
}

void host_run(host_call *c)
{
    const host_function_ops *ops = functions[c->function].ops;
    c->failure = ops && ops->begin ? ops->begin(c) : STATUS_OK;
    if (!c->failure && !(ops && ops->begin_is_all))
        c->failure = run_rows(c);
    if (ops && ops->end)
        ops->end(c);
}

void dev_host_call(const host_call_arguments *a)
{
    host_run(a->call);
}
