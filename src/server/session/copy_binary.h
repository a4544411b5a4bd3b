/* copy_binary.h - rows as COPY FROM has them in PostgreSQL's binary format, made into those of sql_copy_source.
 *
 *     head     signature, 11 bytes │ flags, 4 │ bytes of an extension, 4 │ extension
 *     a row    number of fields, 2 bytes │ bytes of a field, 4; -1: NULL │ field │ ...
 *     the end  -1, 2 bytes; or nothing
 *
 * Bytes come in pieces that may end anywhere. A field has the type that COPY TO writes the column as (pg_type_of). */
#ifndef PISTACHIO_SERVER_SESSION_COPY_BINARY_H
#define PISTACHIO_SERVER_SESSION_COPY_BINARY_H

#include "server/protocol/wire.h"
#include "sql/catalog/copy.h"

/* The piece of the format that comes next. */
typedef enum copy_binary_part {
    COPY_BINARY_HEAD,
    COPY_BINARY_EXTENSION,
    COPY_BINARY_COUNT,
    COPY_BINARY_LENGTH,
    COPY_BINARY_FIELD,
    COPY_BINARY_END
} copy_binary_part;

typedef struct copy_binary {
    const sql_copy_column *said; /* the columns */
    uint32_t columns;
    uint32_t column; /* of the part, from 0 */
    uint64_t row;    /* the same, from 1 */
    copy_binary_part part;
    size_t wanted;    /* bytes of the part */
    uint32_t skipped; /* bytes of the extension that are still to come */
    bool has_rows;
    ARRAY(char) held; /* of the part, as far as it came */
    wire_writer room; /* for the text of an array */
    ARRAY(char) out;  /* rows that are made, for the caller to take */
} copy_binary;

void copy_binary_init(copy_binary *b, const sql_copy_column *said, uint32_t columns);
CHECKED status copy_binary_add(copy_binary *b, const char *bytes, size_t count);
/* Fails where the bytes end in the middle of a row. */
CHECKED status copy_binary_end(const copy_binary *b);
void copy_binary_release(copy_binary *b);

#endif
