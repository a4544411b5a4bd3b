/* aggregate_state.c - arrays of states: making room, adding rows, adding other tables' states.
 *
 * A count of values none of which was NULL is shared: it is the count of the rows, of which at most
 * one array is kept; where only "is there a value" matters none is, for every group has a row. Sums
 * are 64 bits wide while an upper bound of their magnitude fits. */
#include "exec/aggregate/aggregate_state.h"

#include "exec/aggregate/aggregate_table.h"

#include <math.h>

#define CAPACITY_MIN 1024
#define HEAP_COMPACT_BYTES (1u << 20)

static uint32_t width_of(const aggregate_core *core, const aggregate_table *table,
                         const state_plan *plan)
{
    bool has_few = table->form == TABLE_ONE || (table->form == TABLE_CODES && table->count <= 64);
    switch (plan->kind) {
    case STATE_COUNT:
        return sizeof(uint64_t);
    case STATE_SUM: /* narrow ones need magnitudes: a pass, and an answer that is there at once */
        return core->dev->is_host && !has_few ? sizeof(int64_t) : sizeof(int128);
    case STATE_NUMBER:
        return sizeof(aggregate_number);
    case STATE_VARIANCE:
        return sizeof(aggregate_variance);
    default:
        return plan->type.width ? plan->type.width : 1;
    }
}

static bool is_text_pick(const state_plan *plan)
{
    return (plan->kind == STATE_LEAST || plan->kind == STATE_GREATEST) && type_is_text(plan->type);
}

status states_init(const aggregate_core *core, aggregate_table *table)
{
    table->states = mem_new_array(core->state_count + 1, sizeof *table->states);
    if (!table->states)
        return status_no_memory(core->who, core->state_count * sizeof *table->states);
    for (uint32_t i = 0; i < core->state_count; i++) {
        const state_plan *plan = &core->states[i];
        table->states[i].width = width_of(core, table, plan);
        /* Not all groups of CODES have rows: there only a count can be shared. */
        bool may_share = table->form != TABLE_ONE &&
                         (table->form != TABLE_CODES || core->rows_state >= 0) &&
                         plan->source == SOURCE_ROWS && table->source == SOURCE_ROWS;
        table->states[i].is_shared = may_share && plan->kind == STATE_COUNT && plan->filter < 0 &&
                                     (int)i != core->rows_state;
    }
    return STATUS_OK;
}

void states_release(const aggregate_core *core, aggregate_table *table)
{
    for (uint32_t i = 0; table->states && i < core->state_count; i++) {
        dev_buffer_unref(table->states[i].buffer);
        text_heap_release(&table->states[i].heap);
    }
    mem_free(table->states);
    table->states = NULL;
}

uint64_t states_bytes(const aggregate_core *core, const aggregate_table *table)
{
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < core->state_count; i++) {
        const state_array *array = &table->states[i];
        bytes += (array->buffer ? array->buffer->bytes : 0) + array->heap.bytes;
    }
    return bytes;
}

/* ---- room ---- */

/* A state that every value replaces, as two words. */
static void identity_of(const state_plan *plan, uint64_t words[2])
{
    bool is_least = plan->kind == STATE_LEAST;
    unsigned bits = plan->type.width * 8u;
    words[0] = words[1] = 0;
    switch (plan->type.id) {
    case TYPE_BOOL:
        words[0] = is_least;
        break;
    case TYPE_FLOAT: { /* NaN is greater than all */
        float bound = is_least ? __builtin_nanf("") : -INFINITY;
        memcpy(words, &bound, sizeof bound);
        break;
    }
    case TYPE_DOUBLE: {
        double bound = is_least ? __builtin_nan("") : -(double)INFINITY;
        memcpy(words, &bound, sizeof bound);
        break;
    }
    case TYPE_INTERVAL: {
        interval_value bound = {INT32_MAX, INT32_MAX, INT64_MAX};
        if (!is_least)
            bound = (interval_value){INT32_MIN, INT32_MIN, INT64_MIN};
        memcpy(words, &bound, sizeof bound);
        break;
    }
    case TYPE_VARCHAR:
    case TYPE_BLOB:
        words[0] = AGGREGATE_NO_TEXT;
        break;
    case TYPE_UINT8:
    case TYPE_UINT16:
    case TYPE_UINT32:
    case TYPE_UINT64:
        words[0] = is_least ? UINT64_MAX : 0;
        break;
    default:
        if (bits == 128) {
            words[0] = is_least ? UINT64_MAX : 0;
            words[1] = is_least ? INT64_MAX : (uint64_t)INT64_MIN;
        } else {
            uint64_t least = (uint64_t)1 << (bits - 1);
            words[0] = is_least ? least - 1 : least;
        }
    }
}

