/* memory.c - device memory, and the host's for copies, in size classes.
 *
 * Device memory is one range of addresses. The driver puts memory behind it piece by piece, and
 * keeps it there until the device is closed: what is released is used again. Pinned memory comes in
 * pieces likewise, and so does what copies go through in its place where that is not to be pinned
 * (dev_cuda_unpin): for measurements, as the driver copies it once more, and waits.
 *
 *   released -> open ── many, or an allocation wants some ──> closed, numbered ── streams passed ──> kept
 */
#include "device/cuda/memory.h"
#include "base/budget.h"
#include "base/system/mutex.h"
#include "device/cuda/cuda.h"
#include "device/cuda/host_piece.h"
#include "device/cuda/merge.h"
#include "device/cuda/piece.h"
#include "device/cuda/pool.h"
#include "device/cuda/reuse.h"
#include "device/cuda/stream.h"

#define PIECE_BYTES_MIN ((size_t)32 << 20)
#define PIECE_BYTES_MAX ((size_t)1 << 30)
#define PIECE_PART 2 /* of what is there already */
#define HOST_PIECE_BYTES_MIN ((size_t)8 << 20)
#define HOST_PIECE_BYTES_MAX ((size_t)64 << 20)
#define HOST_PIECE_BYTES_LARGE ((size_t)256 << 20) /* where chunks are large */
#define HOST_BYTES_EASY ((size_t)64 << 20) /* of pinned memory, before that of others is awaited */
#define OPEN_MAX 64                        /* released buffers that share a number */
#define BUFFERS_MAX (1u << 24)

/* ---- pieces from the driver ----
 * The driver takes its time for one, and for pinned memory may have streams wait. So it is asked without the lock, by one
 * thread for each pool; others who need some of the pool wait for that, and all the rest go on. */

static size_t round_up(size_t bytes, size_t unit)
{
    return (bytes + unit - 1) / unit * unit;
}

/* Pieces grow with what is there, as each takes calls during which others wait for memory; but not beyond the
 * budget's limit, as far as that is enough for what is wanted. */
static size_t piece_bytes(const cuda_device *dev, size_t wanted)
{
    const cuda_memory *m = &dev->memory;
    size_t limit = mem_budget_limit(dev->base.budget), bytes = m->mapped_bytes / PIECE_PART;
    size_t left = m->range_bytes - m->mapped_bytes;
    size_t left_of_limit = limit > m->mapped_bytes ? limit - m->mapped_bytes : 0;
    if (bytes > PIECE_BYTES_MAX)
        bytes = PIECE_BYTES_MAX;
    if (limit && bytes > left_of_limit)
        bytes = left_of_limit;
    if (bytes < PIECE_BYTES_MIN)
        bytes = PIECE_BYTES_MIN;
    bytes = round_up(bytes > wanted ? bytes : wanted, m->granularity);
    return bytes > left && left >= wanted ? left : bytes;
}

/* Maps memory; if the driver has not so much, half of it, down to what is wanted. */
static status map_some(const cuda_device *dev, cuda_address at, size_t bytes, size_t wanted,
                       cuda_piece *piece)
{
    status st = cuda_map_piece(dev, at, bytes, piece);
    while (status_get_kind(st) == STATUS_KIND_NO_MEMORY && bytes > wanted) {
        status_free(st);
        bytes = round_up(bytes / 2, dev->memory.granularity);
        bytes = bytes > wanted ? bytes : wanted;
        st = cuda_map_piece(dev, at, bytes, piece);
    }
    return st;
}

/* Under the lock, which is given up meanwhile. */
static status grow_device(cuda_device *dev, size_t room)
{
    cuda_memory *m = &dev->memory;
    size_t left = (size_t)(m->device.end - m->device.free);
    size_t wanted = round_up(room - left, m->granularity);
    size_t bytes = piece_bytes(dev, wanted);
    if (bytes > m->range_bytes - m->mapped_bytes)
        return status_new(STATUS_KIND_NO_MEMORY, "device cuda:%d has no %zu bytes more",
                          dev->ordinal, bytes);
    cuda_piece *piece = mem_new(sizeof *piece);
    if (!piece)
        return status_no_memory("piece of memory", sizeof *piece);
    cuda_address at = m->range + m->mapped_bytes;
    cuda_unlock(dev);
    status st = map_some(dev, at, bytes, wanted, piece);
    cuda_lock(dev);
    if (st) {
        mem_free(piece);
        return st;
    }
    m->mapped_bytes += piece->bytes;
    piece->next = m->device_pieces;
    m->device_pieces = piece;
    if (!m->device.free)
        m->device.free = piece->address;
    m->device.end = piece->address + piece->bytes;
    return STATUS_OK;
}

