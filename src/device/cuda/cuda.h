/* cuda.h - inside the CUDA device: what its files share.
 *
 *   device.c   opening: driver, context, kernels; closing
 *   stream.c   streams, their progress, events          wake.c    the thread that wakes waiting tasks
 *   memory.c   device memory and pinned host memory      copy.c    copies
 *   pool.c     buffers that are kept, by size            merge.c   small ones that become a large one
 *   reuse.c    memory that a stream takes again at once
 *   launch.c   kernels, by cuda_kernels.def              window.c  commands put together before they are begun
 *   library.c  pages that nvCOMP decompresses            nvcomp.c  nvCOMP
 *   trace.c    what streams were told last               piece.c   pieces from the driver, or one for each buffer
 *   timing.c   how long kernels take
 *   debug.c    variables that ask for more; names        kept.c    the context and the module
 *
 * What a stream is told to do stays in its window (launch_window.h) until it is full, or a mark is
 * wanted. A stream's progress is a word in pinned memory. Now and then a mark is enqueued: a number that the
 * stream writes there when it gets so far. Marks of all streams are numbered by one clock, so an
 * event is (stream, number), and memory released at a time is free when each stream's progress is
 * not below that time, or the stream has nothing left. Nothing of this asks the driver to wait.
 *
 * Locks: cuda_device.lock (streams, memory), then cuda_stream.lock (order of what is enqueued);
 * cuda_waker.lock is a leaf. */
#ifndef PISTACHIO_DEVICE_CUDA_CUDA_H
#define PISTACHIO_DEVICE_CUDA_CUDA_H

#include "base/mutex.h"
#include "device/cuda/debug.h"
#include "device/cuda/driver.h"
#include "device/cuda/extra.h"
#include "device/cuda/nvcomp.h"
#include "device/device.h"
#include "device/launch_window.h"

#include <pthread.h>

#define CUDA_PEERS_MAX 64 /* devices of a process that may reach each other's memory */
#define CUDA_CLASSES 128
#define CUDA_LARGER_CLASSES 4 /* a buffer that is used again may be as much larger: twice */

typedef struct cuda_device cuda_device;
typedef struct cuda_stream cuda_stream;

typedef struct cuda_pool cuda_pool;
typedef struct cuda_timing cuda_timing;

typedef struct cuda_buffer {
    dev_buffer base;
    struct cuda_buffer *next; /* of those released, or kept */
    size_t room;              /* of its size class */
    size_t charged;           /* to the budget: of the class that was asked for */
    unsigned class;
    cuda_pool *pool; /* that it is of */
    bool is_host;
    bool is_kept;               /* in the pool */
    struct cuda_piece *apart;   /* piece.c: its own; or NULL */
    uint32_t block;             /* of the device's memory: its number among the blocks */
    struct cuda_buffer *merged; /* merge.c: that it has become one with, */
    size_t own_room;            /* and the room that it had before */
    _Atomic bool is_exported;
    bool is_lent;
    uint64_t number; /* released: free when streams have passed this */
    /* reuse.c: */
    _Atomic uint64_t user; /* the only stream that was told to use it, by its id; 0: none */
    _Atomic uint64_t
        renewed_by;   /* the stream that took it though it still used the old bytes; or 0 */
    uint64_t flushes; /* of its stream, when it was released */
} cuda_buffer;

/* Memory of one kind in size classes; what was used once is kept. Under the device's lock. */
struct cuda_pool {
    char *free, *end; /* got from the driver, not yet given out */
    size_t bytes;     /* of the host's: got so far */
    bool is_growing;  /* a thread is at it, without the device's lock */
    cuda_buffer *kept[CUDA_CLASSES];
    size_t kept_bytes;
};

/* A piece that the driver gave. */
typedef struct cuda_piece {
    struct cuda_piece *next;
    char *address;
    size_t bytes;
    cuda_allocation allocation; /* of device memory */
    bool is_pinned;             /* of the host's */
} cuda_piece;

