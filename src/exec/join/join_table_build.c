/* join_table_build.c - the steps that make a join table out of all tasks' chunks. Those with many
 * rows to go through are done by all tasks, chunk by chunk. */
#include "exec/join/join_table_build.h"

#include "device/chunk.h"
#include "device/kernels/kernel_ops.h"
#include "device/transfer.h"
#include "exec/join/join_range.h"

/* A key is ranked if the bitmap has at most so many bits a row, or so many at all. */
#define RANK_BITS_PER_ROW 128
#define RANK_BITS_SMALL ((uint64_t)64 << 20)

/* ---- start ---- */

/* Rows that have their places keep them, the others come behind. */
static status join_table_build_add_up(join_table *table)
{
    uint64_t placed = 0;
    table->chunk_rows = mem_new_array(table->chunks.count + 1, sizeof *table->chunk_rows);
    if (!table->chunk_rows)
        return status_no_memory("join build", table->chunks.count * sizeof *table->chunk_rows);
    table->row_count = table->reserved ? table->reserved->rows : 0;
    for (size_t i = 0; i < table->chunks.count; i++) {
        const chunk *c = table->chunks.items[i];
        if (table->reserved && reserved_columns_find(table->reserved, c, &table->chunk_rows[i])) {
            placed += c->rows.bound;
        } else {
            table->chunk_rows[i] = table->row_count;
            table->row_count += c->rows.bound;
        }
    }
    if (table->reserved && placed != table->reserved->rows)
        return status_new(STATUS_KIND_INTERNAL, "rows of a join are missing");
    if (table->row_count >= ROW_NULL)
        return status_new(STATUS_KIND_LIMIT,
                          "the build side of a join has %llu rows; the limit is %u",
                          (unsigned long long)table->row_count, ROW_NULL - 1);
    return STATUS_OK;
}

/* The bits of a bitmap, if it is not too large. */
static bool can_rank(const join_table *table, uint64_t rows, const join_key_range *range,
                     uint64_t *out_bits)
{
    uint64_t width = (uint64_t)range->max - (uint64_t)range->min;
    uint64_t most = rows * RANK_BITS_PER_ROW;
    *out_bits = width + 1;
    return table->key_count == 1 && width < (most > RANK_BITS_SMALL ? most : RANK_BITS_SMALL);
}

/* All keys together fit a number, 0 left out: the largest; 0: they do not. */
static uint64_t join_table_build_largest_code(const join_table *table, const join_key_range *ranges)
{
    uint64_t codes = 1;
    for (uint32_t k = 0; k < table->key_count; k++) {
        uint64_t width = (uint64_t)ranges[k].max - (uint64_t)ranges[k].min;
        if (width == UINT64_MAX || __builtin_mul_overflow(codes, width + 1, &codes))
            return 0;
    }
    return codes;
}

static bool can_code(const join_table *table, const join_key_range *ranges)
{
    return join_table_build_largest_code(table, ranges) != 0;
}

static bool some_key_is_always_null(const join_table *table, const join_key_range *ranges)
{
    for (uint32_t k = 0; k < table->key_count; k++)
        if (!ranges[k].count)
            return true;
    return false;
}

