/* aggregate_rows_distinct.c - whether groups by row numbers are groups by keys, too: they are if some key has another
 * value in each row, be it of the groups or of the whole base. */
#include "exec/aggregate/aggregate_codes.h"
#include "exec/aggregate/aggregate_rows.h"
#include "exec/sched/memory.h"

/* The first rows of a base, whose values must all differ. */
#define SAMPLE_ROWS 4096
/* Bytes that a value takes where they are looked up, at most. */
#define VALUE_BYTES 64

typedef struct value_set {
    key_layout layout;
    hash_groups values;
} value_set;

static status value_set_init(value_set *set, const aggregate_core *core, uint32_t key)
{
    TRY(key_layout_init(&set->layout, &core->key_types[key], 1, false));
    hash_groups_init(&set->values, &set->layout, core->who);
    set->values.borrows_text = true; /* of the base */
    return STATUS_OK;
}

static void value_set_release(value_set *set)
{
    hash_groups_release(&set->values);
    key_layout_release(&set->layout);
}

/* Makes room for `count` values. A host's last slice needs room as if all of its values were new; lazy devices always
 * count that way. */
static status expect_values(value_set *set, exec_task *task, uint64_t count)
{
    dev_stream *stream = task->stream;
    return hash_groups_expect(&set->values, stream,
                              count + (stream->dev->is_host ? SLICE_GROUPS : 0));
}

/* Looks up the rows [first, end) of a FLAT column. */
static status add_values(value_set *set, exec_task *task, tensor *column, uint64_t first,
                         uint64_t end)
{
    const uint8_t *packed;
    dev_buffer *owner = NULL;
    row_index *numbers = NULL;
    uint64_t most = table_slice_groups(task->stream->dev);
    TRY(key_layout_pack(&set->layout, task, &column, dev_count_exact(end), &packed, &owner));
    status st = STATUS_OK;
    for (uint64_t at = first; at < end && !st; at += most) {
        uint64_t count = end - at < most ? end - at : most;
        packed_rows rows = {.rows = packed + at * set->layout.stride,
                            .count = dev_count_exact(count),
                            .columns = &column,
                            .column_count = 1};
        if (!numbers)
            st = row_index_new(task->stream->dev, count, &numbers);
        if (!st)
            st = hash_groups_find(&set->values, task->stream, &rows, numbers->rows);
    }
    row_index_unref(numbers);
    dev_buffer_unref(owner);
    return st;
}

/* ---- of the groups ---- */

static status add_groups(value_set *set, const aggregate_core *core, exec_task *task,
                         const aggregate_table *table, uint32_t key)
{
    const uint8_t *rows = table->groups.rows ? table->groups.rows->address : NULL;
    uint64_t most = table_slice_groups(core->dev);
    for (uint64_t first = 0; first < table->count; first += most) {
        uint64_t left = table->count - first, count = left < most ? left : most;
        tensor *t = NULL, *flat = NULL;
        TRY(rows_table_key(core, task->stream, table, rows + first * table->groups.layout->stride,
                           count, key, &t));
        status st = tensor_flatten(task->stream, t, dev_count_exact(count), &flat);
        if (!st)
            st = add_values(set, task, flat, 0, count);
        tensor_unref(t);
        tensor_unref(flat);
        TRY(st);
    }
    return STATUS_OK;
}

static status groups_differ(const aggregate_core *core, exec_task *task,
                            aggregate_table *const *tables, size_t table_count, uint64_t total,
                            uint32_t key, bool *out)
{
    value_set set;
    TRY(value_set_init(&set, core, key));
    status st = expect_values(&set, task, total);
    for (size_t i = 0; i < table_count && !st; i++)
        st = add_groups(&set, core, task, tables[i], key);
    if (!st)
        st = hash_groups_learn(&set.values, task->stream);
    *out = set.values.count == total;
    value_set_release(&set);
    return st;
}

/* ---- of the base ---- */

static status base_differs(const aggregate_core *core, exec_task *task, tensor *base, uint64_t rows,
                           uint32_t key, bool *out)
{
    uint64_t sample = rows < SAMPLE_ROWS ? rows : SAMPLE_ROWS;
    value_set set;
    TRY(value_set_init(&set, core, key));
    status st = add_values(&set, task, base, 0, sample);
    if (!st)
        st = hash_groups_learn(&set.values, task->stream);
    *out = set.values.count == sample;
    if (!st && *out && sample < rows) {
        st = expect_values(&set, task, rows);
        if (!st)
            st = add_values(&set, task, base, sample, rows);
        if (!st)
            st = hash_groups_learn(&set.values, task->stream);
        *out = set.values.count == rows;
    }
    value_set_release(&set);
    return st;
}

/* ---- which ---- */

/* Groups: only rows of the base are keys, and they are fewer. */
typedef struct search {
    uint64_t groups, base_rows;
    uint32_t row_keys;
    bool has_others, has_nulls;
} search;

static search look(const aggregate_core *core, aggregate_table *const *tables, size_t table_count)
{
    search s = {.base_rows = tables[0]->base_rows};
    for (size_t i = 0; i < table_count; i++) {
        s.groups += tables[i]->count;
        s.has_nulls |= tables[i]->has_null_rows;
    }
    for (uint32_t k = 0; k < core->key_count; k++)
        s.row_keys += core->rows->is_row[k];
    s.has_others = s.row_keys < core->key_count;
    return s;
}

static bool may_differ(const aggregate_core *core, const aggregate_table *table, uint32_t key,
                       bool is_text)
{
    data_type type = core->key_types[key];
    bool is_wide = codes_key_is_integer(type) && type.width >= 4;
    return core->rows->is_row[key] && !table->bases[key]->validity &&
           (is_text ? type_is_text(type) : is_wide);
}

status rows_tables_are_distinct(const aggregate_core *core, exec_task *task,
                                aggregate_table *const *tables, size_t table_count, bool *out)
{
    search s = look(core, tables, table_count);
    bool by_groups = !s.has_others && !s.has_nulls && s.groups < s.base_rows;
    *out = false;
    /* Merging by keys looks at all of them. */
    if (!by_groups && s.base_rows / s.row_keys > s.groups)
        return STATUS_OK;
    if (!exec_has_room(task->query, VALUE_BYTES * (by_groups ? s.groups : s.base_rows)))
        return STATUS_OK;
    for (int is_text = 0; is_text < 2; is_text++)
        for (uint32_t k = 0; k < core->key_count && !*out; k++) {
            if (!may_differ(core, tables[0], k, is_text))
                continue;
            if (by_groups)
                TRY(groups_differ(core, task, tables, table_count, s.groups, k, out));
            else
                TRY(base_differs(core, task, tables[0]->bases[k], s.base_rows, k, out));
        }
    return STATUS_OK;
}
