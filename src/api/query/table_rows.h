/* table_rows.h - rows of statements that become tables. */
#ifndef PISTACHIO_API_QUERY_TABLE_ROWS_H
#define PISTACHIO_API_QUERY_TABLE_ROWS_H

#include "api/handles/handles.h"

/* table_rows.c: makes the statement's table of these rows, or adds them to it. */
CHECKED status api_keep_rows(pistachio_result *result);
/* The rows into a file without a name, the caller's unless it fails. */
CHECKED status api_write_rows(pistachio_result *result, int *out_descriptor);

#endif
