/* scan_columns.c - a scan's columns: opened when something needs them, sliced, selected.
 *
 * A column is read, decompressed and decoded only when the first slice needs it: one that no surviving
 * row needs is not even read. On a lazy device the pages of a chunk's row groups are decoded
 * together (batch.h). */
#include "exec/scan/scan_columns.h"

#include "exec/scan/op_scan.h"
#include "exec/scan/scan_nested.h"
#include "exec/scan/stored_values.h"
#include "parquet/read/stored.h"

#include "base/trace/trace.h"

#include <stdio.h>

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

static void count_cached(op_scan *op, uint64_t rows, column_cache_gain gain)
{
    exec_metrics *metrics = &op->base.metrics;
    atomic_fetch_add_explicit(&metrics->values_cached, rows, memory_order_relaxed);
    atomic_fetch_add_explicit(&metrics->bytes_cached, gain.bytes, memory_order_relaxed);
    atomic_fetch_add_explicit(&metrics->nanoseconds_saved, gain.nanoseconds, memory_order_relaxed);
}

static uint64_t rows_of(const pq_row_list *rows)
{
    uint64_t count = 0;
    for (size_t i = 0; i < rows->count; i++)
        count += rows->items[i].end - rows->items[i].first;
    return count;
}

/* Names the column chunks of a batch's parts for what is looked up, and for what is kept of them. */
static status name_parts(op_scan *op, exec_task *task, scan_local *local, uint32_t column)
{
    uint32_t source = op->base.plan->scan.sources.items[column];
    if (!op->base.query->reads->stored.cache)
        return STATUS_OK;
    TRY(stored_keeper_new(op->base.query->reads->stored, (uint32_t)local->morsels.count,
                          &local->keepers[column]));
    stored_keeper *keeper = local->keepers[column];
    for (uint32_t i = 0; i < keeper->part_count; i++) {
        column_key *key = &keeper->keys[i];
        if (!column_key_of(op->table, local->morsels.items[i].group_ref, source, key))
            *key = (column_key){0};
        key->ignores_checksums = task->query->statement->ignores_checksums;
        key->replaces_text = task->query->statement->replaces_text;
    }
    return STATUS_OK;
}

/* Takes the pages of a batch's part from the device's cache, if that has them. */
static status find_stored(op_scan *op, const column_key *key, pq_batch_part *part)
{
    if (!key->path)
        return STATUS_OK;
    TRY(stored_cache_find(op->base.query->reads->stored, key, part->rows, &part->stored));
    if (part->stored)
        count_cached(op, rows_of(part->rows), (column_cache_gain){part->stored->bytes, 0});
    return STATUS_OK;
}

static status find_all_stored(op_scan *op, const scan_local *local, uint32_t column,
                              pq_batch_part *parts)
{
    const stored_keeper *keeper = local->keepers[column];
    status st = STATUS_OK;
    for (uint32_t i = 0; keeper && i < keeper->part_count && !st; i++)
        st = find_stored(op, &keeper->keys[i], &parts[i]);
    for (uint32_t i = 0; keeper && i < keeper->part_count && st; i++)
        pq_stored_column_free(parts[i].stored);
    return st;
}

/* Opens the batch of values that the device keeps, if it has them all. */
static status open_kept(op_scan *op, exec_task *task, scan_local *local, uint32_t column,
                        const pq_batch_part *parts)
{
    const pq_table_column *described =
        &op->table->columns.items[op->base.plan->scan.sources.items[column]];
    const stored_keeper *keeper = local->keepers[column];
    stored_bounds bounds = {is_relied(op->base.plan, column), (int64_t)described->min,
                            (int64_t)described->max};
    pq_kept_rows kept;
    if (!keeper)
        return STATUS_OK;
    TRY(stored_values_find(keeper->use, keeper->keys, parts, keeper->part_count, bounds, &kept));
    if (!kept.values)
        return STATUS_OK;
    count_cached(op, local->range_end, (column_cache_gain){kept.bytes, 0});
    return pq_batch_open_kept(task->stream, &kept, &local->batches[column]);
}

