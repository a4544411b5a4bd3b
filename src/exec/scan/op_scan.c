/* op_scan.c - the source of a table's rows: takes row groups, filters, decodes what is needed.
 *
 * Tasks take row groups in file order (scan_ahead.h, which also has them read early). A row group
 * goes out in slices of the device's chunk size; for each slice runtime filters and the plan's
 * conditions narrow the selection one after another, and a column is read, decompressed and decoded
 * only when the first slice needs it: a column that no surviving row needs is not even read. Row
 * groups that their statistics exclude are skipped, and so are rows of pages that the page index
 * excludes.
 *
 * On a lazy device a task takes row groups up to a chunk, whose pages are decoded together
 * (batch.h); rows are numbered through all of them. If the device has not enough memory for a slice,
 * it becomes smaller. */
#include "exec/scan/op_scan.h"

#include "device/chunk.h"
#include "exec/expression/program_compile.h"
#include "exec/expression/program_run.h"
#include "exec/scan/scan_columns.h"
#include "exec/scan/scan_filter.h"
#include "exec/scan/scan_narrow.h"
#include "exec/scan/scan_nested.h"
#include "exec/scan/scan_prune.h"

static void release_slice(const op_scan *op, scan_local *local)
{
    for (uint32_t i = 0; i < op->column_count; i++) {
        tensor_unref(local->slices[i]);
        local->slices[i] = NULL;
        local->is_cached[i] = false;
    }
    row_index_unref(local->selected);
    local->selected = NULL;
    dev_buffer_unref(local->bits);
    local->bits = NULL;
    dev_buffer_unref(local->count_owner);
    local->count_owner = NULL;
    chunk_free(local->candidate);
    local->candidate = NULL;
    local->has_slice = false;
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
        pq_nested_close(local->nested[i]);
        local->nested[i] = NULL;
        local->columns[i] = NULL;
        pq_batch_close(local->batches[i]);
        local->batches[i] = NULL;
        mem_free(local->keepers[i]);
        local->keepers[i] = NULL;
        local->constants[i] = NULL;
        column_cache_close(local->cached[i]);
        local->cached[i] = NULL;
        local->is_asked[i] = false;
    }
    for (size_t i = 0; i < local->morsels.count; i++)
        give_morsel(op, &local->morsels.items[i]);
    local->morsels.count = 0;
    local->next_range = 0;
    local->next_row = local->range_end = 0;
    local->has_morsel = local->has_started = false;
}

static status scan_local_open(exec_operator *base, exec_task *task, void *state)
{
    op_scan *op = (op_scan *)base;
    scan_local *local = state;
    size_t count = op->column_count ? op->column_count : 1;
    local->task = task;
    local->columns = mem_new_array(count, sizeof *local->columns);
    local->nested = mem_new_array(count, sizeof *local->nested);
    local->batches = mem_new_array(count, sizeof *local->batches);
    local->keepers = mem_new_array(count, sizeof *local->keepers);
    local->constants = mem_new_array(count, sizeof *local->constants);
    local->cached = mem_new_array(count, sizeof *local->cached);
    local->is_asked = mem_new_array(2 * count, sizeof *local->is_asked);
    local->is_cached = local->is_asked ? local->is_asked + count : NULL;
    local->slices = mem_new_array(count, sizeof *local->slices);
    local->is_decided = mem_new_array(op->filter_count + 1, sizeof *local->is_decided);
    local->bounds = mem_new_array(base->plan->scan.bounds.count + 1, sizeof *local->bounds);
    local->order = mem_new_array(base->plan->scan.runtime_filters.count + 1, sizeof *local->order);
    local->worths =
        mem_new_array(base->plan->scan.runtime_filters.count + 1, sizeof *local->worths);
    if (!local->columns || !local->nested || !local->batches || !local->keepers ||
        !local->constants || !local->cached || !local->is_asked || !local->slices ||
        !local->is_decided || !local->bounds || !local->order || !local->worths)
        return status_no_memory("scan", count * sizeof *local->columns);
    local->host.dev = dev_host(task->stream->dev);
    return op->program ? program_run_new(op->program, task, &local->run) : STATUS_OK;
}

static void scan_local_close(exec_operator *base, void *state)
{
    op_scan *op = (op_scan *)base;
    scan_local *local = state;
    if (local->columns && local->nested && local->batches && local->keepers && local->constants &&
        local->cached && local->is_asked && local->slices) {
        release_slice(op, local);
        release_morsel(op, local);
    }
    if (local->has_next)
        give_morsel(op, &local->next);
    scan_ahead_end_stretch(op->ahead, local->task);
    array_release(&local->morsels);
    mem_free(local->columns);
    mem_free(local->nested);
    mem_free(local->batches);
    mem_free(local->keepers);
    mem_free(local->constants);
    mem_free(local->cached);
    mem_free(local->is_asked);
    mem_free(local->slices);
    mem_free(local->is_decided);
    for (size_t i = 0; local->bounds && i < base->plan->scan.bounds.count; i++)
        bound_filter_release(&local->bounds[i]);
    mem_free(local->bounds);
    mem_free(local->order);
    mem_free(local->worths);
    program_run_free(local->run);
}

