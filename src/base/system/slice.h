/* slice.h - how soon the calling thread has a core again after a wait, beside threads that compute all the time.
 *
 * Linux lets whoever asked for a short slice run first when it wakes (6.12; before, the call fails and nothing changes). It gets
 * no more time in all: only sooner. */
#ifndef PISTACHIO_BASE_SYSTEM_SLICE_H
#define PISTACHIO_BASE_SYSTEM_SLICE_H

#include <stdbool.h>

/* Begins to choose slices for the calling thread, which is one of the program's own, and asks for short ones. */
void slice_manage(void);
/* Asks for short slices, or for those of other threads; does nothing on a thread that has not called slice_manage(). */
void slice_choose(bool is_short);

#endif
