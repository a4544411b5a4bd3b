/* define.h - statements that define names: CREATE, DROP and ALTER of views, macros, schemas and tables of rows. */
#ifndef PISTACHIO_API_QUERY_DEFINE_H
#define PISTACHIO_API_QUERY_DEFINE_H

#include "api/handles/handles.h"

/* Runs such a statement: on the session's own catalog or, if the name is not there and the connection has one, on the
 * catalog that it shares. */
CHECKED status api_define(pistachio_result *result);

#endif
