/* memory.c - device memory of the simulated device. */
#include "device/simulated/simulated.h"

#include <assert.h>
#include <pthread.h>
#include <sys/mman.h>

#define RANGE_BYTES ((size_t)64 << 30) /* addresses, not memory */
#define CLASS_COUNT 64
#define SLACK 64
#define END_BYTE 0x5c

ptrdiff_t dev_simulated_offset;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char *range;             /* device addresses */
static size_t used;             /* of the range, by blocks ever made */
static void *kept[CLASS_COUNT]; /* free blocks: a list through their first words */

static unsigned class_of(size_t bytes)
{
    bytes += SLACK;
    return bytes <= 256 ? 8 : 64 - (unsigned)__builtin_clzll(bytes - 1);
}

status simulated_memory_open(void)
{
    status st = STATUS_OK;
    pthread_mutex_lock(&lock);
    if (!range) {
        void *device =
            mmap(NULL, RANGE_BYTES, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        void *real = mmap(NULL, RANGE_BYTES, PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (device == MAP_FAILED || real == MAP_FAILED) {
            st = status_no_memory("simulated device", RANGE_BYTES);
        } else {
            range = device;
            dev_simulated_offset = (char *)real - (char *)device;
        }
    }
    pthread_mutex_unlock(&lock);
    return st;
}

void *simulated_real(const void *address)
{
    const char *at = address;
    bool is_device = at >= range && at < range + RANGE_BYTES;
    return (void *)(is_device ? at + dev_simulated_offset : at);
}

/* Kernels may read behind a buffer's end, never write: what lies there must not have changed when
 * the buffer goes. Checked in debug builds. */
static void mark_end(void *address, size_t bytes)
{
    memset((char *)simulated_real(address) + bytes, END_BYTE, SLACK);
}

static void check_end(const void *address, size_t bytes)
{
    const unsigned char *end = (unsigned char *)simulated_real(address) + bytes;
    for (size_t i = 0; i < SLACK; i++) {
        assert(end[i] == END_BYTE);
        (void)end;
    }
}

void *simulated_memory_take(size_t bytes)
{
    unsigned class = class_of(bytes);
    size_t block = (size_t)1 << class;
    void *address = NULL;
    pthread_mutex_lock(&lock);
    if (kept[class]) {
        address = kept[class];
        memcpy(&kept[class], simulated_real(address), sizeof(void *));
    } else if (RANGE_BYTES - used >= block) {
        address = range + used;
        used += block;
    }
    pthread_mutex_unlock(&lock);
    if (address) {
        memset(simulated_real(address), 0xa5, bytes < 4096 ? bytes : 4096);
        mark_end(address, bytes);
    }
    return address;
}

void simulated_memory_give(void *address, size_t bytes)
{
    unsigned class = class_of(bytes);
    check_end(address, bytes);
    pthread_mutex_lock(&lock);
    memcpy(simulated_real(address), &kept[class], sizeof(void *));
    kept[class] = address;
    pthread_mutex_unlock(&lock);
}
