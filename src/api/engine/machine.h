/* machine.h - what this machine has, as text for people: cores, NUMA nodes, memory, network and storage
 * devices, GPUs, and which cores and GPU a process uses. From /sys and the GPUs' driver; what is not there
 * is left out. */
#ifndef PISTACHIO_API_ENGINE_MACHINE_H
#define PISTACHIO_API_ENGINE_MACHINE_H

#include "api/handles/handles.h"

/* Lines that begin with two spaces; the caller's (free). */
CHECKED status api_machine_text(const api_neighbors *neighbors, char **out);

#endif
