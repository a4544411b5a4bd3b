/* result.c - columns of a result, and its batches one after the other. */
#include "api/query/result.h"

#include "api/engine/engine.h"
#include "api/handles/batch.h"
#include "api/handles/error.h"
#include "api/query/query_run.h"
#include "api/session/database.h"
#include "exec/operators/result_batch.h"
#include "sql/statement/sql.h"

uint32_t pistachio_column_count(const pistachio_result *result)
{
    return result ? result->columns.count : 0;
}

const char *pistachio_column_name(const pistachio_result *result, uint32_t column)
{
    return column < pistachio_column_count(result) ? result->columns.names[column] : NULL;
}

const char *pistachio_column_type(const pistachio_result *result, uint32_t column)
{
    return column < pistachio_column_count(result) ? result->columns.type_names[column] : NULL;
}

pistachio_column_class pistachio_column_get_class(const pistachio_result *result, uint32_t column)
{
    if (column >= pistachio_column_count(result))
        return PISTACHIO_CLASS_OTHER;
    data_type type = result->columns.types[column];
    return type_is_numeric(type)  ? PISTACHIO_CLASS_NUMBER
           : type.id == TYPE_BOOL ? PISTACHIO_CLASS_BOOLEAN
                                  : PISTACHIO_CLASS_OTHER;
}

/* ---- made rows ---- */

status api_made_row(pistachio_result *result, const char *const *cells)
{
    arena *a = result->statement->query.memory;
    for (uint32_t i = 0; i < result->columns.count; i++) {
        const char *copy = cells[i] ? arena_copy_text(a, cells[i], strlen(cells[i])) : NULL;
        if (cells[i] && !copy)
            return status_no_memory("result", strlen(cells[i]));
        TRY(array_push(a, &result->made.cells, copy));
    }
    return STATUS_OK;
}

/* Column c of the made rows, with the text in memory of its own. */
static status result_make_column(const api_rows *made, uint32_t columns, uint32_t c, uint64_t rows,
                                 exec_batch_column *column)
{
    uint64_t bytes = 0;
    for (uint64_t row = 0; row < rows; row++) {
        const char *cell = made->cells.items[row * columns + c];
        bytes += cell ? strlen(cell) : 0;
    }
    column->type = type_make(TYPE_VARCHAR);
    string_view *views = column->host_values = mem_new_array(rows, sizeof *views);
    uint64_t *validity = column->host_validity = mem_new_array(rows / 64 + 1, 8);
    char *text = column->host_heap = mem_new(bytes + 1);
    if (!views || !validity || !text)
        return status_no_memory("result", rows * sizeof *views + bytes);
    column->own_heap_bytes = bytes;
    column->values = views;
    column->validity = validity;
    for (uint64_t row = 0; row < rows; row++) {
        const char *cell = made->cells.items[row * columns + c];
        if (!cell)
            continue;
        size_t length = strlen(cell);
        memcpy(text, cell, length);
        views[row] = string_view_make(text, (uint32_t)length);
        validity[row / 64] |= (uint64_t)1 << (row % 64);
        text += length;
    }
    return STATUS_OK;
}

/* All of them as one batch. */
static status next_made(pistachio_result *result, exec_batch **out)
{
    const api_rows *made = &result->made;
    uint32_t columns = result->columns.count;
    uint64_t rows = made->cells.count / columns;
    *out = NULL;
    if (result->is_made_done || !rows)
        return STATUS_OK;
    result->is_made_done = true;
    size_t bytes = sizeof(exec_batch) + columns * sizeof(exec_batch_column);
    exec_batch *batch = mem_new(bytes);
    if (!batch)
        return status_no_memory("result", bytes);
    batch->row_count = rows;
    batch->column_count = columns;
    status st = STATUS_OK;
    for (uint32_t c = 0; c < columns && !st; c++)
        st = result_make_column(made, columns, c, rows, &batch->columns[c]);
    if (st)
        exec_batch_free(batch);
    else
        *out = batch;
    return st;
}

/* ---- batches ---- */

status api_next(pistachio_result *result, const pistachio_batch **out)
{
    exec_batch *rows = NULL;
    *out = NULL;
    pistachio_batch_unref(result->batch);
    result->batch = NULL;
    if (result->made.is_made)
        TRY(next_made(result, &rows));
    else if (result->query)
        TRY(api_query_next(result, &rows));
    if (rows)
        TRY(api_batch_new(rows, result->statement->zone, &result->batch));
    *out = result->batch;
    return STATUS_OK;
}

/* Cuts a batch loose: whoever keeps it does not keep the pages that few rows of it lie in. Where memory is too short
 * for that he does. */
static status compact(exec_batch *rows)
{
    status st = STATUS_OK;
    for (uint32_t i = 0; i < rows->column_count && !st; i++)
        st = exec_batch_compact(rows, i);
    if (status_get_kind(st) != STATUS_KIND_LIMIT)
        return st;
    status_free(st);
    return STATUS_OK;
}

status api_check_on_host(const pistachio_result *result)
{
    if (!result->is_on_device)
        return STATUS_OK;
    return status_hint(
        status_new(STATUS_KIND_INVALID,
                   "the result's rows are in the memory of device %s, where the host "
                   "cannot read them",
                   result->dev->ops->name),
        "take them by pistachio_arrow_device_stream, or SET result_memory = 'host'");
}

pistachio_error *pistachio_next(pistachio_result *result, const pistachio_batch **out)
{
    if (!out)
        return api_null_argument("out");
    *out = NULL;
    if (!result)
        return api_null_argument("result");
    status st = api_check_on_host(result);
    if (!st)
        st = api_next(result, out);
    if (!st && !*out)
        st = api_finish_trace(result);
    else if (!st)
        st = compact(result->batch->rows);
    if (st)
        *out = NULL;
    return api_error(st);
}

uint64_t pistachio_rows_written(const pistachio_result *result)
{
    return result ? result->rows_written : 0;
}

const char *pistachio_notice(const pistachio_result *result, uint32_t index)
{
    const sql_statement *statement = result ? result->statement : NULL;
    size_t count = statement ? statement->notices.count : 0;
    if (index < count)
        return statement->notices.items[index];
    return result && index == count && *result->notice ? result->notice : NULL;
}

const char *pistachio_tag(const pistachio_result *result)
{
    return result && *result->tag ? result->tag : NULL;
}

void pistachio_result_free(pistachio_result *result)
{
    if (!result)
        return;
    pistachio_batch_unref(result->batch);
    api_query_end(result);
    dev_close(result->dev);
    dev_close(result->other_dev);
    api_engine_unref(result->engine);
    sql_statement_free(result->statement);
    if (!result->is_round)
        sql_catalog_free(result->catalog);
    pistachio_statement_free(result->prepared);
    api_connection_unref(result->connection);
    mem_free(result);
}
