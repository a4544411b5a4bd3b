/* cost.h - how long a statement will take on the CPU and on a GPU, in seconds. */
#ifndef PISTACHIO_API_CHOICE_COST_H
#define PISTACHIO_API_CHOICE_COST_H

#include "api/choice/figures.h"
#include "api/choice/work.h"

double cost_on_cpu(const statement_work *work, unsigned threads);
/* Without opening it. */
double cost_on_device(const statement_work *work, unsigned threads, const device_figures *figures);

#endif