typedef struct cuda_memory {
    cuda_address range; /* addresses for all of the device's memory */
    size_t range_bytes, mapped_bytes, granularity;
    cuda_pool device, pinned, pageable;
    cuda_piece *device_pieces;
    block_starts blocks;             /* of the device's, */
    block_starts owners;             /* and their cuda_buffers' addresses, in the same order */
    cuda_piece *_Atomic host_pieces; /* only ever grows: read without the lock */
    cuda_buffer *open;               /* released, no number yet */
    size_t open_count;
    cuda_buffer *closed, **closed_end; /* in the order of their numbers */
    unsigned closing;                  /* threads that are giving released buffers their number */
    cuda_buffer *gone;                 /* piece.c: without memory, as blocks name them */
} cuda_memory;

typedef enum cuda_command_kind {
    CUDA_COMMAND_LAUNCH,
    CUDA_COMMAND_COPY_IN,
    CUDA_COMMAND_COPY_OUT,
    CUDA_COMMAND_COPY,
    CUDA_COMMAND_COPY_ACROSS, /* from the memory of `from` */
    CUDA_COMMAND_ZERO,
    CUDA_COMMAND_LIBRARY, /* `arguments`: an nvcomp_batch */
    CUDA_COMMAND_EVENT
} cuda_command_kind;

/* A command in a window. */
typedef struct cuda_command {
    cuda_command_kind kind;
    cuda_entry entry;
    dev_kernel_id kernel; /* of a launch */
    dev_work *work;       /* where the launch is counted; or NULL */
    unsigned threads;
    cuda_extra extra;
    void *target;
    const void *source;
    size_t bytes; /* of a copy; or of the arguments */
    struct dev_event *event;
    const cuda_device *from; /* of a copy from another device */
    _Alignas(16) unsigned char arguments[DEV_ARGUMENT_BYTES];
} cuda_command;

struct cuda_stream {
    dev_stream base;
    struct cuda_stream *next; /* of the device's */
    cuda_queue queue;
    pthread_mutex_t lock;
    _Atomic uint64_t *progress; /* pinned */
    _Atomic uint64_t last_mark;
    _Atomic bool has_unmarked; /* something is enqueued behind the last mark */
    launch_window window;
    cuda_command commands[WINDOW_COMMANDS]; /* the window's, in its order */
    dev_buffer *scratch;
    size_t scratch_used, scratch_zeroed; /* of its bytes: given to launches, of them zeroed */
    _Atomic uint32_t references;         /* the owner's, and one of each event */
    uint64_t id;                         /* of all streams that there ever were */
    _Atomic uint64_t flushes;            /* how often its window was begun */
    cuda_buffer *released;               /* that it alone used: reuse.c */
    unsigned released_count;
    cuda_last_launches last_launches;
    struct cuda_timing *timing; /* timing.c; NULL: none of its launches was timed */
};

struct dev_event {
    struct dev_event *next; /* of those that the waker looks at */
    cuda_stream *stream;
    _Atomic uint64_t number;     /* CUDA_NO_NUMBER: in the window */
    _Atomic uint32_t references; /* the holder's, the waker's, the window's */
    _Atomic bool was_asked;
    void (*wake)(void *argument);
    void *argument;
};

#define CUDA_NO_NUMBER UINT64_MAX

typedef struct cuda_waker {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    pthread_t thread;
    dev_event *events;
    bool is_started, is_closing;
    bool has_new; /* events, since it looked last */
    cuda_patience patience;
} cuda_waker;

struct cuda_device {
    device base;
    const cuda_driver *driver;
    cuda_ordinal ordinal;
    cuda_context context; /* the process's primary one of this device; NULL: not retained */
    cuda_module module;
    const nvcomp_library *library; /* or NULL */
    cuda_function functions[CUDA_ENTRIES];
    char isa[32];
    uint64_t blocks_at_a_time; /* of CUDA_BLOCK threads, on all multiprocessors */
    pthread_mutex_t lock;
    pthread_cond_t grown; /* a pool has, or could not; or released buffers have their number */
    cuda_stream *streams;
    _Atomic uint64_t clock;
    cuda_memory memory;
    uint64_t peers; /* a bit for each device that has access to this one's memory: under the lock */
    cuda_waker waker;
    cuda_stream *idle; /* closed, for the next that is opened: under idle_lock */
    unsigned idle_count;
    pthread_mutex_t idle_lock;
    bool is_unpinned;      /* what copies go through is not pinned */
    _Atomic bool is_lost;  /* nothing enqueued will be done any more */
    status lost;           /* why; set before is_lost */
    _Atomic bool is_stuck; /* and a launch may never end: the driver is not asked to wait for it */
    cuda_debug debug;
};

