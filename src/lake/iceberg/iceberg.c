/* iceberg.c - the current metadata, its snapshot, as a table that is told. */
#include "lake/iceberg/iceberg.h"

status iceberg_read(arena *a, const lake_request *request, pq_given **out)
{
    (void)a;
    *out = NULL;
    return status_new(STATUS_KIND_UNSUPPORTED, "Iceberg table \"%s\" is not supported",
                      request->path);
}

bool iceberg_is_current(arena *scratch, const lake_request *request, const pq_given *given)
{
    (void)scratch;
    (void)request;
    (void)given;
    return true;
}
