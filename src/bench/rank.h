/* rank.h - one rank of a measurement: its place in the network, a device, a stream. */
#ifndef PISTACHIO_BENCH_RANK_H
#define PISTACHIO_BENCH_RANK_H

#include "base/setting/setting.h"
#include "exec/sched/operator.h"
#include "net/net.h"

#include <pthread.h>

/* Bytes of a device's memory that go along with a message, and hold the device. */
typedef struct bench_cargo {
    net_cargo base;
    dev_buffer *owner;
    const void *address;
} bench_cargo;
CHECKED status bench_cargo_load(net_message *message, dev_buffer *owner, const void *address,
                                uint64_t bytes);

typedef struct bench_rank {
    unsigned rank, ranks;
    bool owns_process; /* its processor time is the process's; else rank 0's is that of all */
    net_comm *comm;    /* borrowed */
    net_query *query;
    mem_budget *budget;
    device *dev;
    exec_task task; /* of no query: for what launches kernels of a join table */
    uint32_t next_id;
    uint64_t bytes_sent; /* by streams, to other ranks */
    bool sends_cargo;    /* ranks are threads, whose devices copy from each other */
    /* Its thread sleeps here until something has come. */
    pthread_mutex_t lock;
    pthread_cond_t changed;
    bool is_woken;
} bench_rank;

/* One of the things that a rank may wait for at once. Zeroed but for `rank`. */
typedef struct bench_waiter {
    net_waiter waiter;
    bench_rank *rank;
    bool is_registered;
} bench_waiter;

/* Query `number` of the communicator; the device is the settings'. The calling thread is the rank's until
 * bench_rank_close, also after a failure. */
CHECKED status bench_rank_open(net_comm *comm, uint64_t number, bool owns_process,
                               const settings *s, bench_rank *out);
/* st, which it takes, or what the query failed with: the caller's. All ranks learn of it. */
CHECKED status bench_rank_close(bench_rank *r, status st);

/* Returns what to give to a net_try_ function: NULL while it is registered. Then what that said. */
net_waiter *bench_waiter_arm(bench_waiter *w);
void bench_waiter_said(bench_waiter *w, const net_waiter *given, net_state said);
/* Sleeps until a waiter of the rank's has been called since the last time. */
void bench_rank_sleep(bench_rank *r);
/* Sleeps until the waiter is not registered, as it soon will not be: what it waited for is closed. */
void bench_waiter_settle(bench_waiter *w);

/* Each word of all ranks combined (net_operation), in place. */
CHECKED status bench_agree(bench_rank *r, uint64_t *words, const uint8_t *operations,
                           uint32_t count);
/* Returns when all ranks have come here. */
CHECKED status bench_barrier(bench_rank *r);

/* Time between barriers, at which the rank's stream has done what it was told, and the process's processor time, added up. */
typedef struct bench_clock {
    double seconds, cpu_seconds;
    double started, cpu_started;
} bench_clock;
CHECKED status bench_clock_start(bench_rank *r, bench_clock *clock);
CHECKED status bench_clock_stop(bench_rank *r, bench_clock *clock);
double bench_seconds(void);

#endif
