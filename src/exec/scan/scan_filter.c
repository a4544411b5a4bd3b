/* scan_filter.c - which rows of a slice stay: bounds of sorts, runtime filters, then conditions, one after
 * another, each over the rows that those before it left. */
#include "exec/scan/scan_filter.h"

#include "device/chunk.h"
#include "exec/expression/program_compile.h"
#include "exec/expression/program_run.h"
#include "exec/scan/op_scan.h"
#include "exec/scan/scan_columns.h"
#include "exec/scan/scan_deleted.h"
#include "exec/scan/scan_narrow.h"

/* A runtime filter that drops hardly a row is only tried now and then: on one slice of TRY_EVERY, once
 * it has seen TRY_ROWS. */
#define TRY_ROWS ((uint64_t)1 << 17)
#define TRY_EVERY 16

/* Takes over the references to rows and owner: rows of the selection so far that stay. */
static status scan_filter_narrow(exec_task *task, scan_local *local, row_index *rows,
                                 dev_count count, dev_buffer *owner)
{
    row_index *composed = rows;
    if (local->selected) {
        composed = NULL;
        status st = row_index_new(task->stream->dev, count.bound, &composed);
        if (!st)
            st = DEV_LAUNCH(task->stream, gather_index, .first = local->selected->rows,
                            .second = rows->rows, .count = count, .out = composed->rows);
        row_index_unref(rows);
        if (st) {
            row_index_unref(composed);
            dev_buffer_unref(owner);
            return st;
        }
    }
    row_index_unref(local->selected);
    dev_buffer_unref(local->count_owner);
    dev_buffer_unref(local->bits);
    local->bits = NULL;
    local->selected = composed;
    local->count = count;
    local->count_owner = owner;
    return STATUS_OK;
}

/* ---- runtime filters ---- */

/* Costs of a look into a Bloom filter, for the hash, in looks into a bitmap. */
#define BLOOM_COST 2
#define TEXT_COST 4
/* Rows after which what was seen is believed rather than what was expected. */
#define BELIEVED_ROWS ((uint64_t)1 << 12)

/* The share of rows that pass: as of those that were seen, or as if each key were one of the column's values. */
static double passing_share(const filter_use *use, const runtime_filter *filter, double distinct)
{
    uint64_t seen = atomic_load_explicit(&use->seen, memory_order_relaxed);
    uint64_t kept = atomic_load_explicit(&use->kept, memory_order_relaxed);
    double keys = (double)filter->keys;
    if (seen >= BELIEVED_ROWS)
        return (double)kept / (double)seen;
    return !filter->keys || keys > distinct ? 1 : keys / distinct;
}

/* Rows that it drops for what it costs; those that are not there cost nothing, in any place. */
static double worth_of(const op_scan *op, uint32_t number)
{
    const plan_taken_filter *planned = &op->base.plan->scan.runtime_filters.items[number];
    const runtime_filter *filter = exec_runtime_filter(op->base.query, planned->id);
    if (!atomic_load_explicit(&filter->is_published, memory_order_acquire))
        return 0;
    int column = plan_column_index(op->base.plan, planned->column_id);
    bool is_text = column >= 0 && type_is_text(op->base.plan->columns.items[column].type);
    double cost = filter->bitmap ? 1 : is_text ? TEXT_COST : BLOOM_COST;
    return (1 - passing_share(&op->uses[number], filter, planned->distinct)) / cost;
}

void scan_order_filters(const op_scan *op, scan_local *local)
{
    uint32_t count = (uint32_t)op->base.plan->scan.runtime_filters.count;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t place = i;
        double worth = count > 1 ? worth_of(op, i) : 0;
        for (; place && local->worths[place - 1] < worth; place--) {
            local->worths[place] = local->worths[place - 1];
            local->order[place] = local->order[place - 1];
        }
        local->worths[place] = worth;
        local->order[place] = i;
    }
}

