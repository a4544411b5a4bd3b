/* fault.c - the countdown behind each kind of fault.
 *
 * Each check of an armed kind takes one off its count; the check that takes the last one fires. */
#include "base/fault.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

static atomic_uint armed_kinds; /* bit per kind */
static struct {
    _Atomic int64_t left;
    atomic_bool is_always, has_fired;
} faults[FAULT_KIND_COUNT];

void fault_arm(fault_kind kind, uint64_t nth, bool always)
{
    atomic_store(&faults[kind].left, (int64_t)nth);
    atomic_store(&faults[kind].is_always, always);
    atomic_store(&faults[kind].has_fired, false);
    atomic_fetch_or(&armed_kinds, 1u << kind);
}

bool fault_disarm(fault_kind kind)
{
    atomic_fetch_and(&armed_kinds, ~(1u << kind));
    return atomic_load(&faults[kind].has_fired);
}

bool fault_check(fault_kind kind)
{
    if (__builtin_expect(!(atomic_load_explicit(&armed_kinds, memory_order_relaxed) & 1u << kind),
                         1))
        return false;

    int64_t before = atomic_fetch_sub(&faults[kind].left, 1);
    if (before == 1) {
        atomic_store(&faults[kind].has_fired, true);
        return true;
    }
    return before < 1 && atomic_load(&faults[kind].is_always);
}

/* PISTACHIO_FAULT=alloc:17 or write:3:always. A text that is none of these arms nothing. */
__attribute__((constructor)) static void arm_from_environment(void)
{
    static const char *const names[FAULT_KIND_COUNT] = {"alloc", "read", "write"};
    const char *text = getenv("PISTACHIO_FAULT");
    if (!text)
        return;
    for (int kind = 0; kind < FAULT_KIND_COUNT; kind++) {
        size_t length = strlen(names[kind]);
        if (strncmp(text, names[kind], length) != 0 || text[length] != ':')
            continue;
        char *end;
        unsigned long long nth = strtoull(text + length + 1, &end, 10);
        if (nth > 0 && (*end == '\0' || strcmp(end, ":always") == 0))
            fault_arm((fault_kind)kind, nth, *end != '\0');
    }
}
