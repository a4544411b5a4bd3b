/* aggregate_merge.c - the tasks' tables become one result.
 *
 * If there is one table, or RUNS that overlap nowhere, they are the result as they are. CODES of
 * one integer key are added position by position: tasks take slices of the domain. All else is
 * added by hash: each slice of each table is ordered by parts of its keys' hashes (phase 1), then
 * each part of all slices goes to a table of its own (phase 2), and a task that does so needs no
 * lock. On host devices the groups of that table go back to where the slices have the part. Lazy devices add whole
 * tables to one part, so that there are launches for each table, not for each part of each slice.
 *
 * If tables were spilled, or merging them would take more memory than there is, all are
 * (aggregate_spill.c).
 *
 *   phase   0  task 0: which of these, and what slices there are
 *           1  slices: positions added, or slices ordered by part; or tables spilled
 *           2  parts
 *           3  task 0: whether what was merged by row numbers must be merged by keys
 *         4, 5  that: as 1 and 2
 *           6  task 0: the result's ranges; what was merged goes */
#include "exec/aggregate/aggregate_merge.h"

#include "base/system/mutex.h"
#include "device/transfer.h"
#include "exec/aggregate/aggregate_codes.h"
#include "exec/aggregate/aggregate_local.h"
#include "exec/aggregate/aggregate_rows.h"
#include "exec/aggregate/aggregate_runs.h"
#include "exec/aggregate/aggregate_spill.h"
#include "exec/aggregate/aggregate_state.h"
#include "exec/aggregate/aggregate_state_ops.h"
#include "exec/aggregate/aggregate_table.h"

#include <stdlib.h>

#define PART_GROUPS 32768
/* Lazy devices: a part has more groups only if there are more than so many chunks of them, and never more than that. */
#define PART_CHUNKS_LAZY 256
#define PART_GROUPS_LAZY_MAX ((uint64_t)1 << 29)
#define PART_BITS_MAX 10
#define SCALE_MARGIN 1.06 /* parts of thousands of groups differ by less */

typedef ARRAY(merge_slice *) slice_list;

void aggregate_merge_init(aggregate_merge *merge, const aggregate_core *core, exec_operator *op)
{
    *merge = (aggregate_merge){.core = core};
    aggregate_spill_init(&merge->spill, op);
    mutex_init(&merge->lock);
}

static void release_slices(aggregate_merge *merge)
{
    for (size_t i = 0; i < merge->slices.count; i++)
        merge_slice_release(merge->core, &merge->slices.items[i]);
    array_release(&merge->slices);
}

static void release_tables(const aggregate_merge *merge, table_list *tables)
{
    for (size_t i = 0; i < tables->count; i++)
        aggregate_table_free(merge->core, tables->items[i]);
    tables->count = 0;
}

static size_t part_count(const aggregate_merge *merge)
{
    return (size_t)1 << merge->part_bits;
}

void aggregate_merge_release(aggregate_merge *merge)
{
    if (!merge->core)
        return;
    release_slices(merge);
    release_tables(merge, &merge->tables);
    array_release(&merge->tables);
    release_tables(merge, &merge->kept);
    array_release(&merge->kept);
    for (size_t p = 0; merge->parts && p < part_count(merge); p++)
        aggregate_table_free(merge->core, merge->parts[p]);
    mem_free(merge->parts);
    aggregate_table_free(merge->core, merge->target);
    array_release(&merge->ranges);
    aggregate_spill_release(&merge->spill);
    mutex_destroy(&merge->lock);
}

status aggregate_merge_add(aggregate_merge *merge, exec_task *task, aggregate_local *local)
{
    TRY(aggregate_local_catch_up(local, task));
    for (size_t i = 0; i < local->tables.count; i++) {
        TRY(aggregate_table_seal(merge->core, task->stream, local->tables.items[i]));
        hash_groups_seal(&local->tables.items[i]->groups);
    }
    mutex_lock(&merge->lock);
    status st = array_reserve(NULL, &merge->tables, local->tables.count);
    if (!st && local->tables.count) {
        memcpy(merge->tables.items + merge->tables.count, local->tables.items,
               local->tables.count * sizeof *local->tables.items);
        merge->tables.count += local->tables.count;
        local->tables.count = 0;
    }
    mutex_unlock(&merge->lock);
    return st;
}

