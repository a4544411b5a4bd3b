/* fault.h - make the n-th allocation, read or write fail on purpose, memory look full, a task wait
 * where it need not, or a statement be cancelled at the n-th look, for tests.
 *
 * Costs one relaxed atomic load per check when nothing is armed. Process-wide; tests arm one
 * fault at a time. PISTACHIO_FAULT=kind:nth[:always|:every] in the environment arms one at start.
 */
#ifndef PISTACHIO_BASE_FAULT_H
#define PISTACHIO_BASE_FAULT_H

#include <stdbool.h>
#include <stdint.h>

typedef enum fault_kind {
    FAULT_ALLOC,
    FAULT_READ,
    FAULT_WRITE,
    FAULT_ROOM,   /* memory looks full to an operator, which must spill */
    FAULT_WAIT,   /* a task that awaits its stream blocks its thread */
    FAULT_CANCEL, /* the statement is cancelled at the moment when a loop looks (cancel.h) */
    FAULT_KIND_COUNT
} fault_kind;

typedef enum fault_mode {
    FAULT_ONCE,   /* the nth check (1 is the next) fails */
    FAULT_ALWAYS, /* and each one from then on */
    FAULT_EVERY   /* and each nth one from then on */
} fault_mode;

void fault_arm(fault_kind kind, uint64_t nth, fault_mode mode);
/* Disarms; true if the fault fired since fault_arm. */
bool fault_disarm(fault_kind kind);
/* Checks since fault_arm, up to fault_disarm. */
uint64_t fault_checks(fault_kind kind);
/* Called at each place that can fail: true means fail now. */
bool fault_check(fault_kind kind);

#endif
