/* aggregate_state.c - arrays of states: making room, adding rows, adding other tables' states.
 *
 * A count of values none of which was NULL is shared: it is the count of the rows, of which at most
 * one array is kept; where only "is there a value" matters none is, for every group has a row. What
 * a kind of state is stands in aggregate_state_*.c. */
#include "exec/aggregate/aggregate_state.h"

#include "exec/aggregate/aggregate_pieces.h"
#include "exec/aggregate/aggregate_state_ops.h"

#define CAPACITY_MIN 1024
#define FEW_GROWTH 16 /* few groups get room for so many times their number instead */

static void init_array(const aggregate_core *core, const aggregate_table *table, uint32_t state)
{
    const state_plan *plan = &core->states[state];
    state_array *array = table_state(table, state);
    array->width = plan->ops->width(core, table, plan);
    /* Not all groups of CODES have rows: there only a count can be shared. */
    bool may_share = table->form != TABLE_ONE &&
                     (table->form != TABLE_CODES || core->rows_state >= 0) &&
                     plan->source == SOURCE_ROWS && table->source == SOURCE_ROWS;
    /* Its value so far is 1 for groups that exist; a lazy device's number is a bound. */
    may_share &= core->dev->is_host || core->rows_state >= 0 || plan->argument < 0;
    array->is_shared = may_share && plan->ops == &aggregate_state_count && plan->filter < 0 &&
                       (int)state != core->rows_state;
}

status states_init(const aggregate_core *core, aggregate_table *table)
{
    table->held = aggregate_core_states(core, table->source);
    table->states = mem_new_array(table_state_count(table) + 1, sizeof *table->states);
    if (!table->states)
        return status_no_memory(core->who, table_state_count(table) * sizeof *table->states);
    for (uint32_t i = table->held.first; i < table->held.end; i++)
        init_array(core, table, i);
    return STATUS_OK;
}

void states_release(const aggregate_core *core, aggregate_table *table)
{
    for (uint32_t i = 0; table->states && i < table_state_count(table); i++) {
        dev_buffer_unref(table->states[i].buffer);
        state_lent_text_release(core->dev, &table->states[i]);
        value_pieces_release(&table->states[i].pieces);
        text_heap_release(&table->states[i].heap);
    }
    mem_free(table->states);
    table->states = NULL;
}

uint64_t states_bytes(const aggregate_table *table)
{
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < table_state_count(table); i++) {
        const state_array *array = &table->states[i];
        bytes += (array->buffer ? array->buffer->bytes : 0) + array->heap.bytes;
        bytes += value_pieces_bytes(&array->pieces);
    }
    return bytes;
}

/* ---- room ---- */

/* States [first, end) of an array begin. */
static status begin_states(dev_stream *stream, const state_plan *plan, const state_array *array,
                           uint64_t first, uint64_t end)
{
    char *at = (char *)array->buffer->address + first * array->width;
    if (first >= end)
        return STATUS_OK;
    if (!plan->ops->begin)
        return stream->dev->ops->zero(stream, at, (end - first) * array->width);
    uint64_t words[2];
    plan->ops->begin(plan, words);
    return DEV_LAUNCH(stream, fill, .width = (uint8_t)array->width, .value_low = words[0],
                      .value_high = words[1], .count = dev_count_exact(end - first), .out = at);
}

static status aggregate_state_enlarge(const aggregate_core *core, dev_stream *stream,
                                      const state_plan *plan, state_array *array,
                                      uint64_t old_capacity, uint64_t capacity)
{
    dev_buffer *buffer, *old = array->buffer;
    TRY(dev_alloc(stream->dev, capacity * array->width, core->who, &buffer));
    array->buffer = buffer;
    status st = old ? stream->dev->ops->copy(stream, buffer->address, old->address,
                                             old_capacity * array->width)
                    : STATUS_OK;
    dev_buffer_unref(old);
    TRY(st);
    return begin_states(stream, plan, array, old ? old_capacity : 0, capacity);
}

