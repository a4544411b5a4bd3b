/* aggregate_local.c - one task's tables: which form takes the next rows. */
#include "exec/aggregate/aggregate_local.h"

#include "device/transfer.h"
#include "exec/aggregate/aggregate_codes.h"
#include "exec/aggregate/aggregate_rows.h"
#include "exec/aggregate/aggregate_runs.h"
#include "exec/aggregate/aggregate_state.h"
#include "exec/aggregate/aggregate_table.h"

/* Rows after which it is first asked whether the one integer key of HASH is dense. */
#define DENSE_CHECK_ROWS 65536
/* Codes that may go unused, for each row that has come and for each group. */
#define DENSE_CODES_PER_ROW 8
#define DENSE_CODES_PER_GROUP 32
#define DENSE_CODES_MAX (1u << 24)
/* Tables of up to so many groups are absorbed when the form changes; larger ones are kept aside. */
#define ABSORB_GROUPS 16384

/* A HASH table that has outgrown the cache is kept aside if there are fewer rows for each of its groups
 * than this: all are merged in parts anyway, and it does not make them so few that looking them up
 * in memory pays. The rows that follow are kept as they are, without being grouped, so many for each
 * group of that table at least. When a sample of them says that there are more rows than groups, it is tried again
 * with a table that may have all of these, so that groups of which there are few rows close together, but many in all,
 * do not pile up. */
#define ASIDE_GROUPS (1u << 15)
#define ASIDE_ROWS_PER_GROUP 4
#define PASSING_ROWS_PER_GROUP 4
#define ASIDE_GROWTH 4
/* Long texts are copied with each row that is kept, into memory that is new, and looked up with a miss
 * for the row's and one for the group's when tables are merged. Grouping such rows at once pays where
 * one in so many is of a group that is there. */
#define ASIDE_TEXT_BYTES 32
#define ASIDE_REPEATS 8
/* Rows in the sample for each two of its groups, and how many groups it has at least. */
#define PASSED_ROWS_PER_TWO 3
#define PASSED_GROUPS_MIN 32
/* Bytes of keys and states of a table of those. */
#define PASSING_BYTES (4u << 20)

/* Tables of a task by the numbers of rows of as many bases: more, and they are passing ones. */
#define BASES_MAX 4

void aggregate_local_init(aggregate_local *local, const aggregate_core *core, int source)
{
    *local = (aggregate_local){
        .core = core, .source = source, .runs.leading = -1, .aside_groups = ASIDE_GROUPS};
    local->minimum = INT64_MAX;
    local->maximum = INT64_MIN;
    if (core->key_count == 1 && codes_key_is_integer(core->key_types[0]))
        local->dense_check = DENSE_CHECK_ROWS;
    local->coding = core->layouts[2].count ? CODED_ALL : CODED_NONE;
    state_range states = aggregate_core_states(core, source);
    for (uint32_t i = states.first; i < states.end; i++) {
        const state_plan *plan = &core->states[i];
        int last = plan->argument > plan->filter ? plan->argument : plan->filter;
        last = plan->second > last ? plan->second : last;
        if (last >= (int)local->value_count)
            local->value_count = (uint32_t)last + 1;
    }
}

static void release_waiting(const aggregate_core *core, held_rows *rows, uint32_t value_count)
{
    for (uint32_t k = 0; rows->keys && k < core->key_count; k++)
        tensor_unref(rows->keys[k]);
    for (uint32_t i = 0; rows->values && i < value_count; i++)
        tensor_unref(rows->values[i]);
    mem_free(rows->keys);
    mem_free(rows->values);
    codes_lookup_close(core->dev, &rows->codes);
    run_chunk_free(core, rows->runs);
    dev_buffer_unref(rows->count_owner);
    *rows = (held_rows){0};
}

void aggregate_local_release(aggregate_local *local)
{
    if (!local->core) /* it was not opened */
        return;
    for (size_t i = 0; i < local->tables.count; i++)
        aggregate_table_free(local->core, local->tables.items[i]);
    array_release(&local->tables);
    hash_sample_release(&local->passed);
    release_waiting(local->core, &local->waiting, local->value_count);
    dev_fetch_close(local->core->dev, &local->bounds);
}