/* Take and give up the device's lock. An emulation is told, to count calls of the driver that others wait for. */
static inline void cuda_lock(cuda_device *dev)
{
    mutex_lock(&dev->lock);
    if (dev->driver->watch_lock)
        dev->driver->watch_lock(1);
}

static inline void cuda_unlock(cuda_device *dev)
{
    if (dev->driver->watch_lock)
        dev->driver->watch_lock(-1);
    mutex_unlock(&dev->lock);
}

/* Before driver calls of this thread. */
CHECKED status cuda_enter(const cuda_device *dev);
/* Returns the failure of a device that is lost; else success. */
CHECKED status cuda_check(device *dev);
/* A call on the stream said that something before it failed: the device is lost from here on. */
void cuda_lose(const cuda_stream *stream, cuda_result result, const char *where);
void cuda_lose_for(cuda_device *dev, status why);

/* ---- kept.c ---- */
/* The device's context: the process's, which is retained once. */
CHECKED status cuda_kept_context(cuda_device *dev);
/* False: the file of kernels is not loaded yet. */
bool cuda_kept_module(cuda_device *dev, const char *path);
void cuda_kept_add_module(const cuda_device *dev, const char *path);
/* The context is of no use any more, to any device of the process. */
void cuda_kept_lose(cuda_device *dev);

/* ---- stream.c ---- */
/* Under the stream's lock: waits for all that the driver was told. */
CHECKED status cuda_stream_await(cuda_stream *stream);
/* Loses the device if the stream has stood still for PISTACHIO_CUDA_TIMEOUT. Called again and again by a thread that
 * waits for it. */
void cuda_lose_patience(cuda_device *dev, const cuda_stream *stream, cuda_patience *patience);
CHECKED status cuda_stream_open(device *dev, dev_stream **out);
/* Before the device's memory goes: streams that were kept for the next ones go. */
void cuda_streams_end(cuda_device *dev);
void cuda_stream_close(dev_stream *stream);
void cuda_stream_drain(dev_stream *stream);
/* Under the stream's lock: has it write a new number when it gets here, behind what the window has. */
CHECKED status cuda_stream_mark(cuda_stream *stream, uint64_t *out_number);
/* Writes a mark before what the window has. */
CHECKED status cuda_stream_write_mark(cuda_stream *stream, uint64_t *out_number);
/* Has all streams begin what they have kept, and then write marks; returns a number between the two: what streams were told before
 * is done when all have passed it. Under the device's lock, which is given up while the driver is told. */
uint64_t cuda_streams_number(cuda_device *dev);
/* Has the stream write a mark if something is enqueued behind its last one. Under no lock. */
void cuda_stream_mark_rest(cuda_stream *stream);
/* Everything enqueued when `number` was the clock's is done. Under the device's lock. */
bool cuda_streams_passed(cuda_device *dev, uint64_t number);
/* Returns whether one stream has passed the mark. */
bool cuda_stream_passed(const cuda_stream *stream, uint64_t number);
/* Has wake(argument) called when the stream has written a mark. Takes over a reference of the stream's. */
CHECKED status cuda_notify_at_mark(cuda_stream *stream, uint64_t mark, void (*wake)(void *),
                                   void *argument);
CHECKED status cuda_event_record(dev_stream *stream, void (*wake)(void *), void *argument,
                                 dev_event **out);
