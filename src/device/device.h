/* device.h - what a device is: memory, streams, events, and a table of kernels.
 *
 * Everything above this header works on device addresses that it never dereferences, enqueues
 * kernels on streams, and learns data-dependent numbers only through counts (below) and copies
 * behind events. The CPU device runs a launch at once on the calling thread, so there a count is
 * known as soon as the call returns; nothing may rely on that except through dev_count_settle.
 *
 *   device   memory and a kernel table                       any thread
 *   stream   work in order; one per task                     one thread at a time
 *   buffer   reference-counted bytes on a device             any thread
 *   event    a point in a stream, polled or waited for       any thread
 *
 * Nobody waits: what a caller must know of what a stream has computed (dev_words_read, tensor.h) it
 * awaits, and a task gives its thread back meanwhile. Devices count what they are told to do
 * (dev_work), so that tests can say how often.
 *
 * Cancelling: a kernel of the CPU device that can take more than a few milliseconds looks every so many
 * rows whether the statement that its thread works for was cancelled (base/cancel.h), and returns early,
 * its results undefined. That launch, and each later one of the task's step, fails with
 * STATUS_KIND_CANCELLED, so nobody uses those results. Devices whose kernels run elsewhere ignore the flag:
 * tasks see it between two launches.
 *
 * A launched kernel's buffers may be unreferenced right after the launch: memory is reused by the
 * stream that used it, in order, and by others when it has passed what it had enqueued by then. */
#ifndef PISTACHIO_DEVICE_DEVICE_H
#define PISTACHIO_DEVICE_DEVICE_H

#include "base/cancel.h"
#include "base/mem.h"
#include "base/status.h"
#include "base/system/cpu_features.h"
#include "base/type/type.h"
#include "device/kernels/kernel_types.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct device device;
typedef struct dev_stream dev_stream;
typedef struct dev_event dev_event;

static inline dev_count dev_count_exact(uint64_t rows)
{
    return (dev_count){.bound = rows, .actual = NULL};
}

/* Counts of what lazy devices were told to do, and how often somebody waited for them. */
#define DEV_WORK_LIST(ITEM)                                                                        \
    ITEM(launches, "launches")                                                                     \
    ITEM(copies, "copies")                                                                         \
    ITEM(bytes_in, "bytes to the device")                                                          \
    ITEM(bytes_out, "bytes from the device")                                                       \
    ITEM(bytes_kept, "bytes from its cache") /* of files, which did not cross the link */          \
    ITEM(kernel_nanoseconds, "nanoseconds in kernels") /* of streams that are timed */             \
    ITEM(zeroings, "zeroings")                                                                     \
    ITEM(allocations, "allocations")              /* from the device's pool */                     \
    ITEM(system_allocations, "from the system")   /* those for which the pool had to grow */       \
    ITEM(pageable_copies, "of memory not pinned") /* copies from or to host memory that waits */   \
    ITEM(waits, "blocking waits")                 /* that kept a thread */                         \
    ITEM(device_pages, "pages decompressed by the device")                                         \
    ITEM(library_pages, "pages decompressed by nvCOMP")                                            \
    ITEM(host_pages, "pages decompressed by the host") /* of codecs without a kernel */            \
    ITEM(host_rows, "rows computed by the host")       /* by kernels of the host's */              \
    ITEM(bytes_across, "bytes from other devices")                                                 \
    ITEM(staged_copies, "copies between devices without peer access")                              \
    ITEM(exchanged_by_host, "bytes of exchanges by way of the host")                               \
    ITEM(wakes, "wake-ups") /* of tasks, by events */

typedef struct dev_work {
#define ITEM(name, text) _Atomic uint64_t name;
    DEV_WORK_LIST(ITEM)
#undef ITEM
} dev_work;