/* The tables that were counted are gone. */
static void forget_full(aggregate_local *local)
{
    local->full_count = 0;
    local->full_bytes = 0;
}

void aggregate_local_restart(aggregate_local *local)
{
    local->tables.count = 0;
    forget_full(local);
    local->has_spilled = true;
    local->dense_check = 0;
}

static aggregate_table *last_table(const aggregate_local *local)
{
    return local->tables.count ? local->tables.items[local->tables.count - 1] : NULL;
}

/* The table becomes the last one. It is freed if that fails. */
static status add_table(aggregate_local *local, aggregate_table *table)
{
    status st = array_push(NULL, &local->tables, table);
    if (st)
        aggregate_table_free(local->core, table);
    return st;
}

static void replace_last(aggregate_local *local, aggregate_table *table)
{
    aggregate_table **last = &local->tables.items[local->tables.count - 1];
    aggregate_table_free(local->core, *last);
    *last = table;
}

/* ---- one form after another ---- */

static status push_one(aggregate_local *local, exec_task *task, tensor *const *values,
                       dev_count rows)
{
    aggregate_table *table = last_table(local);
    if (!table) {
        TRY(aggregate_table_new(local->core, task->stream, TABLE_ONE, local->source, NULL, 1,
                                &table));
        TRY(add_table(local, table));
    }
    return states_update(local->core, task, table, values, NULL, rows, 0);
}

/* Rows whose groups were looked up. *is_taken: false: some keys have no code. */
static status add_coded(aggregate_local *local, exec_task *task, codes_lookup *lookup,
                        tensor *const *values, dev_count rows, bool *is_taken)
{
    aggregate_table *table = last_table(local);
    TRY(codes_lookup_finish(task->stream, lookup, is_taken));
    if (!*is_taken)
        return STATUS_OK;
    return states_update(local->core, task, table, values, lookup->groups->rows, rows,
                         table->count);
}

static status push_codes(aggregate_local *local, exec_task *task, tensor *const *keys,
                         tensor *const *values, dev_count rows, bool *is_taken)
{
    codes_lookup lookup;
    TRY(codes_lookup_start(local->core, task, last_table(local), keys, rows, is_taken, &lookup));
    if (!*is_taken)
        return STATUS_OK;
    status st = add_coded(local, task, &lookup, values, rows, is_taken);
    codes_lookup_close(local->core->dev, &lookup);
    return st;
}

static status push_hash(aggregate_local *local, exec_task *task, aggregate_table *table,
                        tensor *const *keys, tensor *const *values, dev_count rows)
{
    uint64_t before = table->count;
    row_index *groups;
    TRY(hash_table_find(local->core, task, table, keys, rows, &groups));
    status st = states_update(local->core, task, table, values, groups->rows, rows, before);
    row_index_unref(groups);
    return st;
}

/* ---- changing the form ---- */

static void widen_bounds(aggregate_local *local, int64_t least, int64_t greatest)
{
    local->minimum = least < local->minimum ? least : local->minimum;
    local->maximum = greatest > local->maximum ? greatest : local->maximum;
}

/* Adds what HASH has absorbed to the bounds of its key. */
static void note_bounds(aggregate_local *local, const aggregate_table *table)
{
    if (table->form == TABLE_CODES) {
        const code_key *code = &table->codes[0];
        widen_bounds(local, code->minimum, code_key_last(code));
    }
    for (size_t i = 0; i < table->segments.count; i++)
        widen_bounds(local, table->segments.items[i].minimum, table->segments.items[i].maximum);
}

/* Grouping has not made the rows few enough to go on in memory that is not the cache's. */
static bool is_hardly_fewer(const aggregate_table *table)
{
    uint64_t rows = table->row_count, count = table->count;
    if (table->groups.heap.bytes / ASIDE_TEXT_BYTES >= count)
        return count > rows - rows / ASIDE_REPEATS;
    return rows / ASIDE_ROWS_PER_GROUP < count;
}

/* The table takes no more rows, or not so many. */
static bool is_of_no_use(const aggregate_local *local, const aggregate_table *table, dev_count rows)
{
    if (local->core->counts_groups) /* only its own are counted */
        return false;
    if (table->is_passing)
        return table->count + rows.bound > table->capacity;
    return table->count >= local->aside_groups && is_hardly_fewer(table);
}