/* Pieces grow here, too: for each the driver may have what streams do wait. */
static size_t host_piece_bytes(const cuda_device *dev, const cuda_pool *pool, size_t room)
{
    size_t bytes = pool->bytes / PIECE_PART;
    if (dev->base.chunk_rows > dev_room_rows(&dev->base))
        return HOST_PIECE_BYTES_LARGE > room ? HOST_PIECE_BYTES_LARGE : room;
    bytes = bytes > HOST_PIECE_BYTES_MIN ? bytes / HOST_PIECE_BYTES_MIN * HOST_PIECE_BYTES_MIN
                                         : HOST_PIECE_BYTES_MIN;
    bytes = bytes < HOST_PIECE_BYTES_MAX ? bytes : HOST_PIECE_BYTES_MAX;
    return bytes > room ? bytes : room;
}

static status map_some_host(const cuda_device *dev, bool is_pinned, size_t room, cuda_piece *piece)
{
    status st = cuda_map_host_piece(dev, is_pinned, piece);
    if (status_get_kind(st) != STATUS_KIND_NO_MEMORY || piece->bytes == room)
        return st;
    status_free(st);
    piece->bytes = room;
    return cuda_map_host_piece(dev, is_pinned, piece);
}

/* Under the lock, which is given up meanwhile. */
static status grow_host(cuda_device *dev, cuda_pool *pool, size_t room)
{
    cuda_memory *m = &dev->memory;
    cuda_piece *piece = mem_new(sizeof *piece);
    if (!piece)
        return status_no_memory("piece of memory", sizeof *piece);
    piece->bytes = host_piece_bytes(dev, pool, room);
    cuda_unlock(dev);
    status st = map_some_host(dev, pool == &m->pinned, room, piece);
    cuda_lock(dev);
    if (st) {
        mem_free(piece);
        return st;
    }
    piece->next = atomic_load(&m->host_pieces);
    atomic_store(&m->host_pieces, piece);
    pool->free = piece->address;
    pool->end = piece->address + piece->bytes;
    pool->bytes += piece->bytes;
    return STATUS_OK;
}

/* NULL: the address is in none. */
static const cuda_piece *host_piece(const cuda_device *dev, const void *address)
{
    const char *at = address;
    cuda_piece *_Atomic *pieces = (cuda_piece * _Atomic *)&dev->memory.host_pieces;
    const cuda_piece *p = atomic_load(pieces);
    while (p && !(at >= p->address && at < p->address + p->bytes))
        p = p->next;
    return p;
}

bool cuda_is_host(const cuda_device *dev, const void *address, bool *out_is_pinned)
{
    const cuda_piece *piece = host_piece(dev, address);
    *out_is_pinned = piece && piece->is_pinned;
    return piece;
}

/* ---- taking ---- */

/* Under the lock, which is given up meanwhile: what was found before may not be so any more. */
static status memory_grow(cuda_device *dev, cuda_pool *pool, const cuda_buffer *buffer)
{
    if (pool->is_growing) {
        pthread_cond_wait(&dev->grown, &dev->lock);
        return STATUS_OK;
    }
    DEV_WORK_NOTE(system_allocations);
    pool->is_growing = true;
    status st =
        buffer->is_host ? grow_host(dev, pool, buffer->room) : grow_device(dev, buffer->room);
    pool->is_growing = false;
    pthread_cond_broadcast(&dev->grown);
    return st;
}

static status take_from_pool(cuda_device *dev, cuda_pool *pool, cuda_buffer *buffer)
{
    while ((size_t)(pool->end - pool->free) < buffer->room)
        TRY(memory_grow(dev, pool, buffer));
    buffer->base.address = pool->free;
    pool->free += buffer->room;
    return STATUS_OK;
}

