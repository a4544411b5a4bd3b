/* read_ring.c - reads by io_uring: one ring for the process, one thread that takes what is done.
 *
 * Any thread submits, under the lock; only the ring's own thread looks at completions. Each storage
 * device has a queue, and so many parts under way as it is read best with; the rest wait, by shares of those who read
 * (read_queue.h). */
#include "base/system/mutex.h"
#include "base/system/slice.h"
#include "storage/read_engine.h"

#include <errno.h>
#include <liburing.h>
#include <pthread.h>
#include <sched.h>

#define DEPTH 512 /* reads under way; the completion queue holds twice as many */
#define BATCH 32

static struct io_uring ring;
static pthread_mutex_t lock = MUTEX_INITIALIZER;
static enum { UNKNOWN, USABLE, UNUSABLE } state; /* this and the rest under the lock */
static unsigned under_way;
static bool has_slots;

static void prepare(struct io_uring_sqe *entry, const read_part *part)
{
    unsigned bytes = (unsigned)part->bytes;
    if (part->slot < 0)
        io_uring_prep_read(entry, part->descriptor, part->target, bytes, part->offset);
    else
        io_uring_prep_read_fixed(entry, part->descriptor, part->target, bytes, part->offset,
                                 part->slot);
}

/* Under the lock: gives the ring what the device may have under way. */
static void issue(storage_device *device)
{
    while (atomic_load_explicit(&device->waiting, memory_order_relaxed) &&
           device->under_way < device->depth && under_way < DEPTH) {
        struct io_uring_sqe *entry = io_uring_get_sqe(&ring);
        if (!entry)
            break;
        read_part *part = (read_part *)(void *)read_queue_take(&device->queue);
        atomic_fetch_sub_explicit(&device->waiting, 1, memory_order_relaxed);
        prepare(entry, part);
        io_uring_sqe_set_data(entry, part);
        device->under_way++;
        under_way++;
    }
    /* EAGAIN, EBUSY, EINTR: the kernel is short of something that completions give back. */
    while (io_uring_sq_ready(&ring) && io_uring_submit(&ring) < 0)
        sched_yield();
}

static void *reap(void *unused)
{
    (void)unused;
    /* All cores may be busy computing when a read is done. Who hands on what came and asks for more is to run at once all
     * the same, or the device is idle for as long as the scheduler lets others run. */
    slice_manage();
    for (;;) {
        struct io_uring_cqe *entries[BATCH];
        read_part *parts[BATCH];
        ssize_t results[BATCH];
        if (io_uring_wait_cqe(&ring, entries))
            continue;
        unsigned count = io_uring_peek_batch_cqe(&ring, entries, BATCH);
        for (unsigned i = 0; i < count; i++) {
            parts[i] = io_uring_cqe_get_data(entries[i]);
            results[i] = entries[i]->res;
        }
        io_uring_cq_advance(&ring, count);
        mutex_lock(&lock);
        under_way -= count;
        for (unsigned i = 0; i < count; i++)
            parts[i]->device->under_way--;
        for (storage_device *d = NULL; (d = storage_device_each(d));)
            issue(d);
        mutex_unlock(&lock);
        for (unsigned i = 0; i < count; i++)
            read_part_done(parts[i], results[i]);
    }
    return NULL;
}

/* Under the lock. */
static bool start(void)
{
    pthread_t thread;
    if (io_uring_queue_init(DEPTH, &ring, 0))
        return false;
    if (pthread_create(&thread, NULL, reap, NULL)) {
        io_uring_queue_exit(&ring);
        return false;
    }
    pthread_detach(thread);
    has_slots = !io_uring_register_buffers_sparse(&ring, READ_RING_SLOTS);
    return true;
}

/* Under the lock. */
static bool is_usable(void)
{
    if (state == UNKNOWN)
        state = start() ? USABLE : UNUSABLE;
    return state == USABLE;
}

static bool update_slot(unsigned slot, void *address, size_t bytes)
{
    struct iovec memory = {address, bytes};
    __u64 tag = 0;
    return io_uring_register_buffers_update_tag(&ring, slot, &memory, &tag, 1) == 1;
}

bool read_ring_register(unsigned slot, void *address, size_t bytes)
{
    mutex_lock(&lock);
    bool may = is_usable() && has_slots;
    mutex_unlock(&lock);
    return may && update_slot(slot, address, bytes);
}

void read_ring_forget(unsigned slot)
{
    (void)update_slot(slot, NULL, 0); /* else it stays until the slot is used again */
}

bool read_ring_submit(read_part *part)
{
    mutex_lock(&lock);
    bool is_taken = is_usable();
    if (is_taken) {
        part->item.bytes = part->bytes;
        read_queue_put(&part->device->queue, &part->item);
        atomic_fetch_add_explicit(&part->device->waiting, 1, memory_order_relaxed);
        issue(part->device);
    }
    mutex_unlock(&lock);
    return is_taken;
}
