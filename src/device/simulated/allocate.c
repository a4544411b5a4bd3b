/* allocate.c - the simulated device's memory: who may use it again, and when.
 *
 *   buffer ──release──> its stream's list ──taken by that stream──> buffer     at once: it is in order
 *                       the device's list ──streams have passed──> memory.c    any stream's
 *
 * What one stream alone was told to use is in that stream's list: its next allocations of the size get
 * it while the old commands are still to come, so that memory is as much as one chunk needs, however
 * far the host is ahead. Only what the window had at the release is not taken before the window
 * is queued: else its launches would wait for each other. Buffers with texts, which are used by
 * addresses in views, and what several streams used, are free when all streams have passed.
 *
 * Giving memory back needs none, so it cannot fail. */
#include "device/simulated/allocate.h"

#include "base/budget.h"
#include "base/system/mutex.h"
#include "device/simulated/memory.h"
#include "device/simulated/simulated.h"
#include "device/simulated/stream.h"

/* A block of host memory: this, then what the caller has. */
typedef struct host_block {
    released later;
    _Alignas(64) unsigned char bytes[];
} host_block;

/* ---- lists ---- */

void simulated_released_init(released_list *list)
{
    *list = (released_list){.end = &list->first};
}

static void allocate_append(released_list *list, released *r)
{
    r->next = NULL;
    *list->end = r;
    list->end = &r->next;
}

static released *take_at(released_list *list, released **at)
{
    released *r = *at;
    *at = r->next;
    if (list->end == &r->next)
        list->end = at;
    return r;
}

/* ---- what streams have passed ---- */

/* The least number of what the stream has left to do. */
static uint64_t oldest_of(const simulated_stream *stream)
{
    const command *c = stream->running ? stream->running : stream->first;
    uint64_t oldest = c ? c->number : UINT64_MAX;
    if (stream->window.count && stream->window_number < oldest)
        oldest = stream->window_number;
    return oldest;
}

/* Returns the oldest number of all streams but one. */
static uint64_t oldest_of_others(const simulated_device *dev, const simulated_stream *but)
{
    uint64_t oldest = UINT64_MAX;
    for (const simulated_stream *stream = dev->streams; stream; stream = stream->next) {
        uint64_t its = stream == but ? UINT64_MAX : oldest_of(stream);
        oldest = its < oldest ? its : oldest;
    }
    return oldest;
}

static void give_memory(simulated_device *dev, released *r)
{
    void *buffer = r->buffer;
    if (!r->is_host)
        mem_budget_give(dev->base.budget, r->bytes);
    simulated_memory_give(r->is_host, r->address, r->bytes);
    mem_free(buffer);
}

static bool reclaim_list(simulated_device *dev, released_list *list, uint64_t oldest)
{
    bool had_some = list->first && list->first->number <= oldest;
    while (list->first && list->first->number <= oldest)
        give_memory(dev, take_at(list, &list->first));
    return had_some;
}

/* Tells whoever waits for memory to look again; tasks are woken by the threads of their streams, because the caller
 * may hold any lock. */
static void tell_waiting(simulated_device *dev)
{
    pthread_cond_broadcast(&dev->reclaimed);
    for (simulated_stream *stream = dev->streams; stream; stream = stream->next)
        if (stream->memory_wake) {
            stream->has_memory = true;
            pthread_cond_signal(&stream->changed);
        }
}

void simulated_reclaim(simulated_device *dev)
{
    bool had_some = reclaim_list(dev, &dev->released, oldest_of_others(dev, NULL));
    for (simulated_stream *stream = dev->streams; stream; stream = stream->next)
        had_some |= reclaim_list(dev, &stream->released, oldest_of(stream));
    if (had_some)
        tell_waiting(dev);
}

static simulated_stream *allocate_stream_of(const simulated_device *dev, uint32_t id)
{
    for (simulated_stream *stream = dev->streams; stream; stream = stream->next)
        if (stream->id == id)
            return stream;
    return NULL;
}

/* Returns the stream that was told to use the buffer, if it is one alone. */
static simulated_stream *only_user(const simulated_device *dev, const dev_buffer *buffer)
{
    if (!buffer || atomic_load_explicit(&buffer->has_texts, memory_order_relaxed))
        return NULL;
    return allocate_stream_of(dev, simulated_block_use(simulated_block(buffer->address))->stream);
}

