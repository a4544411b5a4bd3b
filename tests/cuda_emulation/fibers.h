/* fibers.h - runs a launch: blocks in a shuffled order, a block's threads as fibers. */
#ifndef PISTACHIO_EMULATED_FIBERS_H
#define PISTACHIO_EMULATED_FIBERS_H

#include "emulated.h"

/* True: done. False: `why` says what the kernel did wrong. One at a time in the process. */
bool emulated_run(const emulated_kernel *kernel, unsigned blocks, unsigned threads, const void *job,
                  char *why, size_t why_bytes);

#endif
