/* explain.h - EXPLAIN. */
#ifndef PISTACHIO_API_QUERY_EXPLAIN_H
#define PISTACHIO_API_QUERY_EXPLAIN_H

#include "api/handles/handles.h"

/* Makes rows of the plan as text, annotated with what happened if the query has run. */
CHECKED status api_explain(pistachio_result *result, bool with_metrics);
int64_t api_nanoseconds(void); /* since some time; never goes back */

#endif
