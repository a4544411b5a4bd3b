/* guard.c - the bounds of a thread's stack, in thread-local variables. */
#include "base/system/guard.h"

#include "base/cancel.h"

#include <pthread.h>
#include <stdint.h>

/* Bytes that stay free for functions that do not check: the deepest of them, and what the C library
 * and a signal handler need. Sanitizers make frames several times larger. */
#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
#define RESERVE_BYTES ((size_t)512 << 10)
#else
#define RESERVE_BYTES ((size_t)128 << 10)
#endif

/* Most statements are shallow and never pay for the look at the bounds of the stack. */
#define SHALLOW_BYTES ((size_t)64 << 10)

/* Expressions are compared by millions: guard_may_go_on asks for a cancel at every so many calls. */
#define CHECKS_OF_LOOK 64

static _Thread_local guard_state here;
static _Thread_local uint64_t checks_made;

/* The lowest address that checked functions may reach; NULL: the system does not say. Of the main
 * thread the limit of the stack counts (ulimit -s), not what has been mapped so far. */
static const char *find_stack_end(void)
{
    pthread_attr_t attributes;
    void *lowest = NULL;
    size_t bytes = 0;
    if (pthread_getattr_np(pthread_self(), &attributes))
        return NULL;
    if (pthread_attr_getstack(&attributes, &lowest, &bytes))
        bytes = 0;
    pthread_attr_destroy(&attributes);
    size_t reserve = bytes / 2 < RESERVE_BYTES ? bytes / 2 : RESERVE_BYTES;
    return bytes ? (const char *)lowest + reserve : NULL;
}

/* The thread's, found once: for the main thread the C library reads a file. */
static const char *stack_end(void)
{
    static _Thread_local const char *end;
    static _Thread_local bool is_known;
    if (!is_known)
        end = find_stack_end();
    is_known = true;
    return end;
}

guard_state guard_enter(void)
{
    guard_state before = here;
    here = (guard_state){.is_guarded = true,
                         .stack_end = (const char *)__builtin_frame_address(0) - SHALLOW_BYTES};
    return before;
}

void guard_leave(guard_state before)
{
    here = before;
}

static bool is_too_deep(const char *frame)
{
    if (frame < here.stack_end && !here.is_exact) {
        here.stack_end = stack_end();
        here.is_exact = true;
    }
    return frame < here.stack_end;
}

static bool may_go_on(const char *frame, bool looks)
{
    checks_made++;
    if (here.failure != STATUS_KIND_OK)
        return false;
    if (is_too_deep(frame))
        here.failure = STATUS_KIND_LIMIT;
    else if (looks && here.is_guarded && cancel_is_asked())
        here.failure = STATUS_KIND_CANCELLED;
    return here.failure == STATUS_KIND_OK;
}

bool guard_may_go_on(void)
{
    return may_go_on(__builtin_frame_address(0), checks_made % CHECKS_OF_LOOK == 0);
}

status guard_check(void)
{
    if (__builtin_expect(may_go_on(__builtin_frame_address(0), true), 1))
        return STATUS_OK;
    if (here.failure == STATUS_KIND_CANCELLED)
        return status_new(STATUS_KIND_CANCELLED, "query cancelled");
    return status_hint(
        status_new(STATUS_KIND_LIMIT, "statement is nested too deeply for the stack"),
        "write it with fewer levels, or raise the stack limit (ulimit -s)");
}

uint64_t guard_checks_made(void)
{
    return checks_made;
}

status guard_explain(status st)
{
    if (!st || here.failure == STATUS_KIND_OK || status_get_kind(st) == here.failure)
        return st;
    status_free(st);
    return guard_check();
}
