/* op_scan.c - the source of a table's rows: takes row groups, filters, decodes what is needed.
 *
 * Tasks take row groups in file order (scan_ahead.h, which also has them read early). A row group
 * goes out in slices of the device's chunk size; for each slice runtime filters and the plan's
 * conditions narrow the selection one after another, and a column is read, decompressed and decoded
 * only when the first slice needs it: a column that no surviving row needs is not even read. Row
 * groups that their statistics exclude are skipped, and so are rows of pages that the page index
 * excludes.
 *
 * On a device that is no host a task takes row groups up to a chunk, whose pages are decoded together
 * (batch.h); rows are numbered through all of them. If the device has not enough memory for a slice,
 * it becomes smaller. */
#include "exec/expression/program.h"
#include "exec/scan/scan_ahead.h"
#include "exec/scan/scan_bound.h"
#include "exec/scan/scan_prune.h"
#include "exec/sched/query.h"
#include "parquet/read/batch.h"

#include <stdio.h>

/* How a runtime filter does. One that drops hardly a row is only tried now and then: on one slice
 * of TRY_EVERY, once it has seen TRY_ROWS. */
typedef struct filter_use {
    _Atomic uint64_t seen, kept; /* rows; on host devices */
    _Atomic uint32_t slices;
} filter_use;
#define TRY_ROWS ((uint64_t)1 << 17)
#define TRY_EVERY 16

typedef struct op_scan {
    exec_operator base;
    filter_use *uses; /* by runtime filter, then by bound */
    bound_use *bounds;
    const pq_table *table;
    program *program; /* the conditions */
    uint32_t column_count, filter_count;
    uint32_t *emitted, emitted_count; /* columns that come out */
    scan_ahead *ahead;
    uint64_t row_bytes; /* of all columns, decoded: an estimate */
} op_scan;

typedef struct scan_local {
    program_run *run;
    bool has_morsel;
    ARRAY(scan_morsel) morsels; /* one, or on a device that is no host those of a chunk */
    size_t next_range;
    uint64_t next_row, range_end; /* of the range at work */
    pq_column **columns;          /* those that were needed in this morsel */

    /* On a device that is no host. */
    pq_batch **batches; /* in place of the columns */
    scan_morsel next;   /* taken, but it is for another chunk */
    bool has_next;
    uint64_t row_limit; /* of a slice, where memory was short; 0: none */

    /* The slice at work. */
    bool has_slice;
    uint64_t first_row, slice_rows;
    tensor **slices;
    row_index *selected; /* rows of the slice; NULL: all */
    dev_count count;
    dev_buffer *count_owner;
    uint32_t next_bound, next_runtime, next_filter;
    bound_filter *bounds; /* as they were when the slice was begun */
    chunk *candidate;     /* what the condition at work sees */
} scan_local;

static void release_slice(const op_scan *op, scan_local *local)
{
    for (uint32_t i = 0; i < op->column_count; i++) {
        tensor_unref(local->slices[i]);
        local->slices[i] = NULL;
    }
    row_index_unref(local->selected);
    local->selected = NULL;
    dev_buffer_unref(local->count_owner);
    local->count_owner = NULL;
    chunk_free(local->candidate);
    local->candidate = NULL;
    local->has_slice = false;
}

static bool is_host(const op_scan *op)
{
    return exec_device(op->base.query)->is_host;
}

/* Its columns are closed. */
static void give_morsel(const op_scan *op, scan_morsel *morsel)
{
    scan_ahead_release(op->ahead, morsel->group_ref, morsel->fetch);
    array_release(&morsel->rows);
}

static void release_morsel(const op_scan *op, scan_local *local)
{
    for (uint32_t i = 0; i < op->column_count; i++) {
        pq_column_close(local->columns[i]);
        local->columns[i] = NULL;
        pq_batch_close(local->batches[i]);
        local->batches[i] = NULL;
    }
    for (size_t i = 0; i < local->morsels.count; i++)
        give_morsel(op, &local->morsels.items[i]);
    local->morsels.count = 0;
    local->next_range = 0;
    local->next_row = local->range_end = 0;
    local->has_morsel = false;
}

