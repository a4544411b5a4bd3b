/* arrow_stream.h - results as Arrow's streams. */
#ifndef PISTACHIO_API_STREAM_ARROW_STREAM_H
#define PISTACHIO_API_STREAM_ARROW_STREAM_H

#include "api/handles/handles.h"

/* pistachio_arrow_stream, of arrays in whatever memory the result's rows are. */
CHECKED status api_arrow_stream(pistachio_result *result, struct ArrowArrayStream *out);
/* errno for what get_next and get_schema return. */
int api_arrow_errno(status st);

#endif
