/* query_run.h - the query of one statement, of its result: planned, started, asked for its rows, ended. */
#ifndef PISTACHIO_API_QUERY_QUERY_RUN_H
#define PISTACHIO_API_QUERY_QUERY_RUN_H

#include "api/handles/handles.h"

/* The result's statement, bound: the engine that it runs on, and its plan, optimized and distributed. */
CHECKED status api_query_plan(pistachio_result *result);
/* Starts what was planned, on this rank or on all, with a trace if the settings ask for one. */
CHECKED status api_query_start(pistachio_result *result);
/* exec_query_next of the result's query, on all of its ranks. */
CHECKED status api_query_next(pistachio_result *result, exec_batch **out);
/* Its rows are all there: writes its trace, if one is made. */
CHECKED status api_finish_trace(pistachio_result *result);
/* Ends it, done or not, on all of its ranks; a result without a query is left as it is. */
void api_query_end(pistachio_result *result);

/* Returns whether a plan reads rows that do not stand in the statement itself. */
bool api_reads_rows(const plan_statement *plan);
/* Returns the client whose calls cancel what a thread does for the result. */
api_client api_client_of(const pistachio_result *result);

#endif
