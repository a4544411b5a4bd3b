/* adbc_statistics.h - statistics of tables, for ADBC. */
#ifndef PISTACHIO_API_ADBC_ADBC_STATISTICS_H
#define PISTACHIO_API_ADBC_ADBC_STATISTICS_H

#include "pistachio/adbc.h"

AdbcStatusCode adbc_connection_get_statistics(struct AdbcConnection *connection,
                                              const char *catalog, const char *db_schema,
                                              const char *table, char approximate,
                                              struct ArrowArrayStream *out,
                                              struct AdbcError *error);
AdbcStatusCode adbc_connection_get_statistic_names(struct AdbcConnection *connection,
                                                   struct ArrowArrayStream *out,
                                                   struct AdbcError *error);

#endif