/* ---- phase 0 ---- */

static bool all_have_form(const aggregate_merge *merge, table_form form)
{
    for (size_t i = 0; i < merge->tables.count; i++)
        if (merge->tables.items[i]->form != form ||
            merge->tables.items[i]->source != merge->tables.items[0]->source)
            return false;
    return true;
}

static uint64_t total_groups(const aggregate_merge *merge)
{
    uint64_t total = 0;
    for (size_t i = 0; i < merge->tables.count; i++)
        total += merge->tables.items[i]->count;
    return total;
}

static status add_slices(aggregate_merge *merge, aggregate_table *table, uint64_t count)
{
    uint64_t most = table_slice_groups(merge->core->dev);
    for (uint64_t first = 0; first < count; first += most) {
        uint64_t left = count - first;
        merge_slice slice = {.table = table, .first = first, .count = left < most ? left : most};
        TRY(array_push(NULL, &merge->slices, slice));
        if (table)
            table->slices_left++;
    }
    return STATUS_OK;
}

/* One group: all tables are added to the first. */
static status merge_ones(aggregate_merge *merge, exec_task *task)
{
    const aggregate_core *core = merge->core;
    if (!merge->tables.count) {
        TRY(array_reserve(NULL, &merge->tables, 1));
        TRY(aggregate_table_new(core, task->stream, TABLE_ONE, SOURCE_ROWS, NULL, 1,
                                &merge->tables.items[0]));
        merge->tables.count = 1;
    }
    aggregate_table *target = merge->tables.items[0];
    for (size_t i = 1; i < merge->tables.count; i++) {
        const aggregate_table *from = merge->tables.items[i];
        TRY(states_prepare(core, task->stream, target, from));
        TRY(states_merge(core, task, target, NULL, from, NULL, 0, 1));
    }
    for (; merge->tables.count > 1; merge->tables.count--)
        aggregate_table_free(core, merge->tables.items[merge->tables.count - 1]);
    return STATUS_OK;
}

static int64_t last_value(const aggregate_table *table)
{
    return code_key_last(&table->codes[0]);
}

/* The positions of all tables' one integer key; false: too far apart. */
static bool find_domain(const aggregate_merge *merge, int64_t *minimum, int64_t *maximum)
{
    uint64_t codes = 0;
    *minimum = INT64_MAX;
    *maximum = INT64_MIN;
    for (size_t i = 0; i < merge->tables.count; i++) {
        const code_key *code = &merge->tables.items[i]->codes[0];
        int64_t last = last_value(merge->tables.items[i]);
        *minimum = code->minimum < *minimum ? code->minimum : *minimum;
        *maximum = last > *maximum ? last : *maximum;
        codes += code->radix;
    }
    return (uint64_t)*maximum - (uint64_t)*minimum <= codes * 2;
}

/* A table that has all positions: the others are added to it. NULL: there is none. */
static aggregate_table *take_widest(aggregate_merge *merge, int64_t minimum, int64_t maximum)
{
    for (size_t i = 0; i < merge->tables.count; i++) {
        aggregate_table *table = merge->tables.items[i];
        if (table->codes[0].minimum == minimum && last_value(table) == maximum) {
            merge->tables.items[i] = merge->tables.items[--merge->tables.count];
            return table;
        }
    }
    return NULL;
}

static status plan_positions(aggregate_merge *merge, exec_task *task, bool *is_planned)
{
    const aggregate_core *core = merge->core;
    int64_t minimum, maximum;
    *is_planned = core->key_count == 1 && codes_key_is_integer(core->key_types[0]) &&
                  all_have_form(merge, TABLE_CODES) && find_domain(merge, &minimum, &maximum);
    if (!*is_planned)
        return STATUS_OK;
    merge->target = take_widest(merge, minimum, maximum);
    if (!merge->target)
        TRY(codes_table_dense(core, task->stream, merge->tables.items[0]->source, minimum, maximum,
                              &merge->target));
    for (size_t i = 0; i < merge->tables.count; i++)
        TRY(states_prepare(core, task->stream, merge->target, merge->tables.items[i]));
    merge->mode = MERGE_POSITIONS;
    return add_slices(merge, NULL, merge->target->count);
}