/* The counts of the calling thread's work on lazy devices; NULL: it is not counted. */
extern _Thread_local dev_work *dev_work_now;
#define DEV_WORK_ADD(name, count)                                                                  \
    do {                                                                                           \
        if (dev_work_now)                                                                          \
            atomic_fetch_add_explicit(&dev_work_now->name, (count), memory_order_relaxed);         \
    } while (0)
#define DEV_WORK_NOTE(name) DEV_WORK_ADD(name, 1)

/* Reference-counted device memory; `address` is 64-byte aligned, and reading up to 64 bytes past
 * `bytes` is harmless (vector kernels overread, never overwrite). */
typedef struct dev_buffer {
    device *dev;
    void *address; /* device address */
    size_t bytes;
    _Atomic uint32_t references;
    _Atomic bool
        has_texts; /* views elsewhere point to it: who uses it is not seen from arguments */
    bool is_page;  /* counted in its device's page_bytes */
} dev_buffer;

static inline void dev_buffer_hold_texts(dev_buffer *buffer)
{
    if (!atomic_load_explicit(&buffer->has_texts, memory_order_relaxed))
        atomic_store_explicit(&buffer->has_texts, true, memory_order_relaxed);
}

/* The stream of the task that the calling thread runs; NULL: none. What is allocated meanwhile may be
 * memory that the stream is still using and that was given up before: it is in order there. */
extern _Thread_local dev_stream *dev_stream_now;

