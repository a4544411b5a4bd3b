/* aggregate_state_pick.c - states that are one of the values: the least, or the greatest. */
#include "device/transfer.h"
#include "exec/aggregate/aggregate_state_ops.h"

#include <math.h>

#define HEAP_COMPACT_BYTES (1u << 20)

static uint32_t pick_width(const aggregate_core *core, const aggregate_table *table,
                           const state_plan *plan)
{
    (void)core;
    (void)table;
    return plan->type.width ? plan->type.width : 1;
}

/* Begins with the value that every other one replaces. */
static void begin_pick(const state_plan *plan, uint64_t words[2])
{
    bool is_least = plan->operation == AGGREGATE_PICK_LEAST;
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

/* ---- text ---- */

bool state_is_text(const state_plan *plan)
{
    return plan->ops == &aggregate_state_pick && type_is_text(plan->type);
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
        st = dev_words_read(stream, total->address, &needed, 1);
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

#define LENT_WORDS 2

void state_lent_text_release(device *dev, state_array *array)
{
    lent_text *lent = &array->lent;
    dev_fetch_close(dev, &lent->asked);
    dev_buffer_unref(lent->changed);
    dev_buffer_unref(lent->words);
    string_heap_unref(lent->heap);
    *lent = (lent_text){0};
}

/* Copies the text of changed states to the heap. */
static status copy_text(const aggregate_core *core, dev_stream *stream, state_array *array,
                        const uint32_t *changed, uint64_t count, uint64_t bytes)
{
    if (!bytes) /* short strings lie in the states */
        return STATUS_OK;
    TRY(text_heap_reserve(&array->heap, stream, core->who, bytes));
    array->heap.used += bytes;
    return DEV_LAUNCH(stream, aggregate_own_text, .states = array->buffer->address,
                      .changed = changed, .count = dev_count_exact(count),
                      .heap = text_heap_address(&array->heap),
                      .heap_used = array->heap.words->address);
}

status state_own_text(const aggregate_core *core, dev_stream *stream, const aggregate_table *table,
                      state_array *array)
{
    lent_text *lent = &array->lent;
    uint64_t words[LENT_WORDS];
    if (!lent->changed)
        return STATUS_OK;
    TRY(dev_fetch_finish(stream, &lent->asked, words));
    TRY(copy_text(core, stream, array, lent->changed->address, words[0], words[1]));
    state_lent_text_release(stream->dev, array);
    return words[1] ? compact_text(core, stream, array, table->count) : STATUS_OK;
}

/* Asks the device how many bytes the long strings have that became states: they are copied later, because the chunk's
 * memory is released. */
static status lend_text(const state_update *u, state_array *array, const tensor *argument)
{
    dev_stream *stream = u->task->stream;
    uint64_t *words = array->lent.words->address;
    array->lent.heap = string_heap_ref(argument->heap);
    TRY(DEV_LAUNCH(stream, aggregate_text_bytes, .states = array->buffer->address,
                   .changed = array->lent.changed->address,
                   .count = {.bound = u->rows.bound, .actual = words}, .out_total = words + 1));
    TRY(dev_fetch_start(stream, words, LENT_WORDS, &array->lent.asked));
    return stream->dev->is_host ? state_own_text(u->core, stream, u->table, array) : STATUS_OK;
}

static status update_text(const state_update *u, const state_plan *plan, state_array *array,
                          const tensor *argument, const tensor *filter)
{
    dev_stream *stream = u->task->stream;
    TRY(state_own_text(u->core, stream, u->table, array));
    TRY(dev_words_new(stream, LENT_WORDS, &array->lent.words));
    TRY(dev_alloc(stream->dev, u->rows.bound * sizeof(uint32_t), u->core->who,
                  &array->lent.changed));
    status st = DEV_LAUNCH(
        stream, aggregate_pick_text, .is_greatest = plan->operation == AGGREGATE_PICK_GREATEST,
        .values = argument->values, .validity = argument->validity,
        .mask = filter ? filter->values : NULL, .groups = u->groups, .count = u->rows,
        .states = array->buffer->address, .changed = array->lent.changed->address,
        .changed_count = array->lent.words->address);
    return st ? st : lend_text(u, array, argument);
}

/* ---- all ---- */

static status update_pick(const state_update *u, const state_plan *plan, state_array *array,
                          const tensor *argument, const tensor *filter)
{
    if (state_is_text(plan))
        return update_text(u, plan, array, argument, filter);
    return DEV_LAUNCH(
        u->task->stream, aggregate_pick, .is_greatest = plan->operation == AGGREGATE_PICK_GREATEST,
        .type = argument->type, .values = argument->values, .validity = argument->validity,
        .mask = filter ? filter->values : NULL, .groups = u->groups, .group_count = u->table->count,
        .count = u->rows, .states = array->buffer->address);
}

static status merge_pick(const state_update *u, const state_plan *plan, const state_array *array,
                         const void *states, uint32_t width)
{
    bool is_greatest = plan->operation == AGGREGATE_PICK_GREATEST;
    (void)width;
    if (state_is_text(plan))
        return DEV_LAUNCH(u->task->stream, aggregate_pick_text, .is_greatest = is_greatest,
                          .values = states, .groups = u->groups, .count = u->rows,
                          .states = array->buffer->address);
    return DEV_LAUNCH(u->task->stream, aggregate_pick, .is_greatest = is_greatest,
                      .type = plan->type, .is_state = true, .values = states, .groups = u->groups,
                      .group_count = u->table->count, .count = u->rows,
                      .states = array->buffer->address);
}

/* Booleans: others are used in place. */
static status finish_pick(const state_finish *f, tensor *out)
{
    return DEV_LAUNCH(f->task->stream, aggregate_finish_bool, .states = f->states,
                      .count = f->count, .out = out->values);
}

const aggregate_state_ops aggregate_state_pick = {.width = pick_width,
                                                  .begin = begin_pick,
                                                  .update = update_pick,
                                                  .merge = merge_pick,
                                                  .finish = finish_pick};
