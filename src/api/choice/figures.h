/* figures.h - how fast a GPU is: as a file says, or by its generation. */
#ifndef PISTACHIO_API_CHOICE_FIGURES_H
#define PISTACHIO_API_CHOICE_FIGURES_H

#include "base/status.h"

#include <stdbool.h>

typedef struct device_figures {
    double open_seconds;   /* of the driver, the context and the kernels, once a process */
    double launch_seconds; /* of a launch or a copy, with what the host does for it */
    double link_bytes;     /* a second, from pinned memory */
    double memory_bytes;   /* a second, copied within the device's memory */
} device_figures;

/* Returns the best that there may be, of any generation. */
device_figures device_figures_best(void);
/* Returns those of a generation, by its compute capability: measured on an H200 for 9.0, else by data sheets. */
device_figures device_figures_of(int major, int minor);
/* Finds the figures that a file in the user's cache has of a GPU of this machine; false: there are none, or they are damaged. */
bool device_figures_find(unsigned ordinal, device_figures *out);
/* Keeps the figures of a GPU of this machine in that file, which is replaced whole. */
CHECKED status device_figures_keep(unsigned ordinal, const device_figures *figures);

#endif
