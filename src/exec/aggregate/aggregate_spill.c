/* aggregate_spill.c - groups that do not fit memory.
 *
 * A task that holds too much writes the groups of its tables, keys and states, to a temporary file,
 * in parts by the hash of their keys, and begins anew; in the end what is left in memory follows.
 * A group's states are then in several blocks of one part. Readers of the result take part after
 * part: its blocks are added to a table, which is given out; a table that grows too large on the
 * way is itself cut by the next bits of the hash, into parts that are read later. */
#include "exec/aggregate/aggregate_spill.h"

#include "base/maximum.h"
#include "base/system/mutex.h"
#include "device/chunk.h"
#include "device/chunk_transfer.h"
#include "device/transfer.h"
#include "exec/aggregate/aggregate_local.h"
#include "exec/aggregate/aggregate_merge.h"
#include "exec/aggregate/aggregate_state.h"
#include "exec/aggregate/aggregate_state_ops.h"
#include "exec/aggregate/aggregate_table.h"
#include "exec/sched/memory.h"

#define PIECE_GROUPS_MIN 4096
#define PIECE_BYTES_MIN (1u << 20) /* or as many groups as have so many bytes */
#define PIECE_GROUPS_MAX ((uint64_t)1 << 20)
/* Cutting a slice may take one part in this many of a task's share. */
#define PIECE_SHARE 8

void aggregate_spill_init(aggregate_spill *spill, exec_operator *op)
{
    *spill = (aggregate_spill){.op = op};
    mutex_init(&spill->lock);
}

void aggregate_spill_release(aggregate_spill *spill)
{
    for (size_t i = 0; i < spill->cuts.count; i++)
        partitions_free(spill->cuts.items[i]);
    array_release(&spill->cuts);
    array_release(&spill->parts);
    spill_close(spill->file);
    mutex_destroy(&spill->lock);
}

/* Under the lock. */
static status new_cut(const aggregate_core *core, aggregate_spill *spill, unsigned level,
                      partitions **out)
{
    TRY(array_reserve(NULL, &spill->cuts, 1));
    TRY(partitions_new(spill->file, spill->op, core->who, level, out));
    spill->cuts.items[spill->cuts.count++] = *out;
    return STATUS_OK;
}

status aggregate_spill_begin(const aggregate_core *core, aggregate_spill *spill)
{
    partitions *first;
    status st = STATUS_OK;
    mutex_lock(&spill->lock);
    if (!spill->file)
        st = spill_open(exec_temp_directory(spill->op->query), &spill->file);
    if (!st && !spill->cuts.count)
        st = new_cut(core, spill, 0, &first);
    mutex_unlock(&spill->lock);
    return st;
}

/* ---- states as columns ---- */

/* Returns a type that is as wide as a state; the writer need not know what the bytes mean. */
static data_type column_type(const state_plan *plan, uint32_t width)
{
    data_type type = type_make(TYPE_UINT64);
    if (state_is_text(plan))
        return plan->type;
    assert(width <= UINT8_MAX);
    type.width = (uint8_t)width;
    return type;
}

/* Text states as a column, NULL where there is no text yet. */
static status text_column(dev_stream *stream, const state_plan *plan, const void *states,
                          uint64_t count, tensor **out)
{
    TRY(tensor_new_flat(stream->dev, plan->type, count, true, out));
    return DEV_LAUNCH(stream, aggregate_text_values, .states = states,
                      .count = dev_count_exact(count), .out = (*out)->values,
                      .out_validity = (*out)->validity);
}

