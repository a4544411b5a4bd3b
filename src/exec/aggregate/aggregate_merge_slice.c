/* aggregate_merge_slice.c - ordering groups by parts of their hashes, and adding a part to a table. */
#include "exec/aggregate/aggregate_merge_slice.h"

#include "device/transfer.h"
#include "exec/aggregate/aggregate_state.h"

static void release_states(merge_slice *slice)
{
    for (uint32_t i = 0; slice->states && i < table_state_count(slice->table); i++)
        dev_buffer_unref(slice->states[i]);
    mem_free(slice->states);
}

void merge_slice_release(const aggregate_core *core, merge_slice *slice)
{
    dev_fetch_close(core->dev, &slice->asked);
    release_states(slice);
    dev_buffer_unref(slice->rows);
    dev_buffer_unref(slice->hashes);
    mem_free(slice->offsets);
    mem_free(slice->kept);
    *slice = (merge_slice){0};
}

/* ---- ordering ---- */

/* A slice's groups as they lie in the table. */
typedef struct slice_source {
    table_slice slice;
    const uint8_t *rows;
    dev_buffer *owner, *hashes;
    row_index *order; /* the groups, part by part */
    row_index *list;  /* the same as the table numbers them from slice.first */
} slice_source;

static void source_close(slice_source *source)
{
    table_slice_close(&source->slice);
    dev_buffer_unref(source->owner);
    dev_buffer_unref(source->hashes);
    row_index_unref(source->order);
    row_index_unref(source->list);
}

static status make_room(const aggregate_core *core, merge_slice *slice, size_t words)
{
    slice->offsets = mem_new_array(words, sizeof(uint64_t));
    slice->kept = mem_new_array(words, sizeof(uint64_t));
    if (!slice->offsets || !slice->kept)
        return status_no_memory(core->who, words * sizeof(uint64_t));
    slice->states = mem_new_array(table_state_count(slice->table) + 1, sizeof *slice->states);
    if (!slice->states)
        return status_no_memory(core->who, core->state_count * sizeof *slice->states);
    return STATUS_OK;
}

/* Known already where rows were passed on as they are. */
static status find_hashes(const aggregate_core *core, dev_stream *stream, const merge_slice *slice,
                          slice_source *source, const key_layout *layout)
{
    const hash_groups *groups = &slice->table->groups;
    dev_count count = dev_count_exact(source->slice.count);
    if (!groups->hashes || groups->layout != layout)
        return key_layout_hash(layout, stream, source->rows, count, &source->hashes);
    TRY(dev_alloc(core->dev, count.bound * sizeof(uint32_t), core->who, &source->hashes));
    return stream->dev->ops->copy(stream, source->hashes->address,
                                  (const uint32_t *)groups->hashes->address + source->slice.first,
                                  count.bound * sizeof(uint32_t));
}

static status find_order(const aggregate_core *core, exec_task *task, merge_slice *slice,
                         slice_source *source, const key_layout *layout, uint32_t bits,
                         size_t words)
{
    dev_stream *stream = task->stream;
    dev_count count = dev_count_exact(source->slice.count);
    dev_buffer *offsets;
    TRY(table_slice_rows(core, task, slice->table, &source->slice, layout, &source->rows,
                         &source->owner));
    TRY(find_hashes(core, stream, slice, source, layout));
    TRY(row_index_new(core->dev, count.bound, &source->order));
    TRY(dev_words_new(stream, (uint32_t)words, &offsets));
    status st = DEV_LAUNCH(stream, groups_partition, .hashes = source->hashes->address,
                           .count = count, .bits = bits, .first = 0, .out = source->order->rows,
                           .offsets = offsets->address);
    if (!st)
        st = dev_fetch_start(stream, offsets->address, (uint32_t)words, &slice->asked);
    dev_buffer_unref(offsets);
    return st;
}

static status copy_keys(const aggregate_core *core, dev_stream *stream, merge_slice *slice,
                        const slice_source *source, const key_layout *layout)
{
    dev_count count = dev_count_exact(slice->groups);
    TRY(dev_alloc(core->dev, count.bound * layout->stride, core->who, &slice->rows));
    TRY(DEV_LAUNCH(stream, keys_gather, .rows = source->rows, .stride = layout->stride,
                   .index = source->order->rows, .count = count, .out = slice->rows->address));
    TRY(dev_alloc(core->dev, count.bound * sizeof(uint32_t), core->who, &slice->hashes));
    return DEV_LAUNCH(stream, gather_index, .first = source->hashes->address,
                      .second = source->order->rows, .count = count, .out = slice->hashes->address);
}