/* Every table follows what was spilled of others. */
static status plan_spill(aggregate_merge *merge)
{
    merge->mode = MERGE_SPILL;
    return aggregate_spill_begin(merge->core, &merge->spill);
}

static int by_source(const void *left, const void *right)
{
    const aggregate_table *const *a = left, *const *b = right;
    return (*a)->source - (*b)->source;
}

/* Returns how many groups a part should have: as many as a host's cache wants, or, on lazy devices, whose memory hides
 * misses, so many that there is one part if it can be. */
static uint64_t part_groups(const device *dev)
{
    uint64_t groups = PART_CHUNKS_LAZY * (uint64_t)dev->chunk_rows;
    if (dev->is_host || groups < PART_GROUPS)
        return PART_GROUPS;
    return groups < PART_GROUPS_LAZY_MAX ? groups : PART_GROUPS_LAZY_MAX;
}

/* Whether tables are added to the only part as they are, so that there are no slices of them. */
static bool has_one_part(const aggregate_merge *merge)
{
    return merge->mode == MERGE_PARTS && !merge->part_bits && !merge->core->dev->is_host;
}

static status plan_parts(aggregate_merge *merge)
{
    uint64_t groups = total_groups(merge), most = part_groups(merge->core->dev);
    while (merge->part_bits < PART_BITS_MAX && groups >> merge->part_bits > most)
        merge->part_bits++;
    merge->parts = mem_new_array(part_count(merge), sizeof *merge->parts);
    if (!merge->parts)
        return status_no_memory(merge->core->who, part_count(merge) * sizeof *merge->parts);
    merge->mode = MERGE_PARTS;
    if (merge->core->source_states)
        qsort(merge->tables.items, merge->tables.count, sizeof(aggregate_table *), by_source);
    for (size_t i = 0; i < merge->tables.count && !has_one_part(merge); i++)
        TRY(add_slices(merge, merge->tables.items[i], merge->tables.items[i]->count));
    return STATUS_OK;
}

static status plan_merge(aggregate_merge *merge, exec_task *task)
{
    bool is_done = false;
    for (size_t i = 0; i < merge->tables.count; i++)
        merge->peak_bytes += aggregate_table_bytes(merge->tables.items[i]);
    if (!merge->core->key_count)
        return merge_ones(merge, task);
    if (merge->spill.file)
        return plan_spill(merge);
    if (!merge->tables.count)
        return STATUS_OK;
    if (all_have_form(merge, TABLE_RUNS)) /* even one table may have segments that overlap */
        TRY(runs_merge(merge->core, task, &merge->tables, &is_done));
    is_done |= merge->tables.count == 1 && merge->tables.items[0]->form != TABLE_RUNS &&
               !merge->tables.items[0]->is_passing;
    if (is_done)
        return STATUS_OK;
    if (!aggregate_spill_fits(&merge->spill, &merge->tables))
        return plan_spill(merge);
    TRY(plan_positions(merge, task, &is_done));
    return is_done ? STATUS_OK : plan_parts(merge);
}

/* ---- phase 1 ---- */

/* Adds what one table has in [first, first + count) of the target. */
static status add_positions(aggregate_merge *merge, exec_task *task, const merge_slice *slice,
                            const aggregate_table *from)
{
    const aggregate_core *core = merge->core;
    /* Code 0 is NULL in both, code 1 the minimum. */
    uint64_t shift = (uint64_t)from->codes[0].minimum - (uint64_t)merge->target->codes[0].minimum;
    uint64_t begin = slice->first ? slice->first : 1, end = slice->first + slice->count;
    uint64_t from_begin = begin > shift ? begin - shift : 1;
    uint64_t from_end = end > shift ? end - shift : 0;
    if (from_begin < 1)
        from_begin = 1;
    if (from_end > from->count)
        from_end = from->count;
    for (int pass = 0; pass < 2; pass++) { /* NULL's group, then the others */
        uint64_t first = pass ? from_begin : 0, last = pass ? from_end : !slice->first;
        table_slice slice;
        row_index *groups = NULL;
        if (first >= last)
            continue;
        TRY(table_slice_open(core, task->stream, from, first, last - first, &slice));
        status st = row_index_new(core->dev, slice.count, &groups);
        if (!st && slice.count)
            st = DEV_LAUNCH(task->stream, codes_shift, .codes = slice.list->rows,
                            .shift = pass ? (uint32_t)shift : 0,
                            .count = dev_count_exact(slice.count), .out = groups->rows);
        if (!st && slice.count)
            st = states_merge(core, task, merge->target, groups->rows, from, slice.list->rows, 0,
                              slice.count);
        row_index_unref(groups);
        table_slice_close(&slice);
        TRY(st);
    }
    return STATUS_OK;
}