/* The layout of a HASH table for rows and for the groups of `old`, or NULL; of these at least as much is coded as of
 * the rows. */
static const key_layout *common_layout(const aggregate_core *core, const aggregate_table *old,
                                       const key_layout *rows)
{
    const key_layout *layout = old ? old->groups.layout : rows;
    bool has_nulls = rows->has_nulls || key_layout_may_need_nulls(layout, rows->coding);
    return aggregate_core_layout(core, rows->coding, has_nulls);
}

/* A table of rows that are passed on notices equal ones near each other, if there was at least one in so
 * many in the one before. */
#define REPEATS_LEAST 8

static bool has_repeats(const aggregate_table *table)
{
    return table->row_count - table->count > table->row_count / REPEATS_LEAST;
}

/* Rows that were kept have equal ones, though they are not near each other. */
static bool has_passed_repeats(const aggregate_local *local)
{
    const hash_sample *passed = &local->passed;
    return passed->distinct >= PASSED_GROUPS_MIN &&
           passed->rows * 2 >= passed->distinct * PASSED_ROWS_PER_TWO;
}

/* A table may have more groups from now on than those that were of no use. */
static void expect_more(aggregate_local *local)
{
    uint64_t estimate = hash_sample_estimate(&local->passed);
    uint64_t more = local->aside_groups > estimate ? local->aside_groups : estimate;
    if (local->aside_groups < UINT32_MAX)
        local->aside_groups = more * ASIDE_GROWTH;
}

/* Whether the table behind one that takes no more rows only keeps them. Of lazy devices the number
 * of rows is not known. */
static status pass_rows(aggregate_local *local, const aggregate_table *old, bool *out)
{
    *out = local->core->dev->is_host;
    if (!*out)
        return STATUS_OK;
    if (!old->is_passing) {
        local->passing_left = local->aside_groups * PASSING_ROWS_PER_GROUP;
        return STATUS_OK;
    }
    local->passing_left -=
        old->row_count < local->passing_left ? old->row_count : local->passing_left;
    TRY(hash_sample_add(&local->passed, old->groups.hashes->address, old->groups.count));
    *out = local->passing_left || !has_passed_repeats(local);
    if (!*out)
        expect_more(local);
    return STATUS_OK;
}

/* It is empty. Freed if that fails. */
static status become_passing(const aggregate_local *local, exec_task *task, aggregate_table *table,
                             bool once)
{
    const aggregate_core *core = local->core;
    uint64_t bytes = table->groups.layout->stride, chunk_rows = core->dev->chunk_rows;
    for (uint32_t i = 0; i < table_state_count(table); i++)
        bytes += table->states[i].width;
    /* Chunks are not cut: room for part of a chunk would stay unused. */
    uint64_t chunks = (PASSING_BYTES / bytes + chunk_rows / 2) / chunk_rows + 1;
    uint64_t capacity = chunks * chunk_rows;
    table->is_passing = true;
    status st = hash_groups_reserve_rows(&table->groups, task->stream, capacity);
    if (!st && once)
        st = hash_groups_pass_once(&table->groups, task->stream);
    if (!st)
        st = states_reserve(local->core, task->stream, table, capacity);
    if (st)
        aggregate_table_free(local->core, table);
    return st;
}

/* A HASH table becomes the last one, with the groups of the last one if those are few. */
static status begin_hash(aggregate_local *local, exec_task *task, tensor *const *keys,
                         dev_count rows)
{
    const aggregate_core *core = local->core;
    aggregate_table *old = last_table(local), *table;
    bool absorbs = old && old->count <= ABSORB_GROUPS && local->tables.count == 1;
    const key_layout *layout =
        common_layout(core, absorbs ? old : NULL, key_layout_for(core, keys));
    bool is_aside = old && is_of_no_use(local, old, rows), is_passing = false;
    if (is_aside)
        TRY(pass_rows(local, old, &is_passing));
    /* A lazy device's first rows make room for all of them to be groups. */
    uint64_t capacity = is_aside && core->dev->is_host ? ASIDE_GROUPS + ASIDE_GROUPS / 4 : 0;
    if (old)
        hash_groups_seal(&old->groups);
    if (absorbs)
        TRY(aggregate_table_seal(core, task->stream, old));
    TRY(aggregate_table_new(core, task->stream, TABLE_HASH, local->source, layout,
                            is_passing ? 0 : capacity, &table));
    if (is_passing)
        TRY(become_passing(local, task, table, has_repeats(old)));
    if (!absorbs)
        return add_table(local, table);
    status st = aggregate_table_absorb(core, task, table, old);
    if (st) {
        aggregate_table_free(core, table);
        return st;
    }
    if (local->dense_check)
        note_bounds(local, old);
    replace_last(local, table);
    return STATUS_OK;
}