status states_reserve(const aggregate_core *core, dev_stream *stream, aggregate_table *table,
                      uint64_t groups)
{
    if (groups <= table->capacity)
        return STATUS_OK;
    uint64_t capacity = groups;
    if (table->capacity)
        capacity = groups + groups / 2;
    else if (table->form == TABLE_HASH && capacity < CAPACITY_MIN)
        capacity = groups < CAPACITY_MIN / FEW_GROWTH ? groups * FEW_GROWTH : CAPACITY_MIN;
    for (uint32_t i = table->held.first; i < table->held.end; i++) {
        state_array *array = table_state(table, i);
        if (!array->is_shared)
            TRY(aggregate_state_enlarge(core, stream, &core->states[i], array, table->capacity,
                                        capacity));
    }
    table->capacity = capacity;
    return STATUS_OK;
}

static bool holds_all(const aggregate_core *core, const aggregate_table *table)
{
    return table_state_count(table) == core->state_count;
}

status states_complete(const aggregate_core *core, dev_stream *stream, aggregate_table *table)
{
    state_range held = table->held;
    if (holds_all(core, table))
        return STATUS_OK;
    state_array *all = mem_new_array(core->state_count + 1, sizeof *all);
    if (!all)
        return status_no_memory(core->who, core->state_count * sizeof *all);
    memcpy(all + held.first, table->states, table_state_count(table) * sizeof *all);
    mem_free(table->states);
    table->states = all;
    table->held = (state_range){0, core->state_count};
    for (uint32_t i = 0; i < core->state_count; i++)
        if (i < held.first || i >= held.end)
            init_array(core, table, i);
    for (uint32_t i = 0; table->capacity && i < core->state_count; i++)
        if (i < held.first || i >= held.end)
            TRY(aggregate_state_enlarge(core, stream, &core->states[i], &all[i], 0,
                                        table->capacity));
    return STATUS_OK;
}

/* A shared count gets an array: what it has been for the first `groups` groups. */
static status give_own_count(const aggregate_core *core, dev_stream *stream, aggregate_table *table,
                             uint32_t state, uint64_t groups)
{
    state_array *array = table_state(table, state);
    const state_array *rows =
        core->rows_state >= 0 ? table_state(table, (uint32_t)core->rows_state) : NULL;
    array->is_shared = false;
    if (!table->capacity)
        return STATUS_OK;
    TRY(aggregate_state_enlarge(core, stream, &core->states[state], array, 0, table->capacity));
    if (!groups)
        return STATUS_OK;
    if (rows)
        return stream->dev->ops->copy(stream, array->buffer->address, rows->buffer->address,
                                      groups * sizeof(uint64_t));
    return DEV_LAUNCH(stream, fill, .width = sizeof(uint64_t), .value_low = 1,
                      .count = dev_count_exact(groups), .out = array->buffer->address);
}

/* ---- adding rows ---- */

static status update_state(const state_update *u, uint32_t state, tensor *const *values)
{
    const state_plan *plan = &u->core->states[state];
    state_array *array = table_state(u->table, state);
    const tensor *argument = plan->argument >= 0 ? values[plan->argument] : NULL;
    const tensor *filter = plan->filter >= 0 ? values[plan->filter] : NULL;
    dev_stream *stream = u->task->stream;
    if (array->is_shared) {
        if (!argument || !argument->validity)
            return STATUS_OK;
        TRY(give_own_count(u->core, stream, u->table, state, u->groups_before));
    }
    return plan->ops->update(u, plan, array, argument, filter);
}

static status update_all(const state_update *u, tensor *const *values)
{
    state_range states = aggregate_core_states(u->core, u->table->source);
    /* Counts that cease to be shared copy the rows' count as it was before. */
    for (uint32_t i = states.first; i < states.end; i++)
        if ((int)i != u->core->rows_state)
            TRY(update_state(u, i, values));
    if (u->core->rows_state >= 0 && u->table->source == SOURCE_ROWS)
        TRY(update_state(u, (uint32_t)u->core->rows_state, values));
    if (u->table->marks)
        TRY(DEV_LAUNCH(u->task->stream, aggregate_mark, .groups = u->groups, .count = u->rows,
                       .states = u->table->marks->address));
    return STATUS_OK;
}

