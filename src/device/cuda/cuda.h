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
 * Each .c has a header of its name; device.c's functions are below.
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

#include "base/system/mutex.h"
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
    bool is_pinned;             /* of the host's: */
    bool is_registered;         /* mapped by us, and the driver was told */
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
    uint64_t multiprocessors;
    bool takes_registered;     /* memory that it was told of has the same address for it */
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
