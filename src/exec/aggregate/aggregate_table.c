/* aggregate_table.c - tables of groups: life, and slices of them, whatever their form. */
#include "exec/aggregate/aggregate_table.h"

#include "base/system/mutex.h"
#include "device/transfer.h"
#include "exec/aggregate/aggregate_codes.h"
#include "exec/aggregate/aggregate_rows.h"
#include "exec/aggregate/aggregate_state.h"

status aggregate_table_new(const aggregate_core *core, dev_stream *stream, table_form form,
                           int source, const key_layout *layout, uint64_t capacity,
                           aggregate_table **out)
{
    *out = NULL;
    aggregate_table *table = mem_new(sizeof *table);
    if (!table)
        return status_no_memory(core->who, sizeof *table);
    table->form = form;
    table->source = source;
    table->count = form == TABLE_CODES ? capacity : form == TABLE_ONE;
    hash_groups_init(&table->groups, layout, core->who);
    status st = states_init(core, table);
    if (!st && form == TABLE_CODES) {
        table->codes = mem_new_array(core->key_count, sizeof *table->codes);
        if (!table->codes)
            st = status_no_memory(core->who, core->key_count * sizeof *table->codes);
        if (!st && (core->rows_state < 0 || source != SOURCE_ROWS))
            st = dev_alloc(core->dev, capacity, core->who, &table->marks);
        if (!st && table->marks)
            st = core->dev->ops->zero(stream, table->marks->address, capacity);
    } else if (!st && form == TABLE_RUNS) {
        st = hash_groups_reserve_rows(&table->groups, stream, capacity);
    } else if (!st && form == TABLE_HASH && capacity) {
        st = hash_groups_expect(&table->groups, stream, capacity);
    }
    if (!st && capacity)
        st = states_reserve(core, stream, table, capacity);
    if (st) {
        aggregate_table_free(core, table);
        return st;
    }
    *out = table;
    return STATUS_OK;
}

void aggregate_table_free(const aggregate_core *core, aggregate_table *table)
{
    if (!table)
        return;
    states_release(core, table);
    hash_groups_release(&table->groups);
    codes_table_release(core, table);
    rows_table_release(core, table);
    dev_buffer_unref(table->marks);
    array_release(&table->segments);
    mem_free(table);
}

void aggregate_table_give_up(aggregate_table *table)
{
    dev_buffer_unref(table->groups.rows);
    table->groups.rows = NULL;
    dev_buffer_unref(table->groups.hashes);
    table->groups.hashes = NULL;
    table->groups.capacity = 0;
    for (uint32_t i = 0; i < table_state_count(table); i++) {
        dev_buffer_unref(table->states[i].buffer);
        table->states[i].buffer = NULL;
    }
}

status aggregate_table_learn(const aggregate_core *core, dev_stream *stream, aggregate_table *table)
{
    if (table->form == TABLE_HASH) {
        TRY(hash_groups_learn(&table->groups, stream));
        table->count = table->groups.count;
    }
    for (uint32_t k = 0; table->codes && k < core->key_count; k++)
        TRY(hash_groups_learn(&table->codes[k].texts, stream));
    return states_learn(core, stream, table);
}

status aggregate_table_seal(const aggregate_core *core, dev_stream *stream, aggregate_table *table)
{
    TRY(aggregate_table_learn(core, stream, table));
    return states_seal(core, stream, table);
}

uint64_t aggregate_table_bytes(const aggregate_table *table)
{
    uint64_t bytes = states_bytes(table);
    const hash_groups *groups = &table->groups;
    bytes += (groups->rows ? groups->rows->bytes : 0) + (groups->slots ? groups->slots->bytes : 0);
    bytes += groups->hashes ? groups->hashes->bytes : 0;
    bytes += groups->heap.bytes + (table->marks ? table->marks->bytes : 0);
    return bytes;
}

/* ---- slices ---- */

