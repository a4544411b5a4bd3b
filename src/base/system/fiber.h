/* fiber.h - functions that can be left in the middle and gone on with later, on any thread.
 *
 * A fiber has a stack of its own. fiber_resume() runs it on the calling thread until it ends or
 * calls fiber_suspend(); the next fiber_resume() goes on behind that, perhaps on another thread.
 * So what must not be held across fiber_suspend(): mutexes, and addresses of thread-local
 * variables. One thread at a time; sanitizers are told of the switches. */
#ifndef PISTACHIO_BASE_SYSTEM_FIBER_H
#define PISTACHIO_BASE_SYSTEM_FIBER_H

#include "base/status.h"

#include <stdbool.h>

typedef struct fiber fiber;

/* Runs nothing yet. The stack is reserved, not touched; behind its end lies a page that faults. */
CHECKED status fiber_new(void (*body)(void *argument), void *argument, fiber **out);
/* True: the body has returned, and only fiber_free() may follow. */
bool fiber_resume(fiber *f);
/* On the fiber itself. */
void fiber_suspend(fiber *f);
/* One that has ended or has never run. Takes NULL. */
void fiber_free(fiber *f);

/* Fibers that have ended, for the next bodies: a stack costs three calls of the kernel, and a fault for each page that is
 * touched. One thread's at a time: nobody waits, and no thread seems to ThreadSanitizer to have waited for another. */
typedef struct fiber_store {
    fiber *first;
    unsigned count;
} fiber_store;

/* One of these, or a new one. */
CHECKED status fiber_take(fiber_store *store, void (*body)(void *argument), void *argument,
                          fiber **out);
/* One that has ended; a few are kept, others freed. */
void fiber_give(fiber_store *store, fiber *f);
/* Frees all. */
void fiber_store_release(fiber_store *store);

#endif
