/* aggregate_rows.c - groups by the number of the row that has all their keys.
 *
 * Where keys come from the build side of a join they are the same rows of its columns. Equal
 * row numbers mean equal keys, so that tasks group by the number: wide text is not hashed, compared
 * or copied for each row that comes. Different rows may have equal keys, too; if none of the
 * groups' keys alone shows that there are none of those, the groups are merged once more, by their
 * keys. */
#include "exec/aggregate/aggregate_rows.h"

#include "base/system/mutex.h"
#include "exec/aggregate/aggregate_codes.h"
#include "exec/aggregate/aggregate_table.h"

status row_keys_init(row_keys *rows, uint32_t key_count)
{
    mutex_init(&rows->lock);
    rows->is_row = mem_new_array(key_count + 1, sizeof *rows->is_row);
    rows->position = mem_new_array(key_count + 1, sizeof *rows->position);
    if (rows->is_row && rows->position)
        return STATUS_OK;
    return status_no_memory("grouping keys", key_count * sizeof *rows->position);
}

void row_keys_release(row_keys *rows)
{
    mem_free(rows->is_row);
    mem_free(rows->position);
    key_layout_release(&rows->layout);
    mutex_destroy(&rows->lock);
}

/* ---- which keys ---- */

static bool is_same_row(const tensor *key, const tensor *other)
{
    return key->form == TENSOR_INDEXED && !key->is_dictionary && key->index == other->index &&
           key->base_rows == other->base_rows;
}

/* The first text of the largest base that lasts, or NULL. Texts of dictionaries do not count as rows: they have
 * numbers of their own. */
static const tensor *aggregate_rows_find_base(const aggregate_core *core, tensor *const *keys)
{
    const tensor *best = NULL;
    for (uint32_t k = 0; k < core->key_count; k++) {
        bool is_candidate = type_is_text(core->key_types[k]) && is_same_row(keys[k], keys[k]) &&
                            keys[k]->base->is_lasting;
        if (is_candidate && (!best || keys[k]->base_rows > best->base_rows))
            best = keys[k];
    }
    return best;
}

/* Under the lock. */
static status aggregate_rows_set_keys(const aggregate_core *core, tensor *const *keys,
                                      const tensor *base)
{
    row_keys *rows = core->rows;
    data_type *types = mem_new_array(core->key_count + 1, sizeof *types);
    uint32_t count = 1;
    bool has_nulls = false;
    if (!types)
        return status_no_memory(core->who, core->key_count * sizeof *types);
    types[0] = type_make(TYPE_UINT32);
    for (uint32_t k = 0; k < core->key_count; k++) {
        bool is_text = type_is_text(core->key_types[k]);
        rows->is_row[k] = is_same_row(keys[k], base);
        if (rows->is_row[k])
            continue;
        rows->position[k] = count;
        types[count++] = is_text ? type_make(TYPE_UINT32) : core->key_types[k];
        has_nulls |= !is_text; /* in numbers of texts NULL is one */
    }
    status st = key_layout_init(&rows->layout, types, count, has_nulls);
    mem_free(types);
    TRY(st);
    rows->layout.is_row = true;
    rows->is_set = true;
    return STATUS_OK;
}

/* The first key that is a row, if the same ones are as always. */
static status match_keys(const aggregate_core *core, tensor *const *keys, const tensor **out)
{
    row_keys *rows = core->rows;
    const tensor *base = aggregate_rows_find_base(core, keys);
    status st = STATUS_OK;
    *out = NULL;
    if (!base)
        return STATUS_OK;
    mutex_lock(&rows->lock);
    if (!rows->is_set)
        st = aggregate_rows_set_keys(core, keys, base);
    mutex_unlock(&rows->lock);
    *out = base;
    for (uint32_t k = 0; k < core->key_count && !st; k++)
        if (rows->is_row[k] != is_same_row(keys[k], base))
            *out = NULL;
    return st;
}

static const tensor *first_row_key(const aggregate_core *core, tensor *const *keys)
{
    uint32_t k = 0;
    while (!core->rows->is_row[k])
        k++;
    return keys[k];
}

status rows_encode(const aggregate_core *core, exec_task *task, tensor *const *keys, dev_count rows,
                   tensor **out)
{
    const row_keys *plan = core->rows;
    const tensor *base;
    bool can_be = true;
    TRY(match_keys(core, keys, &base));
    if (!base)
        return STATUS_OK;
    status st =
        tensor_new_view(type_make(TYPE_UINT32), base->index->owner, base->index->rows, &out[0]);
    for (uint32_t k = 0; k < core->key_count && !st && can_be; k++) {
        if (plan->is_row[k])
            continue;
        tensor **to = &out[plan->position[k]];
        if (type_is_text(core->key_types[k]))
            st = key_interner_encode(&core->interners[k], task, keys[k], rows, false, to);
        else
            *to = tensor_ref(keys[k]);
        can_be = *to != NULL;
    }
    for (uint32_t p = 0; p < plan->layout.count && (st || !can_be); p++) {
        tensor_unref(out[p]);
        out[p] = NULL;
    }
    return st;
}

