/* join_spill.c - rows of a join on their way to a temporary file. */
#include "exec/join/join_spill.h"

#include "base/maximum.h"
#include "base/system/mutex.h"
#include "device/chunk.h"
#include "device/selection.h"
#include "device/transfer.h"
#include "exec/join/join_side.h"
#include "exec/join/join_table_build.h"
#include "exec/sched/memory.h"
#include "exec/sched/runtime_filter.h"

/* Collected rows are worth writing, where memory has become short, from one part in this many of what a task may
 * collect. */
#define COLLECT_MIN 8
/* A Bloom filter of the build side's keys may take one part in this many of memory_limit. */
#define BLOOM 32

bool join_has_spilled(const op_join_build *join)
{
    return atomic_load_explicit(&join->spill.has_begun, memory_order_acquire);
}

void join_note_memory(op_join_build *join)
{
    maximum_raise(&join->base.metrics.memory_peak, mem_budget_used(exec_budget(join->base.query)));
}

/* The part of a chunk's bytes that is in columns which the table keeps. */
static uint64_t kept_bytes(const op_join_build *join, uint64_t chunk_bytes)
{
    uint64_t needed = 0, all = 0;
    for (uint32_t i = 0; i < join->stored_columns; i++) {
        uint64_t width = join->stored_types[i].width;
        width = width ? width : 1;
        needed += join->needed[i] ? width : 0;
        all += join->stored[i] ? width : 0;
    }
    return all ? chunk_bytes / all * needed : 0;
}

uint64_t join_bytes_needed(const op_join_build *join, uint64_t rows, uint64_t chunk_bytes)
{
    return chunk_bytes + kept_bytes(join, chunk_bytes) +
           join_table_bytes(&join->whole.table, rows, join->whole.ranges);
}

/* Returns the bytes needed for what the build tasks hold; what has its place is not copied. */
static uint64_t needed_now(const op_join_build *join)
{
    const join_spill *spill = &join->spill;
    uint64_t needed = join_bytes_needed(join, spill->rows, spill->bytes);
    uint64_t placed = reserved_columns_bytes(&join->reserved),
             copied = kept_bytes(join, spill->bytes);
    return needed - (placed < copied ? placed : copied);
}

/* ---- deciding ---- */

void join_spill_note(op_join_build *join, uint64_t rows, uint64_t bytes, const uint64_t *bounds)
{
    mutex_lock(&join->lock);
    join->spill.rows += rows;
    join->spill.bytes += bytes;
    for (uint32_t k = 0; k < join->key_count && bounds; k++)
        join_range_widen(&join->whole.ranges[k], (int64_t)bounds[3 * k],
                         (int64_t)bounds[3 * k + 1]);
    mutex_unlock(&join->lock);
}

static uint64_t batch_bytes(const partitions *parts, const exec_task *task)
{
    uint64_t local = exec_memory_collected(task);
    uint64_t blocks = ROW_PARTS * parts->block_bytes;
    return local < blocks ? local : blocks;
}

static bool is_batch(const partitions *parts, const exec_task *task, uint64_t bytes)
{
    uint64_t batch = batch_bytes(parts, task);
    return bytes >= batch || (bytes >= batch / COLLECT_MIN && !exec_has_room(task->query, bytes));
}

bool join_must_spill(op_join_build *join, const exec_task *task, uint64_t bytes)
{
    if (!exec_may_spill(task->query))
        return false;
    if (join_has_spilled(join))
        return is_batch(join->spill.build, task, bytes);
    mutex_lock(&join->lock);
    uint64_t held = join->spill.bytes, needed = needed_now(join);
    mutex_unlock(&join->lock);
    return exec_must_spill(task->query, held, needed, task->count, 2 * bytes);
}

bool join_fits(op_join_build *join)
{
    const join_spill *spill = &join->spill;
    if (!exec_may_spill(join->base.query))
        return true;
    uint64_t needed = needed_now(join);
    return exec_has_room(join->base.query, needed - spill->bytes);
}

/* ---- runtime filters: of keys that are not kept in memory ---- */

/* Filters that ranks may unite are not made of keys in temporary files. */
static size_t join_spill_filter_count(const op_join_build *join)
{
    return join_may_unite_filters(join) ? 0 : join->base.plan->join.runtime_filters.count;
}

static runtime_filter *filter_at(const op_join_build *join, size_t number)
{
    const plan_node *plan = join->base.plan;
    return exec_runtime_filter(join->base.query, plan->join.runtime_filters.items[number].id);
}