typedef struct dev_ops {
    uint32_t abi;
    const char *name; /* as in SET device and EXPLAIN */
    void (*close)(device *dev);
    status (*stream_open)(device *dev, dev_stream **out);
    void (*stream_close)(dev_stream *stream); /* waits for what is enqueued */
    /* Waits until the stream has done what is enqueued; needs nothing that can fail. For after
     * failures: what copies end in must outlive them. Counted as a wait. */
    void (*stream_drain)(dev_stream *stream);
    /* Begins what is enqueued: until then the device may put it together (launch_window.h). Events, drains and
     * stream_close do so by themselves. NULL: nothing is kept. */
    void (*stream_flush)(dev_stream *stream);
    /* Has what is enqueued from now on begin when the event, of any stream of the device, is reached. The event may
     * be freed at once. */
    status (*stream_wait)(dev_stream *stream, dev_event *event);
    /* Never waits: see memory_notify. */
    status (*alloc)(device *dev, size_t bytes, const char *who, dev_buffer **out);
    void (*release)(dev_buffer *buffer); /* the last reference went */
    /* After an allocation for which memory was short: has wake(argument) called once, when some of what
     * was released and is still in use is free; from any thread, perhaps before it returns. *out_will
     * false: nothing is on its way, and it is not called. `stream`, the caller's, stays open until then.
     * NULL where nothing that was released is ever in use. */
    status (*memory_notify)(dev_stream *stream, void (*wake)(void *argument), void *argument,
                            bool *out_will);
    /* Waits for memory and blocks until then: counted as a wait. */
    bool (*memory_wait)(device *dev);
    /* The buffer is counted as exported for as long as it lives; again: nothing. A host's leaves the
     * budget (mem_budget_export). That of a device with memory of its own stays in it as well, as there is no
     * other memory that queries could take in its place. */
    void (*export)(dev_buffer *buffer);
    /* The buffer is lent (mem_budget_lend) for as long as it lives: who holds it gives it back when others need the memory.
     * Returns how many bytes of the budget it has; 0: it is lent already. Lazy devices. */
    size_t (*lend)(dev_buffer *buffer);
    /* A buffer that has left the budget from its beginning on: no limit is in its way. Host
     * devices. */
    status (*alloc_exported)(device *dev, size_t bytes, const char *who, dev_buffer **out);
    /* No query runs on it any more, though some of its memory may still be out: what is kept to be used again goes to
     * the system, and what comes back later at once. NULL: it goes with the device. */
    void (*retire)(device *dev);
    /* A buffer of memory that somebody else owns, who gets it back with the last reference. Host
     * devices; the memory is charged to the budget meanwhile. */
    status (*wrap)(device *dev, void *address, size_t bytes,
                   void (*give_back)(void *address, size_t bytes), const char *who,
                   dev_buffer **out);
    /* Addresses for at most so many bytes, of which none can be used yet; the buffer's `bytes` is
     * 0. Fails where the system has not so many. The member is NULL where a device has no such
     * thing. */
    status (*reserve)(device *dev, size_t bytes, dev_buffer **out);
    /* Allows the use of so many more of a reserved buffer's bytes, anywhere in it: they are charged to the budget
     * until it is released, or they are given back. */
    status (*commit)(dev_buffer *reserved, size_t bytes, const char *who);
    /* Bytes [first, first + bytes), which were committed, are not: what is in them is lost. */
    void (*decommit)(dev_buffer *reserved, size_t first, size_t bytes);
    /* Enqueue; the arguments (at most DEV_ARGUMENT_BYTES) are copied. */
    status (*launch)(dev_stream *stream, dev_kernel_id kernel, const void *arguments,
                     size_t argument_bytes);
    /* Host memory that copies may come from and go to without making the host wait (pinned), from
     * a pool. NULL where copies are the host's own. Given back memory may still be copied from:
     * it is used again when every stream has passed what it had enqueued by then. */
    status (*host_alloc)(device *dev, size_t bytes, const char *who, void **out);
    void (*host_free)(device *dev, void *address, size_t bytes);
    /* The memory from the system of which `address`, of host_alloc, is a part. It stays until the device
     * calls host_gone for it. */
    void (*host_piece)(device *dev, const void *address, void **out_start, size_t *out_bytes);
    /* Enqueue copies. The host memory is of host_alloc. */
    status (*copy_in)(dev_stream *stream, void *target, const void *host_source, size_t bytes);
    status (*copy_out)(dev_stream *stream, void *host_target, const void *source, size_t bytes);
    status (*copy)(dev_stream *stream, void *target, const void *source, size_t bytes);
    status (*zero)(dev_stream *stream, void *target, size_t bytes);
    /* Enqueues a copy from the memory of another device of this process, of the same kind, which has done what it was told to
     * do with the bytes: they stay until the stream has passed the copy. NULL: devices have no memory of their own. */
    status (*copy_from)(dev_stream *stream, void *target, device *from, const void *source,
                        size_t bytes);
    /* Has copy_from of `other`'s streams read this device's memory without a way over the host, where the machine can. Any
     * thread; before others use the devices. NULL: nothing is to be done. */
    status (*meet)(device *dev, const device *other);
    /* An event at the stream's present end. wake(argument) is called once, from any thread, when
     * it is reached, perhaps before record returns. wake may be NULL. Release with event_free. */
    status (*event_record)(dev_stream *stream, void (*wake)(void *argument), void *argument,
                           dev_event **out);
    /* Has wake(argument) called likewise for an event that was recorded without, once. */
    status (*event_notify)(dev_event *event, void (*wake)(void *argument), void *argument);
    /* Never waits. Asked again without having been reached it is a wait all the same. */
    bool (*event_reached)(dev_event *event);
    void (*event_wait)(dev_event *event); /* blocks: never on a query's path; counted */
    void (*event_free)(dev_event *event); /* takes NULL; reached or not */
    /* A client's thread, which may use the device by itself, comes and goes: what it had set there (the driver's
     * context) is as before when it goes. NULL: nothing is set. */
    void *(*client_enter)(device *dev);
    void (*client_leave)(device *dev, void *before);
    /* Why nothing that is enqueued will be done any more: the device failed. Events count as reached
     * then, so whoever uses what was copied out behind one asks here first. NULL: cannot fail. */
    status (*check)(device *dev);
} dev_ops;

/* Decompressors of pages: masks of Parquet's codecs. The host does those that are not in `all`. */
typedef struct dev_codecs {
    uint32_t all;     /* the device: by kernels, or a library */
    uint32_t library; /* of these: by parquet_batch_library */
    const char
        *by_what; /* the library's name and version, or why there is none; NULL: of no interest */
} dev_codecs;