/* Learns where the parts of the task's slices begin, of all slices at once, so that at most one answer is awaited. */
static status learn_offsets(exec_task *task, const slice_list *slices)
{
    for (size_t i = 0; i < slices->count; i++) {
        merge_slice *slice = slices->items[i];
        if (slice->asked.words)
            TRY(dev_fetch_finish(task->stream, &slice->asked, (uint64_t *)(void *)slice->offsets));
    }
    return STATUS_OK;
}

/* The layout of the parts: as narrow as that of all tables. */
static const key_layout *part_layout(const aggregate_merge *merge)
{
    bool has_nulls = false, has_layout = false;
    text_coding coding = CODED_ALL;
    if (!merge->is_again &&
        rows_tables_agree(merge->core, merge->tables.items, merge->tables.count))
        return &merge->core->rows->layout;
    for (size_t i = 0; i < merge->tables.count; i++) {
        const key_layout *layout = merge->tables.items[i]->groups.layout;
        has_layout |= layout != NULL;
        coding = layout && layout->coding < coding ? layout->coding : coding;
    }
    coding = has_layout ? coding : CODED_NONE;
    for (size_t i = 0; i < merge->tables.count; i++)
        has_nulls |= key_layout_may_need_nulls(merge->tables.items[i]->groups.layout, coding);
    return aggregate_core_layout(merge->core, coding, has_nulls);
}

static status run_slice(aggregate_merge *merge, exec_task *task, merge_slice *slice)
{
    if (merge->mode == MERGE_POSITIONS) {
        for (size_t i = 0; i < merge->tables.count; i++)
            TRY(add_positions(merge, task, slice, merge->tables.items[i]));
        return STATUS_OK;
    }
    TRY(merge_slice_order(merge->core, task, slice, part_layout(merge), merge->part_bits));
    if (atomic_fetch_sub(&slice->table->slices_left, 1) == 1)
        aggregate_table_give_up(slice->table);
    return STATUS_OK;
}

static status spill_tables(aggregate_merge *merge, exec_task *task)
{
    for (;;) {
        TRY(cancel_check());
        size_t next = atomic_fetch_add(&merge->next_slice, 1);
        if (next >= merge->tables.count)
            return STATUS_OK;
        TRY(aggregate_spill_table(merge->core, task, &merge->spill, merge->tables.items[next]));
        aggregate_table_free(merge->core, merge->tables.items[next]);
        merge->tables.items[next] = NULL;
    }
}

static status run_slices(aggregate_merge *merge, exec_task *task)
{
    slice_list taken = {0};
    status st = STATUS_OK;
    if (merge->mode == MERGE_SPILL)
        return spill_tables(merge, task);
    while (!st) {
        size_t next = atomic_fetch_add(&merge->next_slice, 1);
        if (next >= merge->slices.count)
            break;
        st = run_slice(merge, task, &merge->slices.items[next]);
        if (!st)
            st = array_push(NULL, &taken, &merge->slices.items[next]);
        if (!st)
            st = cancel_check();
    }
    if (!st)
        st = learn_offsets(task, &taken);
    array_release(&taken);
    return st;
}

/* ---- phase 2 ---- */

/* Returns a little more than what parts before this one suggest. */
static uint64_t scale(const aggregate_merge *merge, uint64_t all, uint64_t guess)
{
    uint64_t added = atomic_load_explicit(&merge->added, memory_order_relaxed);
    uint64_t found = atomic_load_explicit(&merge->found, memory_order_relaxed);
    if (!added || found > added)
        return guess;
    double groups = (double)all * (double)found / (double)added * SCALE_MARGIN;
    return groups < (double)all ? (uint64_t)groups : all;
}