/* Other tasks still bring theirs. */
static uint64_t rows_noted(op_join_build *join)
{
    mutex_lock(&join->lock);
    uint64_t rows = join->spill.rows;
    mutex_unlock(&join->lock);
    return rows;
}

static status start_filters(op_join_build *join, exec_task *task)
{
    const plan_node *plan = join->base.plan;
    double estimate = plan->children[plan->join.build_left ? 0 : 1]->estimated_rows;
    uint64_t rows = 4 * rows_noted(join), most = mem_budget_limit(exec_budget(task->query)) / BLOOM;
    if (estimate > (double)rows)
        rows = estimate < 1e12 ? (uint64_t)estimate : (uint64_t)1e12;
    for (size_t i = 0; i < join_spill_filter_count(join); i++)
        TRY(runtime_filter_start_bloom(filter_at(join, i), task->stream, rows, most));
    return STATUS_OK;
}

static status add_to_filters(op_join_build *join, exec_task *task, tensor *const *keys,
                             uint64_t rows)
{
    const plan_node *plan = join->base.plan;
    for (size_t i = 0; i < join_spill_filter_count(join); i++)
        TRY(runtime_filter_add(filter_at(join, i), task->stream,
                               keys[plan->join.runtime_filters.items[i].key],
                               dev_count_exact(rows)));
    return STATUS_OK;
}

status join_spill_publish(op_join_build *join, exec_task *task)
{
    const plan_node *plan = join->base.plan;
    bool has_ranges = join_table_needs_ranges(&join->whole.table);
    for (size_t i = 0; i < join_spill_filter_count(join); i++) {
        uint32_t key = plan->join.runtime_filters.items[i].key;
        const join_key_range *range = has_ranges ? &join->whole.ranges[key] : NULL;
        if (range && !range->count)
            runtime_filter_publish_bitmap(filter_at(join, i), NULL, 0, 0, 0);
        else
            TRY(runtime_filter_publish_bloom(filter_at(join, i), task->stream, range != NULL,
                                             range ? range->min : 0, range ? range->max : 0));
    }
    return STATUS_OK;
}

/* ---- hashes ---- */

/* A bit for each row none of whose keys is NULL; the others' hashes are spread, as no other row must
 * meet them. *out is NULL where no key can be NULL. */
static status spread_nulls(const op_join_build *join, dev_stream *stream, tensor *const *keys,
                           dev_count rows, uint32_t *hashes, dev_buffer **out)
{
    row_index *zeros = NULL;
    status st = STATUS_OK;
    *out = NULL;
    for (uint32_t k = 0; k < join->key_count && !st; k++) {
        if (!keys[k]->validity)
            continue;
        if (!zeros) {
            TRY(row_index_new(stream->dev, rows.bound, &zeros));
            st = DEV_LAUNCH(stream, fill, .width = 4, .count = rows, .out = zeros->rows);
        }
        if (!st)
            st = DEV_LAUNCH(stream, join_drop_nulls, .validity = keys[k]->validity, .count = rows,
                            .groups = zeros->rows);
        if (!st)
            st = DEV_LAUNCH(stream, join_spread_nulls, .validity = keys[k]->validity, .count = rows,
                            .hashes = hashes);
    }
    if (!st && zeros)
        st = dev_alloc(stream->dev, bitmap_bytes(rows.bound), "join", out);
    if (!st && zeros)
        st = DEV_LAUNCH(stream, join_matched, .groups = zeros->rows, .count = rows,
                        .out = (*out)->address);
    row_index_unref(zeros);
    return st;
}

static status handle_nulls(const op_join_build *join, exec_task *task, chunk *c,
                           tensor *const *keys, uint32_t *hashes, bool keeps_nulls,
                           bool *out_has_nulls)
{
    dev_stream *stream = task->stream;
    dev_count rows = c->rows;
    dev_buffer *valid;
    row_selection selected = {0};
    status st = spread_nulls(join, stream, keys, rows, hashes, &valid);
    if (!st && valid) {
        row_mask mask = {.bits = valid->address};
        st = row_selection_make(stream, &mask, rows, &selected);
        if (!st)
            st = dev_count_read(stream, &selected.count);
        *out_has_nulls = !st && selected.count.bound < rows.bound;
        if (*out_has_nulls && !keeps_nulls)
            st = chunk_select(stream, c, selected.rows, selected.count, NULL);
    }
    row_selection_release(&selected);
    dev_buffer_unref(valid);
    return st;
}

