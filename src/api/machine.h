/* machine.h - what this machine has, as text for people: cores, NUMA nodes, memory, network and storage
 * devices. From /sys and /proc; what is not there is left out. */
#ifndef PISTACHIO_API_MACHINE_H
#define PISTACHIO_API_MACHINE_H

#include "base/status.h"

/* Lines that begin with two spaces; the caller's (free). */
CHECKED status api_machine_text(char **out);

#endif