/* The groups of CODES that have rows, as numbers. */
static status aggregate_table_list_present(const aggregate_core *core, dev_stream *stream,
                                           const aggregate_table *table, uint64_t first,
                                           uint64_t count, table_slice *out)
{
    dev_buffer *bits = NULL, *found = NULL;
    const uint64_t *counts = NULL;
    if (core->rows_state >= 0 && table_has_state(table, (uint32_t)core->rows_state)) {
        const dev_buffer *rows = table_state(table, (uint32_t)core->rows_state)->buffer;
        counts = rows ? rows->address : NULL;
    }
    TRY(row_index_new(core->dev, count, &out->list));
    status st = dev_alloc(core->dev, bitmap_bytes(count), core->who, &bits);
    if (!st)
        st = dev_words_new(stream, 1, &found);
    if (!st)
        st = DEV_LAUNCH(stream, aggregate_present, .counts = counts ? counts + first : NULL,
                        .marks = table->marks ? (uint8_t *)table->marks->address + first : NULL,
                        .count = dev_count_exact(count), .out = bits->address);
    if (!st)
        st = DEV_LAUNCH(stream, mask_to_index, .mask = bits->address,
                        .count = dev_count_exact(count), .first_row = (uint32_t)first,
                        .rows = out->list->rows, .out_count = found->address);
    if (!st)
        st = dev_words_read(stream, found->address, &out->count, 1);
    dev_buffer_unref(bits);
    dev_buffer_unref(found);
    return st;
}

status table_slice_open(const aggregate_core *core, dev_stream *stream,
                        const aggregate_table *table, uint64_t first, uint64_t count,
                        table_slice *out)
{
    *out = (table_slice){.first = first, .count = count};
    if (table->form != TABLE_CODES)
        return STATUS_OK;
    *out = (table_slice){0};
    status st = aggregate_table_list_present(core, stream, table, first, count, out);
    if (st)
        table_slice_close(out);
    return st;
}

void table_slice_close(table_slice *slice)
{
    row_index_unref(slice->list);
    *slice = (table_slice){0};
}

/* A text key of CODES: numbers of the texts that the table knows. */
static status interned_key(dev_stream *stream, const code_key *code, const table_slice *slice,
                           tensor **out)
{
    tensor *base = NULL;
    row_index *index = NULL;
    const hash_groups *texts = &code->texts;
    *out = NULL;
    status st = row_index_new(stream->dev, slice->count, &index);
    if (!st)
        st = DEV_LAUNCH(stream, codes_to_index, .codes = slice->list->rows,
                        .count = dev_count_exact(slice->count), .radix = code->radix,
                        .digit = code->digit, .out = index->rows);
    if (!st && texts->count)
        st = key_layout_unpack(&code->layout, stream, texts->rows->address, texts->count, 0, &base);
    else if (!st)
        st = tensor_new_flat(stream->dev, code->layout.types[0], 0, false, &base);
    if (!st)
        st = text_heap_view(&texts->heap, &base->heap);
    if (!st) {
        index->has_nulls = true;
        st = tensor_new_indexed(stream, base, texts->count, index, dev_count_exact(slice->count),
                                out);
    }
    if (!st)
        (*out)->is_dictionary = true;
    tensor_unref(base);
    row_index_unref(index);
    return st;
}

static status coded_key(const aggregate_core *core, dev_stream *stream,
                        const aggregate_table *table, const table_slice *slice, uint32_t key,
                        tensor **out)
{
    const code_key *code = &table->codes[key];
    tensor *t;
    if (code->is_interned)
        return interned_key(stream, code, slice, out);
    TRY(tensor_new_flat(core->dev, core->key_types[key], slice->count, true, &t));
    status st = DEV_LAUNCH(stream, codes_to_number, .type = t->type, .codes = slice->list->rows,
                           .count = dev_count_exact(slice->count), .minimum = code->minimum,
                           .radix = code->radix, .digit = code->digit, .out = t->values,
                           .out_validity = t->validity);
    if (st) {
        tensor_unref(t);
        return st;
    }
    *out = t;
    return STATUS_OK;
}

static const uint8_t *rows_at(const aggregate_table *table, const table_slice *slice)
{
    return (const uint8_t *)table->groups.rows->address +
           slice->first * table->groups.layout->stride;
}