static status make_hashes(const op_join_build *join, exec_task *task, tensor *const *keys,
                          uint64_t rows, tensor **out)
{
    const key_layout *layout = &join->whole.table.layout;
    const uint8_t *packed;
    dev_buffer *owner = NULL, *hashes = NULL;
    *out = NULL;
    status st = STATUS_OK;
    if (!join->key_count) { /* all rows meet: a part that is never cut */
        st = dev_alloc(task->stream->dev, rows * sizeof(uint32_t), "join", &hashes);
        if (!st)
            st = task->stream->dev->ops->zero(task->stream, hashes->address,
                                              rows * sizeof(uint32_t));
    } else {
        st = key_layout_pack(layout, task, keys, dev_count_exact(rows), &packed, &owner);
        if (!st)
            st = key_layout_hash(layout, task->stream, packed, dev_count_exact(rows), &hashes);
    }
    dev_buffer_unref(owner);
    if (!st)
        st = tensor_new_view(type_make(TYPE_UINT32), hashes, hashes->address, out);
    dev_buffer_unref(hashes);
    return st;
}

/* Adds the hashes as the last column, which is NULL before. */
static status add_hashes(const op_join_build *join, exec_task *task, chunk *c, tensor *const *keys,
                         bool keeps_nulls, bool *out_has_nulls)
{
    tensor **hashes = &c->columns[c->column_count - 1];
    *out_has_nulls = false;
    TRY(make_hashes(join, task, keys, c->rows.bound, hashes));
    if (join->whole.table.null_equal)
        return STATUS_OK;
    return handle_nulls(join, task, c, keys, (*hashes)->values, keeps_nulls, out_has_nulls);
}

/* Shares the wanted columns of a chunk, with room for one more. */
static status join_spill_share_columns(const chunk *c, const bool *wanted, uint32_t count,
                                       chunk **out)
{
    TRY(chunk_new(count + 1, c->rows, out));
    for (uint32_t i = 0; i < count; i++)
        if (c->columns[i] && (!wanted || wanted[i]))
            (*out)->columns[i] = tensor_ref(c->columns[i]);
    return STATUS_OK;
}

/* ---- writing ---- */

/* Takes the rows of a chunk that go to one part. */
static status join_spill_take_slice(exec_task *task, const chunk *c, const row_index *order,
                                    uint64_t first, uint64_t count, chunk **out)
{
    row_index *rows;
    TRY(chunk_new(c->column_count, dev_count_exact(count), out));
    TRY(row_index_view(order, first, &rows));
    status st = STATUS_OK;
    for (uint32_t i = 0; i < c->column_count && !st; i++)
        if (c->columns[i])
            st = tensor_new_indexed(task->stream, c->columns[i], c->rows.bound, rows,
                                    dev_count_exact(count), &(*out)->columns[i]);
    row_index_unref(rows);
    return st;
}

/* How the rows of a chunk go to parts. */
typedef struct chunk_order {
    row_index *rows;
    uint32_t offsets[ROW_PARTS + 1];
    uint64_t row_bytes;
} chunk_order;

/* Rows of one part that are to be a block. */
typedef struct block_rows {
    partitions *parts;
    size_t part;
    chunk **slices;
    size_t count;
    uint64_t bytes;
} block_rows;

static status join_spill_write_block(block_rows *block, exec_task *task)
{
    chunk *all = NULL;
    status st = STATUS_OK;
    if (block->count)
        st = chunk_concat(task->stream, block->slices, block->count, block->parts->who, &all);
    for (size_t i = 0; i < block->count; i++)
        chunk_free(block->slices[i]);
    block->count = 0;
    block->bytes = 0;
    if (!st && all)
        st = partitions_add(block->parts, task, block->part, all);
    chunk_free(all);
    return st;
}

/* A chunk's rows of the part: whenever there are enough for a block, they are written. */
static status add_to_block(block_rows *block, exec_task *task, const chunk *c,
                           const chunk_order *order)
{
    uint64_t first = order->offsets[block->part], end = order->offsets[block->part + 1];
    while (first < end) {
        uint64_t room = (block->parts->block_bytes - block->bytes) / order->row_bytes + 1;
        uint64_t rows = end - first < room ? end - first : room;
        chunk **slice = &block->slices[block->count];
        *slice = NULL;
        block->count++;
        TRY(join_spill_take_slice(task, c, order->rows, first, rows, slice));
        first += rows;
        block->bytes += rows * order->row_bytes;
        if (block->bytes >= block->parts->block_bytes)
            TRY(join_spill_write_block(block, task));
    }
    return STATUS_OK;
}

