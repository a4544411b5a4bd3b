/* rows.c - see rows.h. */
#include "server/session/rows.h"

#include "base/type/pg_type.h"
#include "server/engine.h"

#include <stdio.h>

/* Most columns that clients take: their number is a signed one of 16 bits. */
#define COLUMNS_MAX INT16_MAX

encode_format rows_format_of(rows_formats formats, size_t column)
{
    if (!formats.count)
        return ENCODE_TEXT;
    return formats.items[formats.count == 1 ? 0 : column];
}

status rows_check_columns(const api_columns *columns)
{
    if (columns->count <= COLUMNS_MAX)
        return STATUS_OK;
    return status_hint(status_new(STATUS_KIND_LIMIT, "the result has %u columns; clients take %d",
                                  (unsigned)columns->count, COLUMNS_MAX),
                       "select fewer columns");
}

status rows_describe(wire_writer *out, const api_columns *columns, rows_formats formats)
{
    TRY(rows_check_columns(columns));
    wire_begin(out, 'T');
    wire_16(out, (uint16_t)columns->count);
    for (uint32_t i = 0; i < columns->count; i++) {
        pg_type type = pg_type_of(columns->types[i]);
        wire_text(out, columns->names[i]);
        wire_32(out, 0); /* table */
        wire_16(out, 0); /* column of it */
        wire_32(out, type.oid);
        wire_16(out, (uint16_t)type.size);
        wire_32(out, (uint32_t)type.modifier);
        wire_16(out, rows_format_of(formats, i));
    }
    wire_finish(out);
    return STATUS_OK;
}

static void write_row(wire_writer *out, const exec_batch *batch, uint64_t row, rows_formats formats,
                      const zone *zone)
{
    wire_begin(out, 'D');
    wire_16(out, (uint16_t)batch->column_count);
    for (uint32_t i = 0; i < batch->column_count; i++)
        encode_value(out, &batch->columns[i], row, rows_format_of(formats, i), zone);
    wire_finish(out);
}

status rows_find(rows *r)
{
    while (!r->is_done && (!r->batch || r->row == r->batch->rows->row_count)) {
        TRY(api_error_status(pistachio_next(r->result, &r->batch)));
        r->row = 0;
        r->is_done = !r->batch;
    }
    if (r->is_done || !r->limit || r->sent < r->limit)
        return STATUS_OK;
    return status_hint(status_new(STATUS_KIND_LIMIT,
                                  "the result has more than the %llu rows that the user may get",
                                  (unsigned long long)r->limit),
                       "LIMIT asks for fewer; rows= in the server's file of users sets the limit");
}

status rows_send(stream *s, rows *r, rows_formats formats, uint64_t most)
{
    const zone *zone = r->result->statement->zone;
    uint64_t end = most ? r->sent + most : UINT64_MAX;
    for (;;) {
        TRY(rows_find(r));
        if (r->is_done || r->sent == end)
            return STATUS_OK;
        write_row(&s->out, r->batch->rows, r->row, formats, zone);
        r->row++;
        r->sent++;
        TRY(stream_flush_some(s));
    }
}

status rows_skip(rows *r, uint64_t most, uint64_t *out_skipped)
{
    for (*out_skipped = 0; !most || *out_skipped < most;) {
        TRY(rows_find(r));
        if (r->is_done)
            return STATUS_OK;
        uint64_t left = r->batch->rows->row_count - r->row;
        uint64_t some = most && most - *out_skipped < left ? most - *out_skipped : left;
        r->row += some;
        *out_skipped += some;
    }
    return STATUS_OK;
}

void rows_write_tag(wire_writer *out, const rows *r)
{
    char tag[API_TAG_BYTES + 24];
    const char *given = pistachio_tag(r->result);
    sql_kind kind = r->result->statement->kind;
    if (given)
        snprintf(tag, sizeof tag, "%s", given);
    else if (kind == SQL_EXPLAIN || kind == SQL_EXPLAIN_ANALYZE)
        snprintf(tag, sizeof tag, "EXPLAIN");
    else if (kind == SQL_SHOW)
        snprintf(tag, sizeof tag, "SHOW");
    else
        snprintf(tag, sizeof tag, "SELECT %llu", (unsigned long long)r->sent);
    wire_begin(out, 'C');
    wire_text(out, tag);
    wire_finish(out);
}