status table_slice_key(const aggregate_core *core, dev_stream *stream, const aggregate_table *table,
                       const table_slice *slice, uint32_t key, tensor **out)
{
    *out = NULL;
    if (table->form == TABLE_CODES)
        return coded_key(core, stream, table, slice, key, out);
    if (table->bases)
        return rows_table_key(core, stream, table, rows_at(table, slice), slice->count, key, out);
    TRY(key_layout_unpack(table->groups.layout, stream, rows_at(table, slice), slice->count, key,
                          out));
    if (!type_is_text(core->key_types[key]))
        return STATUS_OK;
    tensor *stored = *out;
    status st;
    if (aggregate_core_codes(core, table->groups.layout, key)) {
        st = key_interner_decode(&core->interners[key], stream, stored, slice->count, out);
        tensor_unref(stored);
        return st;
    }
    st = text_heap_view(&table->groups.heap, &stored->heap);
    if (st) {
        tensor_unref(stored);
        *out = NULL;
    }
    return st;
}

/* Rows of keys in any form. Text that the layout has coded is, if it is not yet. flat: references,
 * cleared by the caller. */
static status pack_keys(const aggregate_core *core, exec_task *task, const key_layout *layout,
                        tensor *const *keys, dev_count rows, tensor **flat, const uint8_t **out,
                        dev_buffer **owner)
{
    status st = STATUS_OK;
    *owner = NULL;
    for (uint32_t k = 0; k < layout->count && !st; k++)
        if (type_is_text(keys[k]->type) && !type_is_text(layout->types[k]))
            st = key_interner_encode(&core->interners[k], task, keys[k], rows, true, &flat[k]);
        else
            st = tensor_flatten(task->stream, keys[k], rows, &flat[k]);
    return st ? st : key_layout_pack(layout, task, flat, rows, out, owner);
}

status table_slice_rows(const aggregate_core *core, exec_task *task, const aggregate_table *table,
                        const table_slice *slice, const key_layout *layout, const uint8_t **out,
                        dev_buffer **owner)
{
    key_array keys, flat;
    *owner = NULL;
    if (table->form != TABLE_CODES && table->groups.layout == layout) {
        *out = rows_at(table, slice);
        *owner = dev_buffer_ref(table->groups.rows);
        return STATUS_OK;
    }
    TRY(key_array_open(&keys, core->key_count, core->who));
    status st = key_array_open(&flat, core->key_count, core->who);
    for (uint32_t k = 0; k < core->key_count && !st; k++)
        st = table_slice_key(core, task->stream, table, slice, k, &keys.items[k]);
    if (!st)
        st = pack_keys(core, task, layout, keys.items, dev_count_exact(slice->count), flat.items,
                       out, owner);
    key_array_release(&keys);
    key_array_release(&flat);
    return st;
}

status table_share_text(const aggregate_core *core, dev_stream *stream, hash_groups *groups,
                        const aggregate_table *table)
{
    TRY(text_heap_share(&groups->heap, &table->groups.heap));
    for (uint32_t k = 0; table->codes && k < core->key_count; k++)
        TRY(text_heap_share(&groups->heap, &table->codes[k].texts.heap));
    for (uint32_t k = 0; k < core->key_count; k++) {
        const key_layout *layout = table->groups.layout;
        if (table->bases && table->bases[k])
            TRY(text_heap_share_string(&groups->heap, table->bases[k]->heap));
        else if (layout && (layout->is_row || aggregate_core_codes(core, layout, k)))
            TRY(key_interner_share(&core->interners[k], stream, &groups->heap));
    }
    return STATUS_OK;
}

/* ---- hashing ---- */

const key_layout *key_layout_for(const aggregate_core *core, tensor *const *keys)
{
    bool has_nulls = false, has_coded = false, has_text = false;
    for (uint32_t k = 0; k < core->key_count; k++) {
        const tensor *key = keys[k];
        has_coded |= type_is_text(core->key_types[k]) && !type_is_text(key->type);
        has_text |= type_is_text(key->type);
        if (key->form == TENSOR_CONSTANT)
            has_nulls |= key->constant.is_null;
        else if (key->form == TENSOR_INDEXED)
            has_nulls |= key->index->has_nulls || key->base->validity;
        else
            has_nulls |= key->validity != NULL;
    }
    text_coding coding = !has_coded ? CODED_NONE : has_text ? CODED_SOME : CODED_ALL;
    return aggregate_core_layout(core, coding, has_nulls);
}