/* Finds where the table's states are: by the list, if groups are listed. */
static status find_list(const aggregate_core *core, dev_stream *stream, slice_source *source)
{
    if (!source->slice.list) {
        source->list = row_index_ref(source->order);
        return STATUS_OK;
    }
    TRY(row_index_new(core->dev, source->slice.count, &source->list));
    return DEV_LAUNCH(stream, gather_index, .first = source->slice.list->rows,
                      .second = source->order->rows, .count = dev_count_exact(source->slice.count),
                      .out = source->list->rows);
}

/* Counts that are shared stay so. */
static status copy_states(const aggregate_core *core, dev_stream *stream, merge_slice *slice,
                          slice_source *source)
{
    const aggregate_table *table = slice->table;
    const void *unused;
    TRY(find_list(core, stream, source));
    for (uint32_t i = 0; i < table_state_count(table); i++)
        if (!table->states[i].is_shared)
            TRY(states_view(core, stream, table, table->held.first + i, source->list->rows,
                            source->slice.first, slice->groups, &unused, &slice->states[i]));
    for (uint32_t i = 0; i < table_state_count(table); i++)
        if (table->states[i].is_shared && core->rows_state >= 0)
            slice->states[i] =
                dev_buffer_ref(slice->states[(uint32_t)core->rows_state - table->held.first]);
    return STATUS_OK;
}

status merge_slice_order(const aggregate_core *core, exec_task *task, merge_slice *slice,
                         const key_layout *layout, uint32_t bits)
{
    size_t words = (((size_t)1 << bits) + 2) / 2;
    slice_source source = {0};
    TRY(make_room(core, slice, words));
    status st = table_slice_open(core, task->stream, slice->table, slice->first, slice->count,
                                 &source.slice);
    slice->groups = source.slice.count;
    if (!st && slice->groups)
        st = find_order(core, task, slice, &source, layout, bits, words);
    if (!st && slice->groups)
        st = copy_keys(core, task->stream, slice, &source, layout);
    if (!st && slice->groups)
        st = copy_states(core, task->stream, slice, &source);
    source_close(&source);
    return st;
}

/* ---- adding ---- */

status merge_slice_add(const aggregate_core *core, exec_task *task, aggregate_table *target,
                       const merge_slice *slice, size_t part)
{
    uint64_t first = slice->offsets[part], count = merge_slice_count(slice, part);
    const packed_rows packed = {.rows = (const uint8_t *)slice->rows->address +
                                        first * target->groups.layout->stride,
                                .count = dev_count_exact(count)};
    row_index *groups;
    TRY(row_index_new(core->dev, count, &groups));
    status st =
        hash_groups_find_hashed(&target->groups, task->stream, &packed,
                                (const uint32_t *)slice->hashes->address + first, groups->rows);
    if (!st) {
        target->count = target->groups.count;
        st = states_reserve(core, task->stream, target, target->count);
    }
    if (!st)
        st = states_merge_copies(core, task, target, groups->rows, slice->table, slice->states,
                                 first, count);
    row_index_unref(groups);
    return st;
}

/* ---- adding a part of all slices at once ---- */

/* A part's groups of all slices, side by side. */
typedef struct joined_part {
    uint64_t count;
    dev_buffer *rows, *hashes, **states; /* as a slice has them */
    uint32_t state_count;
    row_index *groups;
} joined_part;

/* Looked up at a time: enough to fetch ahead, and no more room than for these is made beside the groups. */
#define JOINED_ROWS 4096

static void joined_part_release(joined_part *joined)
{
    for (uint32_t i = 0; joined->states && i < joined->state_count; i++)
        dev_buffer_unref(joined->states[i]);
    mem_free(joined->states);
    dev_buffer_unref(joined->rows);
    dev_buffer_unref(joined->hashes);
    row_index_unref(joined->groups);
}

/* The array of one kind that slices have: a state's, or hashes, or (KEYS) packed keys. */
enum { KEYS = -2, HASHES = -1 };

static const dev_buffer *array_of(const merge_slice *slice, int which)
{
    return which == KEYS ? slice->rows : which == HASHES ? slice->hashes : slice->states[which];
}

/* Copies the part of each slice's array of the kind to `target`, one behind the other. */
static status join_arrays(dev_stream *stream, const merge_slice *slices, size_t slice_count,
                          size_t part, int which, uint64_t width, char *target)
{
    for (size_t s = 0; s < slice_count; s++) {
        uint64_t count = merge_slice_count(&slices[s], part);
        if (!count)
            continue;
        const char *from = array_of(&slices[s], which)->address;
        TRY(stream->dev->ops->copy(stream, target, from + slices[s].offsets[part] * width,
                                   count * width));
        target += count * width;
    }
    return STATUS_OK;
}