/* States [first, end) of an array begin. */
static status begin_states(dev_stream *stream, const state_plan *plan, const state_array *array,
                           uint64_t first, uint64_t end)
{
    char *at = (char *)array->buffer->address + first * array->width;
    if (first >= end)
        return STATUS_OK;
    if (plan->kind != STATE_LEAST && plan->kind != STATE_GREATEST)
        return stream->dev->ops->zero(stream, at, (end - first) * array->width);
    uint64_t words[2];
    identity_of(plan, words);
    return DEV_LAUNCH(stream, fill, .width = (uint8_t)array->width, .value_low = words[0],
                      .value_high = words[1], .count = dev_count_exact(end - first), .out = at);
}

static status enlarge(const aggregate_core *core, dev_stream *stream, const state_plan *plan,
                      state_array *array, uint64_t old_capacity, uint64_t capacity)
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
        capacity = CAPACITY_MIN;
    for (uint32_t i = 0; i < core->state_count; i++)
        if (!table->states[i].is_shared)
            TRY(enlarge(core, stream, &core->states[i], &table->states[i], table->capacity,
                        capacity));
    table->capacity = capacity;
    return STATUS_OK;
}

/* A shared count gets an array: what it has been for the first `groups` groups. */
static status give_own_count(const aggregate_core *core, dev_stream *stream, aggregate_table *table,
                             uint32_t state, uint64_t groups)
{
    state_array *array = &table->states[state];
    const state_array *rows = core->rows_state >= 0 ? &table->states[core->rows_state] : NULL;
    array->is_shared = false;
    if (!table->capacity)
        return STATUS_OK;
    TRY(enlarge(core, stream, &core->states[state], array, 0, table->capacity));
    if (!groups)
        return STATUS_OK;
    if (rows)
        return stream->dev->ops->copy(stream, array->buffer->address, rows->buffer->address,
                                      groups * sizeof(uint64_t));
    return DEV_LAUNCH(stream, fill, .width = sizeof(uint64_t), .value_low = 1,
                      .count = dev_count_exact(groups), .out = array->buffer->address);
}

static status widen(const aggregate_core *core, dev_stream *stream, const aggregate_table *table,
                    state_array *array)
{
    dev_buffer *wide;
    if (array->width == sizeof(int128))
        return STATUS_OK;
    array->width = sizeof(int128);
    if (!table->capacity)
        return STATUS_OK;
    TRY(dev_alloc(stream->dev, table->capacity * sizeof(int128), core->who, &wide));
    status st = DEV_LAUNCH(stream, aggregate_widen, .source = array->buffer->address,
                           .count = dev_count_exact(table->capacity), .out = wide->address);
    dev_buffer_unref(array->buffer);
    array->buffer = wide;
    return st;
}

/* ---- adding rows ---- */

/* No sum of some of these values is greater in magnitude. */
static status bound_of_sum(dev_stream *stream, const tensor *values, uint64_t rows, uint128 *out)
{
    uint64_t magnitude = UINT64_MAX;
    dev_buffer *word;
    if (values->type.width < 8) {
        *out = ((uint128)rows << (values->type.width * 8));
        return STATUS_OK;
    }
    if (stream->dev->is_host) {
        TRY(dev_words_new(stream, 1, &word));
        status st =
            DEV_LAUNCH(stream, aggregate_magnitude, .type = values->type, .values = values->values,
                       .count = dev_count_exact(rows), .out = word->address);
        if (!st)
            st = dev_words_wait(stream, word->address, &magnitude, 1);
        dev_buffer_unref(word);
        TRY(st);
    }
    *out = ((uint128)magnitude + 1) * rows;
    return STATUS_OK;
}

typedef struct update {
    const aggregate_core *core;
    exec_task *task;
    aggregate_table *table;
    const uint32_t *groups;
    const uint64_t *present; /* of few groups, those that occur */
    uint64_t rows, groups_before;
} update;

static status update_count(const update *u, const state_array *array, const tensor *argument,
                           const tensor *filter)
{
    return DEV_LAUNCH(
        u->task->stream, aggregate_count, .validity = argument ? argument->validity : NULL,
        .mask = filter ? filter->values : NULL, .groups = u->groups, .group_count = u->table->count,
        .present = u->present, .count = dev_count_exact(u->rows), .states = array->buffer->address);
}