bool key_layout_may_need_nulls(const key_layout *from, text_coding coding)
{
    return !from || from->is_row || from->has_nulls || from->coding > coding;
}

/* Which keys may be coded where not all are: those of the first rows that had some. Under the lock. */
static status set_some(const aggregate_core *core, tensor *const *keys)
{
    status st = STATUS_OK;
    data_type *types = mem_new_array(core->key_count, sizeof *types);
    if (!types)
        return status_no_memory(core->who, core->key_count * sizeof *types);
    for (uint32_t k = 0; k < core->key_count; k++)
        types[k] = core->interners[k].is_used ? keys[k]->type : core->key_types[k];
    for (int i = 0; i < 2 && !st; i++) {
        key_layout *layout = &core->some->layouts[i];
        if (!layout->types) /* else of the time before, when there was no memory for the second */
            st = key_layout_init(layout, types, core->key_count, i);
        layout->coding = CODED_SOME;
    }
    mem_free(types);
    core->some->is_set = !st;
    return st;
}

static void replace_key(tensor **out, tensor *key)
{
    tensor_unref(*out);
    *out = tensor_ref(key);
}

/* Some keys were coded: they become those that all tasks code. CODED_NONE: one of these was not. */
static status agree_on_some(const aggregate_core *core, tensor *const *keys, tensor **out,
                            text_coding *coding)
{
    status st = STATUS_OK;
    mutex_lock(&core->some->lock);
    if (!core->some->is_set)
        st = set_some(core, out);
    mutex_unlock(&core->some->lock);
    TRY(st);
    *coding = CODED_SOME;
    for (uint32_t k = 0; k < core->key_count; k++) {
        bool is_coded = aggregate_core_codes(core, &core->some->layouts[0], k);
        if (is_coded && type_is_text(out[k]->type))
            *coding = CODED_NONE;
        else if (!is_coded)
            replace_key(&out[k], keys[k]);
    }
    return STATUS_OK;
}

/* Whether a key's texts can be numbers, as far as that is known. */
static bool may_be_coded(const aggregate_core *core, uint32_t key, text_coding most)
{
    return core->interners[key].is_used &&
           (most == CODED_ALL || aggregate_core_codes(core, &core->some->layouts[0], key));
}

status keys_encode(const aggregate_core *core, exec_task *task, tensor *const *keys, dev_count rows,
                   text_coding most, tensor **out, text_coding *coding)
{
    uint32_t plain = 0, coded = 0;
    status st = STATUS_OK;
    for (uint32_t k = 0; k < core->key_count && !st && (!plain || core->dev->is_host); k++) {
        if (may_be_coded(core, k, most))
            st = key_interner_encode(&core->interners[k], task, keys[k], rows, false, &out[k]);
        coded += out[k] != NULL;
        plain += core->interners[k].is_used && !out[k];
        if (!st && !out[k])
            out[k] = tensor_ref(keys[k]);
    }
    *coding = plain ? CODED_NONE : CODED_ALL;
    if (!st && plain && coded && core->dev->is_host)
        st = agree_on_some(core, keys, out, coding);
    for (uint32_t k = 0; k < core->key_count && *coding == CODED_NONE; k++)
        replace_key(&out[k], keys[k]);
    return st;
}

