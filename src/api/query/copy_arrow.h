/* copy_arrow.h - COPY (query) TO an Arrow file. */
#ifndef PISTACHIO_API_QUERY_COPY_ARROW_H
#define PISTACHIO_API_QUERY_COPY_ARROW_H

#include "api/handles/handles.h"
#include "storage/output_file.h"

#include <stdio.h>

/* Writes the rows of a COPY to the target, a stream of the file, and sets how many there were. */
CHECKED status api_copy_arrow(pistachio_result *result, output_file *file, FILE *target);

#endif
