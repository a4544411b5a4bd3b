/* result.c - columns and values of a result. */
#include "api/internal.h"

uint32_t pistachio_column_count(const pistachio_result *result)
{
    if (result->made.column_count)
        return result->made.column_count;
    return result->query && result->statement->kind != SQL_COPY
               ? (uint32_t)result->statement->query.root->columns.count
               : 0;
}

const char *pistachio_column_name(const pistachio_result *result, uint32_t column)
{
    return result->made.column_count ? result->made.names[column]
                                     : result->statement->query.root->columns.items[column].name;
}

const char *pistachio_column_type(const pistachio_result *result, uint32_t column)
{
    return result->made.column_count ? "varchar" : result->type_names[column];
}

pistachio_column_class pistachio_column_get_class(const pistachio_result *result, uint32_t column)
{
    if (result->made.column_count)
        return PISTACHIO_CLASS_OTHER;
    data_type type = result->statement->query.root->columns.items[column].type;
    return type_is_numeric(type)  ? PISTACHIO_CLASS_NUMBER
           : type.id == TYPE_BOOL ? PISTACHIO_CLASS_BOOLEAN
                                  : PISTACHIO_CLASS_OTHER;
}

/* Made rows as a batch of text columns that lie in the arena. */
static status next_made(pistachio_result *result, exec_batch **out)
{
    const api_rows *made = &result->made;
    uint64_t rows = made->cells.count / made->column_count;
    *out = NULL;
    if (result->is_made_done || !rows)
        return STATUS_OK;
    result->is_made_done = true;
    size_t bytes = sizeof(exec_batch) + made->column_count * sizeof(exec_batch_column);
    exec_batch *batch = mem_new(bytes);
    if (!batch)
        return status_no_memory("result", bytes);
    batch->row_count = rows;
    batch->column_count = made->column_count;
    for (uint32_t c = 0; c < made->column_count; c++) {
        exec_batch_column *column = &batch->columns[c];
        column->type = type_make(TYPE_VARCHAR);
        string_view *views = column->host_values = mem_new_array(rows, sizeof *views);
        uint64_t *validity = column->host_validity = mem_new_array(rows / 64 + 1, 8);
        if (!views || !validity) {
            exec_batch_free(batch);
            return status_no_memory("result", rows * sizeof *views);
        }
        column->values = views;
        column->validity = validity;
        for (uint64_t row = 0; row < rows; row++) {
            const char *cell = made->cells.items[row * made->column_count + c];
            if (!cell)
                continue;
            views[row] = string_view_make(cell, (uint32_t)strlen(cell));
            validity[row / 64] |= (uint64_t)1 << (row % 64);
        }
    }
    *out = batch;
    return STATUS_OK;
}

/* Room for the text of each value that is not in memory as text, so that pistachio_text cannot
 * fail: a blob takes two digits a byte. */
static status reserve_text(pistachio_batch *batch)
{
    size_t needed = 128;
    for (uint32_t c = 0; c < batch->rows->column_count; c++) {
        const exec_batch_column *column = &batch->rows->columns[c];
        const string_view *views = column->values;
        if (column->type.id != TYPE_BLOB)
            continue;
        for (uint64_t row = 0; row < batch->rows->row_count; row++)
            if (!pistachio_is_null(batch, c, row) && 2 * (size_t)views[row].bytes + 3 > needed)
                needed = 2 * (size_t)views[row].bytes + 3;
    }
    if (needed <= batch->text_bytes)
        return STATUS_OK;
    char *larger = mem_resize(batch->text, needed);
    if (!larger)
        return status_no_memory("text of a value", needed);
    batch->text = larger;
    batch->text_bytes = needed;
    return STATUS_OK;
}

status api_next(pistachio_result *result, const pistachio_batch **out)
{
    *out = NULL;
    exec_batch_free(result->batch.rows);
    result->batch.rows = NULL;
    status st = STATUS_OK;
    if (result->made.column_count)
        st = next_made(result, &result->batch.rows);
    else if (result->query)
        st = exec_query_next(result->query, &result->batch.rows);
    if (!st && !result->batch.rows)
        st = api_finish_trace(result);
    if (!st && result->batch.rows)
        st = reserve_text(&result->batch);
    if (!st && result->batch.rows)
        *out = &result->batch;
    return st;
}

pistachio_error *pistachio_next(pistachio_result *result, const pistachio_batch **out)
{
    return api_error(api_next(result, out));
}

uint64_t pistachio_batch_rows(const pistachio_batch *batch)
{
    return batch->rows->row_count;
}

bool pistachio_is_null(const pistachio_batch *batch, uint32_t column, uint64_t row)
{
    const exec_batch_column *c = &batch->rows->columns[column];
    return c->type.id == TYPE_NULL || (c->validity && !(c->validity[row / 64] >> (row % 64) & 1));
}

/* The value in memory as one on the host. */
static value value_at(const exec_batch_column *column, uint64_t row)
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
    const exec_batch_column *c = &batch->rows->columns[column];
    *out_bytes = 0;
    if (pistachio_is_null(batch, column, row))
        return NULL;
    if (c->type.id == TYPE_VARCHAR) {
        const string_view *view = &((const string_view *)c->values)[row];
        *out_bytes = view->bytes;
        return string_data(view);
    }
    value v = value_at(c, row);
    if (c->type.id == TYPE_BLOB) {
        const string_view *view = &((const string_view *)c->values)[row];
        v.text = string_data(view);
        v.bytes = view->bytes;
    }
    *out_bytes = value_format(&v, batch->text, batch->text_bytes);
    return batch->text;
}

uint64_t pistachio_rows_written(const pistachio_result *result)
{
    return result->rows_written;
}

const char *pistachio_tag(const pistachio_result *result)
{
    return result && *result->tag ? result->tag : NULL;
}
