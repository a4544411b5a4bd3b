/* timeline.h - a query's time as a picture (SVG): bandwidth of storage, busy workers, and which
 * operators ran when. Made from a trace's events (trace.c); the paper's figures 6, 9 and 14. */
#ifndef PISTACHIO_BASE_TRACE_TIMELINE_H
#define PISTACHIO_BASE_TRACE_TIMELINE_H

#include "base/status.h"

#include <stdint.h>
#include <stdio.h>

typedef struct timeline timeline;

/* Times are nanoseconds of trace_now; workers: how many threads there were. */
CHECKED status timeline_new(int64_t start, int64_t end, unsigned workers, timeline **out);
/* Sets the statement that was run, which the picture says; kept until timeline_free. NULL: nothing. */
void timeline_set_statement(timeline *t, const char *sql);
/* A worker ran the operator `name` (plain ASCII, kept until timeline_free). */
CHECKED status timeline_add_span(timeline *t, const char *name, int64_t start, int64_t end);
/* Storage gave `bytes`, asked for at start and there at end. */
CHECKED status timeline_add_read(timeline *t, uint64_t bytes, int64_t start, int64_t end);
void timeline_write(timeline *t, FILE *f);
void timeline_free(timeline *t); /* takes NULL */

#endif
