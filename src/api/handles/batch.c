/* batch.c - batches that a client holds, and their values. */
#include "api/handles/batch.h"

#include "api/handles/handles.h"
#include "api/handles/nested_text.h"
#include "base/time/zone_moment.h"
#include "exec/operators/result_batch.h"

/* Room for the text of each value that is not in memory as text, so that pistachio_text cannot
 * fail: a blob takes two digits a byte. */
static status batch_reserve_text(pistachio_batch *batch)
{
    size_t needed = 128;
    if (batch->rows->is_on_device) /* nobody asks for any */
        return STATUS_OK;
    for (uint32_t c = 0; c < batch->rows->column_count; c++) {
        const exec_batch_column *column = &batch->rows->columns[c];
        const string_view *views = column->values;
        if (column->type.id != TYPE_BLOB)
            continue;
        for (uint64_t row = 0; row < batch->rows->row_count; row++)
            if (!pistachio_is_null(batch, c, row) && 2 * (size_t)views[row].bytes + 3 > needed)
                needed = 2 * (size_t)views[row].bytes + 3;
    }
    batch->text = mem_new(needed);
    if (!batch->text)
        return status_no_memory("text of a value", needed);
    batch->text_bytes = needed;
    return STATUS_OK;
}

status api_batch_new(exec_batch *rows, const zone *zone, pistachio_batch **out)
{
    *out = NULL;
    pistachio_batch *batch = mem_new(sizeof *batch);
    if (!batch) {
        exec_batch_free(rows);
        return status_no_memory("result batch", sizeof *batch);
    }
    atomic_init(&batch->references, 1);
    batch->rows = rows;
    batch->has_zone = zone;
    if (zone)
        batch->zone = *zone;
    status st = batch_reserve_text(batch);
    if (st)
        pistachio_batch_unref(batch);
    else
        *out = batch;
    return st;
}

const pistachio_batch *pistachio_batch_ref(const pistachio_batch *batch)
{
    if (batch) {
        exec_batch_export(batch->rows);
        atomic_fetch_add(&((pistachio_batch *)batch)->references, 1);
    }
    return batch;
}

void pistachio_batch_unref(const pistachio_batch *const_batch)
{
    pistachio_batch *batch = (pistachio_batch *)const_batch;
    if (!batch || atomic_fetch_sub(&batch->references, 1) != 1)
        return;
    exec_batch_free(batch->rows);
    mem_free(batch->text);
    mem_free(batch);
}

/* ---- values ---- */

uint64_t pistachio_batch_rows(const pistachio_batch *batch)
{
    return batch ? batch->rows->row_count : 0;
}

static bool has_cell(const pistachio_batch *batch, uint32_t column, uint64_t row)
{
    return batch && column < batch->rows->column_count && row < batch->rows->row_count;
}

bool pistachio_is_null(const pistachio_batch *batch, uint32_t column, uint64_t row)
{
    if (!has_cell(batch, column, row))
        return true;
    const exec_batch_column *c = &batch->rows->columns[column];
    return c->type.id == TYPE_NULL || (c->validity && !(c->validity[row / 64] >> (row % 64) & 1));
}

typedef struct batch_text {
    pistachio_batch *batch;
    size_t bytes;
    bool is_short; /* of memory */
} batch_text;

static void batch_text_add(void *context, const char *text, size_t bytes)
{
    batch_text *to = context;
    pistachio_batch *batch = to->batch;
    if (to->bytes + bytes >= batch->text_bytes && !to->is_short) {
        size_t room = 2 * (to->bytes + bytes);
        char *more = mem_resize(batch->text, room);
        to->is_short = !more;
        batch->text = more ? more : batch->text;
        batch->text_bytes = more ? room : batch->text_bytes;
    }
    if (to->is_short)
        return;
    memcpy(batch->text + to->bytes, text, bytes);
    to->bytes += bytes;
    batch->text[to->bytes] = 0;
}

/* NULL: there is no memory for it. */
static const char *text_of_nested(pistachio_batch *batch, const exec_batch_column *column,
                                  uint64_t row, size_t *out_bytes)
{
    batch_text to = {.batch = batch};
    api_nested_text(column, row, batch->has_zone ? &batch->zone : NULL,
                    (text_sink){batch_text_add, &to});
    *out_bytes = to.is_short ? 0 : to.bytes;
    return to.is_short ? NULL : batch->text;
}

const char *pistachio_text(const pistachio_batch *const_batch, uint32_t column, uint64_t row,
                           size_t *out_bytes)
{
    pistachio_batch *batch = (pistachio_batch *)const_batch;
    size_t unused;
    if (!out_bytes)
        out_bytes = &unused;
    *out_bytes = 0;
    if (pistachio_is_null(batch, column, row))
        return NULL;
    const exec_batch_column *c = &batch->rows->columns[column];
    if (c->type.id == TYPE_VARCHAR) {
        const string_view *view = &((const string_view *)c->values)[row];
        *out_bytes = view->bytes;
        return string_data(view);
    }
    if (type_is_nested(c->type))
        return text_of_nested(batch, c, row, out_bytes);
    value v = api_value_at(c, row);
    if (c->type.id == TYPE_BLOB) {
        const string_view *view = &((const string_view *)c->values)[row];
        v.text = string_data(view);
        v.bytes = view->bytes;
    }
    *out_bytes = zone_format_value(batch->has_zone ? &batch->zone : NULL, &v, batch->text,
                                   batch->text_bytes);
    return batch->text;
}
