/* copy.h - inside the public interface: COPY. */
#ifndef PISTACHIO_API_COPY_H
#define PISTACHIO_API_COPY_H

#include "api/internal.h"

/* Writes the rows of result->query, which has been started, to the statement's path. */
CHECKED status api_copy(pistachio_result *result);

#endif
