/* piece.c - pieces of memory from the driver.
 *
 * With PISTACHIO_CUDA_POOL=off each buffer of device memory has a mapping of its own, whose end is the buffer's, and
 * which is unmapped when streams have passed the buffer's release. Tools that know mappings alone then see each access
 * past a buffer's end, and to one that was released. It takes a lot of time, and 2 MB and more for each buffer.
 *
 *   range: [ free | buffer 1 ] gap [ free | buffer 2 ] gap ...     no address is used twice */
#include "device/cuda/piece.h"
#include "device/cuda/cuda.h"

/* More than any kernel asks for: at most so many bytes of a mapping follow the last one of its buffer. */
#define ALIGNMENT 16
#define RANGE_BYTES_MIN ((size_t)1 << 40)
#define RANGE_TIMES 16 /* the device's memory */

static size_t round_up(size_t bytes, size_t unit)
{
    return (bytes + unit - 1) / unit * unit;
}

const cuda_allocation_properties *cuda_piece_properties(const cuda_device *dev,
                                                        cuda_allocation_properties *out)
{
    *out = (cuda_allocation_properties){.type = CUDA_ALLOCATION_PINNED,
                                        .location = {CUDA_LOCATION_DEVICE, dev->ordinal}};
    return out;
}

/* Lists who has access to the device's memory, itself first. */
static unsigned list_access(const cuda_device *dev, cuda_access *out)
{
    unsigned count = 0;
    out[count++] = (cuda_access){{CUDA_LOCATION_DEVICE, dev->ordinal}, CUDA_ACCESS_READ_WRITE};
    for (int peer = 0; peer < CUDA_PEERS_MAX; peer++)
        if (dev->peers >> peer & 1)
            out[count++] = (cuda_access){{CUDA_LOCATION_DEVICE, peer}, CUDA_ACCESS_READ_WRITE};
    return count;
}

status cuda_map_piece(const cuda_device *dev, cuda_address at, size_t bytes, cuda_piece *piece)
{
    const cuda_driver *driver = dev->driver;
    cuda_allocation_properties properties;
    cuda_access access[CUDA_PEERS_MAX + 1];
    unsigned count = list_access(dev, access);
    CUDA_TRY(driver, cuMemCreate, &piece->allocation, bytes,
             cuda_piece_properties(dev, &properties), 0);
    status st =
        cuda_status(driver, driver->cuMemMap(at, bytes, 0, piece->allocation, 0), "cuMemMap");
    if (!st) {
        st =
            cuda_status(driver, driver->cuMemSetAccess(at, bytes, access, count), "cuMemSetAccess");
        if (st)
            driver->cuMemUnmap(at, bytes);
    }
    if (st) {
        driver->cuMemRelease(piece->allocation);
        return st;
    }
    piece->address = (char *)(uintptr_t)at;
    piece->bytes = bytes;
    return STATUS_OK;
}

size_t cuda_apart_range(size_t total)
{
    size_t bytes = total > SIZE_MAX / (2 * RANGE_TIMES) ? total : total * RANGE_TIMES;
    return bytes > RANGE_BYTES_MIN ? bytes : RANGE_BYTES_MIN;
}

status cuda_apart_map(cuda_device *dev, size_t bytes, cuda_piece *piece, char **out_address,
                      size_t *out_room)
{
    cuda_memory *m = &dev->memory;
    size_t room = round_up(bytes ? bytes : 1, ALIGNMENT), mapped = round_up(room, m->granularity);
    if (mapped + m->granularity > m->range_bytes - m->mapped_bytes)
        return status_new(STATUS_KIND_NO_MEMORY,
                          "device cuda:%d has no addresses left for buffers with gaps",
                          dev->ordinal);
    TRY(cuda_map_piece(dev, m->range + m->mapped_bytes, mapped, piece));
    m->mapped_bytes += mapped + m->granularity;
    *out_address = piece->address + piece->bytes - room;
    *out_room = room;
    return STATUS_OK;
}

void cuda_apart_unmap(const cuda_device *dev, cuda_buffer *buffer)
{
    cuda_piece *piece = buffer->apart;
    if (!piece || !piece->address || atomic_load(&dev->is_lost))
        return;
    dev->driver->cuMemUnmap((uintptr_t)piece->address, piece->bytes);
    dev->driver->cuMemRelease(piece->allocation);
    buffer->apart = NULL;
    mem_free(piece);
}
