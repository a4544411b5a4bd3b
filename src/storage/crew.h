/* crew.h - several threads that do one piece of work together, most of whose time goes by waiting for storage.
 *
 *     crew_run ──┬── the caller ──────────┐
 *                ├── a helper ────────────┤ all have returned
 *                └── a helper ────────────┘
 *
 * Nobody waits for a helper to be had: of those that the process has already, of which it has CREW_MAX at most, or that the system does not give,
 * there are fewer, and the caller does the rest. So crews may be within crews. */
#ifndef PISTACHIO_STORAGE_CREW_H
#define PISTACHIO_STORAGE_CREW_H

/* Helpers of all crews of the process: as many requests as a store is asked at once (http/transfer.h). */
#define CREW_MAX 64u

/* Calls work(context) on the calling thread and on up to so many helpers, which work for the caller's statement
 * (base/cancel.h) with its settings of stores; returns once all have returned. */
void crew_run(void (*work)(void *context), void *context, unsigned helpers);

#endif
