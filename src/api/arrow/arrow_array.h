/* arrow_array.h - batches as Arrow's arrays. */
#ifndef PISTACHIO_API_ARROW_ARROW_ARRAY_H
#define PISTACHIO_API_ARROW_ARROW_ARRAY_H

#include "api/arrow/arrow_schema.h"

/* Makes the values of a column of the batch what Arrow has, where they are not yet: before it is handed to anybody. */
CHECKED status api_arrow_convert(exec_batch *batch, uint32_t column, api_arrow_options options);
/* The rows as a struct array, which holds the batch; the caller releases it. Takes the reference
 * over, also on failure. */
CHECKED status api_arrow_array_make(pistachio_batch *batch, api_arrow_options options,
                                    struct ArrowArray *out);
/* The batch whose column that of an array of api_arrow_array_make is; INVALID for others, and where the column was
 * moved out. */
CHECKED status api_arrow_batch_of(const struct ArrowArray *rows, uint32_t column,
                                  const pistachio_batch **out);

#endif