/* The states of groups in the order of a list; NULL for a count that is shared. */
static status state_to_column(const aggregate_core *core, exec_task *task,
                              const aggregate_table *table, uint32_t state, const uint32_t *list,
                              uint64_t first, uint64_t count, tensor **out)
{
    const state_array *array = table_state(table, state);
    dev_stream *stream = task->stream;
    const void *values;
    dev_buffer *owner;
    *out = NULL;
    if (array->is_shared)
        return STATUS_OK;
    TRY(states_view(core, stream, table, state, list, first, count, &values, &owner));
    status st;
    if (state_keeps_values(&core->states[state]))
        st = state_values_to_column(core, task, values, count, out);
    else if (state_is_text(&core->states[state]))
        st = text_column(stream, &core->states[state], values, count, out);
    else
        st = tensor_new_view(column_type(&core->states[state], array->width), owner,
                             (void *)(uintptr_t)values, out);
    dev_buffer_unref(owner);
    return st;
}

/* The contrary: states begin without a text and take that of their row, if it has one. */
static status texts_from_column(dev_stream *stream, const tensor *t, state_array *array,
                                uint64_t count)
{
    row_index *numbers;
    TRY(DEV_LAUNCH(stream, fill, .width = sizeof(string_view), .value_low = AGGREGATE_NO_TEXT,
                   .count = dev_count_exact(count), .out = array->buffer->address));
    TRY(row_index_new(stream->dev, count, &numbers));
    status st = DEV_LAUNCH(stream, count_up, .count = dev_count_exact(count), .out = numbers->rows);
    if (!st)
        st = DEV_LAUNCH(stream, aggregate_pick_text, .values = t->values, .validity = t->validity,
                        .groups = numbers->rows, .count = dev_count_exact(count),
                        .states = array->buffer->address);
    row_index_unref(numbers);
    return st ? st : text_heap_share_string(&array->heap, t->heap);
}

/* Narrow sums: no state is greater in magnitude. */
static status bound_sums(dev_stream *stream, state_array *array, uint64_t count)
{
    uint64_t magnitude;
    dev_buffer *word;
    TRY(dev_words_new(stream, 1, &word));
    status st = DEV_LAUNCH(stream, aggregate_magnitude, .type = type_make(TYPE_INT64),
                           .values = array->buffer->address, .count = dev_count_exact(count),
                           .out = word->address);
    if (!st)
        st = dev_words_read(stream, word->address, &magnitude, 1);
    dev_buffer_unref(word);
    TRY(st);
    array->bound = (uint128)magnitude + 1;
    return STATUS_OK;
}

static status state_from_column(const aggregate_core *core, dev_stream *stream,
                                aggregate_table *table, uint32_t state, const tensor *t)
{
    const state_plan *plan = &core->states[state];
    state_array *array = table_state(table, state);
    array->is_shared = !t;
    if (!t)
        return STATUS_OK;
    array->width = state_keeps_values(plan) ? sizeof(aggregate_values) : t->type.width;
    TRY(dev_alloc(core->dev, table->count * array->width, core->who, &array->buffer));
    if (state_keeps_values(plan))
        return state_values_from_column(core, stream, t, table->count, array);
    if (state_is_text(plan))
        return texts_from_column(stream, t, array, table->count);
    TRY(stream->dev->ops->copy(stream, array->buffer->address, t->values,
                               table->count * array->width));
    if (plan->ops == &aggregate_state_sum && array->width == sizeof(int64_t))
        return bound_sums(stream, array, table->count);
    return STATUS_OK;
}

/* Which states a block has, in each row: what one of all tables that come from several sources has is not said
 * by its columns. */
static status held_column(const aggregate_core *core, dev_stream *stream,
                          const aggregate_table *table, uint64_t count, tensor **out)
{
    *out = NULL;
    if (!core->source_states)
        return STATUS_OK;
    TRY(tensor_new_flat(stream->dev, type_make(TYPE_UINT64), count, false, out));
    return DEV_LAUNCH(stream, fill, .width = sizeof(uint64_t),
                      .value_low = (uint64_t)table->held.first << 32 | table->held.end,
                      .count = dev_count_exact(count), .out = (*out)->values);
}

