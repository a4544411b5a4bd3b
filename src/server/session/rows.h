/* rows.h - results as messages: RowDescription, DataRow, CommandComplete. */
#ifndef PISTACHIO_SERVER_SESSION_ROWS_H
#define PISTACHIO_SERVER_SESSION_ROWS_H

#include "api/handles/handles.h"
#include "server/protocol/encode.h"
#include "server/protocol/stream.h"

/* Which format each column has: of no formats text, of one all columns; else one each. */
typedef struct rows_formats {
    const uint8_t *items; /* encode_format */
    size_t count;
} rows_formats;

encode_format rows_format_of(rows_formats formats, size_t column);
/* Fails where there are more columns than a message can have. */
CHECKED status rows_check_columns(const api_columns *columns);
CHECKED status rows_describe(wire_writer *out, const api_columns *columns, rows_formats formats);

/* A result that is sent, in one go or several. */
typedef struct rows {
    pistachio_result *result;
    const pistachio_batch *batch; /* NULL: the next one is still to be asked for */
    uint64_t row;                 /* of it, which comes next */
    uint64_t sent;                /* rows in all */
    uint64_t limit;               /* most of them that the client may be sent; 0: any number */
    bool is_done;
    bool needs_turn; /* its statement reads rows: activity.h */
} rows;

/* Makes the next row be there, at r->row of r->batch, or is_done. */
CHECKED status rows_find(rows *r);
/* Sends at most `most` rows; 0: all. */
CHECKED status rows_send(stream *s, rows *r, rows_formats formats, uint64_t most);
/* Passes over at most `most` rows; 0: all. They do not count as sent. */
CHECKED status rows_skip(rows *r, uint64_t most, uint64_t *out_skipped);
/* Writes CommandComplete: "SELECT 3", "SET". */
void rows_write_tag(wire_writer *out, const rows *r);

#endif
