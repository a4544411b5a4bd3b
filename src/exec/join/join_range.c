/* join_range.c - build rows in the order of a range's values, and where a probe row's begin and
 * end. */
#include "exec/join/join_range.h"

#include "plan/nodes/visit.h"

#define PACKED_WORDS 3 /* a key as sort_pack makes it, */
#define VALUE_WORDS 2  /* and what of it is the value */
#define TOP_ROWS 64    /* places of which the highest is known */

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
    const expr *first = NULL;
    for (size_t i = 0; i < ranges->count; i++) {
        const expr *e = ranges->items[i];
        unsigned side = reads(e->args[0], build) ? 0 : 1;
        expr_op op = side ? expr_mirrored(e->op) : e->op; /* build op probe */
        bool is_lower = op == EXPR_GT || op == EXPR_GE;
        bool is_second = i && !expr_equal(e->args[side], first);
        join_bound *bound = is_second ? &join->second : is_lower ? &join->lower : &join->upper;
        first = i ? first : e->args[side];
        if (!i || is_second) {
            TRY(array_push(a, build_keys, e->args[side]));
            join->range_count++;
        }
        join->second_is_upper = is_second && !is_lower;
        *bound = (join_bound){.is_there = true,
                              .is_strict = op == EXPR_GT || op == EXPR_LT,
                              .probe_key = (uint32_t)probe_keys->count};
        TRY(array_push(a, probe_keys, e->args[!side]));
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

/* Groups come first: rows are sorted into their lists, those in none behind. Where there is one list
 * and its values alone may be NULL, NULLs last does the same. */
static bool sorts_groups(const join_table *table)
{
    return table->key_count || table->range_count > 1;
}

uint64_t join_range_bytes(const join_table *table, uint64_t rows)
{
    uint64_t packed = (sorts_groups(table) ? 2 : 1) * PACKED_WORDS * sizeof(uint64_t);
    uint64_t first = packed + sizeof(uint32_t) + VALUE_WORDS * sizeof(uint64_t);
    uint64_t second =
        table->range_count > 1 ? 4 * sizeof(uint32_t) + VALUE_WORDS * sizeof(uint64_t) : 0;
    return table->range_count ? rows * (first + second) : 0;
}

static const tensor *range_column(const join_table *table, uint32_t number)
{
    return table->build->columns[table->key_columns[table->key_count + number]];
}

/* The rows' groups, if they are asked for, and values of a range, as keys to be sorted by. */
static status join_range_pack_rows(const join_table *table, dev_stream *stream, uint32_t number,
                                   bool has_groups, dev_buffer **out)
{
    uint32_t keys = has_groups ? 2 : 1;
    dev_count rows = dev_count_exact(table->row_count);
    const tensor *column = range_column(table, number);
    TRY(dev_alloc(stream->dev, table->row_count * keys * PACKED_WORDS * sizeof(uint64_t),
                  "join build", out));
    uint64_t *packed = (*out)->address;
    if (has_groups)
        TRY(DEV_LAUNCH(stream, sort_pack, .type = type_make(TYPE_UINT32),
                       .values = table->row_groups->address, .count = rows, .key_count = keys,
                       .rows = packed));
    /* NULLs are behind all lists; without lists, below all values. */
    return DEV_LAUNCH(stream, sort_pack, .type = column->type, .values = column->values,
                      .validity = column->validity, .count = rows, .key = keys - 1,
                      .key_count = keys, .nulls_first = number > 0, .rows = packed);
}

/* The numbers of rows that join_range_pack_rows() made, in order, and their values. */
static status sort_packed(const join_table *table, dev_stream *stream, const dev_buffer *packed,
                          unsigned number, uint32_t keys, uint32_t *order, dev_buffer **out_values)
{
    dev_buffer *scratch;
    dev_count rows = dev_count_exact(table->row_count);
    TRY(dev_alloc(stream->dev, table->row_count * sizeof(uint32_t), "join build", &scratch));
    status st = DEV_LAUNCH(stream, sort_rows, .rows = packed->address, .key_count = keys,
                           .has_text = type_is_text(range_column(table, number)->type),
                           .count = rows, .scratch = scratch->address, .out = order);
    dev_buffer_unref(scratch);
    if (!st)
        st = dev_alloc(stream->dev, table->row_count * VALUE_WORDS * sizeof(uint64_t), "join build",
                       out_values);
    return st ? st
              : DEV_LAUNCH(stream, range_values, .rows = packed->address, .key = keys - 1,
                           .key_count = keys, .index = order, .count = rows,
                           .out = (*out_values)->address);
}

/* All rows that are in a list, by list and value; the others follow. */
static status sort_lists(join_table *table, dev_stream *stream)
{
    dev_buffer *packed = NULL;
    status st = join_range_pack_rows(table, stream, 0, sorts_groups(table), &packed);
    if (!st)
        st = sort_packed(table, stream, packed, 0, sorts_groups(table) ? 2 : 1,
                         table->rows->address, &table->range_values);
    dev_buffer_unref(packed);
    return st;
}

static status make_tops(join_table *table, dev_stream *stream)
{
    const uint32_t *below = table->heights->address;
    uint64_t count = table->row_count;
    for (unsigned level = 0; level < 2; level++) {
        uint64_t tops = (count + TOP_ROWS - 1) / TOP_ROWS;
        TRY(dev_alloc(stream->dev, tops * sizeof(uint32_t), "join build", &table->tops[level]));
        TRY(DEV_LAUNCH(stream, range_tops, .heights = below, .height_count = count,
                       .count = dev_count_exact(tops), .out = table->tops[level]->address));
        below = table->tops[level]->address;
        count = tops;
    }
    return STATUS_OK;
}

/* ranks: of the rows, by number; order has the rows' numbers by rank. */
static status make_heights(join_table *table, dev_stream *stream, const uint32_t *order,
                           uint32_t *ranks)
{
    dev_count rows = dev_count_exact(table->row_count);
    TRY(DEV_LAUNCH(stream, range_ranks, .order = order, .count = rows,
                   .is_upper = table->second_is_upper, .out = ranks));
    TRY(dev_alloc(stream->dev, table->row_count * sizeof(uint32_t), "join build", &table->heights));
    TRY(DEV_LAUNCH(stream, gather_index, .first = ranks, .second = table->rows->address,
                   .count = rows, .out = table->heights->address));
    return make_tops(table, stream);
}

static status rank_second(join_table *table, dev_stream *stream)
{
    dev_buffer *packed = NULL, *numbers = NULL;
    status st = join_range_pack_rows(table, stream, 1, false, &packed);
    if (!st)
        st =
            dev_alloc(stream->dev, table->row_count * 2 * sizeof(uint32_t), "join build", &numbers);
    uint32_t *order = numbers ? numbers->address : NULL;
    if (!st)
        st = sort_packed(table, stream, packed, 1, 1, order, &table->second_values);
    if (!st)
        st = make_heights(table, stream, order, order + table->row_count);
    dev_buffer_unref(packed);
    dev_buffer_unref(numbers);
    return st;
}

status join_range_sort(join_table *table, exec_task *task)
{
    if (!table->range_count || !table->rows)
        return STATUS_OK;
    TRY(sort_lists(table, task->stream));
    return table->range_count > 1 ? rank_second(table, task->stream) : STATUS_OK;
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

typedef struct range_search {
    const op_join_build *join;
    const join_table *table;
    exec_task *task;
    dev_count rows;
    uint32_t *groups;
    dev_buffer *lower, *upper, *second; /* packed, or NULL */
    dev_buffer *places, *least;
} range_search;

static status find_first(const range_search *s)
{
    const op_join_build *join = s->join;
    return DEV_LAUNCH(
        s->task->stream, range_find, .groups = s->groups, .count = s->rows,
        .starts = s->table->starts->address, .values = s->table->range_values->address,
        .is_text = type_is_text(join->key_types[join->key_count]),
        .lower = s->lower ? s->lower->address : NULL, .lower_is_strict = join->lower.is_strict,
        .upper = s->upper ? s->upper->address : NULL, .upper_is_strict = join->upper.is_strict,
        .out = s->places->address);
}

static status join_range_find_second(range_search *s)
{
    const op_join_build *join = s->join;
    const join_table *table = s->table;
    TRY(dev_alloc(s->task->stream->dev, s->rows.bound * sizeof(uint32_t), "join probe", &s->least));
    return DEV_LAUNCH(s->task->stream, range_narrow, .groups = s->groups, .count = s->rows,
                      .values = table->second_values->address, .value_count = table->row_count,
                      .is_text = type_is_text(join->key_types[join->key_count + 1]),
                      .bounds = s->second->address, .is_strict = join->second.is_strict,
                      .is_upper = join->second_is_upper, .heights = table->heights->address,
                      .tops = table->tops[0]->address, .tops_of_tops = table->tops[1]->address,
                      .places = s->places->address, .out_least = s->least->address);
}

static status search(range_search *s, tensor *const *keys)
{
    const op_join_build *join = s->join;
    TRY(pack_bound(&join->lower, s->task, keys, s->rows, &s->lower));
    TRY(pack_bound(&join->upper, s->task, keys, s->rows, &s->upper));
    TRY(pack_bound(&join->second, s->task, keys, s->rows, &s->second));
    TRY(dev_alloc(s->task->stream->dev, s->rows.bound * 2 * sizeof(uint32_t), "join probe",
                  &s->places));
    TRY(find_first(s));
    return s->second ? join_range_find_second(s) : STATUS_OK;
}

status join_range_find(const op_join_build *join, const join_table *table, exec_task *task,
                       tensor *const *keys, dev_count rows, uint32_t *groups,
                       dev_buffer **out_places, dev_buffer **out_least)
{
    range_search s = {.join = join, .table = table, .task = task, .rows = rows, .groups = groups};
    status st = table->range_values ? search(&s, keys) : STATUS_OK; /* NULL: there are no rows */
    dev_buffer_unref(s.lower);
    dev_buffer_unref(s.upper);
    dev_buffer_unref(s.second);
    *out_places = s.places;
    *out_least = s.least;
    return st;
}