CHECKED status cuda_stream_wait(dev_stream *stream, dev_event *event);
CHECKED status cuda_event_notify(dev_event *event, void (*wake)(void *), void *argument);
bool cuda_event_reached(dev_event *event);
/* Returns whether the event has passed, without counting the question. */
bool cuda_event_passed(const dev_event *event);
void cuda_event_wait(dev_event *event);
void cuda_event_free(dev_event *event);
/* Between two looks at a word: the thread spins, then sleeps, longer from turn to turn. */
void cuda_pause(const cuda_device *dev, unsigned *turn);
/* Pauses a thread that sleeps by itself: spins, or says for how many nanoseconds to sleep; 0: it has spun. */
long cuda_pause_length(const cuda_device *dev, unsigned *turn);
/* Has the calling thread sleep no longer than it asks for: the kernel adds up to 50 microseconds otherwise, so as to
 * wake threads together. Returns what it was (prctl PR_SET_TIMERSLACK). */
int cuda_sleep_exactly(void);
/* Asks the driver, each so many looks, whether the device still is there: else it is lost. */
void cuda_ask_driver(cuda_device *dev, const cuda_stream *stream);
#define CUDA_TURNS_PER_QUESTION 256
void cuda_stream_unref(cuda_stream *stream);

/* ---- wake.c ---- */
void cuda_waker_init(cuda_waker *waker);
CHECKED status cuda_waker_add(cuda_device *dev, dev_event *event);
void cuda_waker_release(cuda_waker *waker);

/* ---- memory.c ---- */
CHECKED status cuda_memory_open(cuda_device *dev);
void cuda_memory_close(cuda_device *dev);
CHECKED status cuda_alloc(device *dev, size_t bytes, const char *who, dev_buffer **out);
/* Pinned memory, or pageable where copies are to go through that. Not charged to the budget. */
CHECKED status cuda_host_alloc(device *dev, size_t bytes, const char *who, void **out);
/* Pinned in any case: what the device writes by itself. Goes by cuda_host_free. */
CHECKED status cuda_pinned_alloc(cuda_device *dev, size_t bytes, const char *who, void **out);
void cuda_host_free(device *dev, void *address, size_t bytes);
void cuda_host_piece(device *dev, const void *address, void **out_start, size_t *out_bytes);
/* The address is in memory that was taken for copies. */
bool cuda_is_host(const cuda_device *dev, const void *address, bool *out_is_pinned);
void cuda_release(dev_buffer *buffer);
void cuda_export(dev_buffer *buffer);
size_t cuda_lend(dev_buffer *buffer);
CHECKED status cuda_memory_notify(dev_stream *stream, void (*wake)(void *), void *argument,
                                  bool *out_will);
bool cuda_memory_wait(device *dev);

/* ---- piece.c ---- */
const cuda_allocation_properties *cuda_piece_properties(const cuda_device *dev,
                                                        cuda_allocation_properties *out);
/* Maps memory at a place of the range, for the caller alone. */
CHECKED status cuda_map_piece(const cuda_device *dev, cuda_address at, size_t bytes,
                              cuda_piece *piece);

/* How many addresses it takes for a device of so much memory. */
size_t cuda_apart_range(size_t total);
/* Under the device's lock: a mapping that ends where a buffer of so many bytes ends, whose address is *out_address. */
CHECKED status cuda_apart_map(cuda_device *dev, size_t bytes, cuda_piece *piece, char **out_address,
                              size_t *out_room);
/* Unmaps a buffer that has a mapping of its own. */
void cuda_apart_unmap(const cuda_device *dev, cuda_buffer *buffer);

/* ---- pool.c ---- */
/* The class for so many bytes, and how many it has. */
unsigned cuda_class_of(size_t bytes, size_t *out_room);
/* The largest class that has no more bytes. */
unsigned cuda_class_within(size_t bytes);
/* Under the device's lock: has its pool keep a buffer; takes one of a class from `class` to below `end`, or NULL. */
void cuda_pool_keep(cuda_buffer *buffer);
cuda_buffer *cuda_pool_take(cuda_pool *pool, unsigned class, unsigned end);

/* ---- merge.c ---- */
/* Returns the buffer of a block of memory that is in use. */
cuda_buffer *cuda_block_owner(const cuda_device *dev, uint32_t block);
/* Under the device's lock: one of at least so many bytes, of kept ones; or NULL. */
cuda_buffer *cuda_merge_kept(cuda_device *dev, size_t room);
/* Splits a kept block of the class or of a larger one that was merged into what it was before. */
bool cuda_split_kept(cuda_device *dev, unsigned class);
/* With those that were merged into it. */
void cuda_buffer_free(cuda_buffer *buffer);