static status join_spill_write_part(block_rows *block, exec_task *task, size_t part,
                                    chunk *const *chunks, const chunk_order *orders, size_t count)
{
    status st = STATUS_OK;
    block->part = part;
    for (size_t i = 0; i < count && !st; i++)
        st = add_to_block(block, task, chunks[i], &orders[i]);
    if (!st)
        st = join_spill_write_block(block, task);
    for (size_t i = 0; i < block->count; i++)
        chunk_free(block->slices[i]);
    block->count = 0;
    return st;
}

static status join_spill_order_rows(const partitions *parts, exec_task *task, chunk *c,
                                    chunk_order *order)
{
    tensor *hashes;
    TRY(chunk_flatten_column(task->stream, c, c->column_count - 1, &hashes));
    order->row_bytes = exec_chunk_bytes(c) / (c->rows.bound + 1) + 1;
    return partitions_order(parts, task, hashes->values, c->rows.bound, &order->rows,
                            order->offsets);
}

/* Writes chunks whose last column is the hashes: part by part, so that blocks are large. */
static status write_chunks(partitions *parts, exec_task *task, chunk *const *chunks, size_t count)
{
    chunk_order *orders = mem_new_array(count + 1, sizeof *orders);
    block_rows block = {.parts = parts, .slices = mem_new_array(count + 1, sizeof *block.slices)};
    status st = STATUS_OK;
    if (!orders || !block.slices)
        st = status_no_memory(parts->who, count * sizeof *orders);
    for (size_t i = 0; i < count && !st; i++)
        st = join_spill_order_rows(parts, task, chunks[i], &orders[i]);
    for (size_t p = 0; p < ROW_PARTS && !st && !exec_is_cancelled(task->query); p++)
        st = join_spill_write_part(&block, task, p, chunks, orders, count);
    for (size_t i = 0; i < count && orders; i++)
        row_index_unref(orders[i].rows);
    mem_free(orders);
    mem_free(block.slices);
    return st;
}

/* ---- the build side ---- */

static status join_join_spill_start(op_join_build *join, exec_task *task)
{
    join_spill *spill = &join->spill;
    if (join_has_spilled(join))
        return STATUS_OK;
    /* Another task may have failed half-way. */
    if (!spill->file)
        TRY(spill_open(exec_temp_directory(task->query), &spill->file));
    if (!spill->build)
        TRY(partitions_new(spill->file, &join->base, "join build", 0, &spill->build));
    if (!spill->probe)
        TRY(partitions_new(spill->file, &join->base, "join probe", 0, &spill->probe));
    TRY(start_filters(join, task));
    /* The filters are zeroed on this task's stream before others add to them. */
    TRY(task->stream->dev->ops->event_record(task->stream, NULL, NULL, &spill->started));
    atomic_store_explicit(&spill->has_begun, true, memory_order_release);
    return STATUS_OK;
}

status join_spill_start(op_join_build *join, exec_task *task)
{
    exec_lock *lock = &join->spill.starting;
    TRY(exec_lock_take(lock, task->stream));
    status st = join_join_spill_start(join, task);
    exec_lock_give(lock, task->stream);
    return st;
}

static status hash_build_chunk(op_join_build *join, exec_task *task, const chunk *c, chunk **out)
{
    key_array keys;
    bool has_nulls;
    TRY(key_array_open(&keys, join->key_count, "join build"));
    for (uint32_t k = 0; k < join->key_count; k++)
        keys.items[k] = c->columns[join->key_columns[k]];
    status st = add_to_filters(join, task, keys.items, c->rows.bound);
    if (!st)
        st = join_spill_share_columns(c, NULL, join->stored_columns, out);
    if (!st)
        st = add_hashes(join, task, *out, keys.items, join_marks_build(join), &has_nulls);
    key_array_close(&keys);
    TRY(st);
    if (has_nulls)
        atomic_store(&join->spill.has_null_key, true);
    atomic_fetch_add(&join->spill.rows_written, c->rows.bound);
    return STATUS_OK;
}

