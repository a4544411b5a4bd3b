/* join_heavy.c - a table of heavy keys, and one of their build rows. */
#include "exec/join/join_heavy.h"

#include "device/chunk.h"
#include "exec/join/join_side.h"
#include "exec/join/join_table_build.h"

static status join_heavy_find(const heavy_table *base, exec_task *task, tensor *const *keys,
                              dev_count rows, row_index **out)
{
    return join_table_probe(&((const join_heavy_table *)base)->keys, task, keys, rows, out);
}

static void heavy_free(heavy_table *base)
{
    join_heavy_table *heavy = (join_heavy_table *)base;
    join_table_release(&heavy->keys);
    join_side_release(&heavy->rows);
    mem_free(heavy->key_types);
    mem_free(heavy->key_columns);
    mem_free(heavy->not_needed);
    mem_free(heavy);
}

static status share_chunks(const chunk_list *chunks, chunk_list *out)
{
    for (size_t i = 0; i < chunks->count; i++) {
        const chunk *c = chunks->items[i];
        chunk *shared;
        TRY(array_reserve(NULL, out, 1));
        TRY(chunk_new(c->column_count, c->rows, &shared));
        for (uint32_t k = 0; k < c->column_count; k++)
            shared->columns[k] = tensor_ref(c->columns[k]);
        out->items[out->count++] = shared;
    }
    return STATUS_OK;
}

static status join_heavy_make(join_table *table, exec_task *task, const join_key_range *ranges)
{
    exec_task alone = *task;
    alone.index = 0;
    alone.count = 1;
    for (unsigned phase = 0; phase < JOIN_TABLE_PHASES; phase++)
        TRY(join_table_phase(table, &alone, phase, ranges));
    TRY(exec_check_error(task));
    join_table_check(table);
    return STATUS_OK;
}

/* NULLs are keys like others: which build rows they meet is the other table's. */
static status join_heavy_make_keys(join_heavy_table *heavy, exec_task *task, const chunk_list *keys)
{
    uint32_t count = heavy->join->key_count;
    heavy->key_types = mem_new_array(count, sizeof *heavy->key_types);
    heavy->key_columns = mem_new_array(count, sizeof *heavy->key_columns);
    heavy->not_needed = mem_new_array(count, sizeof *heavy->not_needed);
    if (!heavy->key_types || !heavy->key_columns || !heavy->not_needed)
        return status_no_memory("heavy keys", count * sizeof *heavy->key_types);
    for (uint32_t k = 0; k < count; k++) {
        heavy->key_types[k] = heavy->join->key_types[k];
        heavy->key_columns[k] = k;
    }
    heavy->keys = (join_table){.dev = task->stream->dev,
                               .key_count = count,
                               .column_count = count,
                               .key_types = heavy->key_types,
                               .key_columns = heavy->key_columns,
                               .needed = heavy->not_needed,
                               .null_equal = true,
                               .row_need = JOIN_ROWS_NEVER};
    TRY(join_table_init(&heavy->keys));
    TRY(share_chunks(keys, &heavy->keys.chunks));
    return join_heavy_make(&heavy->keys, task, NULL);
}

static status add_bounds(join_heavy_table *heavy, exec_task *task)
{
    const op_join_build *join = heavy->join;
    uint64_t *words = NULL;
    dev_buffer *bounds;
    TRY(join_bounds_new(join, task, &bounds));
    status st = STATUS_OK;
    for (size_t i = 0; i < heavy->rows.table.chunks.count && bounds && !st; i++)
        st = join_bounds_add(join, task, heavy->rows.table.chunks.items[i], bounds);
    if (!st)
        st = join_bounds_read(join, task, bounds, &words);
    if (!st)
        join_side_add_bounds(join, &heavy->rows, words);
    mem_free(words);
    dev_buffer_unref(bounds);
    return st;
}

static status make_rows(join_heavy_table *heavy, exec_task *task, const chunk_list *rows)
{
    TRY(join_side_init(heavy->join, &heavy->rows));
    TRY(share_chunks(rows, &heavy->rows.table.chunks));
    TRY(add_bounds(heavy, task));
    TRY(join_heavy_make(&heavy->rows.table, task, heavy->rows.ranges));
    return join_side_start(heavy->join, task, &heavy->rows);
}

status join_heavy_table_new(const op_join_build *join, exec_task *task, const chunk_list *keys,
                            const chunk_list *rows, join_heavy_table **out)
{
    join_heavy_table *heavy = mem_new(sizeof *heavy);
    *out = NULL;
    if (!heavy)
        return status_no_memory("heavy keys", sizeof *heavy);
    heavy->base = (heavy_table){.references = 1, .free = heavy_free, .find = join_heavy_find};
    heavy->join = join;
    status st = join_heavy_make_keys(heavy, task, keys);
    if (!st)
        st = make_rows(heavy, task, rows);
    if (!st && !task->stream->dev->is_host) /* others use it on streams of their own */
        st = dev_stream_await(task->stream);
    if (st)
        heavy_free(&heavy->base);
    else
        *out = heavy;
    return st;
}

/* ---- columns of answers ---- */

status join_answer_columns_init(const op_join_build *join, join_answer_columns *out)
{
    *out = (join_answer_columns){0};
    out->sources = mem_new_array(join->stored_columns + 1, sizeof *out->sources);
    out->types = mem_new_array(join->stored_columns + 1, sizeof *out->types);
    if (!out->sources || !out->types)
        return status_no_memory("heavy keys", join->stored_columns * sizeof *out->types);
    for (uint32_t i = 0; i < join->stored_columns; i++) {
        if (!join->needed[i])
            continue;
        out->sources[out->count] = i;
        out->types[out->count++] = join->stored_types[i];
    }
    return STATUS_OK;
}

void join_answer_columns_release(join_answer_columns *columns)
{
    mem_free(columns->sources);
    mem_free(columns->types);
}