static status scan_local_open(exec_operator *base, exec_task *task, void *state)
{
    op_scan *op = (op_scan *)base;
    scan_local *local = state;
    size_t count = op->column_count ? op->column_count : 1;
    local->columns = mem_new_array(count, sizeof *local->columns);
    local->batches = mem_new_array(count, sizeof *local->batches);
    local->slices = mem_new_array(count, sizeof *local->slices);
    local->bounds = mem_new_array(base->plan->scan.bounds.count + 1, sizeof *local->bounds);
    if (!local->columns || !local->batches || !local->slices || !local->bounds)
        return status_no_memory("scan", count * sizeof *local->columns);
    return op->program ? program_run_new(op->program, task, &local->run) : STATUS_OK;
}

static void scan_local_close(exec_operator *base, void *state)
{
    op_scan *op = (op_scan *)base;
    scan_local *local = state;
    if (local->columns && local->batches && local->slices) {
        release_slice(op, local);
        release_morsel(op, local);
    }
    if (local->has_next)
        give_morsel(op, &local->next);
    array_release(&local->morsels);
    mem_free(local->columns);
    mem_free(local->batches);
    mem_free(local->slices);
    for (size_t i = 0; local->bounds && i < base->plan->scan.bounds.count; i++)
        bound_filter_release(&local->bounds[i]);
    mem_free(local->bounds);
    program_run_free(local->run);
}

static void wake(void *task)
{
    exec_wake(task);
}

/* On a lazy device a damaged page is met late: the place is kept as text. */
static status register_location(op_scan *op, pq_row_group_ref group_ref, uint32_t column,
                                uint32_t *out)
{
    char text[512];
    snprintf(text, sizeof text, "file \"%s\", row group %u, column \"%s\"",
             op->table->files.items[group_ref.file].file->path, group_ref.row_group,
             op->base.plan->columns.items[column].name);
    return exec_location_register(op->base.query, text, out);
}

/* Was something built on the range that statistics give for the column? */
static bool is_relied(const plan_node *plan, uint32_t column)
{
    return plan->scan.relied.count && plan->scan.relied.items[column];
}

static void count_read(op_scan *op, uint64_t bytes)
{
    atomic_fetch_add_explicit(&op->base.metrics.bytes_read, bytes, memory_order_relaxed);
}

static status open_batch_of(op_scan *op, exec_task *task, scan_local *local, uint32_t column,
                            pq_batch_part *parts)
{
    uint32_t count = (uint32_t)local->morsels.count;
    for (uint32_t i = 0; i < count; i++) {
        const scan_morsel *m = &local->morsels.items[i];
        parts[i] = (pq_batch_part){m->group_ref, &m->rows, m->fetch, 0};
        TRY(register_location(op, m->group_ref, column, &parts[i].location));
    }
    pq_batch *batch;
    TRY(pq_batch_open(task->stream, op->table, op->base.plan->scan.sources.items[column],
                      (pq_batch_use){.error = task->error,
                                     .check_bounds = is_relied(op->base.plan, column),
                                     .parts = parts,
                                     .part_count = count},
                      &batch));
    local->batches[column] = batch;
    count_read(op, pq_batch_bytes(batch));
    for (uint32_t i = 0; i < count; i++)
        scan_ahead_count(op->ahead, parts[i].group_ref, pq_batch_stored_bytes(batch, i),
                         pq_batch_cached_bytes(batch, i));
    return STATUS_OK;
}

static status open_batch(op_scan *op, exec_task *task, scan_local *local, uint32_t column)
{
    if (local->batches[column])
        return STATUS_OK;
    pq_batch_part *parts = mem_new_array(local->morsels.count, sizeof *parts);
    if (!parts)
        return status_no_memory("scan", local->morsels.count * sizeof *parts);
    status st = open_batch_of(op, task, local, column, parts);
    mem_free(parts);
    return st;
}