status join_spill_build(op_join_build *join, exec_task *task, chunk **chunks, size_t count)
{
    status st = STATUS_OK;
    uint64_t rows = 0, bytes = 0;
    join_note_memory(join);
    TRY(task->stream->dev->ops->stream_wait(task->stream, join->spill.started));
    for (size_t i = 0; i < count && !st; i++) {
        chunk *hashed = NULL;
        rows += chunks[i]->rows.bound;
        bytes += exec_chunk_bytes(chunks[i]);
        st = hash_build_chunk(join, task, chunks[i], &hashed);
        chunk_free(chunks[i]);
        chunks[i] = hashed;
    }
    if (!st)
        st = write_chunks(join->spill.build, task, chunks, count);
    for (size_t i = 0; i < count; i++) {
        mutex_lock(&join->lock);
        reserved_columns_give(&join->reserved, chunks[i]);
        mutex_unlock(&join->lock);
        chunk_free(chunks[i]);
        chunks[i] = NULL;
    }
    join_spill_note(join, -rows, -bytes, NULL);
    return st;
}

/* ---- the probe side ---- */

static bool keeps_null_keys(const op_join_build *join)
{
    if (join->type == JOIN_ANTI_NULL)
        return !join->whole.has_rows;
    return !join->emits_build && join->type != JOIN_INNER && join->type != JOIN_RIGHT &&
           join->type != JOIN_SEMI;
}

status join_spill_probe_rows(const op_join_build *join, exec_task *task, const chunk *c,
                             tensor *const *keys, chunk **out)
{
    bool has_nulls;
    *out = NULL;
    if (join->type == JOIN_ANTI_NULL && join->whole.has_null_key)
        return STATUS_OK; /* nothing comes out */
    status st = join_spill_share_columns(c, join->probe_needed, join->probe_columns, out);
    if (!st)
        st = add_hashes(join, task, *out, keys, keeps_null_keys(join), &has_nulls);
    if (st || !(*out)->rows.bound) {
        chunk_free(*out);
        *out = NULL;
    }
    return st;
}

/* ---- collecting ---- */

static void free_chunks(chunk_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        chunk_free(list->items[i]);
    list->count = 0;
}

static status write_collected(join_collector *collector, exec_task *task, partitions *parts)
{
    status st = write_chunks(parts, task, collector->chunks.items, collector->chunks.count);
    free_chunks(&collector->chunks);
    collector->bytes = 0;
    return st;
}

/* The pending chunks become one with memory of its own. Where there is none, what was collected is
 * written first. */
static status join_spill_own_pending(join_collector *collector, exec_task *task, partitions *parts)
{
    chunk *owned;
    if (!collector->pending_count)
        return STATUS_OK;
    TRY(array_reserve(NULL, &collector->chunks, 1));
    status st = chunk_concat(task->stream, collector->pending, collector->pending_count, parts->who,
                             &owned);
    if (status_get_kind(st) == STATUS_KIND_LIMIT && collector->chunks.count) {
        status_free(st);
        TRY(write_collected(collector, task, parts));
        st = chunk_concat(task->stream, collector->pending, collector->pending_count, parts->who,
                          &owned);
    }
    TRY(st);
    collector->chunks.items[collector->chunks.count++] = owned;
    collector->bytes += exec_chunk_bytes(owned);
    for (uint32_t i = 0; i < collector->pending_count; i++)
        chunk_free(collector->pending[i]);
    collector->pending_count = 0;
    collector->pending_rows = collector->pending_bytes = 0;
    return STATUS_OK;
}

status join_collect(join_collector *collector, exec_task *task, partitions *parts, chunk *c)
{
    const chunk *before =
        collector->pending_count ? collector->pending[collector->pending_count - 1] : NULL;
    collector->pending[collector->pending_count++] = c;
    collector->pending_rows += c->rows.bound;
    collector->pending_bytes += exec_chunk_bytes(c) + exec_chunk_base_bytes(c, before);
    if (collector->pending_count == JOIN_PENDING_MAX ||
        collector->pending_rows >= task->stream->dev->chunk_rows ||
        exec_is_much(task, collector->pending_bytes))
        TRY(join_spill_own_pending(collector, task, parts));
    return is_batch(parts, task, collector->bytes) ? write_collected(collector, task, parts)
                                                   : STATUS_OK;
}

status join_collect_end(join_collector *collector, exec_task *task, partitions *parts)
{
    TRY(join_spill_own_pending(collector, task, parts));
    return write_collected(collector, task, parts);
}

void join_collector_release(join_collector *collector)
{
    for (uint32_t i = 0; i < collector->pending_count; i++)
        chunk_free(collector->pending[i]);
    free_chunks(&collector->chunks);
    array_release(&collector->chunks);
    *collector = (join_collector){0};
}
