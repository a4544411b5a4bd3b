/* trace.h - what threads did when, as a file that Perfetto and Chrome show (chrome://tracing).
 *
 * One trace at a time in a process, between trace_start and trace_stop. Each thread notes what it
 * does in a buffer of its own; the buffers become text when the trace stops. While none is under
 * way, nothing is noted: those who could ask trace_is_on first, which is one load. Format: Trace
 * Event Format, JSON; times in it are microseconds since the start. */
#ifndef PISTACHIO_BASE_TRACE_TRACE_H
#define PISTACHIO_BASE_TRACE_TRACE_H

#include "base/status.h"

#include <stdatomic.h>
#include <stdbool.h>

#define TRACE_NAME_BYTES 40

extern _Atomic bool trace_switch;
static inline bool trace_is_on(void)
{
    return __builtin_expect(atomic_load_explicit(&trace_switch, memory_order_relaxed), 0);
}

/* False: another trace is under way. */
bool trace_start(void);
/* Writes what was noted as a trace and as a picture (timeline.h); a file is whole or absent. A path
 * that is NULL: no such file. `statement`: what was run, for the picture, or NULL. Failures leave
 * no trace under way. */
CHECKED status trace_stop(const char *path, const char *timeline_path, const char *statement);

/* Nanoseconds since some time. */
int64_t trace_now(void);
/* The calling thread did something (`what`: static text) for `name`, which is copied and may be
 * cut, from start to end. Spans of one thread do not overlap. Any thread. */
void trace_span(const char *what, const char *name, int64_t start, int64_t end);
/* A point in what a lazy device's tasks and streams did, for bench/waits: `what` (static text) was done by or
 * to `a`, with `b` and `number`. It has the processor time that the thread has used so far, without what
 * noting such points took. No time for others: cheap where no trace is under way, some 0.5 us where one is. */
void trace_point(const char *what, const void *a, const void *b, uint64_t number);
/* `bytes` were read from storage, from `offset` of the file on: shown on a track of their own,
 * where they may overlap. */
void trace_read(const char *name, uint64_t offset, uint64_t bytes, int64_t start, int64_t end);

#endif
