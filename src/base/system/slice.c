/* slice.c - see slice.h. */
#include "base/system/slice.h"

#include <sched.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#define SHORT_NANOSECONDS 100000 /* the shortest that there is */

static _Thread_local enum { UNMANAGED, SHORT, USUAL } chosen;

/* Keeps policy and niceness as they are. */
static void slice_ask(uint64_t nanoseconds)
{
    int policy = sched_getscheduler(0);
    struct { /* sched_setattr(2); the C library has no name for it */
        uint32_t size, policy;
        uint64_t flags;
        int32_t nice;
        uint32_t priority;
        uint64_t slice, deadline, period;
    } attributes = {.size = sizeof attributes, .slice = nanoseconds};
    if (policy != SCHED_OTHER && policy != SCHED_BATCH)
        return;
    attributes.policy = (uint32_t)policy;
    attributes.nice = getpriority(PRIO_PROCESS, 0); /* the thread's */
    (void)!syscall(SYS_sched_setattr, 0, &attributes, 0);
}

void slice_manage(void)
{
    chosen = USUAL;
    slice_choose(true);
}

void slice_choose(bool is_short)
{
    if (chosen == UNMANAGED || (chosen == SHORT) == is_short)
        return;
    chosen = is_short ? SHORT : USUAL;
    slice_ask(is_short ? SHORT_NANOSECONDS : 0);
}