status hash_table_find(const aggregate_core *core, exec_task *task, aggregate_table *table,
                       tensor *const *keys, dev_count rows, row_index **out)
{
    const key_layout *layout = table->groups.layout;
    packed_rows packed = {.count = rows, .column_count = layout->count};
    key_array flat;
    dev_buffer *owner = NULL;
    *out = NULL;
    TRY(key_array_open(&flat, layout->count, core->who));
    packed.columns = flat.items;
    status st = row_index_new(core->dev, rows.bound, out);
    if (!st)
        st = pack_keys(core, task, layout, keys, rows, flat.items, &packed.rows, &owner);
    if (!st)
        st = table->is_passing
                 ? hash_groups_pass(&table->groups, task->stream, &packed, (*out)->rows)
                 : hash_groups_find(&table->groups, task->stream, &packed, (*out)->rows);
    if (!st)
        st = hash_groups_ask(&table->groups, task->stream);
    if (!st) {
        table->count = table->groups.count;
        st = states_reserve(core, task->stream, table, table->count);
    }
    key_array_release(&flat);
    dev_buffer_unref(owner);
    if (st) {
        row_index_unref(*out);
        *out = NULL;
    }
    return st;
}

/* ---- adding all groups of a table ---- */

static status add_slice(const aggregate_core *core, exec_task *task, aggregate_table *target,
                        const aggregate_table *from, const table_slice *slice)
{
    packed_rows packed = {.count = dev_count_exact(slice->count)};
    dev_buffer *owner = NULL;
    row_index *groups = NULL;
    status st =
        table_slice_rows(core, task, from, slice, target->groups.layout, &packed.rows, &owner);
    if (!st)
        st = row_index_new(core->dev, slice->count, &groups);
    if (!st)
        st = hash_groups_find(&target->groups, task->stream, &packed, groups->rows);
    if (!st) {
        target->count = target->groups.count;
        st = states_reserve(core, task->stream, target, target->count);
    }
    if (!st)
        st = states_merge(core, task, target, groups->rows, from,
                          slice->list ? slice->list->rows : NULL, slice->first, slice->count);
    row_index_unref(groups);
    dev_buffer_unref(owner);
    return st;
}

status aggregate_table_add(const aggregate_core *core, exec_task *task, aggregate_table *target,
                           const aggregate_table *from)
{
    uint64_t most = table_slice_groups(core->dev);
    for (uint64_t first = 0; first < from->count; first += most) {
        uint64_t left = from->count - first;
        table_slice slice;
        TRY(table_slice_open(core, task->stream, from, first, left < most ? left : most, &slice));
        status st = slice.count ? add_slice(core, task, target, from, &slice) : STATUS_OK;
        table_slice_close(&slice);
        TRY(st);
    }
    return STATUS_OK;
}

/* ---- absorbing ---- */

static status absorb_piece(const aggregate_core *core, exec_task *task, aggregate_table *target,
                           const aggregate_table *from, const table_slice *slice)
{
    key_array keys;
    row_index *groups = NULL;
    bool fits = true;
    status st = key_array_open(&keys, core->key_count, core->who);
    for (uint32_t k = 0; k < core->key_count && !st; k++)
        st = table_slice_key(core, task->stream, from, slice, k, &keys.items[k]);
    if (!st)
        st = target->form == TABLE_CODES
                 ? codes_table_find(core, task, target, keys.items, slice->count, &fits, &groups)
                 : hash_table_find(core, task, target, keys.items, dev_count_exact(slice->count),
                                   &groups);
    if (!st && !fits)
        st = status_new(STATUS_KIND_INTERNAL, "%s: a group has no code", core->who);
    if (!st)
        st = states_merge(core, task, target, groups->rows, from,
                          slice->list ? slice->list->rows : NULL, slice->first, slice->count);
    key_array_release(&keys);
    row_index_unref(groups);
    return st;
}

status aggregate_table_absorb(const aggregate_core *core, exec_task *task, aggregate_table *target,
                              const aggregate_table *from)
{
    TRY(states_prepare(core, task->stream, target, from));
    uint64_t most = table_slice_groups(core->dev);
    for (uint64_t first = 0; first < from->count; first += most) {
        uint64_t left = from->count - first;
        table_slice slice;
        TRY(table_slice_open(core, task->stream, from, first, left < most ? left : most, &slice));
        status st = slice.count ? absorb_piece(core, task, target, from, &slice) : STATUS_OK;
        table_slice_close(&slice);
        TRY(st);
    }
    return STATUS_OK;
}