/* The owner of memory, for clients that are given some. */
typedef enum dev_memory { DEV_MEMORY_HOST, DEV_MEMORY_CUDA, DEV_MEMORY_SIMULATED } dev_memory;

struct device {
    const dev_ops *ops;
    dev_memory memory;
    unsigned ordinal; /* of the driver's devices */
    /* The kernel table where a launch is a plain call (the CPU device); else NULL. */
    const dev_kernel_function *host_kernels;
    bool is_host;          /* addresses can be dereferenced, launches finish at once */
    uint32_t chunk_rows;   /* how many rows a chunk should have */
    uint32_t stream_count; /* streams worth running at once; 0: as many as worker threads */
    const char *isa;       /* for EXPLAIN */
    cpu_isa host_isa;      /* bounds what the host runs for it: checksums, say */
    /* Lazy devices: several instructions of an expression go to the kernel `expression`. */
    bool runs_tiles;
    bool
        has_rows_in_slots; /* joins' tables have a build row's number beside its key: one access for both */
    dev_codecs codecs;  /* lazy devices */
    mem_budget *budget; /* of its memory; the device holds a reference */
    /* A part of what the budget counts: pages of Parquet files, as read and decompressed. */
    _Atomic uint64_t page_bytes;
    device *host; /* lazy devices: pinned memory as a host device (dev_host); or NULL */
    /* Set by who has told others of pieces of host_alloc's memory: called before one goes. Or NULL. */
    void (*_Atomic host_gone)(void *start, size_t bytes);
    /* Set, before the device is shared, by who keeps files' bytes in its memory: its own, and how it lets go of them, when
     * the device retires and, for good, before it is closed. Or NULL. */
    void *keeper;
    void (*end_keeper)(device *dev, bool is_closing);
    _Atomic uint32_t references;
};

struct dev_stream {
    device *dev;
    /* Set by lazy devices: since it was opened it was told to launch, to copy, to zero, or to wait for another
     * stream. Else there is nothing of it to await. */
    bool has_work;
    /* Set by who runs tasks on the stream: how long kernels take is counted (kernel_nanoseconds). */
    bool is_timed;
    /* Set by who runs tasks on the stream: called once, before the first launch; NULL: nothing is. */
    status (*begin)(dev_stream *stream, void *argument);
    /* Set by who runs the task: returns when the stream has reached the event, or, NULL, done what is enqueued, and
     * lends the thread to others meanwhile. NULL: the thread waits. */
    status (*await)(dev_stream *stream, dev_event *event, void *argument);
    /* Set by who runs the task: returns when memory that was released is free, or *out_was false at once if none is
     * on its way. */
    status (*await_memory)(dev_stream *stream, bool *out_was, void *argument);
    void *await_argument;
    /* Set by who runs the task, if work comes in chunks: how many have ended, and where the last one did, or NULL. */
    uint64_t chunk_count;
    dev_event *chunk_end;
};

/* A chunk of a stream's. The stream is only compared: it may be closed since. */
typedef struct dev_moment {
    const dev_stream *stream;
    uint64_t chunk; /* its chunk_count */
} dev_moment;

static inline dev_moment dev_moment_of(const dev_stream *stream)
{
    return (dev_moment){stream, stream->chunk_count};
}

/* Returns when the stream has done what is enqueued. The caller's thread may be another one
 * afterwards: it holds no mutex, nor the address of a thread-local variable. */
CHECKED status dev_stream_await(dev_stream *stream);
/* Returns when the event is reached, and frees it, also on failure. `since`: where it was recorded. As
 * above, but what was enqueued for the present chunk goes on; what this stream was asked before is
 * awaited together, so that a task is woken once a chunk for all that it asked in the one before. */
CHECKED status dev_event_await(dev_stream *stream, dev_event *event, dev_moment since);

