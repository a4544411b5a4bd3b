/* reuse.c - device memory that a stream takes again at once, though it still uses it: it is in order there.
 *
 *   released by its only user ──> the stream's list ──taken by the stream──> a buffer
 *                                        └── many, or memory is short ──> memory.c, any stream's
 *
 * So a task's memory is as much as one chunk needs, however far the host is ahead. Of what was released
 * only that is taken which the stream's window has not: else its launches would wait for each other, and
 * marks that the window writes would not say that the old bytes are done with. Buffers with texts are used
 * by addresses in views: whose they are is not known. */
#include "device/cuda/reuse.h"
#include "base/system/mutex.h"
#include "device/cuda/cuda.h"
#include "device/cuda/merge.h"
#include "device/cuda/stream.h"

#define RELEASED_MAX 64 /* in a stream's list */
#define USER_MANY UINT64_MAX

uint64_t cuda_stream_new_id(void)
{
    static _Atomic uint64_t last;
    return atomic_fetch_add(&last, 1) + 1;
}

static cuda_stream *find_stream(const cuda_device *dev, uint64_t id)
{
    for (cuda_stream *stream = dev->streams; stream; stream = stream->next)
        if (stream->id == id)
            return stream;
    return NULL;
}

/* ---- who uses what ---- */

/* Has the stream continue after what it still does with the old bytes for which the memory was taken again: a mark
 * that it writes from now on says that. */
static status await_old_bytes(cuda_stream *stream, cuda_buffer *buffer)
{
    cuda_device *dev = (cuda_device *)stream->base.dev;
    uint64_t mark = 0;
    status st = STATUS_OK;
    cuda_lock(dev);
    cuda_stream *other = find_stream(dev, atomic_load(&buffer->renewed_by));
    if (other)
        atomic_fetch_add(&other->references, 1);
    cuda_unlock(dev);
    if (other) {
        mutex_lock(&other->lock);
        st = cuda_stream_mark(other, &mark);
        mutex_unlock(&other->lock);
    } else {
        atomic_store(&buffer->renewed_by, 0); /* it was drained */
        return STATUS_OK;
    }
    dev_event event = {.stream = other, .number = mark};
    if (!st)
        st = cuda_stream_wait(&stream->base, &event);
    cuda_stream_unref(other);
    return st;
}

static status note(cuda_stream *stream, cuda_buffer *buffer)
{
    uint64_t user = 0;
    if (atomic_compare_exchange_strong(&buffer->user, &user, stream->id) || user == stream->id)
        return STATUS_OK;
    if (user != USER_MANY)
        atomic_store(&buffer->user, USER_MANY);
    uint64_t renewed_by = atomic_load(&buffer->renewed_by);
    return renewed_by && renewed_by != stream->id ? await_old_bytes(stream, buffer) : STATUS_OK;
}

status cuda_reuse_note(cuda_stream *stream, const window_use *uses, unsigned count)
{
    const cuda_device *dev = (cuda_device *)stream->base.dev;
    for (unsigned i = 0; i < count; i++)
        if (uses[i].block)
            TRY(note(stream, cuda_block_owner(dev, uses[i].block)));
    return STATUS_OK;
}

/* ---- released; under the device's lock ---- */

static void give_up(cuda_device *dev, cuda_stream *stream)
{
    cuda_memory *m = &dev->memory;
    while (stream->released) {
        cuda_buffer *buffer = stream->released;
        stream->released = buffer->next;
        buffer->next = m->open;
        m->open = buffer;
        m->open_count++;
    }
    stream->released_count = 0;
}

void cuda_reuse_end(cuda_stream *stream)
{
    give_up((cuda_device *)stream->base.dev, stream);
}

void cuda_reuse_end_all(cuda_device *dev)
{
    for (cuda_stream *stream = dev->streams; stream; stream = stream->next)
        give_up(dev, stream);
}

bool cuda_reuse_keep(cuda_device *dev, cuda_buffer *buffer)
{
    uint64_t user = atomic_load(&buffer->user);
    if (!user || user == USER_MANY || buffer->is_host || buffer->apart ||
        atomic_load(&buffer->base.has_texts))
        return false;
    cuda_stream *stream = find_stream(dev, user);
    if (!stream)
        return false;
    if (stream->released_count == RELEASED_MAX)
        give_up(dev, stream);
    buffer->flushes = atomic_load(&stream->flushes);
    buffer->next = stream->released;
    stream->released = buffer;
    stream->released_count++;
    return true;
}

/* ---- taken again ---- */

/* The emulation knows how many bytes old launches may touch: no fewer than new ones. */
static bool fits(const cuda_device *dev, const cuda_stream *stream, const cuda_buffer *buffer,
                 unsigned class, size_t bytes)
{
    return buffer->class >= class && buffer->class - class < CUDA_LARGER_CLASSES &&
           buffer->charged == buffer->room && buffer->flushes < atomic_load(&stream->flushes) &&
           (!dev->driver->watch_buffer || bytes <= buffer->base.bytes);
}

/* The first of the class, or of the next larger one: a last chunk has fewer rows. */
static cuda_buffer *take(cuda_device *dev, cuda_stream *stream, unsigned class, size_t bytes)
{
    cuda_buffer **best = NULL;
    for (cuda_buffer **at = &stream->released; *at; at = &(*at)->next)
        if (fits(dev, stream, *at, class, bytes) && (!best || (*at)->class < (*best)->class)) {
            best = at;
            if ((*at)->class == class)
                break;
        }
    if (!best)
        return NULL;
    cuda_buffer *buffer = *best;
    *best = buffer->next;
    stream->released_count--;
    return buffer;
}

cuda_buffer *cuda_reuse_take(cuda_device *dev, unsigned class, size_t bytes)
{
    cuda_stream *stream = (cuda_stream *)dev_stream_now;
    if (!stream || stream->base.dev != &dev->base)
        return NULL;
    cuda_lock(dev);
    cuda_buffer *buffer = take(dev, stream, class, bytes);
    cuda_unlock(dev);
    if (!buffer)
        return NULL;
    atomic_store(&buffer->renewed_by, stream->id);
    atomic_store(&buffer->base.references, 1);
    if (!dev->driver->watch_buffer)
        buffer->base.bytes = bytes;
    return buffer;
}