/* ---- reuse.c ---- */
uint64_t cuda_stream_new_id(void);
/* The stream is told to use blocks. Under no lock. */
CHECKED status cuda_reuse_note(cuda_stream *stream, const window_use *uses, unsigned count);
/* Under the device's lock: whether a released buffer is kept for the stream that alone uses it. */
bool cuda_reuse_keep(cuda_device *dev, cuda_buffer *buffer);
/* Under the device's lock: what was kept is anybody's once streams have passed. */
void cuda_reuse_end(cuda_stream *stream);
void cuda_reuse_end_all(cuda_device *dev);
/* One that the calling task's stream has released, of the class, still charged; or NULL. */
cuda_buffer *cuda_reuse_take(cuda_device *dev, unsigned class, size_t bytes);

/* ---- copy.c ---- */
CHECKED status cuda_copy_in(dev_stream *stream, void *target, const void *source, size_t bytes);
CHECKED status cuda_copy_out(dev_stream *stream, void *target, const void *source, size_t bytes);
CHECKED status cuda_copy(dev_stream *stream, void *target, const void *source, size_t bytes);
CHECKED status cuda_zero(dev_stream *stream, void *target, size_t bytes);
CHECKED status cuda_copy_from(dev_stream *stream, void *target, device *from, const void *source,
                              size_t bytes);

/* ---- window.c ---- */
/* Adds a command, behind those that use what it uses; an event comes behind all of them. Takes the
 * stream's lock. */
CHECKED status cuda_window_add(cuda_stream *stream, const cuda_command *command,
                               const kernel_use *uses, unsigned use_count);
/* Under the stream's lock: has the driver do what the window has. A call that fails loses the device. */
void cuda_window_flush(cuda_stream *stream);
void cuda_stream_flush(dev_stream *stream);

/* ---- launch.c ---- */
/* Under the stream's lock: one launch of jobs of one function. */
CHECKED status cuda_launch_jobs(cuda_stream *stream, cuda_command *const *jobs, unsigned count);
/* Finds the kernels in the module, and that they are of this program's version. */
CHECKED status cuda_kernels_find(cuda_device *dev);
CHECKED status cuda_launch(dev_stream *stream, dev_kernel_id kernel, const void *arguments,
                           size_t argument_bytes);
/* False: launching it fails. */
bool cuda_has_kernel(dev_kernel_id kernel);

/* ---- trace.c ---- */
/* Under the stream's lock: notes commands that the driver is about to be told, one launch if there are several; tells
 * them where they are traced. */
void cuda_trace_begin(cuda_stream *stream, cuda_command *const *commands, unsigned count);
/* Adds to a failure the launches that the stream, or another one, may still have to end. */
CHECKED status cuda_trace_name_launches(const cuda_stream *stream, status st);

/* ---- timing.c; under the stream's lock, but for cuda_timing_free ---- */
struct timed_launch;
/* Comes before the launch; NULL: it is not timed. */
struct timed_launch *cuda_timing_begin(cuda_stream *stream, dev_work *work);
void cuda_timing_end(cuda_stream *stream, struct timed_launch *launch); /* takes NULL */
/* Counts launches that have ended. */
void cuda_timing_count(cuda_stream *stream);
void cuda_timing_free(cuda_stream *stream);

/* A driver's function on the stream, its failure made a status. Under the stream's lock. */
#define CUDA_STREAM_CALL(stream, name, ...)                                                        \
    ({                                                                                             \
        cuda_device *call_dev_ = (cuda_device *)(stream)->base.dev;                                \
        cuda_result call_result_ = call_dev_->driver->name(__VA_ARGS__);                           \
        call_result_ ? cuda_stream_failure((stream), call_result_, #name) : STATUS_OK;             \
    })
/* A failure of a call on a stream, which loses the device where the error is one that stays. */
CHECKED status cuda_stream_failure(const cuda_stream *stream, cuda_result result, const char *call);

#endif
