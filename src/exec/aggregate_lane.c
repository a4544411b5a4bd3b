/* aggregate_lane.c - one lane's tables: which form takes the next rows. */
#include "exec/aggregate.h"

/* Groups of a HASH table at which it is first asked whether its one integer key is dense. */
#define DENSE_CHECK_GROUPS 32768
/* Codes that may go unused, for each row that has come and for each group. */
#define DENSE_CODES_PER_ROW 4
#define DENSE_CODES_PER_GROUP 32
#define DENSE_CODES_MAX (1u << 24)
/* Tables of up to so many groups are absorbed when the form changes; larger ones are kept aside. */
#define ABSORB_GROUPS 16384

void aggregate_lane_init(aggregate_lane *lane, const aggregate_core *core, int source)
{
    *lane = (aggregate_lane){.core = core, .source = source, .runs.leading = -1};
    lane->minimum = INT64_MAX;
    lane->maximum = INT64_MIN;
    if (core->key_count == 1 && codes_key_is_integer(core->key_types[0]))
        lane->dense_check = DENSE_CHECK_GROUPS;
}

void aggregate_lane_release(aggregate_lane *lane)
{
    for (size_t i = 0; i < lane->tables.count; i++)
        aggregate_table_free(lane->core, lane->tables.items[i]);
    array_release(&lane->tables);
}

static aggregate_table *last_table(const aggregate_lane *lane)
{
    return lane->tables.count ? lane->tables.items[lane->tables.count - 1] : NULL;
}

/* The table becomes the last one. It is freed if that fails. */
static status add_table(aggregate_lane *lane, aggregate_table *table)
{
    status st = array_push(NULL, &lane->tables, table);
    if (st)
        aggregate_table_free(lane->core, table);
    return st;
}

static void replace_last(aggregate_lane *lane, aggregate_table *table)
{
    aggregate_table **last = &lane->tables.items[lane->tables.count - 1];
    aggregate_table_free(lane->core, *last);
    *last = table;
}

/* ---- one form after another ---- */

static status push_one(aggregate_lane *lane, exec_task *task, tensor *const *values, uint64_t rows)
{
    aggregate_table *table = last_table(lane);
    if (!table) {
        TRY(aggregate_table_new(lane->core, task->stream, TABLE_ONE, lane->source, NULL, 1,
                                &table));
        TRY(add_table(lane, table));
    }
    return states_update(lane->core, task, table, values, NULL, rows, 0);
}

/* *is_taken: false: some keys have no code. */
static status push_codes(aggregate_lane *lane, exec_task *task, aggregate_table *table,
                         tensor *const *keys, tensor *const *values, uint64_t rows, bool *is_taken)
{
    row_index *groups = NULL;
    TRY(codes_table_find(lane->core, task, table, keys, rows, is_taken, &groups));
    if (!*is_taken)
        return STATUS_OK;
    status st = states_update(lane->core, task, table, values, groups->rows, rows, table->count);
    row_index_unref(groups);
    return st;
}

static status push_hash(aggregate_lane *lane, exec_task *task, aggregate_table *table,
                        tensor *const *keys, tensor *const *values, uint64_t rows)
{
    uint64_t before = table->count;
    row_index *groups;
    TRY(hash_table_find(lane->core, task, table, keys, rows, &groups));
    status st = states_update(lane->core, task, table, values, groups->rows, rows, before);
    row_index_unref(groups);
    return st;
}

/* ---- changing the form ---- */

static void widen_bounds(aggregate_lane *lane, int64_t least, int64_t greatest)
{
    lane->minimum = least < lane->minimum ? least : lane->minimum;
    lane->maximum = greatest > lane->maximum ? greatest : lane->maximum;
}

/* What HASH has absorbed belongs to the bounds of its key. */
static void note_bounds(aggregate_lane *lane, const aggregate_table *table)
{
    if (table->form == TABLE_CODES) {
        const code_key *code = &table->codes[0];
        widen_bounds(lane, code->minimum, code->minimum + (int64_t)code->radix - 2);
    }
    for (size_t i = 0; i < table->segments.count; i++)
        widen_bounds(lane, table->segments.items[i].minimum, table->segments.items[i].maximum);
}

