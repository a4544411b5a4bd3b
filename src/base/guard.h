/* guard.h - whether a thread may go on with the statement that it prepares: bytes left on its stack,
 * and whether its client has cancelled.
 *
 * Parsing, binding, planning and compiling run on one thread, take time by the length of the statement
 * and recurse as deep as it is nested. These layers know neither the client nor the query, which does
 * not exist yet. So whoever starts the work says once who may cancel it (guard_enter), and the work
 * asks on its way:
 *
 *     api, rank thread    guard_enter(watch) ... guard_leave(before)
 *     recursive function  TRY(guard_check());          at its beginning
 *     without a status    if (!guard_may_go_on())      returns at once; whoever called it and has a
 *                             return ...;              status fails with the next guard_check
 *     long loop           TRY(guard_check());          at each turn
 *     at the end          TRY(guard_check());          no work that was cut short is used
 *
 * A check costs a few instructions. Once it has failed it fails until guard_leave. Outside of
 * guard_enter and guard_leave every check succeeds. */
#ifndef PISTACHIO_BASE_GUARD_H
#define PISTACHIO_BASE_GUARD_H

#include "base/status.h"

#include <stdbool.h>

/* is_cancelled is called on the thread that works, often, and must be quick. NULL: nobody cancels. */
typedef struct guard_watch {
    bool (*is_cancelled)(const void *context);
    const void *context;
} guard_watch;

typedef struct guard_state {
    const char *stack_end; /* frames below it are refused; NULL: none is */
    bool is_exact;         /* false: stack_end is where the thread's bounds are looked up */
    guard_watch watch;
    status_kind failure; /* STATUS_KIND_OK: none */
} guard_state;

/* Begins guarded work on this thread. Returns what was guarded before, for guard_leave. */
guard_state guard_enter(guard_watch watch);
/* Ends it. */
void guard_leave(guard_state before);
/* The watch of the work on this thread, for another thread that does a part of it. */
guard_watch guard_watch_here(void);

/* Fails if the stack is nearly used up (LIMIT) or the work was cancelled (CANCELLED). */
CHECKED status guard_check(void);
/* False where guard_check would fail. */
bool guard_may_go_on(void);
/* Checks that this thread has made in all: what tests that bound the work of planning count. */
uint64_t guard_checks_made(void);
/* Takes a failure of guarded work and returns it, or in its place the guard's own: work that was cut
 * short fails in ways that say nothing. */
CHECKED status guard_explain(status st);

#endif