/* Makes a column of the rows that stay, NARROW if that is taken and the cache has numbers of it. */
static status emit_column(op_scan *op, exec_task *task, scan_local *local, uint32_t column,
                          tensor **out)
{
    const bool *may_be_narrow = op->base.narrow_columns;
    *out = NULL;
    if (may_be_narrow && may_be_narrow[column] && local->is_cached[column] && !local->selected)
        TRY(column_cache_narrow(local->cached[column], local->first_row, local->slice_rows, out));
    if (*out && !(*out)->base)
        return STATUS_OK;
    tensor_unref(*out);
    return scan_selected_column(op, task, local, column, out);
}

static exec_result emit_slice(op_scan *op, exec_task *task, scan_local *local, chunk **output)
{
    exec_result result = scan_await_columns(op, task, local, op->emitted, op->emitted_count);
    if (result != EXEC_FINISHED)
        return result;
    EXEC_TRY(task, chunk_new(op->column_count, local->count, output));
    (*output)->rows_owner = dev_buffer_ref(local->count_owner);
    status st = STATUS_OK;
    for (uint32_t i = 0; i < op->emitted_count && !st; i++)
        st = emit_column(op, task, local, op->emitted[i], &(*output)->columns[op->emitted[i]]);
    if (st) {
        chunk_free(*output);
        *output = NULL;
        EXEC_TRY(task, st);
    }
    return EXEC_HAVE_OUTPUT;
}

/* ---- morsels and slices ---- */

/* Leaves, of the rows that were left when the morsel was queued, those that runtime filters still leave. */
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

