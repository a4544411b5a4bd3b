/* cost.h - inside the simulated device: time that passes as on a GPU, without a core being busy. */
#ifndef PISTACHIO_DEVICE_SIMULATED_COST_H
#define PISTACHIO_DEVICE_SIMULATED_COST_H

#include "base/status.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

uint64_t cost_now(void); /* nanoseconds of the monotonic clock */
/* Returns at `due` or a little later; the last microseconds it spins, as timers are late. */
void cost_sleep_until(uint64_t due);

/* Something to be called at a time. All of a waker's are late by the same time: they are due in the
 * order in which they are added. */
typedef struct late_wake {
    struct late_wake *next;
    uint64_t due;
    void (*call)(struct late_wake *wake);
} late_wake;

typedef struct cost_waker {
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    late_wake *first, **end;
    bool is_started, is_closing;
} cost_waker;

CHECKED status cost_waker_start(cost_waker *waker); /* zeroed before */
void cost_waker_stop(cost_waker *waker); /* calls what is left; takes one that is not started */
void cost_waker_add(cost_waker *waker, late_wake *wake);

#endif
