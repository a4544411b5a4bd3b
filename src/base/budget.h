/* budget.h - what only the owner of a budget (mem.h) says about it: that it is one of several equal parts of a setting,
 * and who gives memory back before its limit is reached. */
#ifndef PISTACHIO_BASE_BUDGET_H
#define PISTACHIO_BASE_BUDGET_H

#include "base/mem.h"

/* The budget is one of so many equal parts of what its setting gives: advice is about the setting. Before it is
 * shared. */
void mem_budget_set_parts(mem_budget *budget, unsigned parts);

/* Holds memory that is in no budget and that others may have when they need it. Any thread; give_back takes no budget's
 * bytes and may be called under any other mutex than its own. */
typedef struct mem_lender {
    uint64_t (*held)(void);
    void (*give_back)(uint64_t bytes);
} mem_lender;

/* Keeps what is taken from the budget and what the lender holds within the limit together: the lender gives back what would
 * pass it. Of a budget that is one of several parts, the lender holds one part. Before it is shared. */
void mem_budget_set_lender(mem_budget *budget, const mem_lender *lender);

#endif
