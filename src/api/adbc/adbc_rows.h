/* adbc_rows.h - statements that are executed for rows. */
#ifndef PISTACHIO_API_ADBC_ADBC_ROWS_H
#define PISTACHIO_API_ADBC_ADBC_ROWS_H

#include "api/handles/handles.h"
#include "base/status.h"
#include "pistachio/pistachio.h"

/* Executes the statement for each row of `bound`, which is taken over, also on failure;
 * the results as one stream. out NULL: they are thrown away. *out_rows (may be NULL): what COPY wrote,
 * or -1. */
CHECKED status adbc_execute_rows(pistachio_statement *statement, struct ArrowArrayStream *bound,
                                 struct ArrowArrayStream *out, int64_t *out_rows);
/* Executes a statement without bound rows; the results as one stream. */
CHECKED status adbc_execute_once(pistachio_statement *statement, struct ArrowArrayStream *out,
                                 int64_t *out_rows);
/* A stream of one array; both are taken over. */
CHECKED status adbc_stream_of(struct ArrowSchema *schema, struct ArrowArray *array,
                              struct ArrowArrayStream *out);

#endif
