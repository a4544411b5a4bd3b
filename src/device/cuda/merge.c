/* merge.c - kept buffers of device memory that lie behind each other become a larger one, where memory is short, and
 * that one's parts are buffers again: what one query takes in small ones another one takes in large ones.
 *
 * Where a block began is not forgotten (launch_window.h: block_starts), so an address in it is still found to be of that
 * number; its owner is the first of those that were merged from then on, and whoever asks for a block gets the
 * owner's. */
#include "device/cuda/merge.h"
#include "device/cuda/cuda.h"
#include "device/cuda/pool.h"

static cuda_buffer *owner_of(const cuda_memory *m, uint32_t block)
{
    return (cuda_buffer *)(uintptr_t)__atomic_load_n(&m->owners.starts[block - 1],
                                                     __ATOMIC_RELAXED);
}

cuda_buffer *cuda_block_owner(const cuda_device *dev, uint32_t block)
{
    return owner_of(&dev->memory, block);
}

static const char *merge_end_of(const cuda_buffer *buffer)
{
    return (const char *)buffer->base.address + buffer->room;
}

static uint32_t next_block(const cuda_memory *m, uint32_t block, uint32_t count)
{
    do
        block++;
    while (block <= count && owner_of(m, block)->block != block);
    return block;
}

/* The smallest run of kept buffers that has so many bytes, from block *out_first to *out_last. */
static bool merge_find_run(const cuda_memory *m, size_t room, uint32_t *out_first,
                           uint32_t *out_last)
{
    uint32_t count = atomic_load(&m->blocks.count), first = 0;
    const cuda_buffer *before = NULL;
    size_t bytes = 0, best = SIZE_MAX;
    for (uint32_t block = 1; block <= count; block = next_block(m, block, count)) {
        const cuda_buffer *buffer = owner_of(m, block);
        if (!before || !buffer->is_kept || merge_end_of(before) != buffer->base.address) {
            first = block;
            bytes = 0;
        }
        before = buffer->is_kept ? buffer : NULL;
        if (!before)
            continue;
        bytes += buffer->room;
        for (size_t rest; (rest = bytes - owner_of(m, first)->room) >= room; bytes = rest)
            first = next_block(m, first, count);
        if (bytes >= room && bytes < best) {
            best = bytes;
            *out_first = first;
            *out_last = block;
        }
    }
    return best != SIZE_MAX;
}

/* Takes buffers that are not kept any more out of the lists. */
static void leave_lists(cuda_pool *pool)
{
    for (unsigned i = 0; i < CUDA_CLASSES; i++)
        for (cuda_buffer **at = &pool->kept[i]; *at;)
            if ((*at)->is_kept)
                at = &(*at)->next;
            else
                *at = (*at)->next;
}

/* All blocks that begin in the buffer are its. */
static void own_blocks(cuda_memory *m, cuda_buffer *buffer)
{
    uint32_t count = atomic_load(&m->blocks.count);
    uint64_t end = (uint64_t)(uintptr_t)merge_end_of(buffer);
    for (uint32_t block = buffer->block; block <= count && m->blocks.starts[block - 1] < end;
         block++)
        __atomic_store_n(&m->owners.starts[block - 1], (uintptr_t)buffer, __ATOMIC_RELAXED);
}

static void change_room(cuda_buffer *buffer, size_t room)
{
    buffer->room = room;
    buffer->class = cuda_class_within(room);
}

/* The blocks' buffers become the first of them. */
static cuda_buffer *merge(cuda_memory *m, uint32_t first, uint32_t last)
{
    cuda_buffer *merged = owner_of(m, first);
    const char *end = merge_end_of(owner_of(m, last));
    if (!merged->merged)
        merged->own_room = merged->room;
    merged->is_kept = false;
    for (uint32_t block = next_block(m, first, last); block <= last;
         block = next_block(m, block, last))
        owner_of(m, block)->is_kept = false;
    leave_lists(&m->device);
    for (uint32_t block = next_block(m, first, last); block <= last;
         block = next_block(m, block, last)) {
        cuda_buffer *buffer = owner_of(m, block);
        buffer->next = merged->merged;
        merged->merged = buffer;
    }
    change_room(merged, (size_t)(end - (const char *)merged->base.address));
    own_blocks(m, merged);
    m->device.kept_bytes -= merged->room;
    return merged;
}

cuda_buffer *cuda_merge_kept(cuda_device *dev, size_t room)
{
    cuda_memory *m = &dev->memory;
    uint32_t first = 0, last = 0;
    if (m->device.kept_bytes < room || !merge_find_run(m, room, &first, &last))
        return NULL;
    return merge(m, first, last);
}

/* ---- the other way round ---- */

static cuda_buffer *take_merged(cuda_pool *pool, unsigned class)
{
    for (unsigned i = class; i < CUDA_CLASSES; i++)
        for (cuda_buffer **at = &pool->kept[i]; *at; at = &(*at)->next)
            if ((*at)->merged) {
                cuda_buffer *found = *at;
                *at = found->next;
                return found;
            }
    return NULL;
}

bool cuda_split_kept(cuda_device *dev, unsigned class)
{
    cuda_memory *m = &dev->memory;
    cuda_buffer *merged = take_merged(&m->device, class);
    if (!merged)
        return false;
    m->device.kept_bytes -= merged->room;
    change_room(merged, merged->own_room);
    while (merged->merged) {
        cuda_buffer *inner = merged->merged;
        merged->merged = inner->next;
        own_blocks(m, inner);
        cuda_pool_keep(inner);
    }
    cuda_pool_keep(merged);
    return true;
}

void cuda_buffer_free(cuda_buffer *buffer)
{
    while (buffer->merged) {
        cuda_buffer *inner = buffer->merged;
        buffer->merged = inner->next;
        cuda_buffer_free(inner);
    }
    mem_free(buffer->apart);
    mem_free(buffer);
}