static status read_held(const aggregate_core *core, dev_stream *stream, const tensor *t,
                        state_range *out)
{
    uint64_t word;
    *out = (state_range){0, core->state_count};
    if (!t)
        return STATUS_OK;
    TRY(dev_words_read(stream, t->values, &word, 1));
    *out = (state_range){(uint32_t)(word >> 32), (uint32_t)word};
    assert(out->first <= out->end && out->end <= core->state_count);
    return STATUS_OK;
}

/* ---- writing ---- */

/* How keys are hashed whatever the form of the table they are in. */
static const key_layout *spill_layout(const aggregate_core *core)
{
    return &core->layouts[1];
}

/* Groups of a slice, by part: their numbers, as the table's states know them. */
static status order_piece(const aggregate_core *core, exec_task *task, const aggregate_table *table,
                          const table_slice *slice, const partitions *parts, row_index **out,
                          uint32_t *offsets)
{
    const uint8_t *rows;
    dev_buffer *owner, *hashes;
    TRY(table_slice_rows(core, task, table, slice, spill_layout(core), &rows, &owner));
    status st = key_layout_hash(spill_layout(core), task->stream, rows,
                                dev_count_exact(slice->count), &hashes);
    dev_buffer_unref(owner);
    TRY(st);
    st = partitions_order(parts, task, hashes->address, slice->count, out, offsets);
    dev_buffer_unref(hashes);
    return st;
}

static status piece_columns(const aggregate_core *core, exec_task *task,
                            const aggregate_table *table, const table_slice *slice,
                            row_index *order, chunk *c)
{
    dev_stream *stream = task->stream;
    row_index *list = row_index_ref(order);
    status st = STATUS_OK;
    for (uint32_t k = 0; k < core->key_count && !st; k++)
        st = table_slice_key(core, stream, table, slice, k, &c->columns[k]);
    if (!st)
        st = chunk_select(stream, c, order, c->rows, NULL);
    if (!st && slice->list) {
        row_index_unref(list);
        st = row_index_new(core->dev, slice->count, &list);
        if (!st)
            st = DEV_LAUNCH(stream, gather_index, .first = slice->list->rows, .second = order->rows,
                            .count = c->rows, .out = list->rows);
    }
    tensor **columns = c->columns + core->key_count;
    if (!st)
        st = held_column(core, stream, table, slice->count, columns);
    for (uint32_t i = table->held.first; i < table->held.end && !st; i++)
        st = state_to_column(core, task, table, i, list->rows, slice->first, slice->count,
                             &columns[1 + i - table->held.first]);
    row_index_unref(list);
    return st;
}

/* Rows that are in the order of their parts. */
static status write_piece(exec_task *task, partitions *parts, const chunk *c,
                          const uint32_t *offsets)
{
    chunk *host;
    TRY(chunk_to_host(task->stream, c, false, parts->who, &host));
    status st = STATUS_OK;
    for (size_t p = 0; p < ROW_PARTS && !st; p++)
        st = partitions_append(parts, task, p, host, offsets[p], offsets[p + 1] - offsets[p]);
    chunk_free(host);
    return st;
}

static status spill_piece(const aggregate_core *core, exec_task *task, const aggregate_table *table,
                          const table_slice *slice, partitions *parts)
{
    uint32_t offsets[ROW_PARTS + 1];
    row_index *order;
    chunk *c;
    if (!slice->count)
        return STATUS_OK;
    TRY(order_piece(core, task, table, slice, parts, &order, offsets));
    status st = chunk_new(core->key_count + 1 + table_state_count(table),
                          dev_count_exact(slice->count), &c);
    if (!st) {
        st = piece_columns(core, task, table, slice, order, c);
        if (!st)
            st = write_piece(task, parts, c, offsets);
        chunk_free(c);
    }
    row_index_unref(order);
    return st;
}

