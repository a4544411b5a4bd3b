/* cache.h - statements about the column cache: CACHE TABLE and UNCACHE TABLE. */
#ifndef PISTACHIO_API_QUERY_CACHE_H
#define PISTACHIO_API_QUERY_CACHE_H

#include "api/handles/handles.h"

/* Fails if the query, planned, could keep nothing. */
CHECKED status api_cache_check(const pistachio_result *result);
/* Forgets what is kept of the files that the plan reads. */
void api_cache_forget(const plan_statement *plan);

#endif
