/* measure.h - how fast a GPU of this machine is, measured by the calls that queries make. */
#ifndef PISTACHIO_API_CHOICE_MEASURE_H
#define PISTACHIO_API_CHOICE_MEASURE_H

#include "api/choice/figures.h"
#include "base/status.h"

/* Opens the driver's device of that number, measures it for about a second, and closes it. Only in a process that has not opened it
 * before is the time to open it the right one. Takes 128 MiB of the host's memory, pinned, and 256 MiB of the device's. */
CHECKED status device_figures_measure(unsigned ordinal, device_figures *out);

#endif