static uint64_t aggregate_spill_group_bytes(const aggregate_core *core,
                                            const aggregate_table *table)
{
    uint64_t bytes = 2 * (uint64_t)spill_layout(core)->stride + 16;
    for (uint32_t i = table->held.first; i < table->held.end; i++) {
        const state_array *array = table_state(table, i);
        bytes += array->width;
        if (state_keeps_values(&core->states[i]) && table->count)
            bytes += array->heap.bytes / table->count;
    }
    return bytes;
}

/* Writes all groups of a table, which stays. */
static status spill_table(const aggregate_core *core, exec_task *task, const aggregate_spill *spill,
                          const aggregate_table *table, partitions *parts)
{
    uint64_t room = exec_memory_share(spill->op->query) / task->count / PIECE_SHARE;
    uint64_t bytes = aggregate_spill_group_bytes(core, table), least = PIECE_BYTES_MIN / bytes + 1;
    uint64_t most = room / bytes;
    least = least < PIECE_GROUPS_MIN ? least : PIECE_GROUPS_MIN;
    most = most < least ? least : most;
    most = most > PIECE_GROUPS_MAX ? PIECE_GROUPS_MAX : most;
    for (uint64_t first = 0; first < table->count; first += most) {
        uint64_t left = table->count - first;
        table_slice slice;
        if (exec_is_cancelled(task->query))
            break;
        TRY(table_slice_open(core, task->stream, table, first, left < most ? left : most, &slice));
        status st = spill_piece(core, task, table, &slice, parts);
        table_slice_close(&slice);
        TRY(st);
    }
    return STATUS_OK;
}

status aggregate_spill_table(const aggregate_core *core, exec_task *task, aggregate_spill *spill,
                             const aggregate_table *table)
{
    return spill_table(core, task, spill, table, spill->cuts.items[0]);
}

/* ---- tasks ---- */

/* Only the last table takes rows: those before it are counted once. */
static uint64_t held_bytes(aggregate_local *local)
{
    const table_list *tables = &local->tables;
    uint64_t last = 0;
    for (; local->full_count + 1 < tables->count; local->full_count++)
        local->full_bytes += aggregate_table_bytes(tables->items[local->full_count]);
    if (tables->count)
        last = aggregate_table_bytes(tables->items[tables->count - 1]);
    return local->full_bytes + last;
}

static uint64_t note_held(aggregate_local *local, aggregate_spill *spill, uint64_t held)
{
    /* Unsigned: what is less is added as well. */
    uint64_t change = held - local->held;
    uint64_t all = atomic_fetch_add_explicit(&spill->held, change, memory_order_relaxed) + change;
    local->held = held;
    maximum_raise(&spill->held_most, all);
    return all;
}

/* Tables of so many bytes and what merging them takes: they once more, and two numbers a group; but
 * RUNS that do not overlap need not be merged. */
static uint64_t merged_bytes(const table_list *tables, uint64_t held)
{
    for (size_t i = 0; i < tables->count; i++)
        if (tables->items[i]->form != TABLE_RUNS)
            return 2 * held + held / 4;
    return held;
}

status aggregate_local_settle(aggregate_local *local, exec_task *task, aggregate_spill *spill)
{
    exec_query *query = spill->op->query;
    if (!local->core->key_count || !exec_may_spill(query))
        return STATUS_OK;
    uint64_t all = note_held(local, spill, held_bytes(local));
    if (!exec_must_spill(query, all, merged_bytes(&local->tables, all), task->count,
                         merged_bytes(&local->tables, local->held)))
        return STATUS_OK;
    TRY(aggregate_spill_begin(local->core, spill));
    TRY(aggregate_local_catch_up(local, task));
    for (; local->tables.count; local->tables.count--) {
        aggregate_table *last = local->tables.items[local->tables.count - 1];
        TRY(aggregate_table_seal(local->core, task->stream, last));
        TRY(aggregate_spill_table(local->core, task, spill, last));
        aggregate_table_free(local->core, last);
    }
    aggregate_local_restart(local);
    note_held(local, spill, 0);
    return STATUS_OK;
}

