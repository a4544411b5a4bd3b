/* budget.h - what only the owner of a budget (mem.h) says about it: that it is one of several equal parts of a setting,
 * and who gives memory back before its limit is reached. */
#ifndef PISTACHIO_BASE_BUDGET_H
#define PISTACHIO_BASE_BUDGET_H

#include "base/mem.h"

#include <stdbool.h>

/* Makes a part of another budget, to which it holds a reference: what is taken of it is taken of that, too. name: what has the
 * limit, static text. */
CHECKED status mem_budget_new_within(mem_budget *whole, const char *name, uint64_t limit_bytes,
                                     mem_budget **out);

/* The budget is one of so many equal parts of what its setting gives: advice is about the setting. Before it is
 * shared. */
void mem_budget_set_parts(mem_budget *budget, unsigned parts);

/* Holds memory that is in no budget and that others may have when they need it. Any thread; give_back takes no budget's
 * bytes and may be called under any other mutex than its own. `of`: the holder, where there are several. */
typedef struct mem_lender {
    uint64_t (*held)(void *of);
    void (*give_back)(void *of, uint64_t bytes);
} mem_lender;

/* Keeps what is taken from the budget and what the lender holds within the limit together: the lender gives back what would
 * pass it. Of a budget that is one of several parts, the lender holds one part. Before it is shared. */
void mem_budget_set_lender(mem_budget *budget, const mem_lender *lender, void *of);
/* Returns the bytes that the lender holds of the budget, with those that it leaves to what is in no budget. */
uint64_t mem_budget_held(const mem_budget *budget);

/* Keeps bytes that were taken from the budget apart from what mem_budget_used returns, until they are no longer lent: memory
 * that others may have when they need it. The holder is asked for it, through `give_back`, when the limit is reached: that
 * taking fails all the same, as the memory may still be in use, but not the one after that. Its `held` is not called. Before the budget is
 * shared; NULL: nobody is. */
void mem_budget_set_holder(mem_budget *budget, const mem_lender *holder, void *of);
void mem_budget_lend(mem_budget *budget, uint64_t bytes);
void mem_budget_unlend(mem_budget *budget, uint64_t bytes);

/* Takes bytes if the limit allows it; asks nobody. For who holds a mutex that giving memory back takes. */
bool mem_budget_try(mem_budget *budget, uint64_t bytes);

#endif
