/* aggregate_lane.c - one lane's tables: which form takes the next rows. */
#include "exec/aggregate/aggregate.h"

/* Rows after which it is first asked whether the one integer key of HASH is dense. */
#define DENSE_CHECK_ROWS 65536
/* Codes that may go unused, for each row that has come and for each group. */
#define DENSE_CODES_PER_ROW 8
#define DENSE_CODES_PER_GROUP 32
#define DENSE_CODES_MAX (1u << 24)
/* Tables of up to so many groups are absorbed when the form changes; larger ones are kept aside. */
#define ABSORB_GROUPS 16384

/* A HASH table of this many groups is kept aside if they are more than one for this many rows, and
 * another takes the following rows: one that stays in the cache and is never copied to grow. All
 * are merged in parts anyway, and this one did not make them fewer. */
#define ASIDE_GROUPS (1u << 17)
#define ASIDE_ROWS_PER_GROUP 2

/* Tables of a lane by the numbers of rows of as many bases: more, and they are passing ones. */
#define BASES_MAX 4

void aggregate_lane_init(aggregate_lane *lane, const aggregate_core *core, int source)
{
    *lane = (aggregate_lane){.core = core, .source = source, .runs.leading = -1};
    lane->minimum = INT64_MAX;
    lane->maximum = INT64_MIN;
    if (core->key_count == 1 && codes_key_is_integer(core->key_types[0]))
        lane->dense_check = DENSE_CHECK_ROWS;
    lane->is_plain = !core->layouts[2].count;
}

void aggregate_lane_release(aggregate_lane *lane)
{
    for (size_t i = 0; i < lane->tables.count; i++)
        aggregate_table_free(lane->core, lane->tables.items[i]);
    array_release(&lane->tables);
}

/* The tables that were counted are gone. */
static void forget_full(aggregate_lane *lane)
{
    lane->full_count = 0;
    lane->full_bytes = 0;
}

