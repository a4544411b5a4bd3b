/* pool.c - size classes of buffers, four for each power of two, and what is kept of each. */
#include "device/cuda/pool.h"
#include "device/cuda/cuda.h"

#define CLASS_BYTES_MIN 256

unsigned cuda_class_of(size_t bytes, size_t *out_room)
{
    if (bytes <= CLASS_BYTES_MIN) {
        *out_room = CLASS_BYTES_MIN;
        return 0;
    }
    unsigned power = 63 - (unsigned)__builtin_clzll(bytes - 1);
    size_t step = ((size_t)1 << power) / 4,
           steps = (bytes - ((size_t)1 << power) + step - 1) / step;
    *out_room = ((size_t)1 << power) + steps * step;
    return (power - 8) * 4 + (unsigned)steps;
}

unsigned cuda_class_within(size_t bytes)
{
    size_t room;
    unsigned class = cuda_class_of(bytes, &room);
    return room > bytes ? class - 1 : class;
}

void cuda_pool_keep(cuda_buffer *buffer)
{
    cuda_pool *pool = buffer->pool;
    buffer->next = pool->kept[buffer->class];
    pool->kept[buffer->class] = buffer;
    pool->kept_bytes += buffer->room;
    buffer->is_kept = true;
}

cuda_buffer *cuda_pool_take(cuda_pool *pool, unsigned class, unsigned end)
{
    for (unsigned i = class; i < end && i < CUDA_CLASSES; i++)
        if (pool->kept[i]) {
            cuda_buffer *buffer = pool->kept[i];
            pool->kept[i] = buffer->next;
            pool->kept_bytes -= buffer->room;
            buffer->is_kept = false;
            return buffer;
        }
    return NULL;
}