/* The codes of the first rows, or larger ones than those that do not do for these. */
static status begin_codes(aggregate_local *local, exec_task *task, tensor *const *keys,
                          tensor *const *values, dev_count rows, bool *is_taken)
{
    aggregate_table *old = last_table(local), *table;
    *is_taken = false;
    if (local->has_spilled || (old && old->form != TABLE_CODES))
        return STATUS_OK;
    if (old)
        TRY(aggregate_table_seal(local->core, task->stream, old));
    TRY(codes_table_try(local->core, task, local->source, old, keys, rows, local->row_count,
                        &table));
    if (!table)
        return STATUS_OK;
    if (old)
        replace_last(local, table);
    else
        TRY(add_table(local, table));
    return push_codes(local, task, keys, values, rows, is_taken);
}

/* All tables become one of CODES, if they are HASH and the codes are few for their groups. */
static status become_dense(aggregate_local *local, exec_task *task)
{
    aggregate_table *dense;
    uint64_t codes = (uint64_t)local->maximum - (uint64_t)local->minimum, groups = 0;
    for (size_t i = 0; i < local->tables.count; i++) {
        if (local->tables.items[i]->form != TABLE_HASH)
            return STATUS_OK;
        TRY(aggregate_table_seal(local->core, task->stream, local->tables.items[i]));
        groups += local->tables.items[i]->count;
    }
    if (codes > DENSE_CODES_MAX || codes / DENSE_CODES_PER_ROW > local->row_count ||
        codes / DENSE_CODES_PER_GROUP > groups ||
        !codes_table_fits(local->core, local->source, codes))
        return STATUS_OK;
    TRY(codes_table_dense(local->core, task->stream, local->source, local->minimum, local->maximum,
                          &dense));
    for (size_t i = 0; i < local->tables.count; i++) {
        status st = aggregate_table_absorb(local->core, task, dense, local->tables.items[i]);
        if (st) {
            aggregate_table_free(local->core, dense);
            return st;
        }
    }
    for (; local->tables.count > 1; local->tables.count--)
        aggregate_table_free(local->core, last_table(local));
    replace_last(local, dense);
    forget_full(local);
    return STATUS_OK;
}

/* Growing HASH tables whose keys turn out to be dense change their form. */
static status check_dense(aggregate_local *local, exec_task *task)
{
    int64_t statistics[KEY_STATISTICS];
    if (!local->bounds.words)
        return STATUS_OK;
    TRY(dev_fetch_finish(task->stream, &local->bounds, (uint64_t *)statistics));
    if (statistics[KEY_VALUES])
        widen_bounds(local, statistics[KEY_MINIMUM], statistics[KEY_MAXIMUM]);
    if (!local->dense_check || local->row_count < local->dense_check ||
        local->minimum > local->maximum)
        return STATUS_OK;
    local->dense_check = local->row_count * 2;
    return become_dense(local, task);
}

/* The bounds of rows that were added to HASH. */
static status ask_bounds(aggregate_local *local, exec_task *task, tensor *const *keys,
                         dev_count rows)
{
    tensor *flat;
    if (!local->dense_check || !last_table(local) || last_table(local)->form != TABLE_HASH)
        return STATUS_OK;
    TRY(tensor_flatten(task->stream, keys[0], rows, &flat));
    status st = codes_statistics_ask(task->stream, flat, rows, &local->bounds);
    tensor_unref(flat);
    if (!st && local->core->dev->is_host)
        st = check_dense(local, task);
    return st;
}

