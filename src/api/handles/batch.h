/* batch.h - batches and their values. */
#ifndef PISTACHIO_API_HANDLES_BATCH_H
#define PISTACHIO_API_HANDLES_BATCH_H

#include "api/handles/handles.h"

/* The value in memory as one on the host; no text's. */
value api_value_at(const exec_batch_column *column, uint64_t row);
/* Takes the rows over, also on failure; text of any value of theirs finds room. zone: copied; NULL: UTC. */
CHECKED status api_batch_new(exec_batch *rows, const zone *zone, pistachio_batch **out);

#endif
