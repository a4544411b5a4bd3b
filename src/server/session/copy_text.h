/* copy_text.h - rows as COPY FROM has them, in PostgreSQL's text format or csv, made into those of sql_copy_source.
 *
 * Bytes come in pieces that may end anywhere. */
#ifndef PISTACHIO_SERVER_SESSION_COPY_TEXT_H
#define PISTACHIO_SERVER_SESSION_COPY_TEXT_H

#include "base/mem.h"
#include "sql/catalog/copy.h"

/* Longest field. */
#define COPY_FIELD_BYTES_MAX ((size_t)256 << 20)

typedef struct copy_text {
    const sql_copy_text *style;
    const sql_copy_column *said; /* the columns */
    uint32_t columns;
    uint32_t column;               /* that comes next */
    uint64_t line;                 /* from 1 */
    bool is_escaped;               /* the last byte was a \\; csv: the escape, in quotes */
    bool is_in_quotes, was_quoted; /* csv */
    bool has_return; /* the last byte was a bare \r, which may belong to the line's end */
    bool is_plain;   /* a value of the head is made, for comparison */
    bool is_ended;   /* by \\. on a line of its own */
    bool has_rows;
    ARRAY(char) field; /* text: as it came */
    ARRAY(char) out;   /* rows that are made, for the caller to take */
} copy_text;

CHECKED status copy_text_add(copy_text *t, const char *bytes, size_t count);
/* Ends the last row, if the client has not. */
CHECKED status copy_text_end(copy_text *t);
void copy_text_release(copy_text *t);

#endif
