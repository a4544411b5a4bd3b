/* read.c - requests: what the page cache has at once, the rest in parts by an engine. */
#include "storage/read.h"

#include "base/fault.h"
#include "base/system/mutex.h"
#include "base/trace/trace.h"
#include "storage/object_store.h"
#include "storage/read_engine.h"
#include "storage/registered.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

/* Requests that share a read are a list behind the one that has its parts, which stays until all are finished. */
struct read_request {
    read_request *
        of; /* that one: itself, or another; of a request that shares the rest is its alone, but what is marked */
    const file *file;
    read_share *share;
    storage_device *device;
    uint64_t stored_bytes; /* what is read by the engine */
    int64_t submitted;     /* for a trace, as the offset; 0: none is made */
    uint64_t offset;
    _Atomic uint32_t parts_left;
    /* Under the lock from here on. */
    bool is_done;
    status outcome;
    void (*wake)(void *argument); /* each request's own, */
    void *argument;               /* as this, */
    read_request *next;           /* and this */
    uint32_t holders;             /* requests of it that are not finished */
    uint32_t part_count;
    read_part parts[];
};

static pthread_mutex_t lock = MUTEX_INITIALIZER;
static pthread_cond_t has_done = PTHREAD_COND_INITIALIZER;

/* ---- parts ---- */

static void read_trace(const read_request *r)
{
    const char *slash = strrchr(r->file->path, '/');
    trace_read(slash ? slash + 1 : r->file->path, r->offset, r->stored_bytes, r->submitted,
               trace_now());
}

/* Under the lock: storage_read_finish returns only when nobody needs what waits any more. */
static void read_wake(read_request *r)
{
    if (r->wake)
        r->wake(r->argument);
    r->wake = NULL;
}

/* A part is over; st (owned): how. The last one wakes who waits. */
static void read_finish_part(read_request *r, status st)
{
    mutex_lock(&lock);
    if (st && !r->outcome) {
        r->outcome = st;
        st = STATUS_OK;
    }
    if (atomic_fetch_sub(&r->parts_left, 1) == 1) {
        r->is_done = true;
        if (__builtin_expect(r->submitted, 0))
            read_trace(r);
        for (read_request *one = r; one; one = one->next)
            read_wake(one);
        pthread_cond_broadcast(&has_done);
    }
    status_free(st); /* under the lock, too: whoever waits finds nothing of the parts left */
    mutex_unlock(&lock);
}

static _Atomic bool uses_threads;

void storage_use_threads(bool threads)
{
    atomic_store(&uses_threads, threads);
}

static void finish_object_part(void *part, status outcome)
{
    read_finish_part(((read_part *)part)->request, outcome);
}

static void start_object_part(read_part *part)
{
    object_span span = {part->offset, part->bytes, part->target, false, finish_object_part, part};
    status st = object_read_start(part->request->file->object, &span);
    if (st)
        read_finish_part(part->request, st);
}

static void start_part(read_part *part)
{
    if (part->request->file->object) {
        start_object_part(part);
        return;
    }
    if (fault_check(FAULT_READ)) {
        read_part_done(part, -EIO);
        return;
    }
    if (!atomic_load_explicit(&uses_threads, memory_order_relaxed) && read_ring_submit(part))
        return;
    status st = read_threads_submit(part);
    if (st)
        read_finish_part(part->request, st);
}

void read_part_done(read_part *part, ssize_t result)
{
    read_request *r = part->request;
    const file *f = r->file;
    bool is_direct = part->descriptor != f->descriptor;
    if (result == -EINTR || result == -EAGAIN) {
        start_part(part);
        return;
    }
    /* Also where the system does not pin the memory, as may be with that of a GPU's driver. */
    if (result < 0 && is_direct &&
        (result == -EINVAL || result == -EOPNOTSUPP || result == -EFAULT)) {
        part->descriptor = f->descriptor;
        start_part(part);
        return;
    }
    if (result < 0) {
        read_finish_part(r,
                         status_new_errno((int)-result, "could not read file \"%s\" at byte %llu",
                                          f->path, (unsigned long long)part->offset));
        return;
    }
    part->offset += (uint64_t)result;
    part->target += result;
    part->bytes -= (size_t)result;
    if (!part->bytes || part->offset == f->bytes) {
        read_finish_part(r, STATUS_OK);
    } else if (!result) {
        read_finish_part(
            r, status_new(STATUS_KIND_IO,
                          "file \"%s\" ends at byte %llu, it had %llu bytes when it was "
                          "opened",
                          f->path, (unsigned long long)part->offset, (unsigned long long)f->bytes));
    } else {
        /* The rest need not begin at a block. */
        part->descriptor = f->descriptor;
        start_part(part);
    }
}

