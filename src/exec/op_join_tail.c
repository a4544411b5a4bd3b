/* op_join_tail.c - after all probing: the build rows that no probe row matched. */
#include "exec/op_join.h"

typedef struct op_join_tail {
    exec_operator base;
    op_join_build *join;
    bool is_done; /* one lane */
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
            TRY(tensor_new_indexed(task->stream, join->table.build->columns[source->column],
                                   join->table.row_count, rows, dev_count_exact(count),
                                   &(*out)->columns[i]));
    }
    return STATUS_OK;
}

static status unmatched_rows(const op_join_build *join, exec_task *task, row_index **out,
                             uint64_t *out_count)
{
    const join_table *table = &join->table;
    dev_count all = dev_count_exact(table->row_count);
    dev_buffer *mask, *count = NULL;
    TRY(dev_alloc(task->stream->dev, (table->row_count + 63) / 64 * 8, "join", &mask));
    status st = DEV_LAUNCH(task->stream, invert_bits, .bits = table->matched->address, .count = all,
                           .out = mask->address);
    if (!st)
        st = row_index_new(task->stream->dev, table->row_count, out);
    if (!st)
        st = dev_words_new(task->stream, 1, &count);
    if (!st)
        st = DEV_LAUNCH(task->stream, mask_to_index, .mask = mask->address, .count = all,
                        .rows = (*out)->rows, .out_count = count->address);
    if (!st)
        st = dev_words_wait(task->stream, count->address, out_count, 1);
    dev_buffer_unref(mask);
    dev_buffer_unref(count);
    return st;
}

static exec_step tail_pull(exec_operator *base, exec_task *task, void *state, chunk **output)
{
    (void)state;
    op_join_tail *op = (op_join_tail *)base;
    row_index *rows = NULL;
    uint64_t count = 0;
    chunk *c = NULL;
    if (op->is_done || !op->join->table.row_count)
        return EXEC_FINISHED;
    op->is_done = true;
    status st = unmatched_rows(op->join, task, &rows, &count);
    if (!st && count)
        st = make_output(op->join, task, rows, count, &c);
    row_index_unref(rows);
    if (st) {
        chunk_free(c);
        return exec_fail(task, st);
    }
    *output = c;
    return c ? EXEC_HAVE_OUTPUT : EXEC_FINISHED;
}

static void tail_close(exec_operator *base)
{
    mem_free(base);
}

static const exec_operator_ops tail_ops = {
    .name = "join tail",
    .pull = tail_pull,
    .close = tail_close,
};

status join_tail_new(op_join_build *join, exec_operator **out)
{
    op_join_tail *op = mem_new(sizeof *op);
    *out = NULL;
    if (!op)
        return status_no_memory("join", sizeof *op);
    op->base = (exec_operator){
        .ops = &tail_ops, .query = join->base.query, .plan = join->base.plan, .lane_limit = 1};
    op->join = join;
    *out = &op->base;
    return STATUS_OK;
}
