/* memory.c - memory of the simulated device, and the host's that it can copy from and to. */
#include "device/simulated/memory.h"

#include "base/system/mutex.h"
#include "device/launch_window.h"
#include "device/simulated/simulated.h"

#include <assert.h>
#include <pthread.h>
#include <sys/mman.h>

#define RANGE_BYTES ((size_t)64 << 30) /* addresses, not memory */
#define BLOCK_BYTES_MIN 256
/* The host's memory comes in pieces, across whose ends no block lies that fits one. */
#define PIECE_BYTES ((size_t)8 << 20)
#define CLASS_COUNT 64
#define SLACK 64
#define END_BYTE 0x5c

ptrdiff_t dev_simulated_offset;

typedef struct pool {
    char *range;             /* addresses: the device's, or of pinned host memory */
    size_t used;             /* of the range, by blocks ever made */
    void *kept[CLASS_COUNT]; /* free blocks: a list through their first words */
} pool;

static pthread_mutex_t lock = MUTEX_INITIALIZER;
static pool pools[2];       /* by is_host */
static block_starts blocks; /* of the device's */
static block_use *uses;     /* by a block's number */

static unsigned memory_class_of(size_t bytes)
{
    bytes += SLACK;
    return bytes <= BLOCK_BYTES_MIN ? 8 : 64 - (unsigned)__builtin_clzll(bytes - 1);
}

static void *map_memory(size_t bytes, int protection)
{
    void *range = mmap(NULL, bytes, protection, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return range == MAP_FAILED ? NULL : range;
}

status simulated_memory_open(void)
{
    status st = STATUS_OK;
    mutex_lock(&lock);
    if (!pools[0].range) {
        char *device = map_memory(RANGE_BYTES, PROT_NONE),
             *real = map_memory(RANGE_BYTES, PROT_READ | PROT_WRITE);
        char *host = map_memory(RANGE_BYTES, PROT_READ | PROT_WRITE);
        uses = map_memory(RANGE_BYTES / BLOCK_BYTES_MIN * sizeof *uses, PROT_READ | PROT_WRITE);
        st = block_starts_open(&blocks, RANGE_BYTES / BLOCK_BYTES_MIN - 1);
        if (!st && (!device || !real || !host || !uses))
            st = status_no_memory("simulated device", RANGE_BYTES);
        if (!st) {
            pools[0].range = device;
            pools[1].range = host;
            dev_simulated_offset = real - device;
        }
    }
    mutex_unlock(&lock);
    return st;
}

static bool memory_is_within(const pool *p, const void *address)
{
    const char *at = address;
    return at >= p->range && at < p->range + RANGE_BYTES;
}

void *simulated_real(const void *address)
{
    return (char *)address + (memory_is_within(&pools[0], address) ? dev_simulated_offset : 0);
}

block_use *simulated_block_use(uint32_t block)
{
    return &uses[block];
}

uint32_t simulated_block(const void *address)
{
    return memory_is_within(&pools[0], address) ? block_starts_find(&blocks, address) : 0;
}

bool simulated_is_known(const void *address)
{
    return memory_is_within(&pools[0], address) || memory_is_within(&pools[1], address);
}

/* Kernels may read behind a buffer's end, never write: what lies there must not have changed when
 * the buffer goes. Checked in debug builds. */
static void mark_end(void *address, size_t bytes)
{
    memset((char *)simulated_real(address) + bytes, END_BYTE, SLACK);
}

static void memory_check_end(const void *address, size_t bytes)
{
    const unsigned char *end = (unsigned char *)simulated_real(address) + bytes;
    for (size_t i = 0; i < SLACK; i++) {
        assert(end[i] == END_BYTE);
        (void)end;
    }
}

static void spoil(void *address, size_t bytes)
{
    memset(simulated_real(address), 0xa5, bytes < 4096 ? bytes : 4096);
    mark_end(address, bytes);
}

void simulated_memory_renew(void *address, size_t bytes_before, size_t bytes)
{
    memory_check_end(address, bytes_before);
    spoil(address, bytes);
}

size_t simulated_memory_room(size_t bytes)
{
    unsigned class = memory_class_of(bytes);
    return class < 8 * sizeof bytes ? (size_t)1 << class : SIZE_MAX;
}

/* Returns where the next block of the host's memory begins. */
static size_t host_place(size_t used, size_t block)
{
    bool is_within_piece = used % PIECE_BYTES + block <= PIECE_BYTES;
    return is_within_piece ? used : (used + PIECE_BYTES - 1) / PIECE_BYTES * PIECE_BYTES;
}

void simulated_memory_piece(const void *address, size_t bytes, void **out_start, size_t *out_bytes)
{
    size_t at = (size_t)((const char *)address - pools[true].range);
    size_t start = at / PIECE_BYTES * PIECE_BYTES, end = at + simulated_memory_room(bytes);
    *out_start = pools[true].range + start;
    *out_bytes = (end - start + PIECE_BYTES - 1) / PIECE_BYTES * PIECE_BYTES;
}

void *simulated_memory_take(bool is_host, size_t bytes)
{
    unsigned class = memory_class_of(bytes);
    size_t block = (size_t)1 << class;
    pool *p = &pools[is_host];
    void *address = NULL;
    size_t at;
    mutex_lock(&lock);
    at = is_host ? host_place(p->used, block) : p->used;
    if (p->kept[class]) {
        address = p->kept[class];
        memcpy(&p->kept[class], simulated_real(address), sizeof(void *));
    } else if (at <= RANGE_BYTES && RANGE_BYTES - at >= block &&
               (is_host || block_starts_add(&blocks, p->range + at))) {
        DEV_WORK_NOTE(system_allocations);
        address = p->range + at;
        p->used = at + block;
    }
    mutex_unlock(&lock);
    if (address && !is_host)
        uses[block_starts_find(&blocks, address)] = (block_use){0};
    if (address)
        spoil(address, bytes);
    return address;
}

void simulated_memory_give(bool is_host, void *address, size_t bytes)
{
    unsigned class = memory_class_of(bytes);
    pool *p = &pools[is_host];
    memory_check_end(address, bytes);
    mutex_lock(&lock);
    memcpy(simulated_real(address), &p->kept[class], sizeof(void *));
    p->kept[class] = address;
    mutex_unlock(&lock);
}
