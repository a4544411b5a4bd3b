/* fault.c - the count behind each kind of fault. */
#include "base/fault.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

static atomic_uint armed_kinds; /* bit per kind */
static struct {
    _Atomic uint64_t checks, nth;
    _Atomic unsigned mode;
    atomic_bool has_fired;
} faults[FAULT_KIND_COUNT];

void fault_arm(fault_kind kind, uint64_t nth, fault_mode mode)
{
    atomic_store(&faults[kind].checks, 0);
    atomic_store(&faults[kind].nth, nth);
    atomic_store(&faults[kind].mode, mode);
    atomic_store(&faults[kind].has_fired, false);
    atomic_fetch_or(&armed_kinds, 1u << kind);
}

bool fault_disarm(fault_kind kind)
{
    atomic_fetch_and(&armed_kinds, ~(1u << kind));
    return atomic_load(&faults[kind].has_fired);
}

uint64_t fault_checks(fault_kind kind)
{
    return atomic_load(&faults[kind].checks);
}

bool fault_check(fault_kind kind)
{
    if (__builtin_expect(!(atomic_load_explicit(&armed_kinds, memory_order_relaxed) & 1u << kind),
                         1))
        return false;

    uint64_t check = atomic_fetch_add(&faults[kind].checks, 1) + 1;
    uint64_t nth = atomic_load(&faults[kind].nth);
    unsigned mode = atomic_load(&faults[kind].mode);
    bool fires = mode == FAULT_ONCE     ? check == nth
                 : mode == FAULT_ALWAYS ? check >= nth
                                        : check % nth == 0;
    if (fires)
        atomic_store(&faults[kind].has_fired, true);
    return fires;
}

static bool parse_mode(const char *text, fault_mode *out)
{
    *out = !strcmp(text, ":always")  ? FAULT_ALWAYS
           : !strcmp(text, ":every") ? FAULT_EVERY
                                     : FAULT_ONCE;
    return *out != FAULT_ONCE || !*text;
}

/* PISTACHIO_FAULT=alloc:17 or write:3:always. Any other text arms nothing. */
__attribute__((constructor)) static void arm_from_environment(void)
{
    static const char *const names[FAULT_KIND_COUNT] = {"alloc", "read", "write",
                                                        "room",  "wait", "cancel"};
    const char *text = getenv("PISTACHIO_FAULT");
    if (!text)
        return;
    for (int kind = 0; kind < FAULT_KIND_COUNT; kind++) {
        size_t length = strlen(names[kind]);
        if (strncmp(text, names[kind], length) != 0 || text[length] != ':')
            continue;
        char *end;
        fault_mode mode;
        unsigned long long nth = strtoull(text + length + 1, &end, 10);
        if (nth > 0 && parse_mode(end, &mode))
            fault_arm((fault_kind)kind, nth, mode);
    }
}