status states_update(const aggregate_core *core, exec_task *task, aggregate_table *table,
                     tensor *const *values, const uint32_t *groups, dev_count rows,
                     uint64_t groups_before)
{
    dev_buffer *present = NULL;
    status st = STATUS_OK;
    if (groups && table->form == TABLE_CODES && table->count <= 64) {
        TRY(dev_words_new(task->stream, 1, &present));
        st = DEV_LAUNCH(task->stream, codes_present, .groups = groups, .count = rows,
                        .out = present->address);
    }
    const state_update u = {.core = core,
                            .task = task,
                            .table = table,
                            .groups = groups,
                            .present = present ? present->address : NULL,
                            .rows = rows,
                            .groups_before = groups_before,
                            .values = values};
    if (!st)
        st = update_all(&u, values);
    dev_buffer_unref(present);
    table->row_count += rows.bound;
    return st;
}

status states_learn(const aggregate_core *core, dev_stream *stream, aggregate_table *table)
{
    for (uint32_t i = table->held.first; i < table->held.end; i++)
        if (state_is_text(&core->states[i]))
            TRY(state_own_text(core, stream, table, table_state(table, i)));
    return STATUS_OK;
}

status states_seal(const aggregate_core *core, dev_stream *stream, aggregate_table *table)
{
    for (uint32_t i = table->held.first; i < table->held.end; i++) {
        const state_plan *plan = &core->states[i];
        if (plan->ops->seal)
            TRY(plan->ops->seal(core, stream, table, table_state(table, i)));
    }
    return STATUS_OK;
}

/* ---- adding states ---- */

status states_share_text(const aggregate_core *core, aggregate_table *target,
                         const aggregate_table *from)
{
    for (uint32_t i = from->held.first; i < from->held.end; i++)
        if (state_is_text(&core->states[i]) || state_keeps_values(&core->states[i]))
            TRY(text_heap_share(&table_state(target, i)->heap, &table_state(from, i)->heap));
    return STATUS_OK;
}

/* The target's rows are not those of all that comes to it: it counts on its own. */
static status hold_all(const aggregate_core *core, dev_stream *stream, aggregate_table *target)
{
    TRY(states_complete(core, stream, target));
    for (uint32_t i = 0; i < core->state_count; i++)
        if (table_state(target, i)->is_shared)
            TRY(give_own_count(core, stream, target, i, target->count));
    return STATUS_OK;
}

status states_prepare(const aggregate_core *core, dev_stream *stream, aggregate_table *target,
                      const aggregate_table *from)
{
    if (!tables_hold_same_states(target, from) && !holds_all(core, target))
        TRY(hold_all(core, stream, target));
    for (uint32_t i = from->held.first; i < from->held.end; i++) {
        state_array *to = table_state(target, i);
        const state_array *array = table_state(from, i);
        if (to->is_shared && !array->is_shared)
            TRY(give_own_count(core, stream, target, i, target->count));
        if (core->states[i].ops == &aggregate_state_sum) {
            if (array->width > to->width || to->bound + array->bound > INT64_MAX)
                TRY(state_widen_sum(core, stream, target, to));
            to->bound += array->bound;
        }
    }
    target->row_count += from->row_count;
    return states_share_text(core, target, from);
}

