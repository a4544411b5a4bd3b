/* statement.h - prepared statements and the values of their parameters. */
#ifndef PISTACHIO_API_SESSION_STATEMENT_H
#define PISTACHIO_API_SESSION_STATEMENT_H

#include "api/handles/handles.h"

/* Prepares as pistachio_prepare does; parameters have the types that are declared, by number, where these are not
 * TYPE_NULL. */
CHECKED status api_prepare(pistachio_connection *connection, const char *sql,
                           const data_type *declared, uint32_t declared_count,
                           const char **out_rest, pistachio_statement **out);
/* Puts the value in the place of the one before; its text is copied. A nested value's is what a literal of the type has. */
CHECKED status api_bind(pistachio_statement *statement, uint32_t parameter, const value *v);
/* Values of all parameters for sql_session, valid until the next api_bind; released by mem_free. Fails where one is missing. */
CHECKED status api_bound_values(const pistachio_statement *statement, value **out);
pistachio_statement *api_statement_ref(pistachio_statement *statement);

#endif
