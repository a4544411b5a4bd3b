/* usage.h - when the threads of a statement were busy, and with which operators, for whoever draws it while it runs.
 *
 *     bins of 1 ms │▁▃█▇│   the statement lasts longer than 128 of them:
 *     bins of 2 ms │▂█▄ │   each two become one
 *
 * Of as many bytes however long the statement lasts. Any thread. */
#ifndef PISTACHIO_BASE_TRACE_USAGE_H
#define PISTACHIO_BASE_TRACE_USAGE_H

#include "base/status.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define USAGE_NAME_BYTES 64

typedef struct usage usage;

/* With one reference. */
CHECKED status usage_new(usage **out);
usage *usage_ref(usage *u);
void usage_unref(usage *u); /* takes NULL */
/* Forgets what was noted: another statement begins, of so many threads. */
void usage_begin(usage *u, unsigned threads);
/* Notes that a thread was busy with `key` from start to end (nanoseconds of CLOCK_MONOTONIC), and that so many bytes have been read
 * for it until now. Returns whether the key has a name. */
bool usage_add(usage *u, const void *key, uint64_t start, uint64_t end, uint64_t bytes);
/* Names a key, if it has no name. The name may be cut. */
void usage_name(usage *u, const void *key, const char *name);
/* Returns whether anything was noted since usage_begin(). */
bool usage_has_steps(usage *u);
/* Notes the time that storage takes for the statement's bytes at its best (T_min), in nanoseconds. */
void usage_set_bound(usage *u, uint64_t nanoseconds);
/* Writes {"threads": 2, "seconds": 0.5, "bound": 0.1, "bin": 0.004, "bytes": [...], "operators": [{"name": "...", "busy": [...]}, ...]}: seconds
 * of threads, and bytes, by bins; bound 0: T_min is not known. Names are written by `text`, as JSON. */
void usage_write(usage *u, FILE *f, void (*text)(FILE *f, const char *name));

#endif