status scan_filter_mask(dev_stream *stream, const runtime_filter *filter, const tensor *keys,
                        dev_count count, uint64_t *mask)
{
    if (filter->bitmap)
        return DEV_LAUNCH(stream, filter_bitmap, .type = keys->type, .keys = keys->values,
                          .validity = keys->validity, .count = count, .minimum = filter->range_min,
                          .bits = (uint64_t)filter->range_max - (uint64_t)filter->range_min + 1,
                          .bitmap = filter->bitmap, .out = mask);
    dev_buffer *hashes;
    TRY(dev_alloc(stream->dev, count.bound * sizeof(uint64_t), "scan", &hashes));
    status st = DEV_LAUNCH(stream, hash_values, .type = keys->type, .values = keys->values,
                           .validity = keys->validity, .count = count, .out = hashes->address);
    if (!st)
        st = DEV_LAUNCH(stream, filter_bloom, .hashes = hashes->address, .validity = keys->validity,
                        .count = count, .blocks = filter->bloom,
                        .block_count = filter->bloom_blocks, .out = mask);
    dev_buffer_unref(hashes);
    return st;
}

static status drop_misses(op_scan *op, exec_task *task, scan_local *local,
                          const runtime_filter *filter, uint32_t column)
{
    tensor *selected, *keys = NULL;
    dev_buffer *mask = NULL, *owner = NULL;
    row_index *rows = NULL;
    device *dev = task->stream->dev;
    TRY(scan_selected_column(op, task, local, column, &selected));
    dev_count count = local->count;
    status st = tensor_flatten(task->stream, selected, count, &keys);
    tensor_unref(selected);
    if (!st)
        st = dev_alloc(dev, bitmap_bytes(count.bound), "scan", &mask);
    if (!st)
        st = scan_filter_mask(task->stream, filter, keys, count, mask->address);
    if (!st)
        st = row_index_new(dev, count.bound, &rows);
    if (!st)
        st = dev_words_new(task->stream, 1, &owner);
    if (!st)
        st = DEV_LAUNCH(task->stream, mask_to_index, .mask = mask->address, .count = count,
                        .rows = rows->rows, .out_count = owner->address);
    tensor_unref(keys);
    dev_buffer_unref(mask);
    if (st) {
        row_index_unref(rows);
        dev_buffer_unref(owner);
        return st;
    }
    uint64_t before = count.bound;
    count = (dev_count){count.bound, owner->address};
    dev_count_settle(dev, &count);
    if (!count.actual && count.bound == before) { /* all rows stay */
        row_index_unref(rows);
        dev_buffer_unref(owner);
        return STATUS_OK;
    }
    return scan_filter_narrow(task, local, rows, count, owner);
}

/* It lets nine rows of ten pass. */
static bool scan_filter_is_idle(filter_use *use)
{
    uint64_t seen = atomic_load_explicit(&use->seen, memory_order_relaxed);
    if (seen < TRY_ROWS || atomic_load_explicit(&use->kept, memory_order_relaxed) < seen / 10 * 9)
        return false;
    return atomic_fetch_add_explicit(&use->slices, 1, memory_order_relaxed) % TRY_EVERY;
}

static void count_use(filter_use *use, dev_count before, dev_count after)
{
    if (before.actual || after.actual)
        return;
    atomic_fetch_add_explicit(&use->seen, before.bound, memory_order_relaxed);
    atomic_fetch_add_explicit(&use->kept, after.bound, memory_order_relaxed);
}

static exec_result apply_runtime_filter(op_scan *op, exec_task *task, scan_local *local)
{
    uint32_t number = local->order[local->next_runtime];
    const plan_taken_filter *planned = &op->base.plan->scan.runtime_filters.items[number];
    const runtime_filter *filter = exec_runtime_filter(op->base.query, planned->id);
    filter_use *use = &op->uses[number];
    if (atomic_load_explicit(&filter->is_published, memory_order_acquire) &&
        (filter->bitmap || filter->bloom) && !scan_filter_is_idle(use)) {
        uint32_t column = (uint32_t)plan_column_index(op->base.plan, planned->column_id);
        exec_result result = scan_await_columns(op, task, local, &column, 1);
        if (result != EXEC_FINISHED)
            return result;
        dev_count before = local->count;
        EXEC_TRY(task, drop_misses(op, task, local, filter, column));
        count_use(use, before, local->count);
    }
    local->next_runtime++;
    return EXEC_FINISHED;
}

/* ---- conditions ---- */