/* Returns how many groups a part will have: those of the source that has most there, because all sources have nearly
 * equal groups; no fewer than any table has there. Parts that were merged before tell how many groups such a number of
 * rows has. Until then groups of a table that passes its rows on are taken for all different, others for half of that.
 * Lazy devices take all for different, so that nobody waits for an answer. */
static uint64_t expected_groups(const aggregate_merge *merge, size_t part)
{
    const aggregate_table *table = NULL;
    uint64_t all = 0, kept = 0, here = 0, most = 0, of_sources = 0, guess = 0;
    for (size_t i = 0; i < merge->slices.count; i++) {
        const merge_slice *slice = &merge->slices.items[i];
        uint64_t count = merge_slice_count(slice, part);
        if (table && table->source != slice->table->source)
            all = kept = 0;
        here = slice->table == table ? here + count : count;
        table = slice->table;
        most = here > most ? here : most;
        all += count;
        kept += table->is_passing ? count : 0;
        of_sources += count;
        uint64_t groups = merge->core->dev->is_host ? kept + (all - kept) / 2 : all;
        guess = groups > guess ? groups : guess;
    }
    if (!merge->core->dev->is_host)
        return guess;
    guess = scale(merge, of_sources, guess);
    return guess > most ? guess : most;
}

/* Returns how many groups the only part of lazy devices will have at most. */
static uint64_t expected_in_all(const aggregate_merge *merge)
{
    uint64_t of_source = 0, most = 0;
    for (size_t i = 0; i < merge->tables.count; i++) {
        const aggregate_table *table = merge->tables.items[i];
        if (i && merge->tables.items[i - 1]->source != table->source)
            of_source = 0;
        of_source +=
            table->row_count < table->count ? table->row_count : table->count; /* of CODES */
        most = of_source > most ? of_source : most;
    }
    return most;
}

/* Memory that was used is cheaper than what is new, and there need not be room for both: the part's groups, no
 * more than were added, go to the slices. Those by row numbers may be merged again. */
static status put_back(aggregate_merge *merge, exec_task *task, size_t part)
{
    const aggregate_core *core = merge->core;
    aggregate_table *result = merge->parts[part];
    if (!core->dev->is_host || result->groups.layout->is_row)
        return STATUS_OK;
    for (size_t i = 0; i < merge->slices.count; i++)
        if (merge_slice_count(&merge->slices.items[i], part) &&
            !merge_slice_takes(&merge->slices.items[i], result))
            return STATUS_OK;
    uint64_t first = 0, count;
    for (size_t i = 0; i < merge->slices.count && first < result->count; i++) {
        TRY(merge_slice_put(task->stream, &merge->slices.items[i], part, result, first, &count));
        first += count;
    }
    aggregate_table_give_up(result);
    result->count = result->groups.count = 0;
    return STATUS_OK;
}

/* Adds the part's groups table by table, or slice by slice. Lazy devices. */
static status add_lazily(aggregate_merge *merge, exec_task *task, aggregate_table *target,
                         size_t part)
{
    for (size_t i = 0; has_one_part(merge) && i < merge->tables.count; i++) {
        TRY(cancel_check());
        TRY(aggregate_table_add(merge->core, task, target, merge->tables.items[i]));
        aggregate_table_give_up(merge->tables.items[i]);
    }
    for (size_t i = 0; i < merge->slices.count; i++)
        if (merge_slice_count(&merge->slices.items[i], part))
            TRY(merge_slice_add(merge->core, task, target, &merge->slices.items[i], part));
    return STATUS_OK;
}

