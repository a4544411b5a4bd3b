/* cpu.c - the CPU device: launches are calls, memory is a pool of the process's own.
 *
 * The pool keeps freed buffers in lists by size class (four classes per power of two), so that a
 * chunk's temporaries are the same cache-warm memory again and again, and the next query of a session
 * finds memory that the system need not clear. What the lists hold is bounded, and no more than buffers
 * in use and its lender leave of the budget, which those are charged to. Beyond what is always kept, the lists give up as much as
 * is made anew, so that both together never are more than what was in use at once; and what is idle there the
 * system may take back when it is short of memory. Under AddressSanitizer nothing is kept, so that it sees each
 * buffer's true bounds. */
#include "base/system/mutex.h"
#include "device/device.h"

#include "base/budget.h"
#include "base/fault.h"
#include "device/cpu/balloon.h"
#include "device/cpu/pages.h"
#include "device/cpu/slab.h"
#include "device/cpu/tables.h"
#include "device/taken.h"

#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

#define ALIGNMENT 64
#define SLACK 64                   /* readable bytes past the end */
#define MAPPED_BYTES (64u << 10)   /* from here on whole pages from the system, */
#define SLAB_BYTES_MOST (1u << 20) /* of up to so many several lie in one huge page */
#define PAGES_BYTES (4u << 10)     /* the same of a device that keeps no buffers */
#define EXPORTED_BYTES (32u << 20) /* that clients have: they keep them */
#define CLASS_COUNT 256
#define LARGER_CLASSES 2 /* up to half as large again */
#define DEFAULT_CHUNK_ROWS 16384
#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
#define KEEPS_BUFFERS false
#else
#define KEEPS_BUFFERS true
#endif
#define KEPT_BYTES_MIN                                                                             \
    (96u << 20)      /* kept whatever is made anew; all of it where there is no limit, */
#define KEPT_SHARE 8 /* else up to this part of it */

typedef struct cpu_buffer {
    dev_buffer base;
    struct cpu_buffer *next; /* in its class's list */
    void *memory;            /* what address lies in */
    size_t capacity;         /* usable bytes at address */
    size_t mapped;           /* bytes of the mapping; 0: from mem_new */
    cpu_slab *slab;          /* that it is a piece of, */
    cpu_region *region;      /* or this; NULL: neither */
    unsigned class;
    void (*give_back)(void *address, size_t bytes); /* of memory that is not the pool's */
    bool is_reserved;                               /* its capacity is in `committed` */
    _Atomic bool is_exported;
    _Atomic size_t committed;
} cpu_buffer;

typedef struct cpu_device {
    device base;
    cpu_slab_pool slabs;
    cpu_page_pool pages; /* of what is made after nothing is kept any more */
    pthread_mutex_t lock;
    cpu_buffer *kept[CLASS_COUNT];
    size_t kept_bytes;
    int64_t made_bytes;      /* made anew, less what the lists gave up for it */
    _Atomic bool is_retired; /* nothing is kept any more */
    /* When a class was last taken from or given to: what a query does no more goes first. */
    uint64_t tick, used_at[CLASS_COUNT];
} cpu_device;

/* Rounds up to a size class: 2^k * (4 to 7) / 4. */
static size_t class_bytes(size_t bytes, unsigned *class)
{
    if (bytes < 256)
        bytes = 256;
    unsigned log = 63 - (unsigned)__builtin_clzll(bytes);
    size_t step = (size_t)1 << (log - 2);
    size_t rounded = (bytes + step - 1) & ~(step - 1);
    log = 63 - (unsigned)__builtin_clzll(rounded);
    *class = log * 4 + (unsigned)(rounded >> (log - 2) & 3);
    return rounded;
}

/* Returns whether buffers have the bytes that they are asked for: they go back to the system, not to another query. */
static bool is_exact(const cpu_device *cpu)
{
    return atomic_load_explicit(&cpu->is_retired, memory_order_relaxed);
}