static bool layout_takes(const key_layout *layout, const key_layout *rows)
{
    return !layout->is_row && layout->coding == rows->coding &&
           layout->has_nulls >= rows->has_nulls;
}

/* ---- rows that wait for an answer ---- */

static status copy_tensors(tensor *const *from, uint32_t count, tensor ***out)
{
    *out = mem_new_array(count + 1, sizeof **out);
    if (!*out)
        return status_no_memory("aggregation", count * sizeof **out);
    for (uint32_t i = 0; i < count; i++)
        (*out)[i] = tensor_ref(from[i]);
    return STATUS_OK;
}

/* The rows wait. What was asked is set by the caller. */
static status aggregate_local_hold(aggregate_local *local, tensor *const *keys,
                                   tensor *const *values, dev_count rows, dev_buffer *count_owner)
{
    held_rows *waiting = &local->waiting;
    waiting->count = rows;
    waiting->count_owner = dev_buffer_ref(count_owner);
    TRY(copy_tensors(keys, local->core->key_count, &waiting->keys));
    return copy_tensors(values, local->value_count, &waiting->values);
}

/* CODES take the rows, or will say so. */
static status try_codes(aggregate_local *local, exec_task *task, tensor *const *keys,
                        tensor *const *values, dev_count rows, dev_buffer *count_owner,
                        bool *is_taken)
{
    if (local->core->dev->is_host)
        return push_codes(local, task, keys, values, rows, is_taken);
    TRY(codes_lookup_start(local->core, task, last_table(local), keys, rows, is_taken,
                           &local->waiting.codes));
    return *is_taken ? aggregate_local_hold(local, keys, values, rows, count_owner) : STATUS_OK;
}

/* RUNS do. `keys` are the original forms of those that are packed. */
static status try_runs(aggregate_local *local, exec_task *task, tensor *const *packed,
                       tensor *const *keys, tensor *const *values, dev_count rows,
                       dev_buffer *count_owner, bool *is_taken)
{
    const aggregate_core *core = local->core;
    run_chunk *c;
    TRY(runs_start(core, task, &local->runs, &local->tables, packed, rows, &c));
    *is_taken = c != NULL;
    if (!c)
        return STATUS_OK;
    if (!core->dev->is_host) {
        local->waiting.runs = c;
        return aggregate_local_hold(local, keys, values, rows, count_owner);
    }
    status st =
        runs_finish(core, task, &local->runs, &local->tables, local->source, values, c, is_taken);
    run_chunk_free(core, c);
    return st;
}

/* ---- which form ---- */

/* Rows whose keys are packed, coded or not. `keys` are their original forms. */
static status push_packed(aggregate_local *local, exec_task *task, tensor *const *packed,
                          tensor *const *keys, tensor *const *values, dev_count rows,
                          dev_buffer *count_owner)
{
    const aggregate_core *core = local->core;
    aggregate_table *table = last_table(local);
    bool is_taken = false;
    bool may_be_runs = !core->counts_groups || core->key_count == 1;
    if (may_be_runs && (!table || table->form == TABLE_RUNS))
        TRY(try_runs(local, task, packed, keys, values, rows, count_owner, &is_taken));
    if (!is_taken)
        TRY(begin_codes(local, task, keys, values, rows, &is_taken));
    if (is_taken)
        return STATUS_OK;
    table = last_table(local);
    if (!table || table->form != TABLE_HASH || is_of_no_use(local, table, rows) ||
        !layout_takes(table->groups.layout, key_layout_for(core, packed)))
        TRY(begin_hash(local, task, packed, rows));
    return push_hash(local, task, last_table(local), packed, values, rows);
}

/* Rows whose keys are numbers of rows of a large base. */
static status push_numbers(aggregate_local *local, exec_task *task, tensor *const *keys,
                           tensor *const *encoded, tensor *const *values, dev_count rows)
{
    const aggregate_core *core = local->core;
    aggregate_table *table = last_table(local);
    status st = STATUS_OK;
    if (!table || !rows_table_takes(core, table, keys)) {
        st = rows_table_new(core, task->stream, local->source, keys, &table);
        if (!st)
            st = add_table(local, table);
    }
    if (!st) {
        rows_table_note_nulls(core, table, keys);
        st = push_hash(local, task, table, encoded, values, rows);
    }
    return st;
}