static status join_table_build_zeroed(dev_stream *stream, size_t bytes, dev_buffer **out)
{
    TRY(dev_alloc(stream->dev, bytes, "join build", out));
    return stream->dev->ops->zero(stream, (*out)->address, bytes);
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

/* Fuller than this, looking for a key takes too long. */
#define FULL_PARTS 8
#define SLOTS_MIN 64
/* The slots of packed keys are a power of two. */
#define HASHED_SLOTS_MAX ((uint64_t)1 << 31)
/* Slots of codes, at most: they lie in lines. */
#define CODE_SLOTS_MAX ((uint64_t)ROW_NULL / DEV_CODE_LINE * DEV_CODE_LINE)

uint64_t join_table_slot_count(join_table_form form, uint64_t rows)
{
    uint64_t slots = SLOTS_MIN;
    uint64_t most = form == JOIN_TABLE_HASHED ? HASHED_SLOTS_MAX : CODE_SLOTS_MAX;
    if (rows > most - most / FULL_PARTS)
        return 0;
    if (form == JOIN_TABLE_OPEN && rows * 2 > slots)
        slots = (rows * 2 + DEV_CODE_LINE - 1) / DEV_CODE_LINE * DEV_CODE_LINE;
    while (form != JOIN_TABLE_OPEN && slots < rows + rows / 2)
        slots *= 2;
    return slots < most ? slots : most;
}

/* Code and row are in one word if they fit, else in a word each. */
uint32_t join_table_row_bits(const join_table *table, uint64_t rows, const join_key_range *ranges)
{
    uint64_t code = join_table_build_largest_code(table, ranges);
    if (!code || table->row_need != JOIN_ROWS_ALWAYS || table->range_count ||
        !table->dev->has_rows_in_slots)
        return 0;
    uint32_t bits = rows < 2 ? 1 : 64 - (uint32_t)__builtin_clzll(rows - 1);
    return bits <= (uint32_t)__builtin_clzll(code) ? bits : DEV_SLOT_PAIR;
}

uint64_t join_table_slot_bytes(uint32_t row_bits)
{
    return (row_bits == DEV_SLOT_PAIR ? 2 : 1) * sizeof(uint64_t);
}

uint64_t join_table_bytes(const join_table *table, uint64_t rows, const join_key_range *ranges)
{
    /* row_groups, rows */
    uint64_t lists = rows * 2 * sizeof(uint32_t) + join_range_bytes(table, rows), bits;
    bool has_ranges = join_table_needs_ranges(table);
    if (!rows || !table->key_count || (has_ranges && ranges[0].min > ranges[0].max))
        return lists;
    bool is_coded = has_ranges && can_code(table, ranges), is_open = table->wants_open && is_coded;
    if (has_ranges && !is_open && can_rank(table, rows, ranges, &bits)) /* bitmap, ranks, starts */
        return bits / 8 + bits / 64 * sizeof(uint32_t) + rows * sizeof(uint32_t) + lists;
    /* with starts */
    join_table_form form = is_open    ? JOIN_TABLE_OPEN
                           : is_coded ? JOIN_TABLE_CODED
                                      : JOIN_TABLE_HASHED;
    uint64_t slot = sizeof(uint64_t);
    if (is_coded)
        slot = join_table_slot_bytes(join_table_row_bits(table, rows, ranges));
    uint64_t slots = join_table_slot_count(form, rows) * (slot + sizeof(uint32_t));
    return slots + (is_coded ? 0 : rows * table->layout.stride) + lists;
}

static status make_slots(join_table *table, dev_stream *stream)
{
    bool is_open = table->form == JOIN_TABLE_OPEN;
    uint64_t rows = table->row_count;
    table->slot_count = join_table_slot_count(
        table->form, is_open && table->open_rows > rows ? table->open_rows : rows);
    if (!table->slot_count)
        return status_hint(status_new(STATUS_KIND_LIMIT,
                                      "a join's table of %llu rows has too many slots",
                                      (unsigned long long)rows),
                           "SET memory_limit to less: the sides are divided");
    if (table->form != JOIN_TABLE_HASHED)
        table->row_bits = join_table_row_bits(
            table, table->all_rows > rows ? table->all_rows : rows, table->ranges);
    TRY(dev_words_new(stream, 2, &table->stats));
    return join_table_build_zeroed(
        stream, table->slot_count * join_table_slot_bytes(table->row_bits), &table->slots);
}

static status start_hashing(join_table *table, dev_stream *stream)
{
    for (uint32_t k = 0; k < table->key_count; k++) {
        uint32_t column = table->key_columns[k];
        string_heap *heap = NULL;
        for (size_t i = 0; i < table->chunks.count; i++)
            table->has_null_keys |= table->chunks.items[i]->columns[column]->validity != NULL;
        if (!type_is_text(table->key_types[k]))
            continue;
        TRY(array_reserve(NULL, &table->key_heaps, 1));
        TRY(collect_heaps(table, column, &heap));
        table->key_heaps.items[table->key_heaps.count++] = heap;
    }
    TRY(dev_alloc(stream->dev, table->row_count * table->layout.stride, "join build",
                  &table->packed));
    return make_slots(table, stream);
}

static status choose_form(join_table *table, dev_stream *stream, const join_key_range *ranges)
{
    if (!join_table_needs_ranges(table))
        return table->key_count ? start_hashing(table, stream) : STATUS_OK;
    table->ranges = ranges;
    if (some_key_is_always_null(table, ranges)) {
        table->form = JOIN_TABLE_RANKED; /* without a bitmap: nothing can match */
        return STATUS_OK;
    }
    bool is_coded = can_code(table, ranges), is_open = table->wants_open && is_coded;
    if (!is_open && can_rank(table, table->row_count, ranges, &table->bits)) {
        table->form = JOIN_TABLE_RANKED;
        table->key_row_count = ranges[0].count;
        return join_table_build_zeroed(stream, bitmap_bytes(table->bits), &table->bitmap);
    }
    if (!is_coded)
        return start_hashing(table, stream);
    table->form = is_open ? JOIN_TABLE_OPEN : JOIN_TABLE_CODED;
    return make_slots(table, stream);
}

/* Values that stay where they are: row numbers there. */
static status join_table_build_make_index(join_table *table, dev_stream *stream, uint32_t column)
{
    const tensor *first = table->chunks.items[0]->columns[column];
    row_index *rows;
    TRY(row_index_new(stream->dev, table->row_count, &rows));
    for (size_t i = 0; i < table->chunks.count; i++)
        rows->has_nulls |= table->chunks.items[i]->columns[column]->index->has_nulls;
    status st =
        tensor_new_indexed(stream, first->base, first->base_rows, rows,
                           dev_count_exact(table->row_count), &table->build->columns[column]);
    row_index_unref(rows);
    return st;
}

/* INDEXED columns have one base; where some chunks' are FLAT the others become so. */
static status make_alike(join_table *table, dev_stream *stream, uint32_t column, bool *out_indexed)
{
    size_t indexed = 0;
    for (size_t i = 0; i < table->chunks.count; i++)
        indexed += table->chunks.items[i]->columns[column]->form == TENSOR_INDEXED;
    *out_indexed = indexed == table->chunks.count;
    for (size_t i = 0; i < table->chunks.count && indexed && !*out_indexed; i++) {
        tensor *flat;
        TRY(chunk_flatten_column(stream, table->chunks.items[i], column, &flat));
    }
    return STATUS_OK;
}

/* Finds where the rows of a column that have places lie: the others get theirs after them. */
static status join_table_build_find_place(const join_table *table, uint32_t column,
                                          tensor_target *out)
{
    const reserved_columns *reserved = table->reserved;
    *out = (tensor_target){0};
    if (!reserved || !reserved->columns || !reserved->columns[column] ||
        table->row_count > reserved->capacity)
        return STATUS_OK;
    dev_buffer *buffer = reserved->columns[column];
    uint64_t width = table->chunks.items[0]->columns[column]->type.width;
    TRY(table->dev->ops->commit(buffer, (table->row_count - reserved->rows) * width, "join build"));
    *out = (tensor_target){buffer, buffer->address};
    return STATUS_OK;
}

static status join_table_build_make_column(join_table *table, dev_stream *stream, uint32_t column)
{
    size_t bits = bitmap_bytes(table->row_count);
    const dev_ops *ops = stream->dev->ops;
    data_type type = table->chunks.items[0]->columns[column]->type;
    bool has_nulls = false, is_indexed;
    if (type_is_nested(type))
        TRY(chunk_share_base(stream, table->chunks.items, table->chunks.count, column,
                             "join build"));
    TRY(make_alike(table, stream, column, &is_indexed));
    if (is_indexed)
        return join_table_build_make_index(table, stream, column);
    for (size_t i = 0; i < table->chunks.count; i++)
        has_nulls |= table->chunks.items[i]->columns[column]->validity != NULL;
    tensor **out = &table->build->columns[column];
    tensor_target reserved;
    TRY(join_table_build_find_place(table, column, &reserved));
    TRY(tensor_new_flat_at(stream->dev, type, table->row_count, has_nulls, reserved, out));
    (*out)->is_lasting = true;
    if (!type.width)
        TRY(ops->zero(stream, (*out)->values, bits));
    if (has_nulls)
        TRY(ops->zero(stream, (*out)->validity, bits));
    return type_is_text(type) ? collect_heaps(table, column, &(*out)->heap) : STATUS_OK;
}

static status join_table_build_start(join_table *table, dev_stream *stream,
                                     const join_key_range *ranges)
{
    TRY(join_table_build_add_up(table));
    if (!table->row_count)
        return STATUS_OK;
    TRY(choose_form(table, stream, ranges));
    TRY(chunk_new(table->column_count, dev_count_exact(table->row_count), &table->build));
    for (uint32_t c = 0; c < table->column_count; c++)
        if (table->needed[c])
            TRY(join_table_build_make_column(table, stream, c));
    return STATUS_OK;
}

/* ---- move ---- */

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
    if (target->form == TENSOR_INDEXED)
        return stream->dev->ops->copy(stream, target->index->rows + at, source->index->rows,
                                      rows * sizeof *source->index->rows);
    if (target->validity)
        TRY(copy_bits_to(stream, source->validity, rows, target->validity, at));
    if (!width)
        return copy_bits_to(stream, source->values, rows, target->values, at);
    if (source->values == (char *)target->values + at * width)
        return STATUS_OK;
    return stream->dev->ops->copy(stream, (char *)target->values + at * width, source->values,
                                  rows * width);
}