static status take_apart(cuda_device *dev, size_t bytes, cuda_buffer *buffer)
{
    char *address;
    DEV_WORK_NOTE(system_allocations);
    buffer->apart = mem_new(sizeof *buffer->apart);
    if (!buffer->apart)
        return status_no_memory("piece of memory", sizeof *buffer->apart);
    TRY(cuda_apart_map(dev, bytes, buffer->apart, &address, &buffer->room));
    buffer->base.address = address;
    return STATUS_OK;
}

/* Blocks of device memory have numbers. */
static status number_block(cuda_device *dev, cuda_buffer *buffer)
{
    if (!block_starts_add(&dev->memory.owners, buffer) ||
        !block_starts_add(&dev->memory.blocks, buffer->base.address))
        return status_new(STATUS_KIND_NO_MEMORY, "device cuda:%d has %u buffers already",
                          dev->ordinal, BUFFERS_MAX);
    buffer->block = atomic_load(&dev->memory.blocks.count);
    return STATUS_OK;
}

static status take_new(cuda_device *dev, cuda_pool *pool, unsigned class, size_t room, size_t bytes,
                       cuda_buffer **out)
{
    cuda_buffer *buffer = mem_new(sizeof *buffer);
    if (!buffer)
        return status_no_memory("buffer", sizeof *buffer);
    buffer->base.dev = &dev->base;
    buffer->room = room;
    buffer->class = class;
    buffer->is_host = pool != &dev->memory.device;
    buffer->pool = pool;
    bool is_apart = dev->debug.has_no_pool && !buffer->is_host;
    status st = is_apart ? take_apart(dev, bytes, buffer) : take_from_pool(dev, pool, buffer);
    if (!st && !buffer->is_host)
        st = number_block(dev, buffer);
    if (st) {
        cuda_apart_unmap(dev, buffer);
        cuda_buffer_free(buffer);
        return st;
    }
    *out = buffer;
    return STATUS_OK;
}

/* In whole words, which atomics on parts of one take. Nothing of a device that is lost: what it still
 * does with memory that nobody waits for any more nobody knows. */
static void watch(const cuda_device *dev, const cuda_buffer *buffer, size_t bytes)
{
    if (dev->driver->watch_buffer && !buffer->is_host && !atomic_load(&dev->is_lost))
        dev->driver->watch_buffer((uintptr_t)buffer->base.address, round_up(bytes, 8),
                                  buffer->room);
}

static void keep(cuda_device *dev, cuda_buffer *buffer)
{
    if (!buffer->apart) {
        cuda_pool_keep(buffer);
        return;
    }
    cuda_apart_unmap(dev, buffer);
    buffer->next = dev->memory.gone;
    dev->memory.gone = buffer;
}

/* Keeps for others what streams have passed. Under the lock. */
static void memory_reclaim(cuda_device *dev)
{
    cuda_memory *m = &dev->memory;
    while (m->closed && cuda_streams_passed(dev, m->closed->number)) {
        cuda_buffer *buffer = m->closed;
        m->closed = buffer->next;
        if (!m->closed)
            m->closed_end = &m->closed;
        if (!buffer->is_host)
            mem_budget_give(dev->base.budget, buffer->charged);
        watch(dev, buffer, 0);
        keep(dev, buffer);
    }
}

/* Gives what was released its number. Under the lock, which is given up while streams are told to write theirs. */
static void close_released(cuda_device *dev)
{
    cuda_memory *m = &dev->memory;
    cuda_buffer *open = m->open;
    if (!open)
        return;
    m->open = NULL;
    m->open_count = 0;
    m->closing++;
    uint64_t number = cuda_streams_number(dev);
    m->closing--;
    while (open) {
        cuda_buffer *buffer = open;
        open = buffer->next;
        buffer->next = NULL;
        buffer->number = number;
        *m->closed_end = buffer;
        m->closed_end = &buffer->next;
    }
    pthread_cond_broadcast(&dev->grown);
}

/* Closes, because memory is short, what streams keep for themselves as well, and what others are closing. Under the lock,
 * which is given up meanwhile. */
static void close_all_released(cuda_device *dev)
{
    cuda_reuse_end_all(dev);
    close_released(dev);
    while (dev->memory.closing)
        pthread_cond_wait(&dev->grown, &dev->lock);
}