static status update_sum(const update *u, const state_plan *plan, state_array *array,
                         const tensor *argument, const tensor *filter)
{
    dev_stream *stream = u->task->stream;
    uint128 bound = UINT64_MAX; /* of wide sums nobody asks */
    if (array->width == sizeof(int64_t) || argument->type.width < 8)
        TRY(bound_of_sum(stream, argument, u->rows, &bound));
    if (array->width == sizeof(int64_t) && bound + array->bound > INT64_MAX)
        TRY(widen(u->core, stream, u->table, array));
    array->bound += bound;
    return DEV_LAUNCH(stream, aggregate_sum, .type = argument->type, .values = argument->values,
                      .validity = argument->validity, .mask = filter ? filter->values : NULL,
                      .groups = u->groups, .group_count = u->table->count, .present = u->present,
                      .count = dev_count_exact(u->rows), .state_width = array->width,
                      .fits = bound <= INT64_MAX, .states = array->buffer->address,
                      .error = u->task->error, .location = plan->location);
}

/* Replaced strings leave their bytes behind: once those are most of the heap it is copied. */
static status compact_text(const aggregate_core *core, dev_stream *stream, state_array *array,
                           uint64_t groups)
{
    text_heap fresh = {0};
    uint64_t needed;
    dev_buffer *total;
    if (array->heap.bytes < 2 * array->heap_kept + HEAP_COMPACT_BYTES)
        return STATUS_OK;
    TRY(dev_words_new(stream, 1, &total));
    status st = DEV_LAUNCH(stream, aggregate_text_bytes, .states = array->buffer->address,
                           .count = dev_count_exact(groups), .out_total = total->address);
    if (!st)
        st = dev_words_wait(stream, total->address, &needed, 1);
    dev_buffer_unref(total);
    TRY(st);
    st = text_heap_reserve(&fresh, stream, core->who, needed);
    if (!st && needed)
        st = DEV_LAUNCH(stream, aggregate_own_text, .states = array->buffer->address,
                        .count = dev_count_exact(groups), .heap = text_heap_address(&fresh),
                        .heap_used = fresh.words->address);
    if (!st)
        st = text_heap_settle(&fresh, stream);
    if (st) {
        text_heap_release(&fresh);
        return st;
    }
    text_heap_release(&array->heap);
    array->heap = fresh;
    array->heap_kept = fresh.bytes;
    return STATUS_OK;
}

/* Long strings that became states are copied: the chunk's memory goes. */
static status own_changed(const update *u, state_array *array, const uint32_t *changed,
                          const uint64_t *changed_count)
{
    dev_stream *stream = u->task->stream;
    uint64_t count, needed = 0;
    dev_buffer *total;
    TRY(dev_words_wait(stream, changed_count, &count, 1));
    if (!count)
        return STATUS_OK;
    TRY(dev_words_new(stream, 1, &total));
    status st = DEV_LAUNCH(stream, aggregate_text_bytes, .states = array->buffer->address,
                           .changed = changed, .count = dev_count_exact(count),
                           .out_total = total->address);
    if (!st)
        st = dev_words_wait(stream, total->address, &needed, 1);
    dev_buffer_unref(total);
    if (st || !needed) /* short strings lie in the states */
        return st;
    st = text_heap_reserve(&array->heap, stream, u->core->who, needed);
    if (!st)
        st = DEV_LAUNCH(stream, aggregate_own_text, .states = array->buffer->address,
                        .changed = changed, .count = dev_count_exact(count),
                        .heap = text_heap_address(&array->heap),
                        .heap_used = array->heap.words->address);
    if (!st)
        st = text_heap_settle(&array->heap, stream);
    return st ? st : compact_text(u->core, stream, array, u->table->count);
}

static status update_text(const update *u, const state_plan *plan, state_array *array,
                          const tensor *argument, const tensor *filter)
{
    dev_stream *stream = u->task->stream;
    dev_buffer *changed = NULL, *changed_count = NULL;
    TRY(dev_alloc(stream->dev, u->rows * sizeof(uint32_t), u->core->who, &changed));
    status st = dev_words_new(stream, 1, &changed_count);
    if (!st)
        st = DEV_LAUNCH(stream, aggregate_pick_text, .is_greatest = plan->kind == STATE_GREATEST,
                        .values = argument->values, .validity = argument->validity,
                        .mask = filter ? filter->values : NULL, .groups = u->groups,
                        .count = dev_count_exact(u->rows), .states = array->buffer->address,
                        .changed = changed->address, .changed_count = changed_count->address);
    if (!st)
        st = own_changed(u, array, changed->address, changed_count->address);
    dev_buffer_unref(changed);
    dev_buffer_unref(changed_count);
    return st;
}

