/* registered.c - slabs, and which of their blocks are taken: a bit each. Memory of others is a slab of which all
 * is taken. */
#include "storage/registered.h"

#include "base/fault.h"
#include "base/system/mutex.h"
#include "storage/read_engine.h"

#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

#define BLOCK_BYTES (STORAGE_SLAB_BYTES / 64)
/* Slabs that are kept though nothing of them is taken. */
#define SLABS_KEPT 24
/* Smaller reads are not worth a slab. */
#define BYTES_MIN ((size_t)256 << 10)
/* Numbers of the ring that memory of others may have. */
#define OTHERS_MAX (READ_RING_SLOTS * 3 / 4)

typedef struct slab {
    uint8_t *address; /* NULL: there is none of that number */
    size_t bytes;
    uint64_t taken;
    bool is_changing; /* it is being made or given back to the system: the number is in use */
} slab;

static pthread_mutex_t lock = MUTEX_INITIALIZER;
/* Under the lock. */
static slab slabs[READ_RING_SLOTS];
static unsigned slab_count, others_count;
static bool is_refused, are_others_refused;

/* A page more: what is read past the end of a block must be there. */
static size_t mapped_bytes(void)
{
    return STORAGE_SLAB_BYTES + (size_t)sysconf(_SC_PAGESIZE);
}

/* Memory for a slab of that number; NULL: there is none. Without the lock: the system takes a while
 * for it. */
static uint8_t *make_memory(unsigned number, bool *refused)
{
    void *memory =
        mmap(NULL, mapped_bytes(), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        return NULL;
    madvise(memory, STORAGE_SLAB_BYTES, MADV_HUGEPAGE);
    /* Here, not while the ring is held to register it. */
    (void)madvise(memory, STORAGE_SLAB_BYTES, MADV_POPULATE_WRITE);
    if (!read_ring_register(number, memory, STORAGE_SLAB_BYTES)) {
        munmap(memory, mapped_bytes());
        *refused = true;
        return NULL;
    }
    return memory;
}

/* ---- with the lock held, which the first two give up meanwhile ---- */

static unsigned registered_free_number(void)
{
    unsigned number = 0;
    while (number < READ_RING_SLOTS && (slabs[number].address || slabs[number].is_changing))
        number++;
    return number;
}

static slab *add_slab(void)
{
    unsigned number = registered_free_number();
    if (number == READ_RING_SLOTS || is_refused || fault_check(FAULT_ALLOC))
        return NULL;
    bool refused = false;
    slabs[number].is_changing = true;
    mutex_unlock(&lock);
    uint8_t *memory = make_memory(number, &refused);
    mutex_lock(&lock);
    slabs[number] = (slab){.address = memory, .bytes = STORAGE_SLAB_BYTES};
    is_refused |= refused;
    slab_count += memory != NULL;
    return memory ? &slabs[number] : NULL;
}

static void drop_slab(slab *s)
{
    uint8_t *memory = s->address;
    *s = (slab){.is_changing = true};
    slab_count--;
    mutex_unlock(&lock);
    read_ring_forget((unsigned)(s - slabs));
    munmap(memory, mapped_bytes());
    mutex_lock(&lock);
    s->is_changing = false;
}

static uint64_t mask_of(unsigned blocks)
{
    return blocks == 64 ? ~(uint64_t)0 : ((uint64_t)1 << blocks) - 1;
}

/* The first of so many free blocks next to each other; -1: there are not. */
static int registered_find_run(const slab *s, unsigned blocks)
{
    for (unsigned at = 0; at + blocks <= 64; at++)
        if (!(s->taken >> at & mask_of(blocks)))
            return (int)at;
    return -1;
}

static void *take_from(slab *s, unsigned blocks)
{
    int at = s ? registered_find_run(s, blocks) : -1;
    if (at < 0)
        return NULL;
    s->taken |= mask_of(blocks) << at;
    return s->address + (size_t)at * BLOCK_BYTES;
}

static slab *find_slab(const void *address)
{
    for (unsigned i = 0; i < READ_RING_SLOTS; i++)
        if (slabs[i].address && (uintptr_t)address - (uintptr_t)slabs[i].address < slabs[i].bytes)
            return &slabs[i];
    return NULL;
}

/* ---- the interface ---- */

void *storage_memory_take(size_t bytes)
{
#if defined __SANITIZE_ADDRESS__
    return NULL; /* which sees the bounds of ordinary memory only */
#endif
    void *memory = NULL;
    unsigned blocks = (unsigned)((bytes + BLOCK_BYTES - 1) / BLOCK_BYTES);
    if (bytes < BYTES_MIN || bytes > STORAGE_SLAB_BYTES)
        return NULL;
    mutex_lock(&lock);
    for (unsigned i = 0; i < READ_RING_SLOTS && !memory; i++)
        memory = take_from(slabs[i].address ? &slabs[i] : NULL, blocks);
    if (!memory)
        memory = take_from(add_slab(), blocks);
    mutex_unlock(&lock);
    return memory;
}

void storage_memory_give(void *address, size_t bytes)
{
    unsigned blocks = (unsigned)((bytes + BLOCK_BYTES - 1) / BLOCK_BYTES);
    mutex_lock(&lock);
    slab *s = find_slab(address);
    s->taken &= ~(mask_of(blocks) << ((uint8_t *)address - s->address) / BLOCK_BYTES);
    if (!s->taken && slab_count > SLABS_KEPT)
        drop_slab(s);
    mutex_unlock(&lock);
}

uint64_t storage_memory_held(void)
{
    mutex_lock(&lock);
    uint64_t bytes = slab_count * STORAGE_SLAB_BYTES;
    mutex_unlock(&lock);
    return bytes;
}

void storage_memory_know(void *start, size_t bytes)
{
    mutex_lock(&lock);
    unsigned number = registered_free_number();
    bool is_wanted = bytes >= BYTES_MIN && number < READ_RING_SLOTS && others_count < OTHERS_MAX &&
                     !are_others_refused && !find_slab(start);
    if (is_wanted) {
        slabs[number].is_changing = true;
        others_count++;
    }
    mutex_unlock(&lock);
    if (!is_wanted)
        return;
    bool is_known = read_ring_register(number, start, bytes);
    mutex_lock(&lock);
    slabs[number] = (slab){0};
    if (is_known)
        slabs[number] = (slab){.address = start, .bytes = bytes, .taken = ~(uint64_t)0};
    others_count -= !is_known;
    are_others_refused |= !is_known;
    mutex_unlock(&lock);
}

void storage_memory_forget(void *start, size_t bytes)
{
    (void)bytes;
    mutex_lock(&lock);
    for (slab *s = others_count ? find_slab(start) : NULL; s; s = find_slab(start)) {
        *s = (slab){.is_changing = true};
        others_count--;
        mutex_unlock(&lock);
        read_ring_forget((unsigned)(s - slabs));
        mutex_lock(&lock);
        s->is_changing = false;
    }
    mutex_unlock(&lock);
}

int storage_memory_slot(const void *address, size_t bytes)
{
    mutex_lock(&lock);
    const slab *s = slab_count + others_count ? find_slab(address) : NULL;
    bool has_all = s && bytes <= s->bytes - (size_t)((const uint8_t *)address - s->address);
    mutex_unlock(&lock);
    return has_all ? (int)(s - slabs) : -1;
}
