/* adbc_ingest.h - bound rows that become a table. */
#ifndef PISTACHIO_API_ADBC_ADBC_INGEST_H
#define PISTACHIO_API_ADBC_ADBC_INGEST_H

#include "api/handles/handles.h"
#include "base/status.h"
#include "pistachio/adbc.h"
#include "pistachio/pistachio.h"

/* The place that bound rows go to, instead of into a query. */
typedef struct adbc_ingest {
    char *table;  /* NULL: nowhere */
    char *folder; /* the connection's, or NULL */
    const char *mode;
    bool is_temporary;
} adbc_ingest;

/* Sets one of the options of adbc.ingest; false: the key is not one of them. */
bool adbc_ingest_set(adbc_ingest *ingest, const char *key, const char *value,
                     struct AdbcError *error, AdbcStatusCode *out_code);
void adbc_ingest_release(adbc_ingest *ingest);
/* The rows become a table, or part of one. `bound` is taken over, also on failure. */
AdbcStatusCode adbc_ingest_run(pistachio_connection *connection, const adbc_ingest *ingest,
                               struct ArrowArrayStream *bound, int64_t *out_rows,
                               struct AdbcError *error);

#endif