static status update_state(const update *u, uint32_t state, tensor *const *values)
{
    const state_plan *plan = &u->core->states[state];
    state_array *array = &u->table->states[state];
    const tensor *argument = plan->argument >= 0 ? values[plan->argument] : NULL;
    const tensor *filter = plan->filter >= 0 ? values[plan->filter] : NULL;
    dev_stream *stream = u->task->stream;
    if (array->is_shared) {
        if (!argument || !argument->validity)
            return STATUS_OK;
        TRY(give_own_count(u->core, stream, u->table, state, u->groups_before));
    }
    if (plan->kind == STATE_COUNT)
        return update_count(u, array, argument, filter);
    if (plan->kind == STATE_SUM)
        return update_sum(u, plan, array, argument, filter);
    if (is_text_pick(plan))
        return update_text(u, plan, array, argument, filter);
    const void *mask = filter ? filter->values : NULL;
    if (plan->kind == STATE_NUMBER)
        return DEV_LAUNCH(stream, aggregate_sum_number, .type = argument->type,
                          .values = argument->values, .validity = argument->validity, .mask = mask,
                          .groups = u->groups, .count = dev_count_exact(u->rows),
                          .states = array->buffer->address);
    if (plan->kind == STATE_VARIANCE)
        return DEV_LAUNCH(stream, aggregate_vary, .values = argument->values,
                          .validity = argument->validity, .mask = mask, .groups = u->groups,
                          .count = dev_count_exact(u->rows), .states = array->buffer->address);
    return DEV_LAUNCH(stream, aggregate_pick, .is_greatest = plan->kind == STATE_GREATEST,
                      .type = argument->type, .values = argument->values,
                      .validity = argument->validity, .mask = mask, .groups = u->groups,
                      .count = dev_count_exact(u->rows), .states = array->buffer->address);
}

static status update_all(const update *u, tensor *const *values)
{
    /* Counts that cease to be shared copy the rows' count as it was before. */
    for (uint32_t i = 0; i < u->core->state_count; i++)
        if (u->core->states[i].source == u->table->source && (int)i != u->core->rows_state)
            TRY(update_state(u, i, values));
    if (u->core->rows_state >= 0 && u->table->source == SOURCE_ROWS)
        TRY(update_state(u, (uint32_t)u->core->rows_state, values));
    if (u->table->marks)
        TRY(DEV_LAUNCH(u->task->stream, aggregate_mark, .groups = u->groups,
                       .count = dev_count_exact(u->rows), .states = u->table->marks->address));
    return STATUS_OK;
}

status states_update(const aggregate_core *core, exec_task *task, aggregate_table *table,
                     tensor *const *values, const uint32_t *groups, uint64_t rows,
                     uint64_t groups_before)
{
    dev_buffer *present = NULL;
    status st = STATUS_OK;
    if (groups && table->form == TABLE_CODES && table->count <= 64) {
        TRY(dev_words_new(task->stream, 1, &present));
        st = DEV_LAUNCH(task->stream, codes_present, .groups = groups,
                        .count = dev_count_exact(rows), .out = present->address);
    }
    const update u = {.core = core,
                      .task = task,
                      .table = table,
                      .groups = groups,
                      .present = present ? present->address : NULL,
                      .rows = rows,
                      .groups_before = groups_before};
    if (!st)
        st = update_all(&u, values);
    dev_buffer_unref(present);
    table->row_count += rows;
    return st;
}

/* ---- adding states ---- */

status states_share_text(const aggregate_core *core, aggregate_table *target,
                         const aggregate_table *from)
{
    for (uint32_t i = 0; i < core->state_count; i++)
        if (is_text_pick(&core->states[i]))
            TRY(text_heap_share(&target->states[i].heap, &from->states[i].heap));
    return STATUS_OK;
}

status states_prepare(const aggregate_core *core, dev_stream *stream, aggregate_table *target,
                      const aggregate_table *from)
{
    for (uint32_t i = 0; i < core->state_count; i++) {
        state_array *to = &target->states[i];
        const state_array *array = &from->states[i];
        if (to->is_shared && !array->is_shared)
            TRY(give_own_count(core, stream, target, i, target->count));
        if (core->states[i].kind == STATE_SUM) {
            if (array->width > to->width || to->bound + array->bound > INT64_MAX)
                TRY(widen(core, stream, target, to));
            to->bound += array->bound;
        }
    }
    target->row_count += from->row_count;
    return states_share_text(core, target, from);
}

