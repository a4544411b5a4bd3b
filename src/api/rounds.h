/* rounds.h - inside the public interface: the rows of recursive queries, which a statement needs first. */
#ifndef PISTACHIO_API_ROUNDS_H
#define PISTACHIO_API_ROUNDS_H

#include "api/internal.h"

/* Computes what result->statement, an SQL_ROUND, needs, into the result's own catalog, and binds the statement
 * again, until it is none. */
CHECKED status api_rounds(pistachio_result *result,
                          status (*bind)(pistachio_result *result, void *context), void *context);

#endif