/* ---- requests ---- */

static _Thread_local read_share *used_share;

read_share *storage_share_use(read_share *share)
{
    read_share *before = used_share;
    used_share = share;
    return before;
}

static status request_new(const file *f, storage_device *device, size_t bytes, size_t part_bytes,
                          read_request **out)
{
    size_t parts = (bytes + part_bytes - 1) / part_bytes;
    read_request *r = mem_new(sizeof *r + parts * sizeof *r->parts);
    if (!r)
        return status_no_memory("read", sizeof *r + parts * sizeof *r->parts);
    r->of = r;
    r->holders = 1;
    r->file = f;
    r->share = used_share;
    r->device = device;
    r->part_count = (uint32_t)parts;
    *out = r;
    return STATUS_OK;
}

/* A request whose parts are as large as the file's device reads well. */
static status request_for_device(const file *f, size_t bytes, read_request **out)
{
    storage_device *device = storage_device_find(f->version.device);
    return request_new(f, device, bytes, device->request_bytes, out);
}

/* Says what each of the parts is. */
static void place_parts(read_request *r, int descriptor, uint64_t offset, char *target,
                        size_t bytes, size_t most)
{
    uint32_t count = r->part_count;
    int slot = storage_memory_slot(target, bytes);
    r->offset = offset;
    atomic_store(&r->parts_left, count);
    for (uint32_t i = 0; i < count; i++) {
        size_t at = i * most;
        size_t left = bytes - at;
        r->parts[i] = (read_part){.item.share = r->share,
                                  .request = r,
                                  .device = r->device,
                                  .descriptor = descriptor,
                                  .offset = offset + at,
                                  .target = target + at,
                                  .slot = slot,
                                  .bytes = left < most ? left : most};
    }
}

static void start_parts(read_request *r, int descriptor, uint64_t offset, char *target,
                        size_t bytes)
{
    uint32_t count = r->part_count;
    r->stored_bytes = bytes;
    if (trace_is_on())
        r->submitted = trace_now();
    place_parts(r, descriptor, offset, target, bytes, r->device->request_bytes);
    for (uint32_t i = 0; i < count; i++)
        start_part(&r->parts[i]);
}

/* How many of the first bytes the page cache gives. An error or the file's end is met again, and
 * reported, by whoever reads the rest. */
static size_t read_cached(const file *f, uint64_t offset, char *target, size_t bytes)
{
    size_t done = 0;
    while (done < bytes && !fault_check(FAULT_READ)) {
        struct iovec part = {target + done, bytes - done};
        ssize_t got = preadv2(f->descriptor, &part, 1, (off_t)(offset + done), RWF_NOWAIT);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            break;
        done += (size_t)got;
    }
    return done;
}

/* Bytes past the object's end are not asked for. */
static status submit_of_object(const file *f, uint64_t offset, void *target, size_t bytes,
                               read_request **out)
{
    read_request *r;
    uint64_t left = offset < f->bytes ? f->bytes - offset : 0;
    bytes = left < bytes ? (size_t)left : bytes;
    TRY(request_for_device(f, bytes, &r));
    r->is_done = !bytes;
    if (bytes)
        start_parts(r, -1, offset, target, bytes);
    *out = r;
    return STATUS_OK;
}

status storage_read_submit(const file *f, uint64_t offset, void *target, size_t bytes,
                           read_request **out)
{
    *out = NULL;
    if (f->object)
        return submit_of_object(f, offset, target, bytes, out);
    size_t cached = read_cached(f, offset, target, bytes);
    read_request *r;
    TRY(request_for_device(f, bytes - cached, &r));
    r->is_done = cached == bytes;
    if (!r->is_done)
        start_parts(r, f->descriptor, offset + cached, (char *)target + cached, bytes - cached);
    *out = r;
    return STATUS_OK;
}

/* Bytes that one thread copies at a time. */
#define COPY_BYTES ((size_t)512 << 10)

static void copy_part(copier_item *item)
{
    read_part *part = (read_part *)(void *)((char *)item - offsetof(read_part, copy));
    size_t done = read_cached(part->request->file, part->offset, part->target, part->bytes);
    part->offset += done;
    part->target += done;
    part->bytes -= done;
    if (part->bytes)
        start_part(part);
    else
        read_finish_part(part->request, STATUS_OK);
}