/* Starts reading a column of the morsel, unless somebody has. */
static status open_column(op_scan *op, exec_task *task, scan_local *local, uint32_t column)
{
    if (!is_host(op))
        return open_batch(op, task, local, column);
    if (local->columns[column])
        return STATUS_OK;
    const scan_morsel *m = &local->morsels.items[0];
    TRY(pq_column_open(task->stream, op->table, m->group_ref,
                       op->base.plan->scan.sources.items[column],
                       (pq_column_use){.error = task->error,
                                       .check_bounds = is_relied(op->base.plan, column),
                                       .fetch = m->fetch,
                                       .rows = &m->rows},
                       &local->columns[column]));
    const pq_column *opened = local->columns[column];
    count_read(op, pq_column_bytes(opened));
    scan_ahead_count(op->ahead, m->group_ref, pq_column_stored_bytes(opened),
                     pq_column_cached_bytes(opened));
    return STATUS_OK;
}

static bool is_waiting(const scan_local *local, uint32_t column, exec_task *task)
{
    return local->batches[column] ? pq_batch_wait(local->batches[column], wake, task)
                                  : pq_column_wait(local->columns[column], wake, task);
}

/* The column's rows of this slice, borrowed. Its bytes are there. */
static status slice_column(scan_local *local, uint32_t column, tensor **out)
{
    tensor **slice = &local->slices[column];
    uint64_t first = local->first_row, count = local->slice_rows;
    if (!*slice)
        TRY(local->batches[column] ? pq_batch_slice(local->batches[column], first, count, slice)
                                   : pq_column_slice(local->columns[column], first, count, slice));
    *out = *slice;
    return STATUS_OK;
}

/* What there is no memory for is tried with half of the rows: EXEC_NEED_INPUT, the slice is to be
 * begun anew. */
static exec_result decode_columns(exec_task *task, scan_local *local, const uint32_t *columns,
                                  uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        tensor *slice;
        status st = slice_column(local, columns[i], &slice);
        bool is_short = status_get_kind(st) == STATUS_KIND_LIMIT;
        if (is_short && local->slice_rows > SCAN_ROWS_ALIGNMENT) {
            status_free(st);
            local->row_limit = (local->slice_rows / 2 + SCAN_ROWS_ALIGNMENT - 1) /
                               SCAN_ROWS_ALIGNMENT * SCAN_ROWS_ALIGNMENT;
            return EXEC_NEED_INPUT;
        }
        EXEC_TRY(task, st);
    }
    return EXEC_FINISHED;
}

/* These columns are there (EXEC_FINISHED), or the task is woken when the bytes of some are. */
static exec_result await_columns(op_scan *op, exec_task *task, scan_local *local,
                                 const uint32_t *columns, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        EXEC_TRY(task, open_column(op, task, local, columns[i]));
    for (uint32_t i = 0; i < count; i++)
        if (is_waiting(local, columns[i], task))
            return EXEC_WAIT;
    return is_host(op) ? EXEC_FINISHED : decode_columns(task, local, columns, count);
}

/* The column at the selected rows: a reference for the caller. */
static status selected_column(exec_task *task, scan_local *local, uint32_t column, tensor **out)
{
    tensor *slice;
    TRY(slice_column(local, column, &slice));
    if (!local->selected) {
        *out = tensor_ref(slice);
        return STATUS_OK;
    }
    return tensor_new_indexed(task->stream, slice, local->slice_rows, local->selected, local->count,
                              out);
}

/* Takes over the references to rows and owner: rows of the selection so far that stay. */
static status narrow(exec_task *task, scan_local *local, row_index *rows, dev_count count,
                     dev_buffer *owner)
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
    local->selected = composed;
    local->count = count;
    local->count_owner = owner;
    return STATUS_OK;
}

/* ---- runtime filters ---- */

static status filter_mask(exec_task *task, const runtime_filter *filter, const tensor *keys,
                          dev_count count, uint64_t *mask)
{
    if (filter->bitmap)
        return DEV_LAUNCH(task->stream, filter_bitmap, .type = keys->type, .keys = keys->values,
                          .validity = keys->validity, .count = count, .minimum = filter->range_min,
                          .bits = (uint64_t)filter->range_max - (uint64_t)filter->range_min + 1,
                          .bitmap = filter->bitmap, .out = mask);
    dev_buffer *hashes;
    TRY(dev_alloc(task->stream->dev, count.bound * sizeof(uint64_t), "scan", &hashes));
    status st = DEV_LAUNCH(task->stream, hash_values, .type = keys->type, .values = keys->values,
                           .validity = keys->validity, .count = count, .out = hashes->address);
    if (!st)
        st = DEV_LAUNCH(task->stream, filter_bloom, .hashes = hashes->address,
                        .validity = keys->validity, .count = count, .blocks = filter->bloom,
                        .block_count = filter->bloom_blocks, .out = mask);
    dev_buffer_unref(hashes);
    return st;
}