/* More than the limit would have to come from the driver. */
static bool is_short(const cuda_device *dev, size_t room)
{
    const cuda_memory *m = &dev->memory;
    size_t limit = mem_budget_limit(dev->base.budget);
    size_t left = (size_t)(m->device.end - m->device.free);
    size_t most = limit && limit < m->range_bytes ? limit : m->range_bytes;
    return room > left && m->mapped_bytes + round_up(room - left, m->granularity) > most;
}

/* A buffer of what is kept, put together or taken apart. */
static cuda_buffer *rearrange(cuda_device *dev, unsigned class, size_t room)
{
    cuda_buffer *found = NULL;
    while (!found && cuda_split_kept(dev, class + 1))
        found = cuda_pool_take(&dev->memory.device, class, class + CUDA_LARGER_CLASSES);
    return found ? found : cuda_merge_kept(dev, room);
}

/* None of the class is kept. */
static status take_other(cuda_device *dev, cuda_pool *pool, unsigned class, size_t room,
                         size_t bytes, cuda_buffer **out)
{
    bool is_device = pool == &dev->memory.device && !dev->debug.has_no_pool;
    *out = is_device && is_short(dev, room) ? rearrange(dev, class, room) : NULL;
    if (*out)
        return STATUS_OK;
    status st = take_new(dev, pool, class, room, bytes, out);
    if (!st)
        return STATUS_OK;
    /* A buffer that is much too large is still better than nothing. */
    *out = is_device ? rearrange(dev, class, room) : cuda_pool_take(pool, class, CUDA_CLASSES);
    if (!*out)
        return st;
    status_free(st);
    return STATUS_OK;
}

/* Returns whether released memory must be numbered now, because more of the driver's would be too much. Numbering begins what
 * streams have put together, so that launches of one kernel do not meet. */
static bool wants_released(const cuda_device *dev, const cuda_pool *pool, size_t room)
{
    if (!dev->memory.open)
        return false;
    return pool == &dev->memory.device ? is_short(dev, room) : pool->bytes > HOST_BYTES_EASY;
}

static status take(cuda_device *dev, cuda_pool *pool, size_t bytes, cuda_buffer **out)
{
    size_t room;
    unsigned class = cuda_class_of(bytes, &room);
    status st = STATUS_OK;
    cuda_lock(dev);
    memory_reclaim(dev);
    *out = cuda_pool_take(pool, class, class + CUDA_LARGER_CLASSES);
    if (!*out && wants_released(dev, pool, room)) {
        close_released(dev);
        memory_reclaim(dev);
        *out = cuda_pool_take(pool, class, class + CUDA_LARGER_CLASSES);
    }
    if (!*out)
        st = take_other(dev, pool, class, room, bytes, out);
    cuda_unlock(dev);
    if (!st) {
        (*out)->base.bytes = bytes;
        atomic_store(&(*out)->base.references, 1);
        atomic_store(&(*out)->base.has_texts, false);
        atomic_store(&(*out)->user, 0);
        atomic_store(&(*out)->renewed_by, 0);
        watch(dev, *out, bytes);
    }
    return st;
}

/* Finds a stream that is not so far, and has it write the mark that says when it is; with a reference for the caller. NULL:
 * none. Under the lock, which is given up meanwhile. */
static cuda_stream *late_stream(cuda_device *dev, uint64_t number)
{
    cuda_stream *stream = dev->streams;
    while (stream && cuda_stream_passed(stream, number))
        stream = stream->next;
    if (!stream)
        return NULL;
    atomic_fetch_add(&stream->references, 1);
    cuda_unlock(dev);
    cuda_stream_mark_rest(stream);
    cuda_lock(dev);
    return stream;
}

/* The host is ahead of the device by all the memory that there may be. A stream that had nothing to do
 * when that was released, and that has been given work since, is marked here: who would do so waits as
 * well. */
bool cuda_memory_wait(device *base)
{
    cuda_device *dev = (cuda_device *)base;
    unsigned turn = 0;
    cuda_patience patience = {0};
    DEV_WORK_NOTE(waits);
    status_free(cuda_enter(dev));
    cuda_lock(dev);
    close_all_released(dev);
    uint64_t number = dev->memory.closed ? dev->memory.closed->number : 0;
    while (number && !cuda_streams_passed(dev, number) && !atomic_load(&dev->is_lost)) {
        cuda_stream *late = late_stream(dev, number);
        cuda_unlock(dev);
        if (late) {
            cuda_lose_patience(dev, late, &patience);
            cuda_stream_unref(late);
        }
        cuda_pause(dev, &turn);
        cuda_lock(dev);
    }
    memory_reclaim(dev);
    cuda_unlock(dev);
    return number && !atomic_load(&dev->is_lost);
}

