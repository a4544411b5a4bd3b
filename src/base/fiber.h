/* fiber.h - functions that can be left in the middle and gone on with later, on any thread.
 *
 * A fiber has a stack of its own. fiber_resume() runs it on the calling thread until it ends or
 * calls fiber_suspend(); the next fiber_resume() goes on behind that, perhaps on another thread.
 * So what must not be held across fiber_suspend(): mutexes, and addresses of thread-local
 * variables. One thread at a time; sanitizers are told of the switches. */
#ifndef PISTACHIO_BASE_FIBER_H
#define PISTACHIO_BASE_FIBER_H

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

#endif