/* A HASH table becomes the last one, with the groups of the last one if those are few. */
static status begin_hash(aggregate_lane *lane, exec_task *task, tensor *const *keys)
{
    const aggregate_core *core = lane->core;
    const key_layout *layout = key_layout_for(core, keys);
    aggregate_table *old = last_table(lane), *table;
    bool absorbs = old && old->count <= ABSORB_GROUPS && lane->tables.count == 1;
    if (old && old->form == TABLE_HASH)
        layout = &core->layouts[1];
    if (absorbs && old->form != TABLE_HASH) /* codes may stand for NULLs */
        layout =
            old->form == TABLE_RUNS && old->groups.layout == layout ? layout : &core->layouts[1];
    TRY(aggregate_table_new(core, task->stream, TABLE_HASH, lane->source, layout, 0, &table));
    if (!absorbs)
        return add_table(lane, table);
    status st = aggregate_table_absorb(core, task, table, old);
    if (st) {
        aggregate_table_free(core, table);
        return st;
    }
    if (lane->dense_check)
        note_bounds(lane, old);
    replace_last(lane, table);
    return STATUS_OK;
}

/* The first rows, or rows for which the last table's form does not do. */
static status choose(aggregate_lane *lane, exec_task *task, tensor *const *keys,
                     tensor *const *values, uint64_t rows)
{
    const aggregate_core *core = lane->core;
    const aggregate_table *old = last_table(lane);
    aggregate_table *table = NULL;
    bool is_taken = false;
    if (!old || old->form == TABLE_CODES) {
        TRY(codes_table_try(core, task, lane->source, old, keys, rows, lane->row_count + rows,
                            &table));
        if (table && old)
            replace_last(lane, table);
        else if (table)
            TRY(add_table(lane, table));
        if (table)
            TRY(push_codes(lane, task, table, keys, values, rows, &is_taken));
        if (is_taken)
            return STATUS_OK;
    }
    TRY(begin_hash(lane, task, keys));
    return push_hash(lane, task, last_table(lane), keys, values, rows);
}

/* A growing HASH table whose keys turn out to be dense becomes one of CODES. */
static status check_dense(aggregate_lane *lane, exec_task *task, tensor *const *keys, uint64_t rows)
{
    aggregate_table *table = last_table(lane), *dense;
    int64_t statistics[KEY_STATISTICS];
    tensor *flat;
    if (!lane->dense_check || table->form != TABLE_HASH)
        return STATUS_OK;
    TRY(tensor_flatten(task->stream, keys[0], dev_count_exact(rows), &flat));
    status st = codes_statistics(task->stream, flat, rows, statistics);
    tensor_unref(flat);
    TRY(st);
    if (statistics[KEY_VALUES])
        widen_bounds(lane, statistics[KEY_MINIMUM], statistics[KEY_MAXIMUM]);
    if (table->count < lane->dense_check || lane->minimum > lane->maximum)
        return STATUS_OK;
    lane->dense_check = table->count * 2;
    uint64_t codes = (uint64_t)lane->maximum - (uint64_t)lane->minimum;
    if (codes > DENSE_CODES_MAX || codes / DENSE_CODES_PER_ROW > lane->row_count ||
        codes / DENSE_CODES_PER_GROUP > table->count)
        return STATUS_OK;
    TRY(codes_table_dense(lane->core, task->stream, lane->source, lane->minimum, lane->maximum,
                          &dense));
    st = aggregate_table_absorb(lane->core, task, dense, table);
    if (st) {
        aggregate_table_free(lane->core, dense);
        return st;
    }
    replace_last(lane, dense);
    return STATUS_OK;
}

status aggregate_lane_push(aggregate_lane *lane, exec_task *task, tensor *const *keys,
                           tensor *const *values, uint64_t rows)
{
    const aggregate_core *core = lane->core;
    aggregate_table *table = last_table(lane);
    bool is_taken = false;
    if (!rows)
        return STATUS_OK;
    if (!core->key_count)
        return push_one(lane, task, values, rows);
    if (!table || table->form == TABLE_RUNS)
        TRY(runs_push(core, task, &lane->runs, &lane->tables, lane->source, keys, values, rows,
                      &is_taken));
    else if (table->form == TABLE_CODES)
        TRY(push_codes(lane, task, table, keys, values, rows, &is_taken));
    else if (!key_layout_for(core, keys)->has_nulls || table->groups.layout->has_nulls) {
        TRY(push_hash(lane, task, table, keys, values, rows));
        is_taken = true;
    }
    if (!is_taken)
        TRY(choose(lane, task, keys, values, rows));
    lane->row_count += rows;
    return check_dense(lane, task, keys, rows);
}
