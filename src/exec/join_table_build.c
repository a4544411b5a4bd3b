/* join_table_build.c - the steps that make a join table out of all lanes' chunks.
 *
 * start: how many rows, which form, room for what is kept.
 *
 * move (all lanes): the bitmap's bits; columns go to their place, each chunk's memory at once.
 *
 * number: how many groups there are.
 *
 * find (all lanes): each row's group; where no group has two rows, the groups' rows.
 *
 * sum, fill (all lanes): where groups have more, their lists' places and the lists. */
#include "exec/join_table.h"

/* A key is ranked if the bitmap has at most so many bits a row, or so many at all. */
#define RANK_BITS_PER_ROW 128
#define RANK_BITS_SMALL ((uint64_t)64 << 20)

/* ---- start ---- */

static status add_up(join_table *table)
{
    table->chunk_rows = mem_new_array(table->chunks.count + 1, sizeof *table->chunk_rows);
    if (!table->chunk_rows)
        return status_no_memory("join build", table->chunks.count * sizeof *table->chunk_rows);
    for (size_t i = 0; i < table->chunks.count; i++) {
        table->chunk_rows[i] = table->row_count;
        table->row_count += table->chunks.items[i]->rows.bound;
    }
    if (table->row_count >= ROW_NULL)
        return status_new(STATUS_KIND_LIMIT, "the build side of a join has %llu rows, more than %u",
                          (unsigned long long)table->row_count, ROW_NULL - 1);
    return STATUS_OK;
}

static status choose_form(join_table *table, dev_stream *stream, const join_key_range *range)
{
    if (!join_table_may_rank(table))
        return STATUS_OK;
    table->key_row_count = range->count;
    if (!range->count) {
        table->form = JOIN_TABLE_RANKED;
        return STATUS_OK;
    }
    uint64_t width = (uint64_t)range->max - (uint64_t)range->min;
    uint64_t most = table->row_count * RANK_BITS_PER_ROW;
    if (width >= (most > RANK_BITS_SMALL ? most : RANK_BITS_SMALL))
        return STATUS_OK;
    table->form = JOIN_TABLE_RANKED;
    table->minimum = range->min;
    table->bits = width + 1;
    size_t bytes = (width / 64 + 1) * 8;
    TRY(dev_alloc(stream->dev, bytes, "join build", &table->bitmap));
    return stream->dev->ops->zero(stream, table->bitmap->address, bytes);
}

/* All chunks' heaps of a text column in one. */
static status collect_heaps(const join_table *table, uint32_t column, string_heap **out)
{
    ARRAY(dev_buffer *) buffers = {0};
    status st = STATUS_OK;
    for (size_t i = 0; i < table->chunks.count && !st; i++) {
        const string_heap *heap = table->chunks.items[i]->columns[column]->heap;
        for (uint32_t b = 0; heap && b < heap->buffer_count && !st; b++) {
            st = array_reserve(NULL, &buffers, 1);
            if (!st)
                buffers.items[buffers.count++] = dev_buffer_ref(heap->buffers[b]);
        }
    }
    if (st)
        for (size_t b = 0; b < buffers.count; b++)
            dev_buffer_unref(buffers.items[b]);
    else if (buffers.count)
        st = string_heap_new(buffers.items, (uint32_t)buffers.count, out);
    mem_free(buffers.items);
    return st;
}

static status make_column(join_table *table, dev_stream *stream, uint32_t column)
{
    size_t bitmap_bytes = (table->row_count + 63) / 64 * 8;
    const dev_ops *ops = stream->dev->ops;
    data_type type = table->chunks.items[0]->columns[column]->type;
    bool has_nulls = false;
    for (size_t i = 0; i < table->chunks.count; i++)
        has_nulls |= table->chunks.items[i]->columns[column]->validity != NULL;
    tensor **out = &table->build->columns[column];
    TRY(tensor_new_flat(stream->dev, type, table->row_count, has_nulls, out));
    if (!type.width)
        TRY(ops->zero(stream, (*out)->values, bitmap_bytes));
    if (has_nulls)
        TRY(ops->zero(stream, (*out)->validity, bitmap_bytes));
    return type_is_text(type) ? collect_heaps(table, column, &(*out)->heap) : STATUS_OK;
}

status join_table_start(join_table *table, dev_stream *stream, const join_key_range *range)
{
    TRY(add_up(table));
    if (!table->row_count)
        return STATUS_OK;
    TRY(choose_form(table, stream, range));
    TRY(chunk_new(table->column_count, dev_count_exact(table->row_count), &table->build));
    for (uint32_t c = 0; c < table->column_count; c++)
        if (table->needed[c])
            TRY(make_column(table, stream, c));
    return STATUS_OK;
}

