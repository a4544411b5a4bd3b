/* sort_run.c - rows in order: in memory, and as a run of blocks in a temporary file. */
#include "exec/sort/sort_run.h"

#include "device/chunk.h"
#include "exec/sched/memory.h"
#include "exec/sort/sort.h"
#include "exec/sort/sort_spill.h"
#include "exec/spill/chunk_bytes.h"

/* ---- order ---- */

status sort_pack_keys(const op_sort *op, dev_stream *stream, const chunk *c, dev_buffer **out)
{
    TRY(dev_alloc(stream->dev, c->rows.bound * op->key_count * 24, "sort", out));
    status st = STATUS_OK;
    for (uint32_t k = 0; k < op->key_count && !st; k++) {
        const plan_sort_key *key = &op->base.plan->sort.keys.items[k];
        const tensor *values = c->columns[op->key_columns[k]];
        st = DEV_LAUNCH(stream, sort_pack, .type = values->type, .values = values->values,
                        .validity = values->validity, .count = c->rows, .key = k,
                        .key_count = op->key_count, .is_descending = key->is_descending,
                        .nulls_first = key->nulls_first, .rows = (*out)->address);
    }
    if (st) {
        dev_buffer_unref(*out);
        *out = NULL;
    }
    return st;
}

sort_keys sort_keys_of(const op_sort *op, const chunk *c, const tensor **columns)
{
    for (uint32_t k = 0; k < op->key_count; k++)
        columns[k] = c->columns[op->key_columns[k]];
    return (sort_keys){op->key_count, op->base.plan->sort.keys.items, columns};
}

static status order_on_host(const op_sort *op, device *host, const chunk *c, row_index *order)
{
    const tensor **columns = mem_new_array(op->key_count + 1, sizeof *columns);
    if (!columns)
        return status_no_memory("sort", op->key_count * sizeof *columns);
    sort_keys keys = sort_keys_of(op, c, columns);
    status st = sort_rows_alone(host, &keys, c->rows.bound, order->rows);
    mem_free(columns);
    return st;
}

static bool has_text_key(const op_sort *op, const chunk *c)
{
    bool has_text = false;
    for (uint32_t k = 0; k < op->key_count; k++)
        has_text |= type_is_text(c->columns[op->key_columns[k]]->type);
    return has_text;
}

static status order_on_device(const op_sort *op, dev_stream *stream, const chunk *c,
                              row_index *order)
{
    dev_buffer *packed = NULL, *scratch = NULL;
    TRY(sort_pack_keys(op, stream, c, &packed));
    status st = dev_alloc(stream->dev, c->rows.bound * sizeof(uint32_t), "sort", &scratch);
    if (!st)
        st = DEV_LAUNCH(stream, sort_rows, .rows = packed->address, .key_count = op->key_count,
                        .has_text = has_text_key(op, c), .count = c->rows,
                        .scratch = scratch->address, .out = order->rows);
    dev_buffer_unref(packed);
    dev_buffer_unref(scratch);
    return st;
}

status sort_select(const op_sort *op, dev_stream *stream, chunk *c, row_index *order)
{
    const plan_node *plan = op->base.plan;
    uint64_t rows = c->rows.bound;
    if (plan->sort.has_limit && plan->sort.limit < rows)
        rows = plan->sort.limit;
    return chunk_select(stream, c, order, dev_count_exact(rows), NULL);
}

/* Puts a flat chunk's rows in order, cut to the limit if there is one. */
static status order_chunk(const op_sort *op, exec_task *task, chunk *c)
{
    row_index *order;
    TRY(row_index_new(task->stream->dev, c->rows.bound, &order));
    status st = task->stream->dev->is_host ? order_on_host(op, task->stream->dev, c, order)
                                           : order_on_device(op, task->stream, c, order);
    if (!st)
        st = sort_select(op, task->stream, c, order);
    row_index_unref(order);
    return st;
}

status sort_chunks(const op_sort *op, exec_task *task, chunk *const *chunks, size_t count,
                   chunk **out)
{
    chunk *all;
    *out = NULL;
    TRY(chunk_concat(task->stream, chunks, count, "sort", &all));
    status st = order_chunk(op, task, all);
    if (st) {
        chunk_free(all);
        return st;
    }
    *out = all;
    return STATUS_OK;
}

