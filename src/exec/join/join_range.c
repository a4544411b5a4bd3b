/* join_range.c - build rows in the order of a range's values, and where a probe row's begin and
 * end. */
#include "exec/join/join_range.h"

#define PACKED_WORDS 3 /* a key as sort_pack makes it */

/* ---- opening ---- */

typedef struct column_search {
    exec_layout layout;
    bool is_found;
} column_search;

static void look_for(uint32_t id, void *context)
{
    column_search *search = context;
    for (uint32_t i = 0; i < search->layout.count; i++)
        search->is_found |= search->layout.columns[i].id == id;
}

static bool reads(const expr *e, exec_layout layout)
{
    column_search search = {.layout = layout};
    expr_visit_columns(e, look_for, &search);
    return search.is_found;
}

status join_range_open(op_join_build *join, arena *a, exec_layout build, expr_list *build_keys,
                       expr_list *probe_keys)
{
    const expr_list *ranges = &join->base.plan->join.ranges;
    for (size_t i = 0; i < ranges->count; i++) {
        const expr *e = ranges->items[i];
        unsigned side = reads(e->args[0], build) ? 0 : 1;
        expr_op op = side ? expr_mirrored(e->op) : e->op; /* build op probe */
        bool is_lower = op == EXPR_GT || op == EXPR_GE;
        join_bound *bound = is_lower ? &join->lower : &join->upper;
        if (!i)
            TRY(array_push(a, build_keys, e->args[side]));
        *bound = (join_bound){.is_there = true,
                              .is_strict = op == EXPR_GT || op == EXPR_LT,
                              .probe_key = (uint32_t)probe_keys->count};
        TRY(array_push(a, probe_keys, e->args[!side]));
        join->range_count = 1;
    }
    return STATUS_OK;
}

/* ---- the table ---- */

status join_range_drop_nulls(const join_table *table, exec_task *task, size_t number,
                             uint32_t *groups)
{
    const chunk *c = table->chunks.items[number];
    for (uint32_t r = 0; r < table->range_count; r++) {
        const tensor *key = c->columns[table->key_columns[table->key_count + r]];
        if (key->validity)
            TRY(DEV_LAUNCH(task->stream, join_drop_nulls, .validity = key->validity,
                           .count = dev_count_exact(c->rows.bound), .groups = groups));
    }
    return STATUS_OK;
}

/* With keys the groups come first: rows are sorted into their lists. Without, NULLs come last. */
static uint32_t packed_keys(const join_table *table)
{
    return table->key_count ? 2 : 1;
}

uint64_t join_range_bytes(const join_table *table, uint64_t rows)
{
    uint64_t packed = packed_keys(table) * PACKED_WORDS * sizeof(uint64_t);
    return table->range_count ? rows * (packed + sizeof(uint32_t) + 2 * sizeof(uint64_t)) : 0;
}

static const tensor *range_column(const join_table *table)
{
    return table->build->columns[table->key_columns[table->key_count]];
}

static status pack_rows(const join_table *table, dev_stream *stream, dev_buffer **out)
{
    uint32_t keys = packed_keys(table);
    dev_count rows = dev_count_exact(table->row_count);
    const tensor *column = range_column(table);
    TRY(dev_alloc(stream->dev, table->row_count * keys * PACKED_WORDS * sizeof(uint64_t),
                  "join build", out));
    uint64_t *packed = (*out)->address;
    if (table->key_count)
        TRY(DEV_LAUNCH(stream, sort_pack, .type = type_make(TYPE_UINT32),
                       .values = table->row_groups->address, .count = rows, .key_count = keys,
                       .rows = packed));
    return DEV_LAUNCH(stream, sort_pack, .type = column->type, .values = column->values,
                      .validity = column->validity, .count = rows, .key = keys - 1,
                      .key_count = keys, .rows = packed);
}

/* All rows that are in a list, by list and value; the others follow. */
static status sort_lists(join_table *table, dev_stream *stream, const dev_buffer *packed)
{
    dev_buffer *scratch;
    uint32_t keys = packed_keys(table);
    TRY(dev_alloc(stream->dev, table->row_count * sizeof(uint32_t), "join build", &scratch));
    status st = DEV_LAUNCH(stream, sort_rows, .rows = packed->address, .key_count = keys,
                           .count = dev_count_exact(table->row_count), .scratch = scratch->address,
                           .out = table->rows->address);
    dev_buffer_unref(scratch);
    if (!st)
        st = dev_alloc(stream->dev, table->row_count * 2 * sizeof(uint64_t), "join build",
                       &table->range_values);
    return st ? st
              : DEV_LAUNCH(stream, range_values, .rows = packed->address, .key = keys - 1,
                           .key_count = keys, .index = table->rows->address,
                           .count = dev_count_exact(table->row_count),
                           .out = table->range_values->address);
}

status join_range_sort(join_table *table, exec_task *task)
{
    dev_buffer *packed = NULL;
    if (!table->range_count || !table->rows)
        return STATUS_OK;
    status st = pack_rows(table, task->stream, &packed);
    if (!st)
        st = sort_lists(table, task->stream, packed);
    dev_buffer_unref(packed);
    return st;
}

/* ---- the probe ---- */

static status pack_bound(const join_bound *bound, exec_task *task, tensor *const *keys,
                         dev_count rows, dev_buffer **out)
{
    *out = NULL;
    if (!bound->is_there)
        return STATUS_OK;
    const tensor *key = keys[bound->probe_key];
    TRY(dev_alloc(task->stream->dev, rows.bound * PACKED_WORDS * sizeof(uint64_t), "join probe",
                  out));
    return DEV_LAUNCH(task->stream, sort_pack, .type = key->type, .values = key->values,
                      .validity = key->validity, .count = rows, .key_count = 1,
                      .rows = (*out)->address);
}

static status find(const op_join_build *join, const join_table *table, exec_task *task,
                   dev_buffer *const *bounds, dev_count rows, uint32_t *groups, uint32_t *places)
{
    return DEV_LAUNCH(task->stream, range_find, .groups = groups, .count = rows,
                      .starts = table->starts->address, .values = table->range_values->address,
                      .is_text = type_is_text(join->key_types[join->key_count]),
                      .lower = bounds[0] ? bounds[0]->address : NULL,
                      .lower_is_strict = join->lower.is_strict,
                      .upper = bounds[1] ? bounds[1]->address : NULL,
                      .upper_is_strict = join->upper.is_strict, .out = places);
}

status join_range_find(const op_join_build *join, const join_table *table, exec_task *task,
                       tensor *const *keys, dev_count rows, uint32_t *groups,
                       dev_buffer **out_places)
{
    dev_buffer *bounds[2] = {NULL, NULL};
    *out_places = NULL;
    if (!table->range_values) /* of no rows */
        return STATUS_OK;
    TRY(dev_alloc(task->stream->dev, rows.bound * 2 * sizeof(uint32_t), "join probe", out_places));
    status st = pack_bound(&join->lower, task, keys, rows, &bounds[0]);
    if (!st)
        st = pack_bound(&join->upper, task, keys, rows, &bounds[1]);
    if (!st)
        st = find(join, table, task, bounds, rows, groups, (*out_places)->address);
    dev_buffer_unref(bounds[0]);
    dev_buffer_unref(bounds[1]);
    return st;
}