/* `buffer`: the device's, or NULL. */
static void allocate_release(simulated_device *dev, released *r, const dev_buffer *buffer)
{
    mutex_lock(&dev->lock);
    simulated_stream *stream = only_user(dev, buffer);
    r->number = dev->next_number;
    allocate_append(stream ? &stream->released : &dev->released, r);
    simulated_reclaim(dev);
    mutex_unlock(&dev->lock);
}

/* ---- used again at once ---- */

/* Finds memory of such a block that was released before `number`, else of one of the next size, because a last chunk
 * has fewer rows; or the list's end. */
static released **allocate_find(released_list *list, size_t room, uint64_t number)
{
    released **larger = list->end;
    for (released **at = &list->first; *at && (*at)->number <= number; at = &(*at)->next) {
        size_t its = (*at)->is_host ? 0 : simulated_memory_room((*at)->bytes);
        if (its == room)
            return at;
        if (its / 2 == room && larger == list->end)
            larger = at;
    }
    return larger;
}

/* Takes memory for so many bytes off the list, if there is some, and charges for them; a larger block
 * stays as it is. */
static released *allocate_take_from(simulated_device *dev, released_list *list, size_t bytes,
                                    uint64_t number, size_t *out_before)
{
    size_t room = simulated_memory_room(bytes);
    released **at = allocate_find(list, room, number);
    if (at == list->end)
        return NULL;
    size_t before = *out_before = (*at)->bytes;
    if (simulated_memory_room(before) != room)
        return take_at(list, at);
    if (bytes > before) {
        if (!mem_budget_try(dev->base.budget, bytes - before))
            return NULL;
    } else {
        mem_budget_give(dev->base.budget, before - bytes);
    }
    (*at)->bytes = bytes;
    return take_at(list, at);
}

static released *take_for(simulated_device *dev, simulated_stream *stream, size_t bytes,
                          size_t *out_before)
{
    uint64_t queued = stream->window.count ? stream->window_number : UINT64_MAX;
    released *r = allocate_take_from(dev, &stream->released, bytes, queued, out_before);
    if (r)
        return r;
    uint64_t passed = oldest_of_others(dev, stream);
    return allocate_take_from(dev, &dev->released, bytes, passed < queued ? passed : queued,
                              out_before);
}

/* The old bytes are spoilt when the stream gets there. */
static void allocate_renew(simulated_device *dev, simulated_stream *stream, const released *r,
                           size_t before, command *mark)
{
    uint64_t number = stream->window.count ? stream->window_number : dev->next_number++;
    *mark = (command){.kind = COMMAND_MARK, .mark = {r->address, before, r->bytes}};
    *simulated_block_use(simulated_block(r->address)) =
        (block_use){.stream = stream->id, .renewed_by = stream->id, .renewed = number + 1};
    simulated_enqueue(stream, mark, number);
}

static simulated_buffer *take_again(simulated_device *dev, size_t bytes)
{
    simulated_stream *stream = (simulated_stream *)dev_stream_now;
    command *mark = stream && stream->base.dev == &dev->base ? mem_new(sizeof *mark) : NULL;
    if (!mark)
        return NULL;
    size_t before;
    mutex_lock(&dev->lock);
    released *r = take_for(dev, stream, bytes, &before);
    if (r)
        allocate_renew(dev, stream, r, before, mark);
    mutex_unlock(&dev->lock);
    if (!r)
        mem_free(mark);
    return r ? r->buffer : NULL;
}

/* Awaits the users of a block's old bytes, which another stream was given while they were in use. */
static status allocate_await_old_bytes(simulated_stream *stream, block_use *use)
{
    simulated_stream *other =
        allocate_stream_of((simulated_device *)stream->base.dev, use->renewed_by);
    if (!use->renewed || other == stream)
        return STATUS_OK;
    if (other && oldest_of(other) < use->renewed)
        return simulated_wait_for_stream(stream, other);
    use->renewed = 0;
    return STATUS_OK;
}

status simulated_note_use(simulated_stream *stream, uint32_t block)
{
    block_use *use = simulated_block_use(block);
    if (!block || use->stream == stream->id)
        return STATUS_OK;
    if (!use->stream) {
        use->stream = stream->id;
        return STATUS_OK;
    }
    use->stream = BLOCK_OF_ANY;
    return allocate_await_old_bytes(stream, use);
}

/* ---- device.h ---- */

static bool has_released(const simulated_device *dev)
{
    bool has_some = dev->released.first;
    for (const simulated_stream *stream = dev->streams; stream; stream = stream->next)
        has_some |= stream->released.first != NULL;
    return has_some;
}