/* Whether all slices that have groups of the part have the same states, so that they can lie side by side. *like:
 * one of those slices. */
static bool have_same_states(const aggregate_table *target, const merge_slice *slices,
                             size_t slice_count, size_t part, const merge_slice **like)
{
    const merge_slice *first = NULL;
    for (size_t s = 0; s < slice_count; s++) {
        const aggregate_table *table = slices[s].table;
        if (!merge_slice_count(&slices[s], part))
            continue;
        first = first ? first : &slices[s];
        if (!tables_hold_same_states(table, first->table))
            return false;
        for (uint32_t i = 0; i < table_state_count(table); i++)
            if (!table_state(target, table->held.first + i)->is_shared &&
                (table->states[i].width != first->table->states[i].width ||
                 !slices[s].states[i] != !first->states[i]))
                return false;
    }
    *like = first;
    return true;
}

static status join_states(const aggregate_core *core, dev_stream *stream,
                          const aggregate_table *target, const merge_slice *slices,
                          size_t slice_count, size_t part, const merge_slice *like,
                          joined_part *joined)
{
    const aggregate_table *table = like->table;
    joined->state_count = table_state_count(table);
    joined->states = mem_new_array(joined->state_count + 1, sizeof *joined->states);
    if (!joined->states)
        return status_no_memory(core->who, joined->state_count * sizeof *joined->states);
    for (uint32_t i = 0; i < joined->state_count; i++) {
        uint64_t width = table->states[i].width;
        if (table_state(target, table->held.first + i)->is_shared || !like->states[i])
            continue;
        TRY(dev_alloc(core->dev, joined->count * width, core->who, &joined->states[i]));
        TRY(join_arrays(stream, slices, slice_count, part, (int)i, width,
                        joined->states[i]->address));
    }
    return STATUS_OK;
}

/* Adds states to a part whose groups are known, slice by slice if the slices differ. */
static status aggregate_merge_slice_add_states(const aggregate_core *core, exec_task *task,
                                               aggregate_table *target, const merge_slice *slices,
                                               size_t slice_count, size_t part, joined_part *joined)
{
    const merge_slice *like;
    const uint32_t *groups = joined->groups->rows;
    if (have_same_states(target, slices, slice_count, part, &like)) {
        TRY(join_states(core, task->stream, target, slices, slice_count, part, like, joined));
        return states_merge_copies(core, task, target, groups, like->table, joined->states, 0,
                                   joined->count);
    }
    for (size_t s = 0; s < slice_count; s++) {
        uint64_t count = merge_slice_count(&slices[s], part);
        if (count)
            TRY(states_merge_copies(core, task, target, groups, slices[s].table, slices[s].states,
                                    slices[s].offsets[part], count));
        groups += count;
    }
    return STATUS_OK;
}

static status join_keys(const aggregate_core *core, dev_stream *stream, uint64_t stride,
                        const merge_slice *slices, size_t slice_count, size_t part,
                        joined_part *joined)
{
    TRY(dev_alloc(core->dev, joined->count * stride, core->who, &joined->rows));
    TRY(join_arrays(stream, slices, slice_count, part, KEYS, stride, joined->rows->address));
    TRY(dev_alloc(core->dev, joined->count * sizeof(uint32_t), core->who, &joined->hashes));
    return join_arrays(stream, slices, slice_count, part, HASHES, sizeof(uint32_t),
                       joined->hashes->address);
}

static status find_joined(const aggregate_core *core, dev_stream *stream, aggregate_table *target,
                          joined_part *joined)
{
    uint64_t stride = target->groups.layout->stride;
    TRY(row_index_new(core->dev, joined->count, &joined->groups));
    for (uint64_t first = 0, count; first < joined->count; first += count) {
        count = joined->count - first < JOINED_ROWS ? joined->count - first : JOINED_ROWS;
        const packed_rows packed = {.rows = (const uint8_t *)joined->rows->address + first * stride,
                                    .count = dev_count_exact(count)};
        TRY(hash_groups_find_hashed(&target->groups, stream, &packed,
                                    (const uint32_t *)joined->hashes->address + first,
                                    joined->groups->rows + first));
    }
    target->count = target->groups.count;
    return states_reserve(core, stream, target, target->count);
}

status merge_slices_add(const aggregate_core *core, exec_task *task, aggregate_table *target,
                        const merge_slice *slices, size_t slice_count, size_t part, uint64_t rows)
{
    joined_part joined = {.count = rows};
    if (!rows)
        return STATUS_OK;
    status st = join_keys(core, task->stream, target->groups.layout->stride, slices, slice_count,
                          part, &joined);
    if (!st)
        st = find_joined(core, task->stream, target, &joined);
    if (!st)
        st = aggregate_merge_slice_add_states(core, task, target, slices, slice_count, part,
                                              &joined);
    joined_part_release(&joined);
    return st;
}