static status open_batch_of(op_scan *op, exec_task *task, scan_local *local, uint32_t column,
                            pq_batch_part *parts)
{
    uint32_t count = (uint32_t)local->morsels.count;
    for (uint32_t i = 0; i < count; i++) {
        const scan_morsel *m = &local->morsels.items[i];
        parts[i] = (pq_batch_part){m->group_ref, &m->rows, m->fetch, 0, NULL};
    }
    TRY(name_parts(op, task, local, column));
    TRY(open_kept(op, task, local, column, parts));
    if (local->batches[column])
        return STATUS_OK;
    for (uint32_t i = 0; i < count; i++)
        TRY(register_location(op, parts[i].group_ref, column, &parts[i].location));
    TRY(find_all_stored(op, local, column, parts));
    pq_batch *batch;
    stored_keeper *keeper = local->keepers[column];
    TRY(pq_batch_open(task->stream, op->table, op->base.plan->scan.sources.items[column],
                      (pq_batch_use){.error = task->error,
                                     .check_bounds = is_relied(op->base.plan, column),
                                     .replaces_text = task->query->statement->replaces_text,
                                     .ignores_checksums = task->query->statement->ignores_checksums,
                                     .parts = parts,
                                     .part_count = count,
                                     .keeper = {keeper ? stored_keeper_keep : NULL,
                                                keeper ? stored_values_keep : NULL, keeper}},
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

/* Counts the time since then as that of decoding. Returns it, in nanoseconds. */
static uint64_t count_decoding(op_scan *op, uint64_t since)
{
    uint64_t nanoseconds = trace_now() - since;
    atomic_fetch_add_explicit(&op->base.metrics.nanoseconds_decoding, nanoseconds,
                              memory_order_relaxed);
    return nanoseconds;
}

static status open_nested(op_scan *op, exec_task *task, scan_local *local, uint32_t column,
                          pq_column_use use)
{
    pq_row_group_ref ref = local->morsels.items[0].group_ref;
    uint32_t source = op->base.plan->scan.sources.items[column];
    dev_stream *stream = op->is_packed[column] ? &local->host : task->stream;
    TRY(pq_nested_open(stream, op->table, ref, source, use, &local->nested[column]));
    const pq_nested_column *opened = local->nested[column];
    count_read(op, pq_nested_bytes(opened));
    scan_ahead_count(op->ahead, ref, pq_nested_stored_bytes(opened),
                     pq_nested_cached_bytes(opened));
    return STATUS_OK;
}

/* Starts reading a column of the morsel, unless somebody has or its file has one value for all rows. */
static status open_column(op_scan *op, exec_task *task, scan_local *local, uint32_t column)
{
    const scan_morsel *m = &local->morsels.items[0];
    uint32_t source = op->base.plan->scan.sources.items[column];
    local->constants[column] = pq_table_constant(op->table, m->group_ref.file, source);
    if (local->constants[column])
        return STATUS_OK;
    if (!scan_is_host(op) && !op->is_packed[column])
        return open_batch(op, task, local, column);
    if (local->columns[column] || local->nested[column])
        return STATUS_OK;
    const pq_column_use use = {.error = op->is_packed[column] ? &local->host_error : task->error,
                               .check_bounds = is_relied(op->base.plan, column),
                               .replaces_text = task->query->statement->replaces_text,
                               .ignores_checksums = task->query->statement->ignores_checksums,
                               .fetch = m->fetch,
                               .rows = &m->rows,
                               .leaves = scan_read_leaves(op->base.plan, source)};
    if (type_is_nested(op->table->columns.items[source].type))
        return open_nested(op, task, local, column, use);
    uint64_t since = trace_now();
    TRY(pq_column_open(task->stream, op->table, m->group_ref, source, use,
                       &local->columns[column]));
    count_decoding(op, since);
    const pq_column *opened = local->columns[column];
    count_read(op, pq_column_bytes(opened));
    scan_ahead_count(op->ahead, m->group_ref, pq_column_stored_bytes(opened),
                     pq_column_cached_bytes(opened));
    return STATUS_OK;
}

/* ---- the column cache ---- */

/* Asks the cache for the morsel's column, once. */
static status open_cached(op_scan *op, exec_task *task, scan_local *local, uint32_t column)
{
    column_key key;
    uint32_t source = op->base.plan->scan.sources.items[column];
    if (local->is_asked[column])
        return STATUS_OK;
    local->is_asked[column] = true;
    if (pq_table_constant(op->table, local->morsels.items[0].group_ref.file, source) ||
        !column_key_of(op->table, local->morsels.items[0].group_ref, source, &key))
        return STATUS_OK;
    key.replaces_text = task->query->statement->replaces_text;
    key.ignores_checksums = task->query->statement->ignores_checksums;
    return column_cache_open(&key, op->base.query->reads->cache, &local->cached[column]);
}

status scan_look_in_cache(op_scan *op, exec_task *task, scan_local *local, uint32_t column)
{
    if (local->slices[column] || local->is_cached[column] ||
        !op->base.query->reads->cache.limit_bytes)
        return STATUS_OK;
    TRY(open_cached(op, task, local, column));
    if (!local->cached[column])
        return STATUS_OK;
    const pq_table_column *described =
        &op->table->columns.items[op->base.plan->scan.sources.items[column]];
    const int128 range[] = {described->min, described->max};
    column_cache_gain gain;
    local->is_cached[column] =
        column_cache_covers(local->cached[column], local->first_row, local->slice_rows,
                            is_relied(op->base.plan, column) ? range : NULL, &gain);
    if (local->is_cached[column])
        count_cached(op, local->slice_rows, gain);
    return STATUS_OK;
}

/* Rows of the slices with which a scan begins that may be stopped early: too few to keep. */
static bool is_first_look(const exec_task *task, const scan_local *local)
{
    return local->start_rows && local->start_rows < task->stream->dev->chunk_rows;
}

/* Decodes the slice's rows, and gives them to the cache if that waits for them. */
static status decode_column(op_scan *op, exec_task *task, scan_local *local, uint32_t column,
                            tensor **out)
{
    cached_column *cached = local->cached[column];
    uint64_t first = local->first_row, count = local->slice_rows, since = trace_now();
    TRY(local->nested[column] ? pq_nested_slice(local->nested[column], first, count, out)
                              : pq_column_slice(local->columns[column], first, count, out));
    uint64_t nanoseconds = count_decoding(op, since);
    if (local->nested[column] || !cached || is_first_look(task, local))
        return STATUS_OK;
    status st =
        column_cache_add(cached, task->query->reads->cache, first, count, *out, nanoseconds);
    if (st) {
        tensor_unref(*out);
        *out = NULL;
    }
    return st;
}

static bool is_waiting(const scan_local *local, uint32_t column, exec_task *task)
{
    if (local->constants[column] || local->is_cached[column] || local->slices[column])
        return false;
    if (local->nested[column])
        return pq_nested_wait(local->nested[column], wake, task);
    return local->batches[column] ? pq_batch_wait(local->batches[column], wake, task)
                                  : pq_column_wait(local->columns[column], wake, task);
}

/* Packs the slice's rows of a nested column. On a lazy device they are numbered through the ranges of its one morsel. */
static status pack_column(exec_task *task, scan_local *local, uint32_t column, tensor **out)
{
    bool is_host = task->stream->dev->is_host;
    assert(local->morsels.count == 1);
    return scan_nested_slice(
        task, &local->host,
        &(scan_nested_rows){.column = local->nested[column],
                            .ranges = is_host ? NULL : &local->morsels.items[0].rows,
                            .first = local->first_row,
                            .count = local->slice_rows},
        out);
}

/* The column's rows of this slice, borrowed. Its bytes are there. */
static status slice_column(op_scan *op, exec_task *task, scan_local *local, uint32_t column,
                           tensor **out)
{
    tensor **slice = &local->slices[column];
    uint64_t first = local->first_row, count = local->slice_rows;
    if (!*slice && op->is_packed[column])
        TRY(pack_column(task, local, column, slice));
    else if (!*slice && local->constants[column])
        TRY(tensor_new_constant(task->stream, local->constants[column], slice));
    else if (!*slice && local->is_cached[column])
        TRY(column_cache_slice(local->cached[column], task->stream, first, count, slice));
    else if (!*slice)
        TRY(local->batches[column] ? pq_batch_slice(local->batches[column], first, count, slice)
                                   : decode_column(op, task, local, column, slice));
    *out = *slice;
    return STATUS_OK;
}

/* Returns the bytes that the pages of a row group take as their columns are decoded: those that have a slice are left
 * out. */
static uint64_t pages_bytes(const op_scan *op, const pq_row_group *group, tensor *const *slices)
{
    uint64_t bytes = 0, most = 0;
    for (uint32_t i = 0; i < op->column_count; i++) {
        const pq_table_column *source =
            &op->table->columns.items[op->base.plan->scan.sources.items[i]];
        if (source->key >= 0 || (slices && slices[i]))
            continue;
        const pq_column_chunk *chunk = &group->chunks[source->leaf];
        uint64_t pages = chunk->compressed_bytes + chunk->uncompressed_bytes;
        uint64_t values = group->row_count * source->type.width;
        if (chunk->has_dictionary && chunk->uncompressed_bytes < values)
            values = group->row_count * sizeof(uint32_t);
        for (uint32_t k = 1; k < source->leaf_count; k++)
            pages += chunk[k].compressed_bytes + chunk[k].uncompressed_bytes;
        bytes += values + group->row_count / 8;
        most = pages > most ? pages : most;
    }
    return bytes + most;
}

static const pq_row_group *row_group_of(const op_scan *op, pq_row_group_ref ref)
{
    return &op->table->files.items[ref.file].metadata->row_groups[ref.row_group];
}

/* With what limit the slice would have been decoded, beside what is in use; and no less than each scan of
 * the query takes alone. A quarter more is for rows on their way. */
static uint64_t least_limit(const op_scan *op, const scan_local *local)
{
    const exec_query *query = op->base.query;
    uint64_t least =
        mem_budget_used(exec_device(query)->budget) +
        pages_bytes(op, row_group_of(op, local->morsels.items[0].group_ref), local->slices);
    for (size_t i = 0; i < query->stages.count; i++) {
        const op_scan *other = (const op_scan *)query->stages.items[i]->source;
        if (!other || other->base.ops != op->base.ops || !other->table->files.count)
            continue;
        const pq_metadata *metadata = other->table->files.items[0].metadata;
        if (!metadata || !metadata->row_group_count)
            continue;
        uint64_t alone = pages_bytes(other, row_group_of(other, (pq_row_group_ref){0}), NULL);
        least = alone > least ? alone : least;
    }
    return least + least / 4;
}

static status no_memory(const op_scan *op, const scan_local *local, status st)
{
    uint64_t least = least_limit(op, local);
    uint64_t limit = mem_budget_limit(exec_device(op->base.query)->budget);
    if (!limit || least <= limit) /* it was another memory */
        return st;
    return status_hint(st,
                       "SET device_memory_limit to more: pages are decoded whole, and those of the "
                       "query's scans take %llu bytes with what is in use; or use fewer threads",
                       (unsigned long long)least);
}

/* Decodes columns. Without memory for them, half of the rows are tried: EXEC_NEED_INPUT, the slice is to be begun
 * anew. */
static exec_result decode_columns(op_scan *op, exec_task *task, scan_local *local,
                                  const uint32_t *columns, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        tensor *slice;
        status st = slice_column(op, task, local, columns[i], &slice);
        bool is_short = status_get_kind(st) == STATUS_KIND_LIMIT;
        if (is_short && local->slice_rows > SCAN_ROWS_ALIGNMENT) {
            status_free(st);
            local->row_limit = (local->slice_rows / 2 + SCAN_ROWS_ALIGNMENT - 1) /
                               SCAN_ROWS_ALIGNMENT * SCAN_ROWS_ALIGNMENT;
            return EXEC_NEED_INPUT;
        }
        EXEC_TRY(task, is_short ? no_memory(op, local, st) : st);
    }
    return EXEC_FINISHED;
}

static status start_column(op_scan *op, exec_task *task, scan_local *local, uint32_t column)
{
    TRY(scan_look_in_cache(op, task, local, column));
    return local->slices[column] || local->is_cached[column] ? STATUS_OK
                                                             : open_column(op, task, local, column);
}

/* Starts reading all other columns of a chunk: a lazy device's host seldom knows that no row is left. */
static status start_others(op_scan *op, exec_task *task, scan_local *local)
{
    if (scan_is_host(op) || local->has_started)
        return STATUS_OK;
    local->has_started = true;
    for (uint32_t i = 0; i < op->column_count; i++)
        if (!op->is_packed[i])
            TRY(start_column(op, task, local, i));
    return STATUS_OK;
}

exec_result scan_await_columns(op_scan *op, exec_task *task, scan_local *local,
                               const uint32_t *columns, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        EXEC_TRY(task, start_column(op, task, local, columns[i]));
    EXEC_TRY(task, start_others(op, task, local));
    /* The read that was asked for last ends last: a task that it wakes seldom has to wait again. */
    for (uint32_t i = count; i--;)
        if (is_waiting(local, columns[i], task))
            return EXEC_WAIT;
    return scan_is_host(op) ? EXEC_FINISHED : decode_columns(op, task, local, columns, count);
}

/* A slice of which at most this part is selected is not read whole from the cache. */
#define SOME_PART 2

/* The selected rows alone, straight from the cache, if they are few and nobody has needed the slice; else *out is NULL. */
static status select_cached(exec_task *task, scan_local *local, uint32_t column, tensor **out)
{
    *out = NULL;
    if (!local->is_cached[column] || local->slices[column] || !local->selected ||
        local->count.actual || local->count.bound > local->slice_rows / SOME_PART)
        return STATUS_OK;
    return column_cache_select(local->cached[column], task->stream,
                               (column_rows){local->first_row, local->slice_rows, local->selected,
                                             local->count.bound,
                                             local->bits ? local->bits->address : NULL},
                               out);
}

status scan_selected_column(op_scan *op, exec_task *task, scan_local *local, uint32_t column,
                            tensor **out)
{
    tensor *slice;
    TRY(select_cached(task, local, column, out));
    if (*out)
        return STATUS_OK;
    TRY(slice_column(op, task, local, column, &slice));
    if (!local->selected) {
        *out = tensor_ref(slice);
        return STATUS_OK;
    }
    return tensor_new_indexed(task->stream, slice, local->slice_rows, local->selected, local->count,
                              out);
}