/* The streams get on by themselves to where it is free. */
status simulated_memory_notify(dev_stream *base, void (*wake)(void *), void *argument,
                               bool *out_will)
{
    simulated_stream *stream = (simulated_stream *)base;
    simulated_device *dev = (simulated_device *)base->dev;
    mutex_lock(&dev->lock);
    *out_will = has_released(dev);
    if (*out_will) {
        stream->memory_argument = argument;
        stream->memory_wake = wake;
        simulated_flush_all(dev);
    }
    mutex_unlock(&dev->lock);
    return STATUS_OK;
}

bool simulated_memory_wait(device *base)
{
    simulated_device *dev = (simulated_device *)base;
    mutex_lock(&dev->lock);
    bool has_some = has_released(dev);
    if (has_some) {
        DEV_WORK_NOTE(waits);
        simulated_flush_all(dev);
        pthread_cond_wait(&dev->reclaimed, &dev->lock);
    }
    mutex_unlock(&dev->lock);
    return has_some;
}

static status allocate_take_new(simulated_device *dev, size_t bytes, const char *who,
                                simulated_buffer **out)
{
    TRY(mem_budget_take(dev->base.budget, bytes, who));
    simulated_buffer *buffer = *out = mem_new(sizeof *buffer);
    void *address = buffer ? simulated_memory_take(false, bytes) : NULL;
    if (address) {
        buffer->base.address = address;
        buffer->later.bytes = bytes;
        return STATUS_OK;
    }
    mem_free(buffer);
    mem_budget_give(dev->base.budget, bytes);
    return status_no_memory(who, bytes);
}

status simulated_alloc(device *base, size_t bytes, const char *who, dev_buffer **out)
{
    simulated_device *dev = (simulated_device *)base;
    DEV_WORK_NOTE(allocations);
    simulated_buffer *buffer = take_again(dev, bytes);
    if (!buffer)
        TRY(allocate_take_new(dev, bytes, who, &buffer));
    void *address = buffer->base.address;
    size_t charged = buffer->later.bytes;
    buffer->base = (dev_buffer){.dev = base, .address = address, .bytes = bytes, .references = 1};
    buffer->later = (released){.address = address, .bytes = charged, .buffer = buffer};
    *out = &buffer->base;
    return STATUS_OK;
}

void simulated_export(dev_buffer *base)
{
    simulated_buffer *buffer = (simulated_buffer *)base;
    if (!atomic_exchange(&buffer->is_exported, true))
        mem_budget_add_exported(base->dev->budget, buffer->later.bytes);
}

size_t simulated_lend(dev_buffer *base)
{
    simulated_buffer *buffer = (simulated_buffer *)base;
    if (buffer->is_lent)
        return 0;
    buffer->is_lent = true;
    mem_budget_lend(base->dev->budget, buffer->later.bytes);
    return buffer->later.bytes;
}

void simulated_release(dev_buffer *base)
{
    simulated_buffer *buffer = (simulated_buffer *)base;
    if (buffer->is_lent)
        mem_budget_unlend(base->dev->budget, buffer->later.bytes);
    buffer->is_lent = false;
    if (atomic_exchange(&buffer->is_exported, false))
        mem_budget_give_exported(base->dev->budget, buffer->later.bytes);
    allocate_release((simulated_device *)base->dev, &buffer->later, base);
}

status simulated_host_alloc(device *base, size_t bytes, const char *who, void **out)
{
    (void)base;
    size_t all = sizeof(host_block) + bytes;
    *out = NULL;
    DEV_WORK_NOTE(allocations);
    host_block *block = simulated_memory_take(true, all);
    if (!block)
        return status_no_memory(who, bytes);
    block->later = (released){.is_host = true, .address = block, .bytes = all};
    *out = block->bytes;
    return STATUS_OK;
}

void simulated_host_piece(device *base, const void *address, void **out_start, size_t *out_bytes)
{
    const char *bytes = address;
    const host_block *block = (const void *)(bytes - offsetof(host_block, bytes));
    (void)base;
    simulated_memory_piece(block, block->later.bytes, out_start, out_bytes);
}

void simulated_host_free(device *base, void *address, size_t bytes)
{
    host_block *block = (host_block *)(void *)((char *)address - offsetof(host_block, bytes));
    (void)bytes;
    allocate_release((simulated_device *)base, &block->later, NULL);
}
