/* host_piece.c - pieces of the host's memory. Pinned ones are large pages of the process's own, of which the driver is told: it takes much
 * longer for as many bytes in small pages. */
#include "device/cuda/host_piece.h"

#include <errno.h>
#include <pthread.h>
#include <sys/mman.h>

#define LARGE_PAGE ((size_t)2 << 20)
#define HELPERS 3

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23 /* declared since Linux 5.14 */
#endif

static void tell_pageable(const cuda_device *dev, const void *address, size_t bytes)
{
    if (dev->driver->watch_pageable)
        dev->driver->watch_pageable(address, bytes);
}

static status map_pages(size_t bytes, char **out)
{
    char *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    *out = memory == MAP_FAILED ? NULL : memory;
    return *out ? STATUS_OK : status_new_errno(errno, "could not map %zu bytes for copies", bytes);
}

typedef struct page_range {
    char *start;
    size_t bytes;
} page_range;

static void *populate_range(void *argument)
{
    const page_range *range = argument;
    madvise(range->start, range->bytes, MADV_POPULATE_WRITE);
    return NULL;
}

/* Has the system give the pages at once, by several threads: it zeroes them. */
static void populate(char *memory, size_t bytes)
{
    page_range ranges[HELPERS];
    pthread_t helpers[HELPERS];
    size_t share = bytes / (HELPERS + 1) / LARGE_PAGE * LARGE_PAGE;
    unsigned count = 0;
    while (share && count < HELPERS) {
        ranges[count] = (page_range){memory + count * share, share};
        if (pthread_create(&helpers[count], NULL, populate_range, &ranges[count]))
            break;
        count++;
    }
    page_range rest = {memory + count * share, bytes - count * share};
    populate_range(&rest);
    while (count)
        pthread_join(helpers[--count], NULL);
}

/* Whole large pages; where the system has none, small ones in their place. A child process gets none of them: who writes first would
 * else get another page, of which the driver does not know. */
static status map_large_pages(size_t bytes, char **out)
{
    char *memory;
    TRY(map_pages(bytes + LARGE_PAGE, &memory));
    size_t before = (LARGE_PAGE - (uintptr_t)memory % LARGE_PAGE) % LARGE_PAGE;
    if (before)
        munmap(memory, before);
    munmap(memory + before + bytes, LARGE_PAGE - before);
    madvise(memory + before, bytes, MADV_HUGEPAGE);
    madvise(memory + before, bytes, MADV_DONTFORK);
    populate(memory + before, bytes);
    *out = memory + before;
    return STATUS_OK;
}

static status register_piece(const cuda_device *dev, cuda_piece *piece)
{
    size_t bytes = (piece->bytes + LARGE_PAGE - 1) / LARGE_PAGE * LARGE_PAGE;
    char *memory;
    TRY(map_large_pages(bytes, &memory));
    cuda_result result =
        dev->driver->cuMemHostRegister_v2(memory, bytes, CUDA_HOST_PORTABLE | CUDA_HOST_MAPPED);
    if (result) {
        munmap(memory, bytes);
        return cuda_status(dev->driver, result, "cuMemHostRegister");
    }
    piece->address = memory;
    piece->bytes = bytes;
    piece->is_registered = true;
    return STATUS_OK;
}

static status pin_piece(const cuda_device *dev, cuda_piece *piece)
{
    void *memory;
    if (dev->takes_registered) {
        status st = register_piece(dev, piece);
        if (!st)
            return STATUS_OK;
        status_free(st);
    }
    CUDA_TRY(dev->driver, cuMemHostAlloc, &memory, piece->bytes,
             CUDA_HOST_PORTABLE | CUDA_HOST_MAPPED);
    piece->address = memory;
    return STATUS_OK;
}

status cuda_map_host_piece(const cuda_device *dev, bool is_pinned, cuda_piece *piece)
{
    piece->is_pinned = is_pinned;
    if (is_pinned)
        return pin_piece(dev, piece);
    TRY(map_pages(piece->bytes, &piece->address));
    tell_pageable(dev, piece->address, piece->bytes);
    return STATUS_OK;
}

void cuda_unmap_host_piece(const cuda_device *dev, const cuda_piece *piece)
{
    if (piece->is_pinned && !piece->is_registered) {
        dev->driver->cuMemFreeHost(piece->address);
        return;
    }
    if (piece->is_registered)
        dev->driver->cuMemHostUnregister(piece->address);
    else
        tell_pageable(dev, piece->address, 0);
    munmap(piece->address, piece->bytes);
}