/* Returns what a buffer takes that has the bytes it is asked for: whole pages, or memory of its own with what manages it. */
static size_t exact_bytes(size_t bytes)
{
    if (bytes >= PAGES_BYTES)
        return cpu_whole_pages(bytes);
    return (bytes + SLACK + ALIGNMENT + sizeof(cpu_buffer) + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

/* Returns the bytes that a buffer is charged with. */
static size_t capacity_for(const cpu_device *cpu, size_t bytes, unsigned *class)
{
    size_t rounded = class_bytes(bytes, class);
    return is_exact(cpu) ? exact_bytes(bytes) : rounded;
}

/* A client keeps the results that he gets, so that all memory is new, and most of its cost that of the pages. What is
 * larger than a piece of a slab is read at random (tables of joins), which huge pages are worth it for. */
static bool wants_small_pages(const cpu_device *cpu)
{
    return mem_budget_exported(cpu->base.budget) >= EXPORTED_BYTES && cpu_are_huge_pages_dear();
}

static void *map_buffer(cpu_device *cpu, cpu_buffer *buffer, size_t capacity)
{
    buffer->mapped = capacity; /* a slab and a region have the slack behind their pieces */
    if (KEEPS_BUFFERS && is_exact(cpu) && capacity <= CPU_PAGES_MOST)
        return cpu_pages_take(&cpu->pages, capacity, &buffer->region);
    if (KEEPS_BUFFERS && capacity <= SLAB_BYTES_MOST)
        return cpu_slab_take(&cpu->slabs, capacity, wants_small_pages(cpu), &buffer->slab);
    buffer->mapped += SLACK;
    void *memory = cpu_map_pages(buffer->mapped);
    return memory == MAP_FAILED ? NULL : memory;
}

static status cpu_buffer_new(cpu_device *cpu, size_t capacity, cpu_buffer **out)
{
    cpu_buffer *buffer = mem_new(sizeof *buffer);
    if (!buffer)
        return status_no_memory("buffer", sizeof *buffer);
    if (capacity >= (KEEPS_BUFFERS && is_exact(cpu) ? PAGES_BYTES : MAPPED_BYTES)) {
        void *memory = map_buffer(cpu, buffer, capacity);
        if (!memory) {
            mem_free(buffer);
            return status_no_memory("buffer", capacity);
        }
        buffer->memory = buffer->base.address = memory;
    } else {
        buffer->memory = mem_new(capacity + SLACK + ALIGNMENT);
        if (!buffer->memory) {
            mem_free(buffer);
            return status_no_memory("buffer", capacity);
        }
        uintptr_t address =
            ((uintptr_t)buffer->memory + ALIGNMENT - 1) & ~(uintptr_t)(ALIGNMENT - 1);
        buffer->base.address = (void *)address;
    }
    buffer->capacity = capacity;
    buffer->base.dev = &cpu->base;
    *out = buffer;
    return STATUS_OK;
}

static void buffer_free(cpu_buffer *buffer)
{
    cpu_device *cpu = (cpu_device *)buffer->base.dev;
    if (buffer->slab)
        cpu_slab_give(&cpu->slabs, buffer->slab, buffer->memory, buffer->mapped);
    else if (buffer->region)
        cpu_pages_give(&cpu->pages, buffer->region, buffer->memory, buffer->mapped);
    else if (buffer->mapped)
        munmap(buffer->memory, buffer->mapped);
    else
        mem_free(buffer->memory);
    mem_free(buffer);
}

/* Under the lock: the list that was not used for longest, of those that have something. */
static cpu_buffer **stalest(cpu_device *cpu)
{
    unsigned found = CLASS_COUNT;
    for (unsigned i = 0; i < CLASS_COUNT; i++)
        if (cpu->kept[i] && (found == CLASS_COUNT || cpu->used_at[i] < cpu->used_at[found]))
            found = i;
    return &cpu->kept[found];
}

/* Returns the bytes that the lists may hold. */
static uint64_t kept_most(const cpu_device *cpu)
{
    mem_budget *budget = cpu->base.budget;
    uint64_t limit = mem_budget_limit(budget), most = KEPT_BYTES_MIN;
    if (!KEEPS_BUFFERS || is_exact(cpu))
        return 0;
    if (!limit)
        return most;
    uint64_t used = mem_budget_used(budget) + mem_budget_held(budget);
    uint64_t left = used < limit ? limit - used : 0;
    most = limit / KEPT_SHARE > most ? limit / KEPT_SHARE : most;
    return left < most ? left : most;
}

/* Under the lock: the list from which a buffer is to be given up, or NULL. */
static cpu_buffer **list_to_trim(cpu_device *cpu, uint64_t most)
{
    if (cpu->kept_bytes > most)
        return stalest(cpu);
    if (cpu->kept_bytes > KEPT_BYTES_MIN)
        return cpu->made_bytes > 0 ? stalest(cpu) : NULL;
    if (cpu->made_bytes > 0)
        cpu->made_bytes = 0;
    return NULL;
}

/* Under the lock: takes out what the lists hold too much; the caller frees it. */
static cpu_buffer *cpu_trim(cpu_device *cpu)
{
    uint64_t most = kept_most(cpu);
    cpu_buffer *given_up = NULL, **list;
    while ((list = list_to_trim(cpu, most))) {
        cpu_buffer *first = *list;
        *list = first->next;
        cpu->kept_bytes -= first->capacity;
        cpu->made_bytes -= (int64_t)first->capacity;
        first->next = given_up;
        given_up = first;
    }
    return given_up;
}

static void cpu_free_list(cpu_buffer *buffers)
{
    while (buffers) {
        cpu_buffer *next = buffers->next;
        buffer_free(buffers);
        buffers = next;
    }
}

/* Under the lock: a kept buffer of the class, or else of one a little larger, as fresh memory costs
 * more than what is left over (the system clears it page by page). */
static cpu_buffer *cpu_take_kept(cpu_device *cpu, unsigned class)
{
    unsigned last = class < CLASS_COUNT - LARGER_CLASSES ? class + LARGER_CLASSES : CLASS_COUNT - 1;
    for (unsigned i = class; i <= last; i++)
        if (cpu->kept[i]) {
            cpu_buffer *buffer = cpu->kept[i];
            cpu->kept[i] = buffer->next;
            cpu->kept_bytes -= buffer->capacity;
            cpu->used_at[i] = ++cpu->tick;
            return buffer;
        }
    return NULL;
}

/* Gives kept buffers up, because so many bytes are about to be made anew. */
static void give_up_for(cpu_device *cpu, size_t bytes)
{
    mutex_lock(&cpu->lock);
    cpu->made_bytes += (int64_t)bytes;
    cpu_buffer *given_up = cpu_trim(cpu);
    mutex_unlock(&cpu->lock);
    cpu_free_list(given_up);
}

/* Returns a kept buffer of the class, or NULL; what the lists hold too much goes. */
static cpu_buffer *cpu_find_kept(cpu_device *cpu, unsigned class, size_t capacity)
{
    if (!KEEPS_BUFFERS)
        return NULL;
    mutex_lock(&cpu->lock);
    cpu_buffer *buffer = cpu_take_kept(cpu, class);
    mutex_unlock(&cpu->lock);
    if (!buffer)
        give_up_for(cpu, capacity);
    return buffer;
}

static status make_buffer(cpu_device *cpu, size_t bytes, size_t capacity, unsigned class,
                          cpu_buffer **out)
{
    TRY(cpu_buffer_new(cpu, KEEPS_BUFFERS && !is_exact(cpu) ? capacity : bytes, out));
    (*out)->capacity = capacity;
    (*out)->class = class;
    return STATUS_OK;
}

static dev_buffer *hand_out(cpu_buffer *buffer, size_t bytes)
{
    buffer->base.bytes = bytes;
    atomic_store_explicit(&buffer->base.references, 1, memory_order_relaxed);
    return &buffer->base;
}

static status cpu_alloc(device *dev, size_t bytes, const char *who, dev_buffer **out)
{
    cpu_device *cpu = (cpu_device *)dev;
    unsigned class;
    if (bytes > SIZE_MAX / 4)
        return status_no_memory(who, bytes);
    size_t capacity = capacity_for(cpu, bytes, &class);
    TRY(mem_budget_take(dev->budget, capacity, who));
    cpu_buffer *buffer = cpu_find_kept(cpu, class, capacity);
    if (buffer && buffer->capacity > capacity) {
        status st = mem_budget_take(dev->budget, buffer->capacity - capacity, who);
        if (st) { /* one of the right size may still do */
            status_free(st);
            buffer_free(buffer);
            buffer = NULL;
        }
    }
    status st = buffer ? STATUS_OK : make_buffer(cpu, bytes, capacity, class, &buffer);
    if (st)
        mem_budget_give(dev->budget, capacity);
    else
        *out = hand_out(buffer, bytes);
    return st;
}

static status cpu_alloc_exported(device *dev, size_t bytes, const char *who, dev_buffer **out)
{
    cpu_device *cpu = (cpu_device *)dev;
    unsigned class;
    *out = NULL;
    if (bytes > SIZE_MAX / 4)
        return status_no_memory(who, bytes);
    size_t capacity = capacity_for(cpu, bytes, &class);
    cpu_buffer *buffer = cpu_find_kept(cpu, class, capacity);
    if (!buffer)
        TRY(make_buffer(cpu, bytes, capacity, class, &buffer));
    atomic_store(&buffer->is_exported, true);
    mem_budget_add_exported(dev->budget, buffer->capacity);
    *out = hand_out(buffer, bytes);
    return STATUS_OK;
}

static status cpu_wrap(device *dev, void *address, size_t bytes,
                       void (*give_back)(void *address, size_t bytes), const char *who,
                       dev_buffer **out)
{
    *out = NULL;
    TRY(mem_budget_take(dev->budget, bytes, who));
    cpu_buffer *buffer = mem_new(sizeof *buffer);
    if (!buffer) {
        mem_budget_give(dev->budget, bytes);
        return status_no_memory(who, sizeof *buffer);
    }
    buffer->base.dev = dev;
    buffer->base.address = address;
    buffer->base.bytes = buffer->capacity = bytes;
    buffer->give_back = give_back;
    atomic_store_explicit(&buffer->base.references, 1, memory_order_relaxed);
    *out = &buffer->base;
    return STATUS_OK;
}

static status cpu_reserve(device *dev, size_t bytes, dev_buffer **out)
{
    *out = NULL;
    cpu_buffer *buffer = mem_new(sizeof *buffer);
    if (!buffer)
        return status_no_memory("buffer", sizeof *buffer);
    buffer->mapped = bytes + SLACK;
    buffer->memory = fault_check(FAULT_ALLOC)
                         ? MAP_FAILED
                         : mmap(NULL, buffer->mapped, PROT_READ | PROT_WRITE,
                                MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (buffer->memory == MAP_FAILED) {
        mem_free(buffer);
        return status_no_memory("reserved addresses", bytes);
    }
    madvise(buffer->memory, buffer->mapped, MADV_HUGEPAGE);
    buffer->is_reserved = true;
    buffer->base.dev = dev;
    buffer->base.address = buffer->memory;
    atomic_store_explicit(&buffer->base.references, 1, memory_order_relaxed);
    *out = &buffer->base;
    return STATUS_OK;
}

static status cpu_commit(dev_buffer *reserved, size_t bytes, const char *who)
{
    TRY(mem_budget_take(reserved->dev->budget, bytes, who));
    give_up_for((cpu_device *)reserved->dev, bytes);
    atomic_fetch_add_explicit(&((cpu_buffer *)reserved)->committed, bytes, memory_order_relaxed);
    return STATUS_OK;
}

/* Pages that also hold bytes next to these stay. */
static void cpu_decommit(dev_buffer *reserved, size_t first, size_t bytes)
{
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    uintptr_t begin = ((uintptr_t)reserved->address + first + page - 1) / page * page;
    uintptr_t end = ((uintptr_t)reserved->address + first + bytes) / page * page;
    if (begin < end)
        madvise((void *)begin, end - begin, MADV_DONTNEED);
    atomic_fetch_sub_explicit(&((cpu_buffer *)reserved)->committed, bytes, memory_order_relaxed);
    mem_budget_give(reserved->dev->budget, bytes);
}

static void release_reserved(cpu_buffer *buffer)
{
    mem_budget_give(buffer->base.dev->budget, atomic_load(&buffer->committed));
    buffer_free(buffer);
}

/* Its pages stay until the system is short of memory, or somebody writes to them again. */
static void make_reclaimable(const cpu_buffer *buffer)
{
#if defined MADV_FREE
    if (buffer->mapped && !buffer->slab)
        (void)madvise(buffer->memory, buffer->mapped, MADV_FREE);
#else
    (void)buffer;
#endif
}

/* Whether it would be among what is kept only as long as nothing else is made. */
static bool is_much_kept(cpu_device *cpu)
{
    mutex_lock(&cpu->lock);
    bool is_much = cpu->kept_bytes > KEPT_BYTES_MIN;
    mutex_unlock(&cpu->lock);
    return is_much;
}

static void cpu_release(dev_buffer *base)
{
    cpu_buffer *buffer = (cpu_buffer *)base;
    cpu_device *cpu = (cpu_device *)base->dev;
    if (buffer->is_reserved) {
        release_reserved(buffer);
        return;
    }
    if (atomic_exchange(&buffer->is_exported, false))
        mem_budget_give_exported(cpu->base.budget, buffer->capacity);
    else
        mem_budget_give(cpu->base.budget, buffer->capacity);
    if (buffer->give_back) {
        buffer->give_back(base->address, base->bytes);
        mem_free(buffer);
        return;
    }
    if (KEEPS_BUFFERS && buffer->mapped && is_much_kept(cpu))
        make_reclaimable(buffer);
    mutex_lock(&cpu->lock);
    buffer->next = cpu->kept[buffer->class];
    cpu->kept[buffer->class] = buffer;
    cpu->kept_bytes += buffer->capacity;
    cpu->used_at[buffer->class] = ++cpu->tick;
    cpu_buffer *given_up = cpu_trim(cpu);
    mutex_unlock(&cpu->lock);
    cpu_free_list(given_up);
}

/* Keeps a reserved buffer as it is: what is committed of it still changes. */
static void cpu_export(dev_buffer *base)
{
    cpu_buffer *buffer = (cpu_buffer *)base;
    if (!buffer->is_reserved && !atomic_exchange(&buffer->is_exported, true))
        mem_budget_export(base->dev->budget, buffer->capacity);
}

static void cpu_retire(device *dev)
{
    cpu_device *cpu = (cpu_device *)dev;
    mutex_lock(&cpu->lock);
    atomic_store_explicit(&cpu->is_retired, true, memory_order_relaxed);
    cpu_buffer *given_up = cpu_trim(cpu);
    mutex_unlock(&cpu->lock);
    cpu_free_list(given_up);
    cpu_slab_trim(&cpu->slabs);
}

static status cpu_stream_open(device *dev, dev_stream **out)
{
    *out = mem_new(sizeof **out);
    if (!*out)
        return status_no_memory("stream", sizeof **out);
    (*out)->dev = dev;
    return STATUS_OK;
}

static void cpu_stream_drain(dev_stream *stream)
{
    (void)stream; /* launches return when they are done */
}

static void cpu_stream_close(dev_stream *stream)
{
    mem_free(stream);
}

static status cpu_launch(dev_stream *stream, dev_kernel_id kernel, const void *arguments,
                         size_t argument_bytes)
{
    (void)argument_bytes;
    stream->dev->host_kernels[kernel](arguments);
    return cancel_seen();
}

static status cpu_copy(dev_stream *stream, void *target, const void *source, size_t bytes)
{
    (void)stream;
    if (bytes)
        memcpy(target, source, bytes);
    return STATUS_OK;
}

static status cpu_zero(dev_stream *stream, void *target, size_t bytes)
{
    (void)stream;
    memset(target, 0, bytes);
    return STATUS_OK;
}

/* Everything enqueued has run: an event is reached as soon as it is recorded. */
static char reached_event;

static status cpu_event_record(dev_stream *stream, void (*wake)(void *), void *argument,
                               dev_event **out)
{
    (void)stream;
    *out = (dev_event *)&reached_event;
    if (wake)
        wake(argument);
    return STATUS_OK;
}

static status cpu_event_notify(dev_event *event, void (*wake)(void *), void *argument)
{
    (void)event;
    wake(argument);
    return STATUS_OK;
}

static bool cpu_event_reached(dev_event *event)
{
    (void)event;
    return true;
}

static void cpu_event_ignore(dev_event *event)
{
    (void)event;
}

static status cpu_stream_wait(dev_stream *stream, dev_event *event)
{
    (void)stream, (void)event;
    return STATUS_OK;
}

static void cpu_close(device *dev)
{
    cpu_device *cpu = (cpu_device *)dev;
    for (unsigned i = 0; i < CLASS_COUNT; i++)
        while (cpu->kept[i]) {
            cpu_buffer *buffer = cpu->kept[i];
            cpu->kept[i] = buffer->next;
            buffer_free(buffer);
        }
    mutex_destroy(&cpu->lock);
    cpu_slab_close(&cpu->slabs);
    cpu_pages_close(&cpu->pages);
    mem_free(cpu);
}

static const dev_ops cpu_ops = {
    .abi = DEV_ABI,
    .name = "cpu",
    .close = cpu_close,
    .stream_open = cpu_stream_open,
    .stream_close = cpu_stream_close,
    .stream_drain = cpu_stream_drain,
    .stream_wait = cpu_stream_wait,
    .alloc = cpu_alloc,
    .release = cpu_release,
    .export = cpu_export,
    .alloc_exported = cpu_alloc_exported,
    .retire = cpu_retire,
    .wrap = cpu_wrap,
    .reserve = cpu_reserve,
    .commit = cpu_commit,
    .decommit = cpu_decommit,
    .launch = cpu_launch,
    .copy_in = cpu_copy,
    .copy_out = cpu_copy,
    .copy = cpu_copy,
    .zero = cpu_zero,
    .event_record = cpu_event_record,
    .event_notify = cpu_event_notify,
    .event_reached = cpu_event_reached,
    .event_wait = cpu_event_ignore,
    .event_free = cpu_event_ignore,
};

size_t dev_buffer_taken(const dev_buffer *buffer)
{
    return buffer->dev->ops == &cpu_ops ? ((const cpu_buffer *)buffer)->capacity : buffer->bytes;
}

status dev_open_cpu(const char *isa, uint32_t chunk_rows, mem_budget *budget, device **out)
{
    *out = NULL;
    const char *name = NULL;
    const dev_kernel_function *table = dev_kernel_table(isa, &name);
    cpu_isa host_isa;
    if (!table || !cpu_isa_find(isa, &host_isa))
        return status_hint(status_new(STATUS_KIND_INVALID,
                                      "this machine cannot run the kernels of isa \"%s\"", isa),
                           "use auto, scalar, avx2 or avx512");
    cpu_device *cpu = mem_new(sizeof *cpu);
    if (!cpu)
        return status_no_memory("device", sizeof *cpu);
    mutex_init(&cpu->lock);
    mutex_init(&cpu->slabs.lock);
    mutex_init(&cpu->pages.lock);
    cpu->base = (device){
        .ops = &cpu_ops,
        .host_kernels = table,
        .is_host = true,
        .chunk_rows = chunk_rows ? chunk_rows : DEFAULT_CHUNK_ROWS,
        .isa = name,
        .host_isa = host_isa,
        .budget = mem_budget_ref(budget),
        .references = 1,
    };
    *out = &cpu->base;
    return STATUS_OK;
}
