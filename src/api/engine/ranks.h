/* ranks.h - an engine's ranks: each has a device, workers and a budget; a network joins them. Here those that
 * are threads of this process; those that are processes: cluster.h. */
#ifndef PISTACHIO_API_ENGINE_RANKS_H
#define PISTACHIO_API_ENGINE_RANKS_H

#include "api/handles/handles.h"
#include "net/net.h"
#include "plan/distribute/distribute.h"

/* Opens the engine's ranks, as made_of says: also the budget, device and workers of rank 0. */
CHECKED status api_ranks_open(api_engine *engine);
void api_ranks_close(api_engine *engine); /* takes a half-opened one */
/* A place's budget, device and workers: its share of threads and memory_limit. */
CHECKED status api_ranks_open_place(const api_engine *engine, api_rank *place);

/* Returns what plan_distribute is to be told. */
plan_distribution api_distribution(const api_engine *engine, const settings *s);

#endif
