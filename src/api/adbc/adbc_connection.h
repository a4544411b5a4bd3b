/* adbc_connection.h - connections of the ADBC driver. */
#ifndef PISTACHIO_API_ADBC_ADBC_CONNECTION_H
#define PISTACHIO_API_ADBC_ADBC_CONNECTION_H

#include "pistachio/adbc.h"
#include "pistachio/pistachio.h"

#include <stdbool.h>

/* The session; *out is NULL, and the code a failure, before it is open. */
AdbcStatusCode adbc_open_connection(const struct AdbcConnection *connection,
                                    pistachio_connection **out, struct AdbcError *error);
/* "text" with quotes, those inside doubled; mem_free. NULL: no memory. */
char *adbc_quoted(const char *text, char quote);
/* SET of a session. */
AdbcStatusCode adbc_set(pistachio_connection *connection, const char *name, const char *value,
                        struct AdbcError *error);
/* Fills in a connection's functions of the driver's table. */
void adbc_connection_functions(struct AdbcDriver *driver, bool has_1_1);

#endif
