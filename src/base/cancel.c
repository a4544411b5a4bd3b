/* cancel.c - the flag of the statement that a thread works for. */
#include "base/cancel.h"

#include "base/fault.h"

#include <stddef.h>

static _Thread_local cancel_flag *current;
static _Thread_local bool has_seen; /* a look since cancel_set has found the flag raised */

cancel_flag *cancel_set(cancel_flag *flag)
{
    cancel_flag *before = current;
    current = flag;
    has_seen = false;
    return before;
}

cancel_flag *cancel_current(void)
{
    return current;
}

bool cancel_is_asked(void)
{
    cancel_flag *flag = current;
    if (!flag)
        return false;
    if (fault_check(FAULT_CANCEL))
        atomic_store(flag, true);
    has_seen |= atomic_load_explicit(flag, memory_order_relaxed);
    return has_seen;
}

static status cancelled(void)
{
    return status_new(STATUS_KIND_CANCELLED, "query cancelled");
}

status cancel_check(void)
{
    return cancel_is_asked() ? cancelled() : STATUS_OK;
}

status cancel_seen(void)
{
    return has_seen ? cancelled() : STATUS_OK;
}