static status drop_misses(exec_task *task, scan_local *local, const runtime_filter *filter,
                          uint32_t column)
{
    tensor *selected, *keys = NULL;
    dev_buffer *mask = NULL, *owner = NULL;
    row_index *rows = NULL;
    device *dev = task->stream->dev;
    TRY(selected_column(task, local, column, &selected));
    dev_count count = local->count;
    status st = tensor_flatten(task->stream, selected, count, &keys);
    tensor_unref(selected);
    if (!st)
        st = dev_alloc(dev, bitmap_bytes(count.bound), "scan", &mask);
    if (!st)
        st = filter_mask(task, filter, keys, count, mask->address);
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
    return narrow(task, local, rows, count, owner);
}

/* It lets nine rows of ten pass. */
static bool is_idle(filter_use *use)
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
    const plan_taken_filter *planned =
        &op->base.plan->scan.runtime_filters.items[local->next_runtime];
    const runtime_filter *filter = exec_runtime_filter(op->base.query, planned->id);
    filter_use *use = &op->uses[local->next_runtime];
    if (atomic_load_explicit(&filter->is_published, memory_order_acquire) &&
        (filter->bitmap || filter->bloom) && !is_idle(use)) {
        uint32_t column = (uint32_t)plan_column_index(op->base.plan, planned->column_id);
        exec_result result = await_columns(op, task, local, &column, 1);
        if (result != EXEC_FINISHED)
            return result;
        dev_count before = local->count;
        EXEC_TRY(task, drop_misses(task, local, filter, column));
        count_use(use, before, local->count);
    }
    local->next_runtime++;
    return EXEC_FINISHED;
}

/* ---- conditions ---- */

static status make_candidate(op_scan *op, exec_task *task, scan_local *local,
                             const uint32_t *inputs, uint32_t input_count)
{
    TRY(chunk_new(op->column_count, local->count, &local->candidate));
    local->candidate->rows_owner = dev_buffer_ref(local->count_owner);
    for (uint32_t i = 0; i < input_count; i++)
        TRY(selected_column(task, local, inputs[i], &local->candidate->columns[inputs[i]]));
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
    exec_result result = await_columns(op, task, local, inputs, input_count);
    if (result != EXEC_FINISHED)
        return result;
    if (!local->candidate)
        EXEC_TRY(task, make_candidate(op, task, local, inputs, input_count));
    result = program_select(run, number, local->candidate, &rows, &count, &owner);
    if (result != EXEC_FINISHED)
        return result;
    chunk_free(local->candidate);
    local->candidate = NULL;
    if (rows)
        EXEC_TRY(task, narrow(task, local, rows, count, owner));
    return EXEC_FINISHED;
}

static exec_result apply_filter(op_scan *op, exec_task *task, scan_local *local)
{
    exec_result result =
        apply_condition(op, task, local, op->program, local->run, local->next_filter);
    local->next_filter += result == EXEC_FINISHED;
    return result;
}

/* What a sort above will not take goes before anything else of the rows is looked at. */
static exec_result apply_bound(op_scan *op, exec_task *task, scan_local *local)
{
    bound_filter *filter = &local->bounds[local->next_bound];
    filter_use *use = &op->uses[op->base.plan->scan.runtime_filters.count + local->next_bound];
    if (!local->candidate)
        EXEC_TRY(task, bound_filter_refresh(filter, &op->bounds[local->next_bound], task));
    if (filter->program && !is_idle(use)) {
        dev_count before = local->count;
        exec_result result = apply_condition(op, task, local, filter->program, filter->run, 0);
        if (result != EXEC_FINISHED)
            return result;
        count_use(use, before, local->count);
    }
    local->next_bound++;
    return EXEC_FINISHED;
}

static bool is_empty(const scan_local *local)
{
    return !local->count.actual && !local->count.bound;
}

