/* arrow_write.h - the rows of an Arrow stream into a Parquet file: tables that clients give. */
#ifndef PISTACHIO_API_ARROW_ARROW_WRITE_H
#define PISTACHIO_API_ARROW_ARROW_WRITE_H

#include "api/handles/handles.h"
#include "storage/new_file.h"

typedef struct api_arrow_target {
    const char *path;  /* the file, whole or not at all; also for messages */
    new_file *file;    /* written to in its place, and taken over, also on failure; or NULL */
    bool is_temporary; /* read soon, by us: not compressed */
} api_arrow_target;

/* Reads the stream to its end, in memory within memory_limit, and releases it, also on failure. */
CHECKED status api_arrow_write(pistachio_connection *connection, struct ArrowArrayStream *stream,
                               const api_arrow_target *target, uint64_t *out_rows);

#endif