/* isa: "auto" or the name of one that this machine has. chunk_rows 0: the device's own choice. */
CHECKED status dev_open_cpu(const char *isa, uint32_t chunk_rows, mem_budget *budget, device **out);
/* A GPU's manners on the CPU, for tests: src/device/simulated. */
CHECKED status dev_open_simulated(uint32_t chunk_rows, mem_budget *budget, device **out);
/* A model of a GPU's costs, before the first stream is opened: what each launch, copy and zeroing
 * takes of its stream's time beside the work, and what a thread that waits pays for that, and a task
 * that is woken. In microseconds; 0 at first. */
CHECKED status dev_simulated_cost(device *simulated, uint64_t launch_microseconds,
                                  uint64_t wait_microseconds);
/* Which commands are late at random, and how; 0: none is. */
void dev_simulated_seed(device *simulated, uint64_t seed);
/* Gives a lazy device its host side, once, before anybody uses it: memory of host_alloc, which is
 * charged to `budget`. On a host device nothing is to be done. */
CHECKED status dev_host_open(device *dev, mem_budget *budget);
/* The device in whose memory a device's rows are when they are in the host's reach: a host device
 * itself, else one of pinned memory. That one opens no streams, as nothing is ever late there: a zeroed
 * dev_stream with `dev` set is one. It lives as long as dev: whoever holds its memory holds dev. */
static inline device *dev_host(device *dev)
{
    return dev->is_host ? dev : dev->host;
}
/* The ordinal-th device of NVIDIA's driver, in its own order; one line says why there is none:
 * src/device/cuda. */
CHECKED status dev_open_cuda(unsigned ordinal, uint32_t chunk_rows, mem_budget *budget,
                             device **out);
/* For measurements, before anybody copies: memory of host_alloc is not pinned, so that the driver copies
 * what goes to and from the device once more, and the thread waits. */
void dev_cuda_unpin(device *cuda);
/* The NUMA node of each of the driver's devices, -1 where it is not known; the caller's (mem_free). */
CHECKED status dev_cuda_nodes(int **out_nodes, unsigned *out_count);
/* The link between two of the driver's devices. */
typedef struct dev_cuda_link {
    bool is_direct; /* each reaches the other's memory */
    int rank;       /* 0: as fast as the machine's fastest; more: slower */
} dev_cuda_link;
CHECKED status dev_cuda_find_link(unsigned from, unsigned to, dev_cuda_link *out);
/* How much of its memory may be ours: the most that its budget should allow. */
CHECKED status dev_cuda_memory(unsigned ordinal, uint64_t *out_bytes);
/* Tells which codecs CUDA devices decompress. */
CHECKED status dev_cuda_codecs(dev_codecs *out);
/* Writes in a line who decompresses pages of which codecs: "pages are decompressed by kernels (snappy), by ..."; ""
 * if that is of no interest. */
void dev_codecs_text(const dev_codecs *codecs, char *text, size_t bytes);
/* Rows of a lazy device's chunks, where nobody says how many: `usual`, or as many as keep several
 * streams' chunks small beside the memory. */
uint32_t dev_chunk_rows(const mem_budget *budget, uint32_t usual);
/* Returns how many rows a chunk has on a device with so many multiprocessors and so much memory for it: a power of two above
 * `usual`, or `usual` where either is small. */
uint32_t dev_large_chunk_rows(uint64_t memory_bytes, uint64_t multiprocessors, uint32_t usual);
/* Returns for how many rows an operator makes room before it knows how many come: a chunk, unless that is large. */
static inline uint32_t dev_room_rows(const device *dev)
{
    const uint32_t most = 1u << 20;
    return dev->chunk_rows < most ? dev->chunk_rows : most;
}
/* Adds a holder of the device: every holder of its memory beyond the one who opened it is one. */
device *dev_ref(device *dev);
/* The opener will run no query any more: memory that is out may hold the device for long. Takes NULL. */
void dev_retire(device *dev);
/* Gives a reference up, the opener's or another; the device goes with the last one, which holds
 * none of its memory any more. Takes NULL. Any thread. */