static status run_part(aggregate_merge *merge, exec_task *task, size_t part)
{
    const aggregate_core *core = merge->core;
    const aggregate_table *first = merge->tables.items[0];
    const key_layout *layout = part_layout(merge);
    uint64_t added = has_one_part(merge) ? total_groups(merge) : 0;
    uint64_t capacity = has_one_part(merge) ? expected_in_all(merge) : expected_groups(merge, part);
    aggregate_table *target;
    if (layout->is_row)
        TRY(rows_table_like(core, task->stream, first, capacity, &target));
    else
        TRY(aggregate_table_new(core, task->stream, TABLE_HASH, first->source, layout, capacity,
                                &target));
    merge->parts[part] = target;
    target->groups.borrows_text = true;
    for (size_t i = 0; i < merge->tables.count; i++) {
        TRY(states_prepare(core, task->stream, target, merge->tables.items[i]));
        target->has_null_rows |= merge->tables.items[i]->has_null_rows;
        if (!layout->is_row)
            TRY(table_share_text(core, task->stream, &target->groups, merge->tables.items[i]));
    }
    for (size_t i = 0; i < merge->slices.count; i++)
        added += merge_slice_count(&merge->slices.items[i], part);
    if (core->dev->is_host)
        TRY(merge_slices_add(core, task, target, merge->slices.items, merge->slices.count, part,
                             added));
    else
        TRY(add_lazily(merge, task, target, part));
    atomic_fetch_add_explicit(&merge->added, added, memory_order_relaxed);
    atomic_fetch_add_explicit(&merge->found, target->count, memory_order_relaxed);
    hash_groups_seal(&target->groups);
    TRY(hash_groups_ask(&target->groups, task->stream));
    return put_back(merge, task, part);
}

static status run_parts(aggregate_merge *merge, exec_task *task)
{
    for (;;) {
        TRY(cancel_check());
        size_t next = atomic_fetch_add(&merge->next_part, 1);
        if (merge->mode != MERGE_PARTS || next >= part_count(merge))
            return STATUS_OK;
        TRY(run_part(merge, task, next));
    }
}

/* ---- phase 3 ---- */

/* Merges by keys what was merged by row numbers, if it may have equal keys. */
static status plan_again(aggregate_merge *merge)
{
    if (merge->mode == MERGE_PARTS) {
        release_slices(merge);
        release_tables(merge, &merge->tables);
        TRY(array_reserve(NULL, &merge->tables, part_count(merge)));
        memcpy(merge->tables.items, merge->parts, part_count(merge) * sizeof *merge->parts);
        merge->tables.count = part_count(merge);
        mem_free(merge->parts);
        merge->parts = NULL;
    }
    merge->part_bits = 0;
    merge->is_again = true;
    atomic_store(&merge->next_slice, 0);
    atomic_store(&merge->next_part, 0);
    atomic_store(&merge->added, 0);
    atomic_store(&merge->found, 0);
    return plan_parts(merge);
}

/* Learns the numbers of the parts' groups, which a phase before asked for. */
static status learn_parts(aggregate_merge *merge, exec_task *task)
{
    for (size_t p = 0; merge->parts && p < part_count(merge); p++)
        TRY(aggregate_table_learn(merge->core, task->stream, merge->parts[p]));
    return STATUS_OK;
}

static status settle_rows(aggregate_merge *merge, exec_task *task)
{
    if (merge->mode == MERGE_SPILL)
        return STATUS_OK;
    TRY(learn_parts(merge, task));
    bool is_merged = merge->mode == MERGE_PARTS, is_distinct = true;
    aggregate_table **tables = is_merged ? merge->parts : merge->tables.items;
    size_t count = is_merged ? part_count(merge) : merge->tables.count;
    if (!rows_tables_agree(merge->core, tables, count))
        return STATUS_OK;
    TRY(rows_tables_are_distinct(merge->core, task, tables, count, &is_distinct));
    return is_distinct ? STATUS_OK : plan_again(merge);
}

/* ---- phase 6 ---- */

/* Groups that keep values are worth a range of their own where they have so many. */
#define RANGE_VALUES ((uint64_t)1 << 18)
#define RANGE_GROUPS_MIN 64

static uint64_t range_groups(const aggregate_merge *merge, const aggregate_table *table)
{
    const aggregate_core *core = merge->core;
    uint64_t most = core->dev->chunk_rows, groups = table->count;
    bool keeps_values = false;
    if (core->dev->is_host && most > SLICE_GROUPS)
        most = SLICE_GROUPS;
    if (merge->mode == MERGE_PARTS) /* each part's rows are those of all */
        groups = atomic_load_explicit(&merge->found, memory_order_relaxed);
    for (uint32_t i = 0; i < core->state_count; i++)
        keeps_values |= state_keeps_values(&core->states[i]);
    if (!keeps_values || !groups || table->row_count / groups * most <= RANGE_VALUES)
        return most;
    uint64_t few = RANGE_VALUES / (table->row_count / groups);
    return few < RANGE_GROUPS_MIN ? RANGE_GROUPS_MIN : few;
}

