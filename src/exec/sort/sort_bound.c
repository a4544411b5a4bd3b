/* sort_bound.c - top-k: rows that come after the k-th best of what a task has seen are dropped by
 * their first key alone, before anything of them is copied. */
#include "exec/sort/sort.h"

static status pack_first_key(const op_sort *op, exec_task *task, const tensor *values,
                             dev_count count, dev_buffer **out)
{
    const plan_sort_key *key = &op->base.plan->sort.keys.items[0];
    TRY(dev_alloc(task->stream->dev, count.bound * 24, "sort", out));
    status st = DEV_LAUNCH(task->stream, sort_pack, .type = values->type, .values = values->values,
                           .validity = values->validity, .count = count, .key = 0, .key_count = 1,
                           .is_descending = key->is_descending, .nulls_first = key->nulls_first,
                           .rows = (*out)->address);
    if (st) {
        dev_buffer_unref(*out);
        *out = NULL;
    }
    return st;
}

status sort_bound_new(const op_sort *op, exec_task *task, const chunk *best, dev_buffer **out)
{
    uint64_t limit = op->base.plan->sort.limit;
    *out = NULL;
    if (op->is_text_first || !limit || best->rows.bound < limit)
        return STATUS_OK;
    return pack_first_key(op, task, best->columns[op->key_columns[0]], best->rows, out);
}

status sort_bound_apply(const op_sort *op, exec_task *task, const dev_buffer *bound, chunk *c)
{
    const uint64_t *last = (const uint64_t *)bound->address + (op->base.plan->sort.limit - 1) * 3;
    tensor *values;
    dev_buffer *keys = NULL, *owner = NULL;
    row_index *rows = NULL;
    TRY(chunk_flatten_column(task->stream, c, op->key_columns[0], &values));
    status st = pack_first_key(op, task, values, c->rows, &keys);
    if (!st)
        st = row_index_new(task->stream->dev, c->rows.bound, &rows);
    if (!st)
        st = dev_words_new(task->stream, 1, &owner);
    if (!st)
        st = DEV_LAUNCH(task->stream, sort_keep, .rows = keys->address, .last = last,
                        .count = c->rows, .out = rows->rows, .out_count = owner->address);
    if (!st) {
        dev_count kept = {c->rows.bound, owner->address};
        dev_count_settle(task->stream->dev, &kept);
        st = chunk_select(task->stream, c, rows, kept, owner);
    }
    dev_buffer_unref(keys);
    dev_buffer_unref(owner);
    row_index_unref(rows);
    return st;
}
