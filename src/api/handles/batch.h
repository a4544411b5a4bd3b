/* batch.h - batches and their values. */
#ifndef PISTACHIO_API_HANDLES_BATCH_H
#define PISTACHIO_API_HANDLES_BATCH_H

#include "api/handles/cell.h"
#include "api/handles/handles.h"

/* Takes the rows over, also on failure; text of any value of theirs finds room. zone: copied; NULL: UTC. */
CHECKED status api_batch_new(exec_batch *rows, const zone *zone, pistachio_batch **out);

#endif