/* ---- move ---- */

static bool is_key_column(const join_table *table, uint32_t column)
{
    for (uint32_t k = 0; k < table->key_count; k++)
        if (table->key_columns[k] == column)
            return true;
    return false;
}

static status copy_bits_to(dev_stream *stream, const uint64_t *source, uint64_t rows,
                           uint64_t *target, uint64_t at)
{
    return DEV_LAUNCH(stream, join_copy_bits, .source = source, .count = dev_count_exact(rows),
                      .target = target, .target_at = at);
}

static status move_column(dev_stream *stream, const tensor *source, uint64_t rows, tensor *target,
                          uint64_t at)
{
    size_t width = source->type.width;
    if (target->validity)
        TRY(copy_bits_to(stream, source->validity, rows, target->validity, at));
    if (!width)
        return copy_bits_to(stream, source->values, rows, target->values, at);
    return stream->dev->ops->copy(stream, (char *)target->values + at * width, source->values,
                                  rows * width);
}

static status move_chunk(join_table *table, dev_stream *stream, size_t number)
{
    chunk *c = table->chunks.items[number];
    uint64_t rows = c->rows.bound;
    if (table->bitmap) {
        const tensor *key = c->columns[table->key_columns[0]];
        TRY(DEV_LAUNCH(stream, join_key_bitmap, .type = key->type, .keys = key->values,
                       .validity = key->validity, .count = dev_count_exact(rows),
                       .minimum = table->minimum, .bitmap = table->bitmap->address));
    }
    for (uint32_t i = 0; i < table->column_count; i++) {
        if (table->needed[i])
            TRY(move_column(stream, c->columns[i], rows, table->build->columns[i],
                            table->chunk_rows[number]));
        if (!is_key_column(table, i)) {
            tensor_unref(c->columns[i]);
            c->columns[i] = NULL;
        }
    }
    return STATUS_OK;
}

status join_table_move(join_table *table, dev_stream *stream)
{
    for (;;) {
        uint64_t number = atomic_fetch_add(&table->next, 1);
        if (number >= table->chunks.count)
            return STATUS_OK;
        TRY(move_chunk(table, stream, number));
    }
}

/* ---- number ---- */

static status rank_keys(join_table *table, dev_stream *stream)
{
    uint64_t words = (table->bits + 63) / 64, total;
    dev_buffer *sum;
    TRY(dev_alloc(stream->dev, words * sizeof(uint32_t), "join build", &table->ranks));
    TRY(dev_words_new(stream, 1, &sum));
    status st = DEV_LAUNCH(stream, rank_sums, .bitmap = table->bitmap->address, .word_count = words,
                           .ranks = table->ranks->address, .out_total = sum->address);
    if (!st)
        st = dev_words_wait(stream, sum->address, &total, 1);
    dev_buffer_unref(sum);
    if (st)
        return st;
    table->group_count = total;
    table->is_unique = total == table->key_row_count;
    return STATUS_OK;
}

/* The keys of a chunk. */
static void chunk_keys(const join_table *table, const chunk *c, tensor **out)
{
    for (uint32_t k = 0; k < table->key_count; k++)
        out[k] = c->columns[table->key_columns[k]];
}

static uint32_t *groups_at(const join_table *table, size_t number)
{
    return (uint32_t *)table->row_groups->address + table->chunk_rows[number];
}

static status group_chunk(join_table *table, dev_stream *stream, size_t number)
{
    const chunk *c = table->chunks.items[number];
    uint64_t rows = c->rows.bound;
    uint32_t *groups = groups_at(table, number);
    tensor *keys[64];
    row_index *found;
    chunk_keys(table, c, keys);
    TRY(group_table_find(&table->groups, stream, keys, rows, &found));
    status st = stream->dev->ops->copy(stream, groups, found->rows, rows * sizeof *groups);
    row_index_unref(found);
    for (uint32_t k = 0; k < table->key_count && !st && !table->null_equal; k++)
        if (keys[k]->validity)
            st = DEV_LAUNCH(stream, join_drop_nulls, .validity = keys[k]->validity,
                            .count = dev_count_exact(rows), .groups = groups);
    return st;
}

static status group_keys(join_table *table, dev_stream *stream)
{
    for (size_t i = 0; i < table->chunks.count; i++)
        TRY(group_chunk(table, stream, i));
    table->group_count = table->groups.count;
    return STATUS_OK;
}

static bool wants_rows(const join_table *table)
{
    return table->row_need == JOIN_ROWS_ALWAYS ||
           (table->row_need == JOIN_ROWS_IF_MANY && !table->is_unique);
}