bool aggregate_spill_fits(const aggregate_spill *spill, const table_list *tables)
{
    uint64_t held = 0;
    for (size_t i = 0; i < tables->count; i++)
        held += aggregate_table_bytes(tables->items[i]);
    return !spill->file &&
           (!exec_may_spill(spill->op->query) || exec_has_room(spill->op->query, held + held / 4));
}

/* ---- the result ---- */

static status aggregate_spill_add_parts(aggregate_spill *spill, partitions *cut)
{
    status st = STATUS_OK;
    mutex_lock(&spill->lock);
    for (size_t p = 0; p < ROW_PARTS && !st; p++) {
        spilled_part part = {cut, p};
        if (cut->parts[p].rows)
            st = array_push(NULL, &spill->parts, part);
    }
    mutex_unlock(&spill->lock);
    return st;
}

status aggregate_spill_finish(aggregate_spill *spill)
{
    return aggregate_spill_add_parts(spill, spill->cuts.items[0]);
}

static bool take_part(aggregate_reader *reader, aggregate_spill *spill)
{
    mutex_lock(&spill->lock);
    bool is_taken = spill->parts.count;
    if (is_taken)
        reader->part = spill->parts.items[--spill->parts.count];
    mutex_unlock(&spill->lock);
    return is_taken;
}

/* Adds a block's groups to the reader's table. */
static status absorb_block(const aggregate_core *core, exec_task *task, aggregate_reader *reader,
                           const chunk *c)
{
    uint64_t rows = c->rows.bound;
    row_index *groups;
    aggregate_table from = {.form = TABLE_HASH, .count = rows, .row_count = rows};
    aggregate_table *to = reader->table;
    tensor *const *columns = c->columns + core->key_count;
    TRY(read_held(core, task->stream, columns[0], &from.held));
    from.states = mem_new_array(table_state_count(&from) + 1, sizeof *from.states);
    if (!from.states)
        return status_no_memory(core->who, table_state_count(&from) * sizeof *from.states);
    status st = STATUS_OK;
    for (uint32_t i = from.held.first; i < from.held.end && !st; i++)
        st = state_from_column(core, task->stream, &from, i, columns[1 + i - from.held.first]);
    if (!st)
        st = states_prepare(core, task->stream, to, &from);
    if (!st)
        st = hash_table_find(core, task, to, c->columns, dev_count_exact(rows), &groups);
    if (!st) {
        st = states_merge(core, task, to, groups->rows, &from, NULL, 0, rows);
        row_index_unref(groups);
    }
    states_release(core, &from);
    return st;
}

/* The table goes to parts a level deeper. */
static status cut_table(const aggregate_core *core, exec_task *task, aggregate_spill *spill,
                        aggregate_reader *reader)
{
    status st = STATUS_OK;
    if (!reader->cut) {
        mutex_lock(&spill->lock);
        st = new_cut(core, spill, reader->part.parts->level + 1, &reader->cut);
        mutex_unlock(&spill->lock);
    }
    if (!st)
        st = aggregate_table_learn(core, task->stream, reader->table);
    if (!st)
        st = spill_table(core, task, spill, reader->table, reader->cut);
    aggregate_table_free(core, reader->table);
    reader->table = NULL;
    return st;
}

/* A table of a part that is cut already is written in blocks only if it holds at least one part in this many of what
 * it may hold. */
#define CUT_SHARE 8

static bool must_cut(const exec_task *task, const aggregate_reader *reader)
{
    uint64_t held = aggregate_table_bytes(reader->table);
    uint64_t most = exec_memory_share(task->query) / task->count;
    if (reader->cut && held < most / CUT_SHARE)
        return false;
    return reader->part.parts->level + 1 < ROW_PART_LEVELS &&
           (held > most || exec_must_spill(task->query, held, held, task->count, held));
}

