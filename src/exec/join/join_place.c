/* join_place.c - build rows in reserved memory. */
#include "exec/join/join_place.h"

/* Chunks that are collected before any are placed: with the usual number of rows they are worth a
 * page of the large kind for each column. */
#define CHUNKS_BEFORE 4
/* Without a memory limit. */
#define RESERVED_BYTES_MAX ((uint64_t)16 << 30)

void join_place_release(join_place *place)
{
    for (uint32_t c = 0; c < place->column_count && place->columns; c++)
        dev_buffer_unref(place->columns[c]);
    mem_free(place->columns);
    place->columns = NULL;
}

static bool is_wanted(const join_place_want *want, uint32_t column)
{
    return want->needed[column] && want->types[column].width && !want->bases[column];
}

static uint64_t capacity_of(const join_place_want *want, uint64_t row_bytes)
{
    uint64_t limit = mem_budget_limit(want->dev->budget);
    uint64_t rows = (limit ? limit : RESERVED_BYTES_MAX) / row_bytes;
    return rows < ROW_NULL ? rows : ROW_NULL - 1;
}

/* What cannot be reserved is moved, as if there were no places. */
static void make(join_place *place, const join_place_want *want)
{
    place->is_made = true;
    place->column_count = want->column_count;
    for (uint32_t c = 0; c < want->column_count; c++)
        place->row_bytes += is_wanted(want, c) ? want->types[c].width : 0;
    if (!want->dev->ops->reserve || !place->row_bytes)
        return;
    place->capacity = capacity_of(want, place->row_bytes);
    place->columns = mem_new_array(want->column_count, sizeof *place->columns);
    status st = place->columns ? STATUS_OK : status_no_memory("join build", want->column_count);
    for (uint32_t c = 0; c < want->column_count && !st; c++)
        if (is_wanted(want, c))
            st = want->dev->ops->reserve(want->dev, place->capacity * want->types[c].width,
                                         &place->columns[c]);
    if (st)
        join_place_release(place);
    status_free(st);
}

static bool take_rows(join_place *place, const join_place_want *want, uint64_t rows,
                      uint64_t *out_first)
{
    place->seen += rows;
    if (place->seen <= CHUNKS_BEFORE * (uint64_t)want->dev->chunk_rows)
        return false;
    if (!place->is_made)
        make(place, want);
    if (!place->columns || rows > place->capacity - place->rows)
        return false;
    *out_first = place->rows;
    place->rows += rows;
    return true;
}

status join_place_take(join_place *place, const join_place_want *want, uint64_t rows,
                       tensor_place *out, bool *is_placed)
{
    uint64_t first = 0;
    *is_placed = take_rows(place, want, rows, &first);
    for (uint32_t c = 0; c < want->column_count; c++) {
        dev_buffer *column = *is_placed ? place->columns[c] : NULL;
        uint64_t width = want->types[c].width;
        out[c] = (tensor_place){0};
        if (!column)
            continue;
        /* After a failure the rows stay nobody's, a hole: no table is made of the others then, as
         * the query fails or the join spills. */
        TRY(want->dev->ops->commit(column, rows * width, "join build"));
        out[c] = (tensor_place){column, (char *)column->address + first * width};
    }
    return STATUS_OK;
}

void join_place_give(const join_place *place, const chunk *c)
{
    for (uint32_t i = 0; i < place->column_count && place->columns && c; i++) {
        const tensor *t = c->columns[i];
        uint64_t rows = c->rows.bound;
        if (t && t->form == TENSOR_INDEXED) {
            rows = t->base_rows;
            t = t->base;
        }
        dev_buffer *column = place->columns[i];
        if (column && t && t->values_owner == column)
            column->dev->ops->decommit(column,
                                       (size_t)((char *)t->values - (char *)column->address),
                                       rows * t->type.width);
    }
}

bool join_place_find(const join_place *place, const chunk *c, uint64_t *out_row)
{
    for (uint32_t i = 0; i < place->column_count && place->columns; i++) {
        const dev_buffer *column = place->columns[i];
        const tensor *t = c->columns[i];
        if (!column || !t || t->values_owner != column)
            continue;
        *out_row = (uint64_t)((char *)t->values - (char *)column->address) / t->type.width;
        return true;
    }
    return false;
}

bool join_place_has(const join_place *place, uint32_t column)
{
    return place->columns && place->columns[column];
}

uint64_t join_place_bytes(const join_place *place)
{
    return place->columns ? place->rows * place->row_bytes : 0;
}
