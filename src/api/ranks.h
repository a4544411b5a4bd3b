/* ranks.h - statements on several ranks.
 *
 * An engine of several ranks has a device, workers and a budget for each, joined by a network: here
 * for ranks that are threads of this process, in cluster.h for those that are processes. The client's
 * rank is 0. It sends the statement's text, and what
 * it is bound with, to the others, which bind, optimize and distribute it themselves; all compare
 * plans before the first row is read, and agree that none has failed before the client learns that
 * the last row was given out.
 *
 *     rank 0   statement ─┬─> gather ── plans alike? ── runs, gives rows ──┬─ all done? ─ end
 *     rank 1              └─> bind ──── plans alike? ── runs ──────────────┘
 *
 * What each rank does is in rank_run.h.
 */
#ifndef PISTACHIO_API_RANKS_H
#define PISTACHIO_API_RANKS_H

#include "api/internal.h"
#include "net/net.h"
#include "plan/distribute.h"

/* Opens the engine's ranks, as made_of says: also the budget, device and workers of rank 0. */
CHECKED status api_ranks_open(api_engine *engine);
void api_ranks_close(api_engine *engine); /* takes a half-opened one */
/* A place's budget, device and workers: its share of threads and memory_limit. */
CHECKED status api_ranks_open_place(const api_engine *engine, api_rank *place);

/* What plan_distribute is to be told. */
plan_distribution api_distribution(const api_engine *engine, const settings *s);

/* The statement's other ranks begin; place is filled in for the client's. Returns when all have the
 * same plan. */
CHECKED status api_ranked_begin(pistachio_result *result, exec_place *place);
/* The client's query, which is stopped when another rank fails from now on. */
void api_ranked_attach(api_ranked *ranked, exec_query *query);
/* The query has given its last row: whether that holds for all ranks. plan: of a statement whose metrics
 * are asked for; else NULL. */
CHECKED status api_ranked_finish(api_ranked *ranked, const plan_statement *plan,
                                 const exec_query *query);
/* What all ranks did (explain_metrics.h); NULL: it was not asked for. Takes NULL. */
const struct ranked_metrics *api_ranked_metrics(const api_ranked *ranked);
/* Ends it on all ranks, and waits for them. The client's query is freed. Takes NULL. */
void api_ranked_end(api_ranked *ranked);

#endif
