/* cancel.h - whether the work that the calling thread does is still wanted.
 *
 * A thread that begins to work for a statement says by cancel_set() which flag is raised when the statement is
 * cancelled or has failed. A loop that can take more than a few milliseconds looks at the flag every CANCEL_STEPS
 * steps:
 *
 *     for (uint64_t row = 0; row < rows; row++) {
 *         if (cancel_look(row))
 *             return cancel_check();
 *
 * A function without a status stops and returns what it has. Flags are never lowered: its caller asks cancel_check()
 * before it uses the result. For kernels of the CPU device dev_launch_ does so by cancel_seen() (device.h). */
#ifndef PISTACHIO_BASE_CANCEL_H
#define PISTACHIO_BASE_CANCEL_H

#include "base/status.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

typedef _Atomic bool cancel_flag;

/* Steps between two looks: a step that takes a microsecond (a text compared, a tree's path) makes 8 ms. */
#define CANCEL_STEPS 8192

/* The calling thread works for the flag's statement from now on; NULL: for none. Returns the flag before. */
cancel_flag *cancel_set(cancel_flag *flag);
/* The flag that cancel_set has set last, for a thread that helps this one. */
cancel_flag *cancel_current(void);
/* Looks: true once the statement that the thread works for is cancelled. The fault `cancel` (fault.h) raises the
 * flag here. */
bool cancel_is_asked(void);
/* Looks, and fails once the statement is cancelled. */
CHECKED status cancel_check(void);

/* Fails if a look since cancel_set has found the flag raised: a loop may have stopped early. */
CHECKED status cancel_seen(void);

/* Looks at step 0 and at every CANCEL_STEPS-th after it. */
static inline bool cancel_look(uint64_t step)
{
    return step % CANCEL_STEPS == 0 && cancel_is_asked();
}

#endif
