/* stages.h - which stages of a query begin first, and which need not run at all. */
#ifndef PISTACHIO_EXEC_SCHED_STAGES_H
#define PISTACHIO_EXEC_SCHED_STAGES_H

#include "exec/sched/query.h"

/* Numbers the query's stages, each behind those that it waits for; of what a stage waits for, that first for which
 * least is read: where it turns out to have no rows, the rest may not be needed. */
CHECKED status stages_order(exec_query *query);
/* A stage has finished: those of which nothing will come now are given up, those that feed them alone as well. Under
 * the pool's lock. */
void stages_give_up(const exec_stage *finished);
/* It has rows to work on, as far as is known. */
bool stage_has_work(const exec_stage *stage);

#endif