/* EXEC_FINISHED: the selection of the slice is what it will be. */
static exec_result filter_slice(op_scan *op, exec_task *task, scan_local *local)
{
    const plan_node *plan = op->base.plan;
    while (!is_empty(local) && local->next_bound < plan->scan.bounds.count) {
        exec_result result = apply_bound(op, task, local);
        if (result != EXEC_FINISHED)
            return result;
    }
    while (!is_empty(local) && local->next_runtime < plan->scan.runtime_filters.count) {
        exec_result result = apply_runtime_filter(op, task, local);
        if (result != EXEC_FINISHED)
            return result;
    }
    while (!is_empty(local) && local->next_filter < op->filter_count) {
        exec_result result = apply_filter(op, task, local);
        if (result != EXEC_FINISHED)
            return result;
    }
    return EXEC_FINISHED;
}

static exec_result emit_slice(op_scan *op, exec_task *task, scan_local *local, chunk **output)
{
    exec_result result = await_columns(op, task, local, op->emitted, op->emitted_count);
    if (result != EXEC_FINISHED)
        return result;
    EXEC_TRY(task, chunk_new(op->column_count, local->count, output));
    (*output)->rows_owner = dev_buffer_ref(local->count_owner);
    status st = STATUS_OK;
    for (uint32_t i = 0; i < op->emitted_count && !st; i++)
        st = selected_column(task, local, op->emitted[i], &(*output)->columns[op->emitted[i]]);
    if (st) {
        chunk_free(*output);
        *output = NULL;
        EXEC_TRY(task, st);
    }
    return EXEC_HAVE_OUTPUT;
}

/* ---- morsels and slices ---- */

/* Of the rows that were left when the morsel was queued, those that runtime filters still leave. */
static status prune_again(op_scan *op, scan_morsel *morsel)
{
    pq_row_list now = {0}, both = {0};
    if (!op->base.plan->scan.runtime_filters.count && !op->base.plan->scan.bounds.count)
        return STATUS_OK;
    status st = scan_prune_pages(op->base.query, op->base.plan, op->table, morsel->group_ref,
                                 SCAN_ROWS_ALIGNMENT, &now);
    if (!st)
        st = pq_rows_intersect(&morsel->rows, &now, &both);
    array_release(&now);
    array_release(st ? &both : &morsel->rows);
    if (!st)
        morsel->rows = both;
    return st;
}

/* The rows of a morsel have been given. What they were made of may have been written meanwhile. */
static status finish_morsel(op_scan *op, scan_local *local)
{
    const file *changed = NULL;
    for (size_t i = 0; i < local->morsels.count; i++) {
        const file *f = op->table->files.items[local->morsels.items[i].group_ref.file].file;
        if (!changed && file_has_changed(f))
            changed = f;
    }
    release_morsel(op, local);
    if (!changed)
        return STATUS_OK;
    return status_hint(
        status_new(STATUS_KIND_CORRUPT, "file \"%s\" changed while it was read", changed->path),
        "run the query again when nobody writes to the file; replace files by renaming");
}

/* The next morsel that has rows (EXEC_HAVE_OUTPUT): the caller's to give back. */
static exec_result take_next(op_scan *op, exec_task *task, scan_morsel *out)
{
    for (;;) {
        exec_result result = scan_ahead_take(op->ahead, task, out);
        if (result != EXEC_HAVE_OUTPUT)
            return result;
        status st = prune_again(op, out);
        if (!st && out->rows.count)
            return EXEC_HAVE_OUTPUT;
        give_morsel(op, out);
        EXEC_TRY(task, st);
    }
}

static uint64_t rows_of(const scan_morsel *morsel)
{
    uint64_t rows = 0;
    for (size_t i = 0; i < morsel->rows.count; i++)
        rows += morsel->rows.items[i].end - morsel->rows.items[i].first;
    return rows;
}

/* Its rows can be in one chunk with those that are there. */
static bool fits(const op_scan *op, const scan_local *local, const scan_morsel *next)
{
    uint32_t file = local->morsels.items[0].group_ref.file, other = next->group_ref.file;
    if (local->range_end + rows_of(next) > exec_device(op->base.query)->chunk_rows)
        return false;
    for (uint32_t i = 0; i < op->column_count && file != other; i++)
        if (!pq_batch_fits(op->table, op->base.plan->scan.sources.items[i], file, other))
            return false;
    return true;
}

