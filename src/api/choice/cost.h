/* cost.h - how long a statement will take on the CPU and on a GPU, in seconds: what each takes to begin with, and what each node of
 * its plan takes there. */
#ifndef PISTACHIO_API_CHOICE_COST_H
#define PISTACHIO_API_CHOICE_COST_H

#include "api/choice/figures.h"
#include "api/choice/work.h"

/* The two devices that stages of a statement may run on. */
typedef struct cost_devices {
    unsigned threads; /* of the CPU, which are the host's */
    device_figures figures;
} cost_devices;

double cost_to_begin(const cost_devices *devices, bool is_cpu);
/* Returns what a node of this work takes. */
double cost_of_work(const cost_devices *devices, const statement_work *work, bool is_cpu);
/* Returns what a node's rows take from the one device to the other. */
double cost_to_move(const cost_devices *devices, const plan_node *node);

#endif
