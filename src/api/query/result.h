/* result.h - the rows of a result, in the order in which a client takes them. */
#ifndef PISTACHIO_API_QUERY_RESULT_H
#define PISTACHIO_API_QUERY_RESULT_H

#include "api/handles/handles.h"

/* INVALID, with the way out, where the result's rows are not in the host's memory. */
CHECKED status api_check_on_host(const pistachio_result *result);
/* Gives the result's next batch, which stays until the next call; NULL at the end. */
CHECKED status api_next(pistachio_result *result, const pistachio_batch **out);
/* Adds a row that the API makes itself, a cell for each column; copied. */
CHECKED status api_made_row(pistachio_result *result, const char *const *cells);

#endif