status storage_read_submit_cached(const file *f, uint64_t offset, void *target, size_t bytes,
                                  read_request **out)
{
    read_request *r;
    *out = NULL;
    if (f->object || !bytes || !copiers_are_parallel())
        return storage_read_submit(f, offset, target, bytes, out);
    TRY(request_new(f, storage_device_find(f->version.device), bytes, COPY_BYTES, &r));
    place_parts(r, f->descriptor, offset, target, bytes, COPY_BYTES);
    uint32_t count = r->part_count;
    for (uint32_t i = 0; i < count; i++)
        r->parts[i].copy = (copier_item){i + 1 < count ? &r->parts[i + 1].copy : NULL, copy_part};
    if (!copiers_submit(&r->parts[0].copy))
        for (uint32_t i = 0; i < count; i++)
            copy_part(&r->parts[i].copy);
    *out = r;
    return STATUS_OK;
}

status storage_read_submit_direct(const file *f, uint64_t offset, void *target, size_t bytes,
                                  read_request **out)
{
    *out = NULL;
    if (f->object)
        return submit_of_object(f, offset, target, bytes, out);
    int descriptor = file_direct_descriptor(f);
    read_request *r;
    TRY(request_for_device(f, bytes, &r));
    start_parts(r, descriptor < 0 ? f->descriptor : descriptor, offset, target, bytes);
    *out = r;
    return STATUS_OK;
}

bool storage_read_wait(read_request *r, void (*wake)(void *argument), void *argument)
{
    mutex_lock(&lock);
    bool must_wait = !r->of->is_done;
    if (must_wait) {
        r->wake = wake;
        r->argument = argument;
    }
    mutex_unlock(&lock);
    return must_wait;
}

bool storage_read_is_done(read_request *r)
{
    mutex_lock(&lock);
    bool is_done = r->of->is_done;
    mutex_unlock(&lock);
    return is_done;
}

uint64_t storage_read_stored_bytes(const read_request *r)
{
    return r->stored_bytes;
}

void storage_read_block(read_request *r)
{
    mutex_lock(&lock);
    while (!r->of->is_done)
        pthread_cond_wait(&has_done, &lock);
    mutex_unlock(&lock);
}

status storage_read_share(read_request *r, read_request **out)
{
    read_request *one = mem_new(sizeof *one);
    *out = one;
    if (!one)
        return status_no_memory("read", sizeof *one);
    mutex_lock(&lock);
    one->of = r->of;
    one->next = r->of->next;
    r->of->next = one;
    r->of->holders++;
    mutex_unlock(&lock);
    return STATUS_OK;
}

/* Nobody wants the rest: a network is not waited for. */
static void stop_parts(read_request *r)
{
    for (uint32_t i = 0; i < r->part_count && !storage_read_is_done(r); i++)
        object_read_stop(&r->parts[i]);
}

/* Takes the request out of those that share the read; with the lock held. Returns how many are left. */
static uint32_t leave(read_request *r)
{
    read_request *before = r->of;
    while (before != r && before->next != r)
        before = before->next;
    if (before != r)
        before->next = r->next;
    return --r->of->holders;
}

/* Leaves the read to others that share it; false: there are none. *out: its outcome, if that is known. */
static bool leave_to_others(read_request *r, status *out)
{
    read_request *of = r->of;
    mutex_lock(&lock);
    bool has_others = of->holders > 1;
    if (has_others) {
        *out = of->is_done ? status_copy(of->outcome) : STATUS_OK;
        read_wake(r);
        leave(r);
    }
    mutex_unlock(&lock);
    if (has_others && r != of)
        mem_free(r);
    return has_others;
}

status storage_read_finish(read_request *r)
{
    status outcome = STATUS_OK;
    if (!r || leave_to_others(r, &outcome))
        return outcome;
    read_request *of = r->of;
    if (of->file->object)
        stop_parts(of);
    storage_read_block(of);
    outcome = of->outcome;
    if (r != of)
        mem_free(r);
    mem_free(of);
    return outcome;
}

/* ---- what is cached ---- */

/* Declared by linux/mman.h since 6.5. */
struct cache_range {
    uint64_t offset, bytes;
};
struct cache_counts {
    uint64_t cached, dirty, under_writeback, evicted, recently_evicted;
};
#define CACHESTAT_NUMBER 451

bool storage_is_cached(const file *f, uint64_t offset, uint64_t bytes)
{
    struct cache_range range = {offset, bytes};
    struct cache_counts counts;
    if (f->object)
        return false;
    if (!bytes || syscall(CACHESTAT_NUMBER, f->descriptor, &range, &counts, 0))
        return true;
    uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
    uint64_t pages = (offset + bytes + page - 1) / page - offset / page;
    return counts.cached + pages / 8 >= pages;
}