void dev_close(device *dev);

/* See dev_ops.client_enter. */
static inline void *dev_client_enter(device *dev)
{
    return dev->ops->client_enter ? dev->ops->client_enter(dev) : NULL;
}

static inline void dev_client_leave(device *dev, void *before)
{
    if (dev->ops->client_leave)
        dev->ops->client_leave(dev, before);
}

/* Fails once the device cannot go on: see dev_ops.check. */
CHECKED static inline status dev_check(device *dev)
{
    return dev->ops->check ? dev->ops->check(dev) : STATUS_OK;
}

/* A buffer with one reference. `who` names the holder in a memory limit's error. Where a lazy device's
 * memory is full of what was released and is still in use, a task awaits that, as in dev_stream_await:
 * the caller holds no mutex. */
CHECKED status dev_alloc(device *dev, size_t bytes, const char *who, dev_buffer **out);

static inline dev_buffer *dev_buffer_ref(dev_buffer *buffer)
{
    if (buffer)
        atomic_fetch_add_explicit(&buffer->references, 1, memory_order_relaxed);
    return buffer;
}

/* Marks a buffer that was just allocated: pages are in it, which are the scan's as long as nobody keeps them. */
static inline void dev_buffer_set_page(dev_buffer *buffer)
{
    buffer->is_page = true;
    atomic_fetch_add_explicit(&buffer->dev->page_bytes, buffer->bytes, memory_order_relaxed);
}

static inline void dev_buffer_unref(dev_buffer *buffer) /* takes NULL */
{
    if (!buffer || atomic_fetch_sub_explicit(&buffer->references, 1, memory_order_acq_rel) != 1)
        return;
    if (buffer->is_page)
        atomic_fetch_sub_explicit(&buffer->dev->page_bytes, buffer->bytes, memory_order_relaxed);
    buffer->is_page = false;
    buffer->dev->ops->release(buffer);
}

/* Marks a buffer that somebody beside the engine holds: see dev_ops.export. Takes NULL. */
static inline void dev_buffer_export(dev_buffer *buffer)
{
    if (buffer && buffer->dev->ops->export)
        buffer->dev->ops->export(buffer);
}

/* Does what comes before the first launch (dev_stream.begin). */
CHECKED status dev_stream_begin(dev_stream *stream);

/* Enqueues kernel `name` with a compound literal of its arguments:
 *     TRY(DEV_LAUNCH(stream, gather, .base = ..., .index = ..., .count = ...)); */
#define DEV_LAUNCH(stream, name, ...)                                                              \
    dev_launch_((stream), DEV_KERNEL_##name, &(name##_arguments){__VA_ARGS__},                     \
                sizeof(name##_arguments))

CHECKED static inline status dev_launch_(dev_stream *stream, dev_kernel_id kernel,
                                         const void *arguments, size_t argument_bytes)
{
    device *dev = stream->dev;
    if (dev->host_kernels) {
        dev->host_kernels[kernel](arguments);
        return cancel_seen();
    }
    if (__builtin_expect(stream->begin != NULL, 0))
        TRY(dev_stream_begin(stream));
    return dev->ops->launch(stream, kernel, arguments, argument_bytes);
}

/* Functions of the host's kernels, one build for all instruction sets: dev_<name>. */
#define KERNEL(name, ...)
#define CPU_KERNEL KERNEL
#define HOST_KERNEL(name, ...) void dev_##name(const name##_arguments *a);
#include "device/kernels/kernels.def"
#undef KERNEL

/* Has no device but a host device this kernel? */
bool dev_kernel_is_host(dev_kernel_id kernel);

/* Makes a count exact where that needs no waiting (on a host device); else leaves it. */
static inline void dev_count_settle(const device *dev, dev_count *count)
{
    if (count->actual && dev->is_host) {
        if (*count->actual < count->bound)
            count->bound = *count->actual;
        count->actual = NULL;
    }
}

#endif
