/* adbc_objects.h - what an ADBC client asks of the catalog. */
#ifndef PISTACHIO_API_ADBC_ADBC_OBJECTS_H
#define PISTACHIO_API_ADBC_ADBC_OBJECTS_H

#include "api/adbc/arrow_build.h"
#include "pistachio/adbc.h"

#include <stdbool.h>

AdbcStatusCode adbc_connection_get_info(struct AdbcConnection *connection, const uint32_t *codes,
                                        size_t count, struct ArrowArrayStream *out,
                                        struct AdbcError *error);
AdbcStatusCode adbc_connection_get_table_types(struct AdbcConnection *connection,
                                               struct ArrowArrayStream *out,
                                               struct AdbcError *error);
AdbcStatusCode adbc_connection_get_objects(struct AdbcConnection *connection, int depth,
                                           const char *catalog, const char *db_schema,
                                           const char *table, const char **table_types,
                                           const char *column, struct ArrowArrayStream *out,
                                           struct AdbcError *error);

/* A name that a filter of ADBC passes: % any text, _ any character, case counts; NULL: all. */
bool adbc_matches(const char *pattern, const char *name);
/* There is one catalog with one schema, neither has a name. */
bool adbc_matches_unnamed(const char *catalog, const char *db_schema);

#endif