status states_align(const aggregate_core *core, dev_stream *stream, aggregate_table *const *tables,
                    size_t table_count)
{
    for (uint32_t i = tables[0]->held.first; i < tables[0]->held.end; i++) {
        uint128 bound = 0;
        uint32_t width = 0;
        bool is_shared = true;
        for (size_t t = 0; t < table_count; t++) {
            const state_array *array = table_state(tables[t], i);
            bound += array->bound;
            width = array->width > width ? array->width : width;
            is_shared &= array->is_shared;
        }
        bool is_sum = core->states[i].ops == &aggregate_state_sum;
        for (size_t t = 0; t < table_count; t++) {
            state_array *array = table_state(tables[t], i);
            if (array->is_shared && !is_shared)
                TRY(give_own_count(core, stream, tables[t], i, tables[t]->count));
            if (is_sum && (width > array->width || bound > INT64_MAX))
                TRY(state_widen_sum(core, stream, tables[t], array));
            array->bound = bound;
        }
    }
    return STATUS_OK;
}

status states_view(const aggregate_core *core, dev_stream *stream, const aggregate_table *table,
                   uint32_t state, const uint32_t *list, uint64_t first, uint64_t count,
                   const void **out, dev_buffer **owner)
{
    const state_array *array = table_state(table, state);
    if (array->is_shared)
        array = core->rows_state >= 0 ? table_state(table, (uint32_t)core->rows_state) : NULL;
    *out = NULL;
    *owner = NULL;
    if (!array || !array->buffer)
        return STATUS_OK;
    const char *at = (const char *)array->buffer->address + first * array->width;
    if (!list) {
        *out = at;
        *owner = dev_buffer_ref(array->buffer);
        return STATUS_OK;
    }
    TRY(dev_alloc(stream->dev, count * array->width, core->who, owner));
    *out = (*owner)->address;
    status st =
        DEV_LAUNCH(stream, keys_gather, .rows = (const uint8_t *)at, .stride = array->width,
                   .index = list, .count = dev_count_exact(count), .out = (*owner)->address);
    if (st) {
        dev_buffer_unref(*owner);
        *owner = NULL;
    }
    return st;
}

/* Marks the groups that something came to. */
static status mark_merged(const state_update *u)
{
    if (!u->table->marks)
        return STATUS_OK;
    return DEV_LAUNCH(u->task->stream, aggregate_mark, .groups = u->groups, .count = u->rows,
                      .states = u->table->marks->address);
}

static state_update merging(const aggregate_core *core, exec_task *task, aggregate_table *target,
                            const uint32_t *groups, uint64_t count)
{
    return (state_update){.core = core,
                          .task = task,
                          .table = target,
                          .groups = groups,
                          .rows = dev_count_exact(count)};
}

status states_merge(const aggregate_core *core, exec_task *task, aggregate_table *target,
                    const uint32_t *groups, const aggregate_table *from, const uint32_t *list,
                    uint64_t first, uint64_t count)
{
    const state_update u = merging(core, task, target, groups, count);
    for (uint32_t i = from->held.first; i < from->held.end; i++) {
        const state_plan *plan = &core->states[i];
        const state_array *to = table_state(target, i);
        const void *states;
        dev_buffer *owner;
        if (to->is_shared)
            continue;
        TRY(states_view(core, task->stream, from, i, list, first, count, &states, &owner));
        status st = plan->ops->merge(&u, plan, to, states, table_state(from, i)->width);
        dev_buffer_unref(owner);
        TRY(st);
    }
    return mark_merged(&u);
}

status states_merge_copies(const aggregate_core *core, exec_task *task, aggregate_table *target,
                           const uint32_t *groups, const aggregate_table *from,
                           dev_buffer *const *copies, uint64_t first, uint64_t count)
{
    const state_update u = merging(core, task, target, groups, count);
    for (uint32_t i = from->held.first; i < from->held.end; i++) {
        const state_plan *plan = &core->states[i];
        const state_array *to = table_state(target, i);
        const dev_buffer *copy = copies[i - from->held.first];
        uint32_t width = table_state(from, i)->width;
        const char *states = copy ? (const char *)copy->address + first * width : NULL;
        if (!to->is_shared)
            TRY(plan->ops->merge(&u, plan, to, states, width));
    }
    return mark_merged(&u);
}
