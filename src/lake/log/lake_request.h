/* lake_request.h - which state of which lake a statement asks for. */
#ifndef PISTACHIO_LAKE_LOG_LAKE_REQUEST_H
#define PISTACHIO_LAKE_LOG_LAKE_REQUEST_H

#include <stdbool.h>
#include <stdint.h>

typedef enum lake_kind {
    LAKE_NONE,
    LAKE_DELTA,
    LAKE_ICEBERG,
    LAKE_REST /* path: catalog/namespace/table, of a catalog that is attached */
} lake_kind;

typedef struct lake_request {
    lake_kind kind;
    const char *path;
    bool has_version, has_time;
    int64_t version;
    int64_t time; /* microseconds since 1970, in UTC */
    const struct rest_table
        *rest; /* what the catalog has told (lake/rest/rest.h); NULL: nobody did */
} lake_request;

#endif