void aggregate_lane_restart(aggregate_lane *lane)
{
    lane->tables.count = 0;
    forget_full(lane);
    lane->has_spilled = true;
    lane->dense_check = 0;
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

static bool is_of_no_use(const aggregate_table *table)
{
    return table->count >= ASIDE_GROUPS && table->row_count / ASIDE_ROWS_PER_GROUP < table->count;
}

/* The layout of a HASH table for rows and for the groups of `old`, or NULL. */
static const key_layout *common_layout(const aggregate_core *core, const aggregate_table *old,
                                       const key_layout *rows)
{
    const key_layout *layout = old ? old->groups.layout : rows;
    bool is_coded = rows->is_coded && (!layout || layout->is_coded);
    bool has_nulls = rows->has_nulls || key_layout_may_need_nulls(layout, is_coded);
    return &core->layouts[has_nulls + 2 * is_coded];
}

/* A HASH table becomes the last one, with the groups of the last one if those are few. */
static status begin_hash(aggregate_lane *lane, exec_task *task, tensor *const *keys)
{
    const aggregate_core *core = lane->core;
    aggregate_table *old = last_table(lane), *table;
    bool absorbs = old && old->count <= ABSORB_GROUPS && lane->tables.count == 1;
    const key_layout *layout =
        common_layout(core, absorbs ? old : NULL, key_layout_for(core, keys));
    uint64_t capacity = old && is_of_no_use(old) ? ASIDE_GROUPS + ASIDE_GROUPS / 4 : 0;
    if (old)
        hash_groups_seal(&old->groups);
    TRY(aggregate_table_new(core, task->stream, TABLE_HASH, lane->source, layout, capacity,
                            &table));
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

/* The codes of the first rows, or larger ones than those that do not do for these. */
static status begin_codes(aggregate_lane *lane, exec_task *task, tensor *const *keys,
                          tensor *const *values, uint64_t rows, bool *is_taken)
{
    const aggregate_table *old = last_table(lane);
    aggregate_table *table;
    *is_taken = false;
    if (lane->has_spilled || (old && old->form != TABLE_CODES))
        return STATUS_OK;
    TRY(codes_table_try(lane->core, task, lane->source, old, keys, rows, lane->row_count, &table));
    if (!table)
        return STATUS_OK;
    if (old)
        replace_last(lane, table);
    else
        TRY(add_table(lane, table));
    return push_codes(lane, task, table, keys, values, rows, is_taken);
}

/* All tables become one of CODES, if they are HASH and the codes are few for their groups. */
static status become_dense(aggregate_lane *lane, exec_task *task)
{
    aggregate_table *dense;
    uint64_t codes = (uint64_t)lane->maximum - (uint64_t)lane->minimum, groups = 0;
    for (size_t i = 0; i < lane->tables.count; i++) {
        if (lane->tables.items[i]->form != TABLE_HASH)
            return STATUS_OK;
        groups += lane->tables.items[i]->count;
    }
    if (codes > DENSE_CODES_MAX || codes / DENSE_CODES_PER_ROW > lane->row_count ||
        codes / DENSE_CODES_PER_GROUP > groups || !codes_table_fits(lane->core, codes))
        return STATUS_OK;
    TRY(codes_table_dense(lane->core, task->stream, lane->source, lane->minimum, lane->maximum,
                          &dense));
    for (size_t i = 0; i < lane->tables.count; i++) {
        status st = aggregate_table_absorb(lane->core, task, dense, lane->tables.items[i]);
        if (st) {
            aggregate_table_free(lane->core, dense);
            return st;
        }
    }
    for (; lane->tables.count > 1; lane->tables.count--)
        aggregate_table_free(lane->core, last_table(lane));
    replace_last(lane, dense);
    forget_full(lane);
    return STATUS_OK;
}

/* Growing HASH tables whose keys turn out to be dense change their form. */
static status check_dense(aggregate_lane *lane, exec_task *task, tensor *const *keys, uint64_t rows)
{
    int64_t statistics[KEY_STATISTICS];
    tensor *flat;
    if (!lane->dense_check || last_table(lane)->form != TABLE_HASH)
        return STATUS_OK;
    TRY(tensor_flatten(task->stream, keys[0], dev_count_exact(rows), &flat));
    status st = codes_statistics(task->stream, flat, rows, statistics);
    tensor_unref(flat);
    TRY(st);
    if (statistics[KEY_VALUES])
        widen_bounds(lane, statistics[KEY_MINIMUM], statistics[KEY_MAXIMUM]);
    if (lane->row_count < lane->dense_check || lane->minimum > lane->maximum)
        return STATUS_OK;
    lane->dense_check = lane->row_count * 2;
    return become_dense(lane, task);
}

static bool layout_takes(const key_layout *layout, const key_layout *rows)
{
    return !layout->is_row && layout->is_coded == rows->is_coded &&
           layout->has_nulls >= rows->has_nulls;
}

/* Rows whose keys are packed, coded or not. `keys` are their original forms. */
static status push_packed(aggregate_lane *lane, exec_task *task, tensor *const *packed,
                          tensor *const *keys, tensor *const *values, uint64_t rows)
{
    const aggregate_core *core = lane->core;
    aggregate_table *table = last_table(lane);
    bool is_taken = false;
    if (!table || table->form == TABLE_RUNS)
        TRY(runs_push(core, task, &lane->runs, &lane->tables, lane->source, packed, values, rows,
                      &is_taken));
    if (!is_taken)
        TRY(begin_codes(lane, task, keys, values, rows, &is_taken));
    if (is_taken)
        return STATUS_OK;
    table = last_table(lane);
    if (!table || table->form != TABLE_HASH || is_of_no_use(table) ||
        !layout_takes(table->groups.layout, key_layout_for(core, packed)))
        TRY(begin_hash(lane, task, packed));
    return push_hash(lane, task, last_table(lane), packed, values, rows);
}

/* By row numbers. *is_taken: false: the keys are no rows of a large base. */
static status push_by_row(aggregate_lane *lane, exec_task *task, tensor *const *keys,
                          tensor *const *values, uint64_t rows, bool *is_taken)
{
    const aggregate_core *core = lane->core;
    aggregate_table *table = last_table(lane);
    tensor *encoded[KEYS_MAX + 1] = {0};
    if ((table && !table->bases) || lane->tables.count > BASES_MAX)
        return STATUS_OK;
    TRY(rows_encode(core, task, keys, rows, encoded));
    if (!encoded[0])
        return STATUS_OK;
    *is_taken = true;
    status st = STATUS_OK;
    if (!table || !rows_table_takes(core, table, keys)) {
        st = rows_table_new(core, task->stream, lane->source, keys, &table);
        if (!st)
            st = add_table(lane, table);
    }
    if (!st) {
        rows_table_note_nulls(core, table, keys);
        st = push_hash(lane, task, table, encoded, values, rows);
    }
    for (uint32_t p = 0; p < core->rows->layout.count; p++)
        tensor_unref(encoded[p]);
    return st;
}

status aggregate_lane_push(aggregate_lane *lane, exec_task *task, tensor *const *keys,
                           tensor *const *values, uint64_t rows)
{
    const aggregate_core *core = lane->core;
    aggregate_table *table = last_table(lane);
    tensor *coded[KEYS_MAX] = {0};
    bool is_taken = false, is_coded = false, has_text = core->layouts[2].count;
    if (!rows)
        return STATUS_OK;
    if (!core->key_count)
        return push_one(lane, task, values, rows);
    if (table && table->form == TABLE_CODES)
        TRY(push_codes(lane, task, table, keys, values, rows, &is_taken));
    lane->row_count += rows;
    if (is_taken)
        return STATUS_OK;
    lane->is_plain |= table && table->groups.layout && !table->groups.layout->is_coded;
    status st = STATUS_OK;
    if (!lane->is_plain)
        st = keys_encode(core, task, keys, rows, coded, &is_coded);
    lane->is_plain |= !is_coded;
    if (!st && has_text && !is_coded)
        st = push_by_row(lane, task, keys, values, rows, &is_taken);
    if (!st && !is_taken)
        st = push_packed(lane, task, is_coded ? coded : keys, keys, values, rows);
    keys_release(core, coded);
    return st ? st : check_dense(lane, task, keys, rows);
}