static status scan_filter_make_candidate(op_scan *op, exec_task *task, scan_local *local,
                                         const uint32_t *inputs, uint32_t input_count)
{
    TRY(chunk_new(op->column_count, local->count, &local->candidate));
    local->candidate->rows_owner = dev_buffer_ref(local->count_owner);
    for (uint32_t i = 0; i < input_count; i++)
        TRY(scan_selected_column(op, task, local, inputs[i],
                                 &local->candidate->columns[inputs[i]]));
    return STATUS_OK;
}

/* Condition `number` of a program narrows the slice. */
static exec_result apply_condition(op_scan *op, exec_task *task, scan_local *local,
                                   const program *conditions, program_run *run, uint32_t number)
{
    row_index *rows = NULL;
    dev_count count;
    dev_buffer *owner = NULL;
    const uint32_t *inputs;
    uint32_t input_count = program_inputs(conditions, number, &inputs);
    exec_result result = scan_await_columns(op, task, local, inputs, input_count);
    if (result != EXEC_FINISHED)
        return result;
    if (!local->candidate)
        EXEC_TRY(task, scan_filter_make_candidate(op, task, local, inputs, input_count));
    result = program_select(run, number, local->candidate, &rows, &count, &owner);
    if (result != EXEC_FINISHED)
        return result;
    chunk_free(local->candidate);
    local->candidate = NULL;
    if (rows)
        EXEC_TRY(task, scan_filter_narrow(task, local, rows, count, owner));
    return EXEC_FINISHED;
}

static exec_result scan_filter_apply_filter(op_scan *op, exec_task *task, scan_local *local)
{
    exec_result result = EXEC_FINISHED;
    if (!local->is_decided[local->next_filter])
        result = apply_condition(op, task, local, op->program, local->run, local->next_filter);
    local->next_filter += result == EXEC_FINISHED;
    return result;
}

/* Applies the conditions on columns that the cache has in narrow values, before any other column of the slice is needed. */
static exec_result apply_narrow(op_scan *op, exec_task *task, scan_local *local)
{
    row_selection selection = {0};
    dev_buffer *bits = NULL;
    if (local->has_compared)
        return EXEC_FINISHED;
    exec_result result = scan_narrow_select(op, task, local, &selection, &bits);
    if (result != EXEC_FINISHED)
        return result;
    local->has_compared = true;
    status st = STATUS_OK;
    if (selection.rows)
        st =
            scan_filter_narrow(task, local, selection.rows, selection.count, selection.count_owner);
    if (st)
        dev_buffer_unref(bits);
    else
        local->bits = bits;
    EXEC_TRY(task, st);
    return EXEC_FINISHED;
}

/* Applies the bound of the sort above before anything else of the rows is looked at. */
static exec_result apply_bound(op_scan *op, exec_task *task, scan_local *local)
{
    bound_filter *filter = &local->bounds[local->next_bound];
    filter_use *use = &op->uses[op->base.plan->scan.runtime_filters.count + local->next_bound];
    if (!local->candidate)
        EXEC_TRY(task, bound_filter_refresh(filter, &op->bounds[local->next_bound], task));
    if (filter->program && !scan_filter_is_idle(use)) {
        dev_count before = local->count;
        exec_result result = apply_condition(op, task, local, filter->program, filter->run, 0);
        if (result != EXEC_FINISHED)
            return result;
        count_use(use, before, local->count);
    }
    local->next_bound++;
    return EXEC_FINISHED;
}

exec_result scan_filter_slice(op_scan *op, exec_task *task, scan_local *local)
{
    const plan_node *plan = op->base.plan;
    if (!local->has_dropped)
        EXEC_TRY(task, scan_drop_deleted(op, task, local));
    exec_result compared = apply_narrow(op, task, local);
    if (compared != EXEC_FINISHED)
        return compared;
    while (!scan_is_empty(local) && local->next_bound < plan->scan.bounds.count) {
        exec_result result = apply_bound(op, task, local);
        if (result != EXEC_FINISHED)
            return result;
    }
    while (!scan_is_empty(local) && local->next_runtime < plan->scan.runtime_filters.count) {
        exec_result result = apply_runtime_filter(op, task, local);
        if (result != EXEC_FINISHED)
            return result;
    }
    while (!scan_is_empty(local) && local->next_filter < op->filter_count) {
        exec_result result = scan_filter_apply_filter(op, task, local);
        if (result != EXEC_FINISHED)
            return result;
    }
    return EXEC_FINISHED;
}