/* The next morsel that has rows (EXEC_HAVE_OUTPUT), the caller's to give back; or none is left, or wanted. */
static exec_result take_next(op_scan *op, exec_task *task, const scan_local *local,
                             scan_morsel *out)
{
    for (;;) {
        exec_result result = scan_ahead_take(op->ahead, task, out);
        if (result != EXEC_HAVE_OUTPUT)
            return result;
        if (!exec_turn_begin(task, out->turn)) {
            give_morsel(op, out);
            return EXEC_FINISHED;
        }
        status st = prune_again(op, out);
        if (!st && out->rows.count)
            return EXEC_HAVE_OUTPUT;
        give_morsel(op, out);
        EXEC_TRY(task, st);
        /* A stretch of which nothing is left ends here: not the scan, when the next rows are another stretch's. */
        if (!local->morsels.count && !scan_is_host(op))
            scan_ahead_end_stretch(op->ahead, task);
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
    if (op->has_packed || local->range_end + rows_of(next) > scan_ahead_chunk_rows(op->ahead))
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

/* Morsels of a stretch, up to a chunk; rows are numbered through them. May wait in the middle. */
static exec_result take_stretch(op_scan *op, exec_task *task, scan_local *local)
{
    while (!local->morsels.count || local->range_end < scan_ahead_chunk_rows(op->ahead)) {
        scan_morsel next = local->next;
        exec_result result = local->has_next ? EXEC_HAVE_OUTPUT : take_next(op, task, local, &next);
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

static exec_result take_chunk(op_scan *op, exec_task *task, scan_local *local)
{
    exec_result result = take_stretch(op, task, local);
    if (result != EXEC_WAIT)
        scan_ahead_end_stretch(op->ahead, task);
    return result;
}

/* EXEC_FINISHED: the task has one, or there is none left. */
static exec_result take_morsel(op_scan *op, exec_task *task, scan_local *local)
{
    scan_morsel next;
    if (local->has_morsel)
        return EXEC_FINISHED;
    exec_result result =
        scan_is_host(op) ? take_next(op, task, local, &next) : take_chunk(op, task, local);
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
           (!scan_is_host(op) || local->next_range == local->morsels.items[0].rows.count);
}

/* A slice takes at most this part of its task's share of the memory: the operators above make new columns
 * of it, and another one is on its way. */
#define SLICE_MEMORY_PART 4

static uint64_t rows_for_memory(const op_scan *op)
{
    uint64_t limit = mem_budget_limit(exec_device(op->base.query)->budget);
    uint64_t share = limit / exec_task_count(op->base.query) / SLICE_MEMORY_PART;
    return limit ? share / op->row_bytes : UINT64_MAX / 2;
}

/* Rows of a task's first slice where few may be enough; each one after it has twice as many. */
#define START_ROWS 256

/* A sort with a limit says what it does not want as soon as it has rows; and who wants any few rows has them
 * in the first slices. */
static bool is_starting(const op_scan *op)
{
    const plan_node *plan = op->base.plan;
    if (!scan_is_host(op))
        return false;
    return plan->scan.is_stopped_early ||
           (plan->scan.bounds.count && !runtime_bound_version(op->bounds[0].bound));
}

static uint64_t slice_rows(const op_scan *op, scan_local *local)
{
    uint64_t rows = scan_ahead_chunk_rows(op->ahead);
    if (local->start_rows >= rows || !is_starting(op))
        return rows;
    local->start_rows = local->start_rows ? 2 * local->start_rows : START_ROWS;
    return local->start_rows < rows ? local->start_rows : rows;
}

static void start_slice(const op_scan *op, scan_local *local)
{
    uint64_t rows = slice_rows(op, local);
    uint64_t most = scan_is_host(op) ? scan_nested_rows_most(op->base.plan, op->table,
                                                             local->morsels.items[0].group_ref)
                                     : rows_for_memory(op);
    rows = most < rows ? most : rows;
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
    local->has_dropped = local->has_compared = false;
    scan_order_filters(op, local);
    local->has_slice = true;
}

/* Readers of columns that are packed do not go back: they are opened anew. */
static void close_packed(const op_scan *op, scan_local *local)
{
    for (uint32_t i = 0; i < op->column_count; i++)
        if (op->is_packed[i]) {
            pq_nested_close(local->nested[i]);
            local->nested[i] = NULL;
        }
}

/* Starts again without memory for the slice: with a smaller one from the same row on, once the device has given back
 * what this one had. */
static status start_slice_again(const op_scan *op, exec_task *task, scan_local *local)
{
    release_slice(op, local);
    for (uint32_t i = 0; i < op->column_count; i++)
        if (local->batches[i])
            pq_batch_drop(local->batches[i]);
    close_packed(op, local);
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
        exec_result result = scan_filter_slice(op, task, local);
        if (result == EXEC_FINISHED && !scan_is_empty(local))
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
    mem_free(op->narrow_uses);
    mem_free(op->is_packed);
    mem_free(op->emitted);
    mem_free(op->stored);
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

static status list_stored(op_scan *op)
{
    const plan_node *plan = op->base.plan;
    op->stored = mem_new_array(op->column_count ? op->column_count : 1, sizeof *op->stored);
    if (!op->stored)
        return status_no_memory("scan", op->column_count * sizeof *op->stored);
    for (uint32_t i = 0; i < op->column_count; i++)
        if (op->table->columns.items[plan->scan.sources.items[i]].key < 0)
            op->stored[op->stored_count++] = plan->scan.sources.items[i];
    return STATUS_OK;
}

static status find_packed(op_scan *op)
{
    const plan_node *plan = op->base.plan;
    TRY(scan_nested_find(plan, op->table, &op->is_packed));
    for (uint32_t i = 0; i < op->column_count; i++) {
        op->has_packed |= op->is_packed[i];
        assert(scan_is_host(op) || !type_is_nested(plan->columns.items[i].type));
    }
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

static void count_files(op_scan *op)
{
    exec_metrics *metrics = &op->base.metrics;
    atomic_fetch_add_explicit(&metrics->files, op->table->file_total, memory_order_relaxed);
    if (!op->table->is_schema_only)
        atomic_fetch_add_explicit(&metrics->files_opened, op->table->files.count,
                                  memory_order_relaxed);
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
    size_t filters = plan->scan.runtime_filters.count + plan->scan.bounds.count;
    op->uses = mem_new_array(filters ? filters : 1, sizeof *op->uses);
    status st = op->uses ? STATUS_OK : status_no_memory("scan", filters * sizeof *op->uses);
    if (!st)
        st = scan_bound_uses(query, plan, &op->bounds);
    if (!st)
        st = find_packed(op);
    if (!st)
        st = list_emitted(op);
    if (!st)
        st = list_stored(op);
    if (!st && plan->scan.filters.count)
        st = program_compile_conditions((const expr *const *)plan->scan.filters.items,
                                        (uint32_t)plan->scan.filters.count,
                                        (exec_layout){op->column_count, plan->columns.items},
                                        query->dev, &op->program, &op->filter_count);
    if (!st)
        st = scan_narrow_uses(op);
    if (!st)
        st = scan_ahead_new(query, plan, op->stored, op->stored_count, &op->ahead);
    if (st) {
        scan_close(&op->base);
        return st;
    }
    op->table = scan_ahead_table(op->ahead);
    scan_ahead_count_in(op->ahead, &op->base.metrics);
    uint64_t bytes = scan_ahead_bytes(op->ahead);
    query->reads->bytes_total += bytes;
    if (op->table->hive.keys.count || op->table->given)
        count_files(op);
    op->row_bytes = decoded_row_bytes(op, bytes);
    *out = &op->base;
    return STATUS_OK;
}
