/* reserved_columns.c - rows in reserved memory. */
#include "exec/keys/reserved_columns.h"

/* Chunks that are collected before any are placed: with the usual number of rows they are worth a
 * page of the large kind for each column. */
#define CHUNKS_BEFORE 4
/* Without a memory limit. */
#define RESERVED_BYTES_MAX ((uint64_t)16 << 30)

void reserved_columns_release(reserved_columns *reserved)
{
    for (uint32_t c = 0; c < reserved->column_count && reserved->columns; c++)
        dev_buffer_unref(reserved->columns[c]);
    mem_free(reserved->columns);
    reserved->columns = NULL;
}

static bool reserved_columns_is_wanted(const reserved_columns_want *want, uint32_t column)
{
    return want->needed[column] && want->types[column].width &&
           (!want->bases || !want->bases[column]);
}

static uint64_t capacity_of(const reserved_columns_want *want, uint64_t row_bytes)
{
    uint64_t limit = mem_budget_limit(want->dev->budget);
    uint64_t rows = (limit ? limit : RESERVED_BYTES_MAX) / row_bytes;
    return rows < ROW_NULL ? rows : ROW_NULL - 1;
}

/* Reserves columns; what cannot be reserved is moved, as if there were no places. */
static void reserved_columns_make(reserved_columns *reserved, const reserved_columns_want *want)
{
    reserved->is_made = true;
    reserved->column_count = want->column_count;
    for (uint32_t c = 0; c < want->column_count; c++)
        reserved->row_bytes += reserved_columns_is_wanted(want, c) ? want->types[c].width : 0;
    if (!want->dev->ops->reserve || !reserved->row_bytes)
        return;
    reserved->capacity = capacity_of(want, reserved->row_bytes);
    reserved->columns = mem_new_array(want->column_count, sizeof *reserved->columns);
    status st = reserved->columns ? STATUS_OK : status_no_memory(want->who, want->column_count);
    for (uint32_t c = 0; c < want->column_count && !st; c++)
        if (reserved_columns_is_wanted(want, c))
            st = want->dev->ops->reserve(want->dev, reserved->capacity * want->types[c].width,
                                         &reserved->columns[c]);
    if (st)
        reserved_columns_release(reserved);
    status_free(st);
}

static bool reserved_columns_take_rows(reserved_columns *reserved,
                                       const reserved_columns_want *want, uint64_t rows,
                                       uint64_t *out_first)
{
    reserved->seen += rows;
    if (reserved->seen <= CHUNKS_BEFORE * (uint64_t)want->dev->chunk_rows)
        return false;
    if (!reserved->is_made)
        reserved_columns_make(reserved, want);
    if (!reserved->columns || rows > reserved->capacity - reserved->rows)
        return false;
    *out_first = reserved->rows;
    reserved->rows += rows;
    return true;
}

status reserved_columns_take(reserved_columns *reserved, const reserved_columns_want *want,
                             uint64_t rows, tensor_target *out, bool *is_placed)
{
    uint64_t first = 0;
    *is_placed = reserved_columns_take_rows(reserved, want, rows, &first);
    for (uint32_t c = 0; c < want->column_count; c++) {
        dev_buffer *column = *is_placed ? reserved->columns[c] : NULL;
        uint64_t width = want->types[c].width;
        out[c] = (tensor_target){0};
        if (!column)
            continue;
        /* After a failure the rows stay nobody's, a hole: no table is made of the others then, as
         * the query fails or the join spills. */
        TRY(want->dev->ops->commit(column, rows * width, want->who));
        out[c] = (tensor_target){column, (char *)column->address + first * width};
    }
    return STATUS_OK;
}

void reserved_columns_give(const reserved_columns *reserved, const chunk *c)
{
    for (uint32_t i = 0; i < reserved->column_count && reserved->columns && c; i++) {
        const tensor *t = c->columns[i];
        uint64_t rows = c->rows.bound;
        if (t && t->form == TENSOR_INDEXED) {
            rows = t->base_rows;
            t = t->base;
        }
        dev_buffer *column = reserved->columns[i];
        if (column && t && t->values_owner == column)
            column->dev->ops->decommit(column,
                                       (size_t)((char *)t->values - (char *)column->address),
                                       rows * t->type.width);
    }
}

bool reserved_columns_find(const reserved_columns *reserved, const chunk *c, uint64_t *out_row)
{
    for (uint32_t i = 0; i < reserved->column_count && reserved->columns; i++) {
        const dev_buffer *column = reserved->columns[i];
        const tensor *t = c->columns[i];
        if (!column || !t || t->values_owner != column)
            continue;
        *out_row = (uint64_t)((char *)t->values - (char *)column->address) / t->type.width;
        return true;
    }
    return false;
}

bool reserved_columns_have(const reserved_columns *reserved, uint32_t column)
{
    return reserved->columns && reserved->columns[column];
}

uint64_t reserved_columns_bytes(const reserved_columns *reserved)
{
    return reserved->columns ? reserved->rows * reserved->row_bytes : 0;
}