/* Wakes when one of the streams that are not past it is: whoever is woken looks, and comes again for the
 * next one. */
status cuda_memory_notify(dev_stream *base, void (*wake)(void *), void *argument, bool *out_will)
{
    cuda_device *dev = (cuda_device *)base->dev;
    cuda_stream *late = NULL;
    uint64_t mark = 0;
    *out_will = false;
    TRY(cuda_enter(dev));
    cuda_lock(dev);
    close_all_released(dev);
    bool has_some = dev->memory.closed && !atomic_load(&dev->is_lost);
    if (has_some)
        late = late_stream(dev, dev->memory.closed->number);
    if (late)
        mark = atomic_load(&late->last_mark);
    cuda_unlock(dev);
    if (!has_some)
        return STATUS_OK;
    *out_will = true;
    if (late)
        return cuda_notify_at_mark(late, mark, wake, argument);
    wake(argument);
    return STATUS_OK;
}

/* To the budget, which may still have what streams have passed. */
static status charge(cuda_device *dev, size_t room, const char *who)
{
    status st = mem_budget_take(dev->base.budget, room, who);
    if (!st)
        return STATUS_OK;
    status_free(st);
    cuda_lock(dev);
    close_all_released(dev);
    memory_reclaim(dev);
    cuda_unlock(dev);
    return mem_budget_take(dev->base.budget, room, who);
}

status cuda_alloc(device *base, size_t bytes, const char *who, dev_buffer **out)
{
    cuda_device *dev = (cuda_device *)base;
    cuda_buffer *buffer;
    size_t room;
    if (bytes > SIZE_MAX / 4)
        return status_no_memory(who, bytes);
    TRY(cuda_enter(dev));
    DEV_WORK_NOTE(allocations);
    buffer = cuda_reuse_take(dev, cuda_class_of(bytes, &room), bytes);
    if (buffer) {
        *out = &buffer->base;
        return STATUS_OK;
    }
    TRY(charge(dev, room, who));
    status st = take(dev, &dev->memory.device, bytes, &buffer);
    if (st) {
        mem_budget_give(base->budget, room);
        return status_context(st, "%s, %zu bytes", who, bytes);
    }
    buffer->charged = room;
    *out = &buffer->base;
    return STATUS_OK;
}

static void release(cuda_device *dev, cuda_buffer *buffer)
{
    status_free(cuda_enter(dev));
    cuda_lock(dev);
    if (!cuda_reuse_keep(dev, buffer)) {
        buffer->next = dev->memory.open;
        dev->memory.open = buffer;
        dev->memory.open_count++;
    }
    if (dev->memory.open_count >= OPEN_MAX) {
        close_released(dev);
        memory_reclaim(dev);
    }
    cuda_unlock(dev);
}

void cuda_export(dev_buffer *base)
{
    cuda_buffer *buffer = (cuda_buffer *)base;
    if (!atomic_exchange(&buffer->is_exported, true))
        mem_budget_add_exported(base->dev->budget, buffer->charged);
}

size_t cuda_lend(dev_buffer *base)
{
    cuda_buffer *buffer = (cuda_buffer *)base;
    if (buffer->is_lent)
        return 0;
    buffer->is_lent = true;
    mem_budget_lend(base->dev->budget, buffer->charged);
    return buffer->charged;
}

void cuda_release(dev_buffer *base)
{
    cuda_buffer *buffer = (cuda_buffer *)base;
    if (buffer->is_lent)
        mem_budget_unlend(base->dev->budget, buffer->charged);
    buffer->is_lent = false;
    if (atomic_exchange(&buffer->is_exported, false))
        mem_budget_give_exported(base->dev->budget, buffer->charged);
    release((cuda_device *)base->dev, buffer);
}

/* The bytes are behind a pointer to what describes them. */
#define HOST_HEAD 64