status join_table_number(join_table *table, dev_stream *stream)
{
    atomic_store(&table->next, 0);
    bool is_ranked = table->form == JOIN_TABLE_RANKED;
    table->is_unique = !table->row_count || (is_ranked && !table->bitmap);
    if (table->is_unique)
        return STATUS_OK;
    if (is_ranked && table->row_need != JOIN_ROWS_NEVER)
        TRY(rank_keys(table, stream));
    if (is_ranked && !wants_rows(table))
        return STATUS_OK;
    size_t bytes = table->row_count * sizeof(uint32_t);
    TRY(dev_alloc(stream->dev, bytes, "join build", &table->row_groups));
    if (table->form == JOIN_TABLE_GROUPED)
        TRY(group_keys(table, stream));
    if (table->form == JOIN_TABLE_KEYLESS) {
        TRY(stream->dev->ops->zero(stream, table->row_groups->address, bytes));
        table->group_count = 1;
        table->key_row_count = table->row_count;
    }
    if (wants_rows(table))
        TRY(dev_alloc(stream->dev, bytes, "join build", &table->rows));
    if (table->is_unique)
        return STATUS_OK;
    bytes = (table->group_count + 2) * sizeof(uint32_t);
    TRY(dev_alloc(stream->dev, bytes, "join build", &table->starts));
    return stream->dev->ops->zero(stream, table->starts->address, bytes);
}

/* ---- find, sum, fill ---- */

static status find_chunk(join_table *table, dev_stream *stream, size_t number)
{
    const chunk *c = table->chunks.items[number];
    dev_count count = dev_count_exact(c->rows.bound);
    uint32_t *groups = groups_at(table, number);
    if (table->form == JOIN_TABLE_RANKED) {
        const tensor *key = c->columns[table->key_columns[0]];
        TRY(DEV_LAUNCH(stream, rank_find, .type = key->type, .keys = key->values,
                       .validity = key->validity, .count = count, .minimum = table->minimum,
                       .bits = table->bits, .bitmap = table->bitmap->address,
                       .ranks = table->ranks->address, .out = groups));
    }
    if (table->is_unique)
        return DEV_LAUNCH(stream, join_place, .groups = groups, .count = count,
                          .first_row = (uint32_t)table->chunk_rows[number],
                          .rows = table->rows->address);
    return DEV_LAUNCH(stream, join_list_count, .groups = groups, .count = count,
                      .starts = table->starts->address);
}

status join_table_find(join_table *table, dev_stream *stream)
{
    while (table->row_groups) {
        uint64_t number = atomic_fetch_add(&table->next, 1);
        if (number >= table->chunks.count)
            break;
        TRY(find_chunk(table, stream, number));
    }
    return STATUS_OK;
}

status join_table_sum(join_table *table, dev_stream *stream)
{
    uint64_t words[2];
    dev_buffer *stats;
    atomic_store(&table->next, 0);
    if (!table->starts)
        return STATUS_OK;
    TRY(dev_words_new(stream, 2, &stats));
    status st = DEV_LAUNCH(stream, join_list_sums, .group_count = table->group_count,
                           .starts = table->starts->address, .stats = stats->address);
    if (!st)
        st = dev_words_wait(stream, stats->address, words, 2);
    dev_buffer_unref(stats);
    if (st)
        return st;
    table->key_row_count = words[0];
    /* The group of a NULL key has no row. */
    table->is_unique = words[1] <= 1 && words[0] == table->group_count;
    return STATUS_OK;
}

status join_table_fill(join_table *table, dev_stream *stream)
{
    while (table->starts && table->rows) {
        uint64_t number = atomic_fetch_add(&table->next, 1);
        if (number >= table->chunks.count)
            break;
        TRY(DEV_LAUNCH(stream, join_list_fill, .groups = groups_at(table, number),
                       .count = dev_count_exact(table->chunks.items[number]->rows.bound),
                       .first_row = (uint32_t)table->chunk_rows[number],
                       .starts = table->starts->address, .rows = table->rows->address));
    }
    return STATUS_OK;
}

void join_table_finish(join_table *table)
{
    for (size_t i = 0; i < table->chunks.count; i++)
        chunk_free(table->chunks.items[i]);
    array_release(&table->chunks);
    dev_buffer_unref(table->row_groups);
    table->row_groups = NULL;
    /* Where each list is one row, it begins where its group's number says. */
    if (table->is_unique || !table->rows) {
        dev_buffer_unref(table->starts);
        table->starts = NULL;
    }
}
