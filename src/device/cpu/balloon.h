/* balloon.h - whether this is a virtual machine that gives free memory back to its host. */
#ifndef PISTACHIO_DEVICE_CPU_BALLOON_H
#define PISTACHIO_DEVICE_CPU_BALLOON_H

#include <stdbool.h>

/* True: huge pages that are free are the host's, who has to find memory again for each that is used, which takes
 * longer than to clear it. Looked up once; any thread. */
bool cpu_are_huge_pages_dear(void);

#endif