bool rows_table_takes(const aggregate_core *core, const aggregate_table *table, tensor *const *keys)
{
    if (!table->bases || table->base_rows != first_row_key(core, keys)->base_rows)
        return false;
    for (uint32_t k = 0; k < core->key_count; k++)
        if (core->rows->is_row[k] && table->bases[k] != keys[k]->base)
            return false;
    return true;
}

void rows_table_note_nulls(const aggregate_core *core, aggregate_table *table, tensor *const *keys)
{
    table->has_null_rows |= first_row_key(core, keys)->index->has_nulls;
}

/* ---- tables ---- */

static status new_table(const aggregate_core *core, dev_stream *stream, int source,
                        uint64_t base_rows, uint64_t capacity, aggregate_table **out)
{
    TRY(aggregate_table_new(core, stream, TABLE_HASH, source, &core->rows->layout, capacity, out));
    (*out)->base_rows = base_rows;
    (*out)->bases = mem_new_array(core->key_count, sizeof(tensor *));
    if ((*out)->bases)
        return STATUS_OK;
    aggregate_table_free(core, *out);
    *out = NULL;
    return status_no_memory(core->who, core->key_count * sizeof(tensor *));
}

status rows_table_new(const aggregate_core *core, dev_stream *stream, int source,
                      tensor *const *keys, aggregate_table **out)
{
    TRY(new_table(core, stream, source, first_row_key(core, keys)->base_rows, 0, out));
    for (uint32_t k = 0; k < core->key_count; k++)
        if (core->rows->is_row[k])
            (*out)->bases[k] = tensor_ref(keys[k]->base);
    return STATUS_OK;
}

status rows_table_like(const aggregate_core *core, dev_stream *stream, const aggregate_table *other,
                       uint64_t capacity, aggregate_table **out)
{
    TRY(new_table(core, stream, other->source, other->base_rows, capacity, out));
    for (uint32_t k = 0; k < core->key_count; k++)
        (*out)->bases[k] = tensor_ref(other->bases[k]);
    return STATUS_OK;
}

void rows_table_release(const aggregate_core *core, aggregate_table *table)
{
    for (uint32_t k = 0; table->bases && k < core->key_count; k++)
        tensor_unref(table->bases[k]);
    mem_free(table->bases);
    table->bases = NULL;
}

/* A column of packed rows. */
static status unpack(const aggregate_table *table, dev_stream *stream, const uint8_t *packed,
                     uint64_t count, uint32_t position, void *values, uint64_t *validity)
{
    const key_layout *layout = table->groups.layout;
    return DEV_LAUNCH(stream, keys_unpack, .type = layout->types[position], .rows = packed,
                      .count = dev_count_exact(count), .stride = layout->stride,
                      .offset = layout->offsets[position], .null_bit = layout->null_bits[position],
                      .values = values, .validity = validity);
}

/* Adds a key that the base does not hold. */
static status other_key(const aggregate_core *core, dev_stream *stream,
                        const aggregate_table *table, const uint8_t *packed, uint64_t count,
                        uint32_t key, tensor **out)
{
    const key_layout *layout = table->groups.layout;
    uint32_t position = core->rows->position[key];
    bool is_text = type_is_text(core->key_types[key]);
    tensor *t;
    TRY(tensor_new_flat(core->dev, layout->types[position], count, !is_text, &t));
    status st = unpack(table, stream, packed, count, position, t->values, t->validity);
    if (!st && is_text) {
        st = key_interner_decode(&core->interners[key], stream, t, count, out);
        tensor_unref(t);
        return st;
    }
    if (st)
        tensor_unref(t);
    else
        *out = t;
    return st;
}

status rows_table_key(const aggregate_core *core, dev_stream *stream, const aggregate_table *table,
                      const uint8_t *packed, uint64_t count, uint32_t key, tensor **out)
{
    row_index *index;
    *out = NULL;
    if (!core->rows->is_row[key])
        return other_key(core, stream, table, packed, count, key, out);
    TRY(row_index_new(stream->dev, count, &index));
    index->has_nulls = table->has_null_rows;
    status st = unpack(table, stream, packed, count, 0, index->rows, NULL);
    if (!st)
        st = tensor_new_indexed(stream, table->bases[key], table->base_rows, index,
                                dev_count_exact(count), out);
    row_index_unref(index);
    return st;
}

bool rows_tables_agree(const aggregate_core *core, aggregate_table *const *tables, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (!tables[i]->bases || tables[i]->base_rows != tables[0]->base_rows)
            return false;
        for (uint32_t k = 0; k < core->key_count; k++)
            if (tables[i]->bases[k] != tables[0]->bases[k])
                return false;
    }
    return count > 0;
}