/* Ranges of at most a slice, so that readers share large tables. */
static status aggregate_merge_add_range(aggregate_merge *merge, const aggregate_table *table,
                                        uint64_t first, uint64_t count)
{
    uint64_t most = range_groups(merge, table);
    for (uint64_t end = first + count; first < end; first += most) {
        result_range range = {table, first, end - first < most ? end - first : most};
        TRY(array_push(NULL, &merge->ranges, range));
    }
    return STATUS_OK;
}

/* Segments that lie side by side are read as one. */
static status add_run_ranges(aggregate_merge *merge, const aggregate_table *table)
{
    uint64_t first = 0, end = 0;
    for (size_t i = 0; i < table->segments.count; i++) {
        const run_segment *segment = &table->segments.items[i];
        if (segment->first != end) {
            TRY(aggregate_merge_add_range(merge, table, first, end - first));
            first = segment->first;
        }
        end = segment->first + segment->count;
    }
    return aggregate_merge_add_range(merge, table, first, end - first);
}

static status add_table_ranges(aggregate_merge *merge, dev_stream *stream, aggregate_table *table)
{
    if (table->count)
        TRY(states_complete(merge->core, stream, table));
    merge->peak_bytes += merge->mode == MERGE_NONE ? 0 : aggregate_table_bytes(table);
    return table->form == TABLE_RUNS ? add_run_ranges(merge, table)
                                     : aggregate_merge_add_range(merge, table, 0, table->count);
}

/* Slices that parts' groups were put into become tables. */
static status take_kept(aggregate_merge *merge, exec_task *task)
{
    const aggregate_table *like = merge->parts[0];
    for (size_t i = 0; i < merge->slices.count; i++) {
        aggregate_table *table;
        TRY(array_reserve(NULL, &merge->kept, 1));
        TRY(merge_slice_to_table(merge->core, task->stream, &merge->slices.items[i],
                                 part_count(merge), like, &table));
        if (!table)
            continue;
        table->row_count = like->row_count;
        merge->kept.items[merge->kept.count++] = table;
        TRY(states_complete(merge->core, task->stream, table));
        TRY(aggregate_merge_add_range(merge, table, 0, table->count));
    }
    return STATUS_OK;
}

static status complete(aggregate_merge *merge, exec_task *task)
{
    TRY(learn_parts(merge, task));
    if (merge->mode == MERGE_PARTS)
        TRY(take_kept(merge, task));
    release_slices(merge);
    if (merge->mode != MERGE_NONE)
        release_tables(merge, &merge->tables);
    if (merge->mode == MERGE_SPILL)
        return aggregate_spill_finish(&merge->spill);
    for (size_t i = 0; i < merge->tables.count; i++)
        TRY(add_table_ranges(merge, task->stream, merge->tables.items[i]));
    if (merge->target)
        TRY(add_table_ranges(merge, task->stream, merge->target));
    for (size_t p = 0; merge->parts && p < part_count(merge); p++)
        TRY(add_table_ranges(merge, task->stream, merge->parts[p]));
    return STATUS_OK;
}

status aggregate_merge_phase(aggregate_merge *merge, exec_task *task, unsigned number)
{
    switch (number) {
    case 0:
        return task->index ? STATUS_OK : plan_merge(merge, task);
    case 1:
        return merge->mode == MERGE_NONE ? STATUS_OK : run_slices(merge, task);
    case 2:
        return run_parts(merge, task);
    case 3:
        return task->index ? STATUS_OK : settle_rows(merge, task);
    case 4:
        return merge->is_again ? run_slices(merge, task) : STATUS_OK;
    case 5:
        return merge->is_again ? run_parts(merge, task) : STATUS_OK;
    default:
        return task->index ? STATUS_OK : complete(merge, task);
    }
}