/* Room for as many groups as the part may have, if that is not too much. */
static status new_part_table(const aggregate_core *core, exec_task *task, aggregate_reader *reader)
{
    uint64_t bytes = spill_layout(core)->stride + 16 + sizeof(int128) * core->state_count;
    uint64_t most = exec_memory_share(task->query) / task->count / 4 / bytes;
    uint64_t rows = reader->part.parts->parts[reader->part.number].rows;
    return aggregate_table_new(core, task->stream, TABLE_HASH, SOURCE_ROWS, spill_layout(core),
                               rows < most ? rows : most, &reader->table);
}

/* Groups of a part are added until it is read. */
static exec_result load_part(aggregate_merge *merge, exec_task *task, aggregate_reader *reader)
{
    const aggregate_core *core = merge->core;
    chunk *c;
    for (;;) {
        exec_result result = partition_next(&reader->blocks, task, &c);
        if (result != EXEC_HAVE_OUTPUT)
            return result;
        status st = STATUS_OK;
        if (!reader->table)
            st = new_part_table(core, task, reader);
        if (!st)
            st = absorb_block(core, task, reader, c);
        chunk_free(c);
        if (!st)
            st = exec_check_error(task);
        if (!st && must_cut(task, reader))
            st = cut_table(core, task, &merge->spill, reader);
        EXEC_TRY(task, st);
        if (exec_is_cancelled(task->query))
            return EXEC_FINISHED;
    }
}

/* The next part's groups are in the reader's table, or were cut and are other parts'. */
static exec_result aggregate_spill_next_part(aggregate_merge *merge, exec_task *task,
                                             aggregate_reader *reader)
{
    if (!reader->is_loading) {
        aggregate_table_free(merge->core, reader->table);
        reader->table = NULL;
        if (!take_part(reader, &merge->spill))
            return EXEC_FINISHED;
        partition_reader_init(&reader->blocks, reader->part.parts, reader->part.number, true);
        reader->is_loading = true;
    }
    exec_result result = load_part(merge, task, reader);
    if (result != EXEC_FINISHED || exec_is_cancelled(task->query))
        return result;
    partition_reader_close(&reader->blocks);
    reader->is_loading = false;
    reader->next = 0;
    if (reader->table)
        EXEC_TRY(task, aggregate_table_learn(merge->core, task->stream, reader->table));
    if (!reader->cut && reader->table)
        EXEC_TRY(task, states_complete(merge->core, task->stream, reader->table));
    if (!reader->cut)
        return EXEC_HAVE_OUTPUT;
    if (reader->table)
        EXEC_TRY(task, cut_table(merge->core, task, &merge->spill, reader));
    partitions *cut = reader->cut;
    reader->cut = NULL;
    EXEC_TRY(task, aggregate_spill_add_parts(&merge->spill, cut));
    return EXEC_HAVE_OUTPUT;
}

exec_result aggregate_result_next(aggregate_merge *merge, exec_task *task, aggregate_reader *reader,
                                  result_range *out)
{
    uint64_t most = task->stream->dev->chunk_rows;
    size_t next = atomic_fetch_add(&merge->next_range, 1);
    if (next < merge->ranges.count) {
        *out = merge->ranges.items[next];
        return EXEC_HAVE_OUTPUT;
    }
    while (!reader->table || reader->is_loading || reader->next == reader->table->count) {
        exec_result result = aggregate_spill_next_part(merge, task, reader);
        if (result != EXEC_HAVE_OUTPUT)
            return result;
    }
    uint64_t left = reader->table->count - reader->next;
    most = task->stream->dev->is_host && most > SLICE_GROUPS ? SLICE_GROUPS : most;
    *out = (result_range){reader->table, reader->next, left < most ? left : most};
    reader->next += out->count;
    return EXEC_HAVE_OUTPUT;
}

void aggregate_reader_close(const aggregate_core *core, aggregate_reader *reader)
{
    partition_reader_close(&reader->blocks);
    aggregate_table_free(core, reader->table);
    *reader = (aggregate_reader){0};
}
