/* ranked.h - one statement on several ranks, seen from the client's, which is rank 0.
 *
 * It sends the statement's text, and what it is bound with, to the others, which bind, optimize and
 * distribute it themselves; all compare plans before the first row is read, and agree that none has failed
 * before the client learns that the last row was given out.
 *
 *     rank 0   statement ─┬─> gather ── plans alike? ── runs, gives rows ──┬─ all done? ─ end
 *     rank 1              └─> bind ──── plans alike? ── runs ──────────────┘
 *
 * What each rank does is in rank_statement.h. */
#ifndef PISTACHIO_API_RANKS_RANKED_H
#define PISTACHIO_API_RANKS_RANKED_H

#include "api/handles/handles.h"

/* The statement's other ranks begin; place is filled in for the client's. Returns when all have the
 * same plan. */
CHECKED status api_ranked_begin(pistachio_result *result, exec_place *place);
/* The client's query, which is stopped when another rank fails from now on. */
void api_ranked_attach(api_ranked *ranked, exec_query *query);
/* The client's part of it. */
struct rank_run *api_ranked_own(api_ranked *ranked);
/* The query has given its last row: whether that holds for all ranks. plan: of a statement whose metrics
 * are asked for; else NULL. */
CHECKED status api_ranked_finish(api_ranked *ranked, const plan_statement *plan,
                                 const exec_query *query);
/* Returns what all ranks did (explain_metrics.h); NULL: it was not asked for. Takes NULL. */
const struct ranked_metrics *api_ranked_metrics(const api_ranked *ranked);
/* Ends it on all ranks, and waits for them. The client's query is freed. Takes NULL. */
void api_ranked_end(api_ranked *ranked);

#endif
