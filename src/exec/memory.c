/* memory.c - shares of memory_limit. */
#include "exec/memory.h"

/* Of the limit: what one operator may hold. */
#define SHARE 2
/* Of the limit, what stays free of operators' holdings. */
#define FREE 4
/* Of a lane's equal part of the share: less is not worth spilling, and has to be granted. */
#define LANE_FLOOR 16

bool exec_may_spill(const exec_query *query)
{
    return exec_device(query)->is_host && mem_budget_limit(exec_budget(query));
}

uint64_t exec_memory_share(const exec_query *query)
{
    return mem_budget_limit(exec_budget(query)) / SHARE;
}

bool exec_must_spill(const exec_query *query, uint64_t held, uint64_t needed, unsigned lane_count,
                     uint64_t lane_needed)
{
    uint64_t share = exec_memory_share(query);
    if (!exec_may_spill(query) || lane_needed < share / lane_count / LANE_FLOOR)
        return false;
    uint64_t limit = mem_budget_limit(exec_budget(query));
    uint64_t used = mem_budget_used(exec_budget(query));
    uint64_t others = used > held ? used - held : 0;
    return needed > share || others + needed > limit - limit / FREE;
}

bool exec_has_room(const exec_query *query, uint64_t more)
{
    uint64_t limit = mem_budget_limit(exec_budget(query));
    uint64_t used = mem_budget_used(exec_budget(query));
    return !limit || (used <= limit - limit / FREE && more <= limit - limit / FREE - used);
}
