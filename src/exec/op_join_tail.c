/* op_join_tail.c - after all probing: build rows by whether a probe row matched. */
#include "exec/op_join.h"

typedef struct op_join_tail {
    exec_operator base;
    op_join_build *join;
    uint64_t slice_rows; /* whole words of bits */
    _Atomic uint64_t next_row;
} op_join_tail;

static status make_output(const op_join_build *join, exec_task *task, row_index *rows,
                          uint64_t count, chunk **out)
{
    TRY(chunk_new(join->output_count, dev_count_exact(count), out));
    for (uint32_t i = 0; i < join->output_count; i++) {
        const join_source *source = &join->outputs[i];
        if (!source->is_build)
            TRY(join_null_column(task->stream, join->probe_types[source->column],
                                 &(*out)->columns[i]));
        else
            TRY(tensor_new_indexed(task->stream, join->whole.table.build->columns[source->column],
                                   join->whole.table.row_count, rows, dev_count_exact(count),
                                   &(*out)->columns[i]));
    }
    return STATUS_OK;
}

/* Rows from `first` on whose bit is as the join wants it. */
static status wanted_rows(const op_join_build *join, exec_task *task, uint64_t first,
                          uint64_t row_count, row_index **out, uint64_t *out_count)
{
    dev_count all = dev_count_exact(row_count);
    const uint64_t *bits = (const uint64_t *)join->whole.matched->address + first / 64;
    dev_buffer *inverted = NULL, *count = NULL;
    status st = STATUS_OK;
    if (join->type != JOIN_SEMI) {
        st = dev_alloc(task->stream->dev, (row_count + 63) / 64 * 8, "join", &inverted);
        if (!st)
            st = DEV_LAUNCH(task->stream, invert_bits, .bits = bits, .count = all,
                            .out = inverted->address);
        bits = inverted ? inverted->address : NULL;
    }
    if (!st)
        st = row_index_new(task->stream->dev, row_count, out);
    if (!st)
        st = dev_words_new(task->stream, 1, &count);
    if (!st)
        st = DEV_LAUNCH(task->stream, mask_to_index, .mask = bits, .count = all,
                        .first_row = (uint32_t)first, .rows = (*out)->rows,
                        .out_count = count->address);
    if (!st)
        st = dev_words_wait(task->stream, count->address, out_count, 1);
    dev_buffer_unref(inverted);
    dev_buffer_unref(count);
    return st;
}

static status next_slice(op_join_tail *op, exec_task *task, uint64_t first, chunk **out)
{
    const op_join_build *join = op->join;
    uint64_t left = join->whole.table.row_count - first, count = 0;
    row_index *rows = NULL;
    status st = wanted_rows(join, task, first, left < op->slice_rows ? left : op->slice_rows, &rows,
                            &count);
    if (!st && count)
        st = make_output(join, task, rows, count, out);
    row_index_unref(rows);
    if (st) {
        chunk_free(*out);
        *out = NULL;
    }
    return st;
}

static exec_step tail_pull(exec_operator *base, exec_task *task, void *state, chunk **output)
{
    (void)state;
    op_join_tail *op = (op_join_tail *)base;
    chunk *c = NULL;
    while (!c && !exec_is_cancelled(task->query)) {
        uint64_t first = atomic_fetch_add(&op->next_row, op->slice_rows);
        if (first >= op->join->whole.table.row_count)
            return EXEC_FINISHED;
        EXEC_TRY(task, next_slice(op, task, first, &c));
    }
    *output = c;
    return c ? EXEC_HAVE_OUTPUT : EXEC_FINISHED;
}

static void tail_release(exec_operator *base)
{
    join_release(((op_join_tail *)base)->join);
}

static void tail_close(exec_operator *base)
{
    mem_free(base);
}

static const exec_operator_ops tail_ops = {
    .name = "join tail",
    .pull = tail_pull,
    .release = tail_release,
    .close = tail_close,
};

status join_tail_new(op_join_build *join, exec_operator **out)
{
    op_join_tail *op = mem_new(sizeof *op);
    *out = NULL;
    if (!op)
        return status_no_memory("join", sizeof *op);
    op->base =
        (exec_operator){.ops = &tail_ops, .query = join->base.query, .plan = join->base.plan};
    op->join = join;
    op->slice_rows = ((uint64_t)exec_device(join->base.query)->chunk_rows + 63) / 64 * 64;
    *out = &op->base;
    return STATUS_OK;
}