static status take_host(cuda_device *dev, cuda_pool *pool, size_t bytes, const char *who,
                        void **out)
{
    cuda_buffer *buffer;
    *out = NULL;
    if (bytes > SIZE_MAX / 4)
        return status_no_memory(who, bytes);
    TRY(cuda_enter(dev));
    DEV_WORK_NOTE(allocations);
    TRY(status_context(take(dev, pool, bytes + HOST_HEAD, &buffer), "%s, %zu bytes", who, bytes));
    *(cuda_buffer **)buffer->base.address = buffer;
    *out = (char *)buffer->base.address + HOST_HEAD;
    return STATUS_OK;
}

status cuda_pinned_alloc(cuda_device *dev, size_t bytes, const char *who, void **out)
{
    return take_host(dev, &dev->memory.pinned, bytes, who, out);
}

status cuda_host_alloc(device *base, size_t bytes, const char *who, void **out)
{
    cuda_device *dev = (cuda_device *)base;
    cuda_memory *m = &dev->memory;
    return take_host(dev, dev->is_unpinned ? &m->pageable : &m->pinned, bytes, who, out);
}

void cuda_host_free(device *base, void *address, size_t bytes)
{
    (void)bytes;
    if (address)
        release((cuda_device *)base, *(cuda_buffer **)(void *)((char *)address - HOST_HEAD));
}

void cuda_host_piece(device *base, const void *address, void **out_start, size_t *out_bytes)
{
    const cuda_piece *piece = host_piece((const cuda_device *)base, address);
    *out_start = piece->address;
    *out_bytes = piece->bytes;
}

/* ---- opening and closing ---- */

status cuda_memory_open(cuda_device *dev)
{
    cuda_memory *m = &dev->memory;
    cuda_allocation_properties properties;
    size_t total;
    m->closed_end = &m->closed;
    CUDA_TRY(dev->driver, cuDeviceTotalMem_v2, &total, dev->ordinal);
    CUDA_TRY(dev->driver, cuMemGetAllocationGranularity, &m->granularity,
             cuda_piece_properties(dev, &properties), CUDA_GRANULARITY_RECOMMENDED);
    if (!m->granularity || total > SIZE_MAX / 2)
        return status_new(STATUS_KIND_IO,
                          "device cuda:%d says that it has %zu bytes in units of %zu", dev->ordinal,
                          total, m->granularity);
    m->range_bytes =
        round_up(dev->debug.has_no_pool ? cuda_apart_range(total) : total, m->granularity);
    TRY(block_starts_open(&m->blocks, BUFFERS_MAX));
    TRY(block_starts_open(&m->owners, BUFFERS_MAX));
    CUDA_TRY(dev->driver, cuMemAddressReserve, &m->range, m->range_bytes, 0, 0, 0);
    return STATUS_OK;
}

static void free_list(cuda_buffer *list)
{
    while (list) {
        cuda_buffer *buffer = list;
        list = buffer->next;
        cuda_buffer_free(buffer);
    }
}

/* Leaves a lost device's memory to its context: nobody knows what the device may still be doing. */
void cuda_memory_close(cuda_device *dev)
{
    cuda_memory *m = &dev->memory;
    bool is_lost = atomic_load(&dev->is_lost);
    cuda_lock(dev);
    close_released(dev);
    memory_reclaim(dev);
    cuda_unlock(dev);
    free_list(m->closed);
    free_list(m->gone);
    block_starts_close(&m->blocks);
    block_starts_close(&m->owners);
    for (unsigned i = 0; i < CUDA_CLASSES; i++) {
        free_list(m->device.kept[i]);
        free_list(m->pinned.kept[i]);
        free_list(m->pageable.kept[i]);
    }
    while (m->device_pieces) {
        cuda_piece *piece = m->device_pieces;
        m->device_pieces = piece->next;
        if (!is_lost) {
            dev->driver->cuMemUnmap((uintptr_t)piece->address, piece->bytes);
            dev->driver->cuMemRelease(piece->allocation);
        }
        mem_free(piece);
    }
    cuda_piece *next;
    void (*gone)(void *, size_t) = atomic_load(&dev->base.host_gone);
    for (cuda_piece *piece = atomic_load(&m->host_pieces); piece; piece = next) {
        next = piece->next;
        if (gone)
            gone(piece->address, piece->bytes);
        if (!is_lost)
            cuda_unmap_host_piece(dev, piece);
        mem_free(piece);
    }
    if (m->range && !is_lost)
        dev->driver->cuMemAddressFree(m->range, m->range_bytes);
}