/* Adds by row numbers. *is_taken is false if the keys are not rows of a large base. */
static status push_by_row(aggregate_local *local, exec_task *task, tensor *const *keys,
                          tensor *const *values, dev_count rows, bool *is_taken)
{
    const aggregate_core *core = local->core;
    aggregate_table *table = last_table(local);
    key_array encoded;
    if ((table && !table->bases) || local->tables.count > BASES_MAX || core->counts_groups)
        return STATUS_OK;
    TRY(key_array_open(&encoded, core->key_count + 1, core->who));
    status st = rows_encode(core, task, keys, rows, encoded.items);
    *is_taken = !st && encoded.items[0];
    if (*is_taken)
        st = push_numbers(local, task, keys, encoded.items, values, rows);
    key_array_release(&encoded);
    return st;
}

/* Rows that the last table, of CODES or RUNS, does not take, or that are the first. */
static status push_keys(aggregate_local *local, exec_task *task, tensor *const *keys,
                        tensor *const *values, dev_count rows, dev_buffer *count_owner)
{
    const aggregate_core *core = local->core;
    const aggregate_table *table = last_table(local);
    key_array coded;
    const key_layout *last = table ? table->groups.layout : NULL;
    text_coding coding = CODED_NONE;
    bool is_taken = false, has_text = core->layouts[2].count;
    if (last && last->coding < local->coding)
        local->coding = last->coding;
    status st = key_array_open(&coded, core->key_count, core->who);
    if (!st && local->coding != CODED_NONE)
        st = keys_encode(core, task, keys, rows, local->coding, coded.items, &coding);
    local->coding = coding;
    if (!st && has_text && coding != CODED_ALL)
        st = push_by_row(local, task, keys, values, rows, &is_taken);
    if (!st && !is_taken)
        st = push_packed(local, task, coding != CODED_NONE ? coded.items : keys, keys, values, rows,
                         count_owner);
    key_array_release(&coded);
    return st ? st : ask_bounds(local, task, keys, rows);
}

/* Adds the rows that wait, once what was asked of them is answered. */
static status add_waiting(aggregate_local *local, exec_task *task)
{
    const aggregate_core *core = local->core;
    held_rows rows = local->waiting;
    bool is_taken;
    if (!rows.count.bound)
        return STATUS_OK;
    local->waiting = (held_rows){0};
    status st = rows.runs ? runs_finish(core, task, &local->runs, &local->tables, local->source,
                                        rows.values, rows.runs, &is_taken)
                          : add_coded(local, task, &rows.codes, rows.values, rows.count, &is_taken);
    if (!st && !is_taken)
        st = push_keys(local, task, rows.keys, rows.values, rows.count, rows.count_owner);
    release_waiting(core, &rows, local->value_count);
    return st;
}

static status learn_last(aggregate_local *local, exec_task *task)
{
    aggregate_table *table = last_table(local);
    return table ? aggregate_table_learn(local->core, task->stream, table) : STATUS_OK;
}

status aggregate_local_catch_up(aggregate_local *local, exec_task *task)
{
    if (local->core->dev->is_host)
        return STATUS_OK;
    TRY(learn_last(local, task));
    TRY(check_dense(local, task));
    TRY(add_waiting(local, task));
    return check_dense(local, task); /* they may have come to HASH */
}

status aggregate_local_push(aggregate_local *local, exec_task *task, tensor *const *keys,
                            tensor *const *values, dev_count rows, dev_buffer *count_owner)
{
    bool is_taken = false;
    if (!rows.bound)
        return STATUS_OK;
    if (!local->core->key_count)
        return push_one(local, task, values, rows);
    TRY(aggregate_local_catch_up(local, task));
    if (!local->tables.count) /* what the first rows are says which form suits */
        TRY(dev_count_read(task->stream, &rows));
    if (!rows.bound)
        return STATUS_OK;
    if (last_table(local) && last_table(local)->form == TABLE_CODES)
        TRY(try_codes(local, task, keys, values, rows, count_owner, &is_taken));
    local->row_count += rows.bound;
    return is_taken ? STATUS_OK : push_keys(local, task, keys, values, rows, count_owner);
}
