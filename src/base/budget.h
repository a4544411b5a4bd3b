/* budget.h - a budget (mem.h) that is one of several equal parts of a setting. */
#ifndef PISTACHIO_BASE_BUDGET_H
#define PISTACHIO_BASE_BUDGET_H

#include "base/mem.h"

/* The budget is one of so many equal parts of what its setting gives: advice is about the setting. Before it is
 * shared. */
void mem_budget_set_parts(mem_budget *budget, unsigned parts);

#endif
