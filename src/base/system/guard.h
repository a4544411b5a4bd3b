/* guard.h - whether a thread may go on with the statement that it prepares: bytes left on its stack, and whether it
 * is still wanted (cancel.h).
 *
 * Parsing, binding, planning and compiling run on one thread, take time by the length of the statement and recurse
 * as deep as it is nested. Whoever starts such work says so, and the work asks on its way:
 *
 *     api, rank thread    guard_enter() ... guard_leave(before)
 *     recursive function  TRY(guard_check());          at its beginning
 *     without a status    if (!guard_may_go_on())      returns at once; its caller with a status fails with
 *                             return ...;              the next guard_check
 *     long loop           TRY(guard_check());          at each turn
 *     at the end          TRY(guard_check());          no work that was cut short is used
 *
 * A check costs a few instructions. Once it has failed it fails until guard_leave. Outside of guard_enter and
 * guard_leave every check succeeds: tasks run on stacks of their own. */
#ifndef PISTACHIO_BASE_SYSTEM_GUARD_H
#define PISTACHIO_BASE_SYSTEM_GUARD_H

#include "base/status.h"

#include <stdbool.h>

typedef struct guard_state {
    bool is_guarded;
    const char *stack_end; /* frames below it are refused; NULL: none is */
    bool is_exact;         /* false: stack_end is where the thread's bounds are looked up */
    status_kind failure;   /* STATUS_KIND_OK: none */
} guard_state;

/* Begins guarded work on this thread. Returns what was guarded before, for guard_leave. */
guard_state guard_enter(void);
/* Ends it. */
void guard_leave(guard_state before);

/* Fails if the stack is nearly used up (LIMIT) or the work is cancelled (CANCELLED). */
CHECKED status guard_check(void);
/* False where guard_check would fail. */
bool guard_may_go_on(void);
/* Checks that this thread has made in all: what tests that bound the work of planning count. */
uint64_t guard_checks_made(void);
/* Takes a failure of guarded work and returns it, or in its place the guard's own: work that was cut
 * short fails in ways that say nothing. */
CHECKED status guard_explain(status st);

#endif