static status add_morsel(const op_scan *op, scan_local *local, scan_morsel *next)
{
    status st = array_push(NULL, &local->morsels, *next);
    if (st)
        give_morsel(op, next);
    else
        local->range_end += rows_of(next);
    return st;
}

/* Morsels up to a chunk; rows are numbered through them. May wait in the middle. */
static exec_result take_chunk(op_scan *op, exec_task *task, scan_local *local)
{
    while (!local->morsels.count || local->range_end < exec_device(op->base.query)->chunk_rows) {
        scan_morsel next = local->next;
        exec_result result = local->has_next ? EXEC_HAVE_OUTPUT : take_next(op, task, &next);
        if (result == EXEC_FINISHED)
            break;
        if (result != EXEC_HAVE_OUTPUT)
            return result;
        local->has_next = local->morsels.count && !fits(op, local, &next);
        if (local->has_next) {
            local->next = next;
            break;
        }
        EXEC_TRY(task, add_morsel(op, local, &next));
    }
    return EXEC_FINISHED;
}

/* EXEC_FINISHED: the task has one, or there is none left. */
static exec_result take_morsel(op_scan *op, exec_task *task, scan_local *local)
{
    scan_morsel next;
    if (local->has_morsel)
        return EXEC_FINISHED;
    exec_result result = is_host(op) ? take_next(op, task, &next) : take_chunk(op, task, local);
    if (result == EXEC_HAVE_OUTPUT) {
        status st = array_push(NULL, &local->morsels, next);
        if (st)
            give_morsel(op, &next);
        EXEC_TRY(task, st);
        result = EXEC_FINISHED;
    }
    if (result == EXEC_FINISHED)
        local->has_morsel = local->morsels.count > 0;
    return result;
}

/* The next range of a morsel on a host device; on others there is one, of all rows. */
static void start_range(scan_local *local)
{
    const pq_row_range *range = &local->morsels.items[0].rows.items[local->next_range++];
    local->next_row = range->first;
    local->range_end = range->end;
}

static bool is_over(const op_scan *op, const scan_local *local)
{
    return local->next_row == local->range_end &&
           (!is_host(op) || local->next_range == local->morsels.items[0].rows.count);
}

/* A slice takes at most this part of its task's share of the memory: the operators above make new columns
 * of it, and another one is on its way. */
#define SLICE_MEMORY_PART 4

static uint64_t rows_for_memory(const op_scan *op)
{
    uint64_t limit = mem_budget_limit(exec_device(op->base.query)->budget);
    uint64_t share = limit / exec_thread_count(op->base.query) / SLICE_MEMORY_PART;
    return limit ? share / op->row_bytes : UINT64_MAX / 2;
}

static void start_slice(const op_scan *op, scan_local *local)
{
    uint64_t rows = exec_device(op->base.query)->chunk_rows;
    if (!is_host(op) && rows_for_memory(op) < rows)
        rows = rows_for_memory(op);
    rows = rows / SCAN_ROWS_ALIGNMENT * SCAN_ROWS_ALIGNMENT +
           (rows % SCAN_ROWS_ALIGNMENT || !rows ? SCAN_ROWS_ALIGNMENT : 0);
    if (local->row_limit && local->row_limit < rows)
        rows = local->row_limit;
    if (local->next_row == local->range_end)
        start_range(local);
    uint64_t left = local->range_end - local->next_row;
    local->first_row = local->next_row;
    local->slice_rows = left < rows ? left : rows;
    local->next_row += local->slice_rows;
    local->count = dev_count_exact(local->slice_rows);
    local->next_bound = local->next_runtime = local->next_filter = 0;
    local->has_slice = true;
}

/* There was no memory for it: a smaller one from the same row on, once the device has given back what
 * this one had. */
static status start_slice_again(const op_scan *op, exec_task *task, scan_local *local)
{
    release_slice(op, local);
    for (uint32_t i = 0; i < op->column_count; i++)
        if (local->batches[i])
            pq_batch_drop(local->batches[i]);
    local->next_row = local->first_row;
    TRY(dev_stream_await(task->stream));
    start_slice(op, local);
    return STATUS_OK;
}