status states_align(const aggregate_core *core, dev_stream *stream, aggregate_table *const *tables,
                    size_t table_count)
{
    for (uint32_t i = 0; i < core->state_count; i++) {
        uint128 bound = 0;
        uint32_t width = 0;
        bool is_shared = true;
        for (size_t t = 0; t < table_count; t++) {
            const state_array *array = &tables[t]->states[i];
            bound += array->bound;
            width = array->width > width ? array->width : width;
            is_shared &= array->is_shared;
        }
        bool is_sum = core->states[i].kind == STATE_SUM;
        for (size_t t = 0; t < table_count; t++) {
            state_array *array = &tables[t]->states[i];
            if (array->is_shared && !is_shared)
                TRY(give_own_count(core, stream, tables[t], i, tables[t]->count));
            if (is_sum && (width > array->width || bound > INT64_MAX))
                TRY(widen(core, stream, tables[t], array));
            array->bound = bound;
        }
    }
    return STATUS_OK;
}

status states_view(const aggregate_core *core, dev_stream *stream, const aggregate_table *table,
                   uint32_t state, const uint32_t *list, uint64_t first, uint64_t count,
                   const void **out, dev_buffer **owner)
{
    const state_array *array = &table->states[state];
    if (array->is_shared)
        array = core->rows_state >= 0 ? &table->states[core->rows_state] : NULL;
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

static status merge_state(const aggregate_core *core, exec_task *task, aggregate_table *target,
                          uint32_t state, const uint32_t *groups, const aggregate_table *from,
                          const void *values, uint64_t count)
{
    const state_plan *plan = &core->states[state];
    const state_array *to = &target->states[state];
    dev_stream *stream = task->stream;
    void *states = to->buffer->address;
    switch (plan->kind) {
    case STATE_COUNT:
        if (!values)
            return DEV_LAUNCH(stream, aggregate_count, .groups = groups,
                              .group_count = target->count, .count = dev_count_exact(count),
                              .states = states);
        return DEV_LAUNCH(stream, aggregate_sum, .type = type_make(TYPE_INT64), .values = values,
                          .groups = groups, .group_count = target->count,
                          .count = dev_count_exact(count), .state_width = sizeof(int64_t),
                          .fits = true, .states = states, .error = task->error,
                          .location = plan->location);
    case STATE_SUM: {
        bool is_wide = from->states[state].width == sizeof(int128);
        return DEV_LAUNCH(stream, aggregate_sum,
                          .type = is_wide ? type_decimal(38, 0) : type_make(TYPE_INT64),
                          .values = values, .groups = groups, .group_count = target->count,
                          .count = dev_count_exact(count), .state_width = to->width,
                          .fits = to->width == sizeof(int64_t), .states = states,
                          .error = task->error, .location = plan->location);
    }
    case STATE_NUMBER:
        return DEV_LAUNCH(stream, aggregate_sum_number, .is_state = true, .values = values,
                          .groups = groups, .count = dev_count_exact(count), .states = states);
    case STATE_VARIANCE:
        return DEV_LAUNCH(stream, aggregate_vary, .is_state = true, .values = values,
                          .groups = groups, .count = dev_count_exact(count), .states = states);
    default:
        if (is_text_pick(plan))
            return DEV_LAUNCH(stream, aggregate_pick_text,
                              .is_greatest = plan->kind == STATE_GREATEST, .values = values,
                              .groups = groups, .count = dev_count_exact(count), .states = states);
        return DEV_LAUNCH(stream, aggregate_pick, .is_greatest = plan->kind == STATE_GREATEST,
                          .type = plan->type, .is_state = true, .values = values, .groups = groups,
                          .count = dev_count_exact(count), .states = states);
    }
}

status states_merge(const aggregate_core *core, exec_task *task, aggregate_table *target,
                    const uint32_t *groups, const aggregate_table *from, const uint32_t *list,
                    uint64_t first, uint64_t count)
{
    for (uint32_t i = 0; i < core->state_count; i++) {
        const void *values;
        dev_buffer *owner;
        if (target->states[i].is_shared)
            continue;
        TRY(states_view(core, task->stream, from, i, list, first, count, &values, &owner));
        status st = merge_state(core, task, target, i, groups, from, values, count);
        dev_buffer_unref(owner);
        TRY(st);
    }
    if (target->marks)
        TRY(DEV_LAUNCH(task->stream, aggregate_mark, .groups = groups,
                       .count = dev_count_exact(count), .states = target->marks->address));
    return STATUS_OK;
}