/* ---- putting back ---- */

bool merge_slice_takes(const merge_slice *slice, const aggregate_table *result)
{
    const state_array *from = slice->table->states, *to = result->states;
    if (!tables_hold_same_states(slice->table, result))
        return false;
    for (uint32_t i = 0; i < table_state_count(result); i++)
        if (from[i].is_shared != to[i].is_shared || from[i].width != to[i].width ||
            (!to[i].is_shared && !slice->states[i]))
            return false;
    return true;
}

/* Groups of an array, each `width` bytes, from one place to another that does not overlap. */
static status copy_groups(dev_stream *stream, dev_buffer *to, uint64_t to_first,
                          const dev_buffer *from, uint64_t from_first, uint64_t count,
                          uint64_t width)
{
    return stream->dev->ops->copy(stream, (char *)to->address + to_first * width,
                                  (const char *)from->address + from_first * width, count * width);
}

status merge_slice_put(dev_stream *stream, merge_slice *slice, size_t part,
                       const aggregate_table *result, uint64_t first, uint64_t *out_count)
{
    uint64_t room = merge_slice_count(slice, part), left = result->count - first;
    uint64_t count = room < left ? room : left, at = slice->offsets[part];
    *out_count = count;
    if (!count)
        return STATUS_OK;
    TRY(copy_groups(stream, slice->rows, at, result->groups.rows, first, count,
                    result->groups.layout->stride));
    for (uint32_t i = 0; i < table_state_count(result); i++)
        if (!result->states[i].is_shared)
            TRY(copy_groups(stream, slice->states[i], at, result->states[i].buffer, first, count,
                            result->states[i].width));
    slice->kept[part] = (uint32_t)count;
    return STATUS_OK;
}

/* An array without what lies between the groups that were put there. */
static status close_gaps(const aggregate_core *core, dev_stream *stream, const merge_slice *slice,
                         size_t parts, uint64_t groups, uint64_t width, dev_buffer **array)
{
    dev_buffer *packed;
    uint64_t at = 0;
    TRY(dev_alloc(core->dev, groups * width, core->who, &packed));
    status st = STATUS_OK;
    for (size_t p = 0; p < parts && !st; at += slice->kept[p++])
        if (slice->kept[p])
            st = copy_groups(stream, packed, at, *array, slice->offsets[p], slice->kept[p], width);
    dev_buffer_unref(*array);
    *array = packed;
    return st;
}

/* The slice's arrays are the table's from now on. */
static status move_groups(const aggregate_core *core, dev_stream *stream, merge_slice *slice,
                          size_t parts, const aggregate_table *like, aggregate_table *table)
{
    bool is_full = table->count == slice->groups;
    uint64_t stride = like->groups.layout->stride;
    if (!is_full)
        TRY(close_gaps(core, stream, slice, parts, table->count, stride, &slice->rows));
    table->groups.rows = slice->rows;
    slice->rows = NULL;
    for (uint32_t i = 0; i < table_state_count(table); i++) {
        state_array *array = &table->states[i];
        array->is_shared = like->states[i].is_shared;
        array->width = like->states[i].width;
        array->bound = like->states[i].bound;
        if (array->is_shared)
            continue;
        if (!is_full)
            TRY(close_gaps(core, stream, slice, parts, table->count, array->width,
                           &slice->states[i]));
        array->buffer = slice->states[i];
        slice->states[i] = NULL;
    }
    return STATUS_OK;
}

status merge_slice_to_table(const aggregate_core *core, dev_stream *stream, merge_slice *slice,
                            size_t parts, const aggregate_table *like, aggregate_table **out)
{
    aggregate_table *table;
    uint64_t count = 0;
    *out = NULL;
    for (size_t p = 0; slice->groups && p < parts; p++)
        count += slice->kept[p];
    if (!count)
        return STATUS_OK;
    TRY(aggregate_table_new(core, stream, TABLE_HASH, like->source, like->groups.layout, 0,
                            &table));
    status st =
        tables_hold_same_states(table, like) ? STATUS_OK : states_complete(core, stream, table);
    table->count = table->capacity = table->groups.count = table->groups.capacity = count;
    if (!st)
        st = move_groups(core, stream, slice, parts, like, table);
    if (!st)
        st = text_heap_share(&table->groups.heap, &like->groups.heap);
    if (!st)
        st = states_share_text(core, table, like);
    slice->groups = 0;
    if (st)
        aggregate_table_free(core, table);
    else
        *out = table;
    return st;
}
