/* stream.h - inside the simulated device: what its files share.
 *
 *   simulated.c  streams, events, commands        allocate.c  memory, and when it may be used again
 *   memory.c     the addresses                    cost.c      a model of a GPU's costs
 *
 * Commands are numbered in the order in which they were queued, over all streams; those of a window
 * have the number of its first one. */
#ifndef PISTACHIO_DEVICE_SIMULATED_STREAM_H
#define PISTACHIO_DEVICE_SIMULATED_STREAM_H

#include "device/launch_window.h"
#include "device/simulated/cost.h"

typedef enum command_kind {
    COMMAND_KERNEL,
    COMMAND_COPY,
    COMMAND_ZERO,
    COMMAND_MARK, /* memory is used again: what was in it is spoilt */
    COMMAND_EVENT,
    COMMAND_WAIT
} command_kind;

typedef struct simulated_device simulated_device;

/* Memory that was given back and may still be in use. */
typedef struct released {
    struct released *next;
    uint64_t number; /* of the first command after its release */
    bool is_host;
    void *address;
    size_t bytes;
    void *buffer; /* the device's: the struct, to be freed as well */
} released;

/* In the order of their numbers. */
typedef struct released_list {
    released *first, **end;
} released_list;

typedef struct simulated_buffer {
    dev_buffer base;
    released later; /* made before it is needed, as releasing cannot fail */
    _Atomic bool is_exported;
    bool is_lent;
} simulated_buffer;

struct dev_event {
    simulated_device *dev;
    struct simulated_stream *stream;
    late_wake late;
    _Atomic uint32_t references; /* the holder's and the stream's */
    _Atomic bool is_reached, was_asked;
    bool is_kept; /* in the stream's window */
    void (*wake)(void *argument);
    void *argument;
};

typedef struct command {
    struct command *next;
    struct command *together; /* more of the same kernel, in the same launch */
    uint64_t number;
    dev_work *work; /* where it is counted; or NULL */
    bool is_timed;  /* how long its launch takes is counted, too */
    command_kind kind;
    union {
        struct {
            dev_kernel_id kernel;
            _Alignas(16) unsigned char arguments[DEV_ARGUMENT_BYTES];
        };
        struct {
            void *target;
            const void *source;
            size_t bytes;
        };
        struct {
            void *address;
            size_t bytes_before, bytes_now;
        } mark;
        dev_event *event;
    };
} command;

typedef struct simulated_stream {
    dev_stream base;
    struct simulated_stream *next; /* of the device's */
    uint32_t id;                   /* of all streams that there ever were in the process */
    pthread_t thread;
    pthread_cond_t changed;
    pthread_cond_t idle; /* nothing is enqueued or running */
    command *first, **end;
    command *running; /* taken off the queue, not done */
    launch_window window;
    uint64_t window_number; /* if the window is not empty */
    released_list released; /* used by no other stream */
    /* Called by its thread when released memory has gone, or NULL; has_memory: some has. */
    void (*memory_wake)(void *argument);
    void *memory_argument;
    bool has_memory;
    bool is_ending;
    unsigned drainers;   /* threads that wait until it is idle */
    unsigned late_wakes; /* of events that it has reached */
    uint64_t debt;       /* nanoseconds that its launches cost and that have not passed */
    uint64_t random;
} simulated_stream;

struct simulated_device {
    device base;
    pthread_mutex_t lock; /* streams, their queues, events, released buffers */
    pthread_cond_t reached;
    pthread_cond_t reclaimed; /* released buffers have gone */
    uint64_t next_number;
    released_list released;
    simulated_stream *streams;
    simulated_stream *closed; /* to be opened again */
    uint64_t seed;
    bool is_punctual;                /* no command is late at random */
    uint64_t launch_cost, wait_cost; /* nanoseconds */
    cost_waker waker;
};

#endif