static status drop_all_but_keys(const join_table *table, chunk *c)
{
    key_array keys;
    TRY(key_array_open(&keys, table->key_count + table->range_count, "join build"));
    for (uint32_t k = 0; k < keys.count; k++)
        keys.items[k] = tensor_ref(c->columns[table->key_columns[k]]);
    for (uint32_t i = 0; i < table->column_count; i++) {
        tensor_unref(c->columns[i]);
        c->columns[i] = NULL;
    }
    for (uint32_t k = 0; k < keys.count; k++) {
        tensor **column = &c->columns[table->key_columns[k]];
        if (!*column) {
            *column = keys.items[k];
            keys.items[k] = NULL;
        }
    }
    key_array_release(&keys);
    return STATUS_OK;
}

static status move_chunk(join_table *table, exec_task *task, size_t number)
{
    dev_stream *stream = task->stream;
    chunk *c = table->chunks.items[number];
    uint64_t rows = c->rows.bound;
    if (table->bitmap) {
        const tensor *key = c->columns[table->key_columns[0]];
        TRY(DEV_LAUNCH(stream, join_key_bitmap, .type = key->type, .keys = key->values,
                       .validity = key->validity, .count = dev_count_exact(rows),
                       .minimum = table->ranges[0].min, .bitmap = table->bitmap->address));
    }
    for (uint32_t i = 0; i < table->column_count; i++)
        if (table->needed[i])
            TRY(move_column(stream, c->columns[i], rows, table->build->columns[i],
                            table->chunk_rows[number]));
    return drop_all_but_keys(table, c);
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
        st = dev_words_read(stream, sum->address, &total, 1);
    dev_buffer_unref(sum);
    if (st)
        return st;
    table->group_count = total;
    table->is_unique = total == table->key_row_count && !table->range_count;
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

/* ---- groups of the rows ---- */

static bool wants_rows(const join_table *table)
{
    return table->row_need == JOIN_ROWS_ALWAYS ||
           (table->row_need == JOIN_ROWS_IF_MANY && !table->is_unique);
}

/* How many groups there are, where that is known before the rows' groups are. */
static status join_table_build_number(join_table *table, dev_stream *stream)
{
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
    if (table->slots)
        table->group_count = table->slot_count;
    if (table->form != JOIN_TABLE_KEYLESS)
        return STATUS_OK;
    table->group_count = 1;
    table->key_row_count = table->row_count;
    return stream->dev->ops->zero(stream, table->row_groups->address, bytes);
}

static status join_table_build_find_ranks(join_table *table, dev_stream *stream, size_t number)
{
    const chunk *c = table->chunks.items[number];
    const tensor *key = c->columns[table->key_columns[0]];
    return DEV_LAUNCH(stream, rank_find, .type = key->type, .keys = key->values,
                      .validity = key->validity, .count = dev_count_exact(c->rows.bound),
                      .minimum = table->ranges[0].min, .bits = table->bits,
                      .bitmap = table->bitmap->address, .ranks = table->ranks->address,
                      .out = groups_at(table, number));
}

static status fill_slots(join_table *table, exec_task *task, size_t number)
{
    const chunk *c = table->chunks.items[number];
    key_array keys;
    TRY(key_array_open(&keys, table->key_count, "join build"));
    chunk_keys(table, c, keys.items);
    status st = join_table_slots(table, task, keys.items, c->rows, true, table->chunk_rows[number],
                                 groups_at(table, number));
    key_array_close(&keys);
    return st;
}

static status find_chunk(join_table *table, exec_task *task, size_t number)
{
    if (!table->row_groups)
        return STATUS_OK;
    if (table->form == JOIN_TABLE_RANKED)
        TRY(join_table_build_find_ranks(table, task->stream, number));
    else if (table->slots)
        TRY(fill_slots(table, task, number));
    return join_range_drop_nulls(table, task, number, groups_at(table, number));
}

/* ---- rows of the groups ---- */

static bool has_rows_in_slots(const join_table *table)
{
    return table->form == JOIN_TABLE_HASHED ? table->dev->has_rows_in_slots : table->row_bits > 0;
}

static status join_table_build_make_lists(join_table *table, dev_stream *stream)
{
    uint64_t words[2];
    if (table->stats) {
        TRY(dev_words_read(stream, table->stats->address, words, 2));
        table->key_row_count = words[0];
        table->is_unique = words[0] == words[1] && !table->has_null_keys && !table->range_count;
        table->is_direct = table->is_unique && wants_rows(table) && has_rows_in_slots(table);
    }
    if (table->is_direct)
        table->group_count = table->row_count;
    if (!table->row_groups || table->is_direct)
        return STATUS_OK;
    if (wants_rows(table)) {
        uint64_t room = table->is_unique ? table->group_count : table->row_count;
        TRY(dev_alloc(stream->dev, room * sizeof(uint32_t), "join build", &table->rows));
    }
    bool is_counted = table->stats && !table->has_null_keys; /* keys that are not NULL */
    if (table->is_unique || (is_counted && !table->rows))
        return STATUS_OK;
    return join_table_build_zeroed(stream, (table->group_count + 2) * sizeof(uint32_t),
                                   &table->starts);
}

static status join_table_build_count_chunk(join_table *table, exec_task *task, size_t number)
{
    dev_stream *stream = task->stream;
    if (!table->starts)
        return STATUS_OK;
    return DEV_LAUNCH(stream, join_list_count, .groups = groups_at(table, number),
                      .count = dev_count_exact(table->chunks.items[number]->rows.bound),
                      .starts = table->starts->address);
}

static status sum_lists(join_table *table, dev_stream *stream)
{
    uint64_t words[2];
    dev_buffer *stats;
    if (!table->starts)
        return STATUS_OK;
    TRY(dev_words_new(stream, 2, &stats));
    status st = DEV_LAUNCH(stream, join_list_sums, .group_count = table->group_count,
                           .starts = table->starts->address, .stats = stats->address);
    if (!st)
        st = dev_words_read(stream, stats->address, words, 2);
    dev_buffer_unref(stats);
    if (st)
        return st;
    table->key_row_count = words[0];
    return STATUS_OK;
}

static status fill_chunk(join_table *table, exec_task *task, size_t number)
{
    dev_stream *stream = task->stream;
    dev_count count = dev_count_exact(table->chunks.items[number]->rows.bound);
    uint32_t first_row = (uint32_t)table->chunk_rows[number];
    if (!table->rows || table->range_count)
        return STATUS_OK;
    if (table->is_unique)
        return DEV_LAUNCH(stream, scatter_rows, .groups = groups_at(table, number), .count = count,
                          .first_row = first_row + (uint32_t)table->first_row,
                          .rows = table->rows->address);
    return DEV_LAUNCH(stream, join_list_fill, .groups = groups_at(table, number), .count = count,
                      .first_row = first_row, .starts = table->starts->address,
                      .rows = table->rows->address);
}

static void release_rest(join_table *table)
{
    for (size_t i = 0; i < table->chunks.count; i++)
        chunk_free(table->chunks.items[i]);
    array_release(&table->chunks);
    dev_buffer_unref(table->row_groups);
    table->row_groups = NULL;
    if (!table->rows) { /* the lists were only counted */
        dev_buffer_unref(table->starts);
        table->starts = NULL;
    }
}

/* ---- the steps ---- */

static status each_chunk(join_table *table, exec_task *task,
                         status (*run)(join_table *, exec_task *, size_t))
{
    for (;;) {
        TRY(cancel_check());
        uint64_t number = atomic_fetch_add(&table->next, 1);
        if (number >= table->chunks.count)
            return STATUS_OK;
        TRY(run(table, task, number));
    }
}

/* The steps of one task, which lie between those of all. */
static status single_phase(join_table *table, dev_stream *stream, join_table_phase_number phase,
                           const join_key_range *ranges)
{
    atomic_store(&table->next, 0);
    switch (phase) {
    case JOIN_TABLE_PHASE_START:
        return join_table_build_start(table, stream, ranges);
    case JOIN_TABLE_PHASE_NUMBER:
        return join_table_build_number(table, stream);
    case JOIN_TABLE_PHASE_LISTS:
        return join_table_build_make_lists(table, stream);
    case JOIN_TABLE_PHASE_SUM:
        return sum_lists(table, stream);
    default:
        release_rest(table);
        return STATUS_OK;
    }
}

status join_table_phase(join_table *table, exec_task *task, join_table_phase_number phase,
                        const join_key_range *ranges)
{
    switch (phase) {
    case JOIN_TABLE_PHASE_MOVE:
        return each_chunk(table, task, move_chunk);
    case JOIN_TABLE_PHASE_FIND:
        return each_chunk(table, task, find_chunk);
    case JOIN_TABLE_PHASE_COUNT:
        return each_chunk(table, task, join_table_build_count_chunk);
    case JOIN_TABLE_PHASE_FILL:
        TRY(each_chunk(table, task, fill_chunk));
        return task->index ? STATUS_OK : join_range_sort(table, task);
    default:
        return task->index ? STATUS_OK : single_phase(table, task->stream, phase, ranges);
    }
}

void join_table_restart(join_table *table)
{
    chunk_free(table->build);
    for (size_t i = 0; i < table->key_heaps.count; i++)
        string_heap_unref(table->key_heaps.items[i]);
    array_release(&table->key_heaps);
    dev_buffer **buffers[] = {&table->bitmap, &table->slots, &table->packed, &table->stats};
    for (size_t i = 0; i < sizeof buffers / sizeof *buffers; i++) {
        dev_buffer_unref(*buffers[i]);
        *buffers[i] = NULL;
    }
    mem_free(table->chunk_rows);
    table->build = NULL;
    table->chunk_rows = NULL;
    table->row_count = table->key_row_count = 0;
    table->row_bits = 0;
    table->form = table->key_count ? JOIN_TABLE_HASHED : JOIN_TABLE_KEYLESS;
}