status sort_list(const op_sort *op, exec_task *task, chunk_list *list, chunk **out)
{
    chunk *all;
    *out = NULL;
    TRY(chunk_concat(task->stream, list->items, list->count, "sort", &all));
    chunk_list_release(list);
    status st = order_chunk(op, task, all);
    if (st) {
        chunk_free(all);
        return st;
    }
    *out = all;
    return STATUS_OK;
}

/* The columns' shared index is cut, not copied. */
status sort_slice(exec_task *task, const chunk *sorted, uint64_t first, uint64_t count,
                  uint32_t columns, chunk **out)
{
    *out = NULL;
    chunk *c;
    TRY(chunk_new(columns, dev_count_exact(count), &c));
    status st = STATUS_OK;
    row_index *cut = NULL;
    const row_index *shared = NULL;
    for (uint32_t i = 0; i < columns && !st; i++) {
        tensor *t = sorted->columns[i];
        if (t && t->form == TENSOR_FLAT && first) {
            st = tensor_new_slice(t, first, &c->columns[i]);
            continue;
        }
        if (!t || t->form != TENSOR_INDEXED) {
            c->columns[i] = tensor_ref(t);
            continue;
        }
        if (shared != t->index) {
            row_index_unref(cut);
            st = row_index_view(t->index, first, &cut);
            shared = t->index;
        }
        if (!st)
            st = tensor_new_indexed(task->stream, t->base, t->base_rows, cut,
                                    dev_count_exact(count), &c->columns[i]);
    }
    row_index_unref(cut);
    if (st) {
        chunk_free(c);
        return st;
    }
    *out = c;
    return STATUS_OK;
}

/* ---- runs ---- */

/* Blocks of a run that are known by their first row, at most: ranges read whole blocks between those. */
#define MARKS_MAX 4096

/* Each second one goes. */
static void thin_marks(sort_run *run)
{
    size_t kept = 0;
    for (size_t i = 0; i < run->marks.count; i += 2)
        run->marks.items[kept++] = run->marks.items[i];
    run->marks.count = kept;
    run->mark_step *= 2;
}

void sort_mark_make(const op_sort *op, const sort_keys *keys, uint32_t row, sort_bytes *out)
{
    sort_keys first = *keys;
    uint32_t whole = op->source->whole_keys;
    if (whole)
        first.count = whole;
    sort_bytes_make(&first, row, out);
    out->is_whole &= !whole;
}

/* The block to be written begins with the row. */
static status mark_block(const op_sort *op, const chunk *c, uint64_t row, sort_run *run)
{
    uint32_t block = (uint32_t)run->blocks.count;
    if (!run->mark_step)
        run->mark_step = 1;
    if (run->marks.count == MARKS_MAX)
        thin_marks(run);
    if (block % run->mark_step)
        return STATUS_OK;
    const tensor **columns = mem_new_array(op->key_count + 1, sizeof *columns);
    if (!columns)
        return status_no_memory("sort", op->key_count * sizeof *columns);
    sort_keys keys = sort_keys_of(op, c, columns);
    sort_mark mark = {.block = block};
    sort_mark_make(op, &keys, (uint32_t)row, &mark.first);
    mem_free(columns);
    return array_push(NULL, &run->marks, mark);
}

static status sort_run_write_block(op_sort *op, exec_task *task, const chunk *c, uint64_t first,
                                   uint64_t count, sort_run *run)
{
    dev_buffer *bytes;
    spill_block block;
    TRY(array_reserve(NULL, &run->blocks, 1));
    TRY(mark_block(op, c, first, run));
    TRY(chunk_bytes_write(dev_host(task->stream->dev), c, first, count, "sort", &bytes));
    status st = spill_append(op->spill.file, bytes, "sort", &block);
    dev_buffer_unref(bytes);
    if (st)
        return st;
    run->blocks.items[run->blocks.count++] = block;
    run->rows += count;
    run->plain_bytes += block.plain_bytes;
    atomic_fetch_add_explicit(&op->base.metrics.bytes_spilled, block.bytes, memory_order_relaxed);
    return STATUS_OK;
}

status sort_run_write(op_sort *op, exec_task *task, const chunk *c, sort_run *run)
{
    uint64_t rows = c->rows.bound, bytes = sort_block_bytes(op), count;
    for (uint64_t first = 0; first < rows; first += count) {
        count = chunk_bytes_fit(c, first, rows - first, bytes);
        TRY(sort_run_write_block(op, task, c, first, count, run));
    }
    return STATUS_OK;
}

void sort_run_free(sort_run *run)
{
    if (!run)
        return;
    array_release(&run->blocks);
    array_release(&run->marks);
    mem_free(run);
}
