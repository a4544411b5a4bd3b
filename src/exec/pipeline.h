/* pipeline.h - from a plan to the stages that the scheduler runs. */
#ifndef PISTACHIO_EXEC_PIPELINE_H
#define PISTACHIO_EXEC_PIPELINE_H

#include "exec/sched/query.h"

/* Makes the operators and stages of the query's plan; the result goes to `sink`, which the query
 * has adopted. After a failure what was made is closed with the query. */
CHECKED status exec_build(exec_query *query, exec_operator *sink);
/* Returns whether the sink's rows are pulled by one task of each source, so that they keep their order if they have one. */
bool exec_is_of_one_task(const exec_query *query, const exec_operator *sink);

#endif