static exec_result scan_pull(exec_operator *base, exec_task *task, void *state, chunk **output)
{
    op_scan *op = (op_scan *)base;
    scan_local *local = state;
    for (;;) {
        if (!local->has_slice) {
            if (local->has_morsel && is_over(op, local))
                EXEC_TRY(task, finish_morsel(op, local));
            exec_result taken = take_morsel(op, task, local);
            if (taken != EXEC_FINISHED || !local->has_morsel)
                return taken;
            start_slice(op, local);
        }
        exec_result result = filter_slice(op, task, local);
        if (result == EXEC_FINISHED && !is_empty(local))
            result = emit_slice(op, task, local, output);
        if (result == EXEC_NEED_INPUT) {
            EXEC_TRY(task, start_slice_again(op, task, local));
            continue;
        }
        if (result != EXEC_FINISHED) {
            if (result == EXEC_HAVE_OUTPUT)
                release_slice(op, local);
            return result;
        }
        release_slice(op, local);
        if (exec_is_cancelled(task->query))
            return EXEC_FINISHED;
    }
}

static void scan_close(exec_operator *base)
{
    op_scan *op = (op_scan *)base;
    scan_ahead_free(op->ahead);
    program_free(op->program);
    mem_free(op->emitted);
    mem_free(op->uses);
    mem_free(op);
}

static const exec_operator_ops scan_ops = {
    .name = "scan",
    .local_bytes = sizeof(scan_local),
    .local_open = scan_local_open,
    .local_close = scan_local_close,
    .pull = scan_pull,
    .close = scan_close,
};

static status list_emitted(op_scan *op)
{
    const plan_node *plan = op->base.plan;
    op->emitted = mem_new_array(op->column_count ? op->column_count : 1, sizeof *op->emitted);
    if (!op->emitted)
        return status_no_memory("scan", op->column_count * sizeof *op->emitted);
    for (uint32_t i = 0; i < op->column_count; i++)
        if (!plan->scan.filter_only.count || !plan->scan.filter_only.items[i])
            op->emitted[op->emitted_count++] = i;
    return STATUS_OK;
}

/* A row's values, and of texts what their bytes take, were they compressed to a half. */
static uint64_t decoded_row_bytes(const op_scan *op, uint64_t stored_bytes)
{
    uint64_t rows = op->table->row_count, bytes = 1;
    for (uint32_t i = 0; i < op->column_count; i++)
        bytes += op->base.plan->columns.items[i].type.width;
    return bytes + (rows ? 2 * stored_bytes / rows : 0);
}

status op_scan_open(exec_query *query, const plan_node *plan, exec_operator **out)
{
    *out = NULL;
    for (size_t i = 0; i < plan->scan.sources.count; i++)
        TRY(pq_table_check_column(plan->scan.table, plan->scan.sources.items[i]));
    op_scan *op = mem_new(sizeof *op);
    if (!op)
        return status_no_memory("scan", sizeof *op);
    op->base = (exec_operator){.ops = &scan_ops, .query = query, .plan = plan};
    op->table = plan->scan.table;
    op->column_count = (uint32_t)plan->columns.count;
    op->filter_count = (uint32_t)plan->scan.filters.count;
    size_t filters = plan->scan.runtime_filters.count + plan->scan.bounds.count;
    op->uses = mem_new_array(filters ? filters : 1, sizeof *op->uses);
    status st = op->uses ? STATUS_OK : status_no_memory("scan", filters * sizeof *op->uses);
    if (!st)
        st = scan_bound_uses(query, plan, &op->bounds);
    if (!st)
        st = list_emitted(op);
    if (!st && op->filter_count)
        st = program_compile((const expr *const *)plan->scan.filters.items, op->filter_count,
                             (exec_layout){op->column_count, plan->columns.items}, &op->program);
    if (!st)
        st = scan_ahead_new(query, plan, plan->scan.sources.items, op->column_count, &op->ahead);
    if (st) {
        scan_close(&op->base);
        return st;
    }
    uint64_t bytes = 0;
    for (size_t i = 0; i < op->table->row_groups.count; i++)
        bytes += scan_ahead_row_group_bytes(op->ahead, op->table->row_groups.items[i]);
    query->reads->bytes_total += bytes;
    op->row_bytes = decoded_row_bytes(op, bytes);
    *out = &op->base;
    return STATUS_OK;
}
