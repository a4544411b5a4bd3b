/* batch.c - batches that a client holds, and their values. */
#include "api/handles/batch.h"

#include "api/handles/handles.h"
#include "base/zone_moment.h"
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

value api_value_at(const exec_batch_column *column, uint64_t row)
{
    value v = {.type = column->type};
    const void *values = column->values;
    switch (column->type.id) {
    case TYPE_BOOL:
        v.boolean = ((const uint64_t *)values)[row / 64] >> (row % 64) & 1;
        break;
    case TYPE_INT8:
        v.i64 = ((const int8_t *)values)[row];
        break;
    case TYPE_INT16:
        v.i64 = ((const int16_t *)values)[row];
        break;
    case TYPE_INT32:
    case TYPE_DATE:
        v.i64 = ((const int32_t *)values)[row];
        break;
    case TYPE_UINT8:
        v.u64 = ((const uint8_t *)values)[row];
        break;
    case TYPE_UINT16:
        v.u64 = ((const uint16_t *)values)[row];
        break;
    case TYPE_UINT32:
        v.u64 = ((const uint32_t *)values)[row];
        break;
    case TYPE_FLOAT:
        v.f64 = (double)((const float *)values)[row];
        break;
    case TYPE_DOUBLE:
        v.f64 = ((const double *)values)[row];
        break;
    case TYPE_INTERVAL:
        v.interval = ((const interval_value *)values)[row];
        break;
    case TYPE_DECIMAL:
    case TYPE_UUID:
        if (column->type.width == 16)
            v.i128 = ((const int128 *)values)[row];
        else
            v.i64 = ((const int64_t *)values)[row];
        break;
    default:
        v.i64 = ((const int64_t *)values)[row];
    }
    return v;
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
