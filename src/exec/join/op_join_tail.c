/* op_join_tail.c - after all probing: build rows by whether a probe row matched, and all that a
 * join gives whose rows were spilled. */
#include "exec/join/op_join_tail.h"

#include "device/chunk.h"
#include "device/selection.h"
#include "exec/join/join_partitions.h"
#include "exec/join/join_side.h"
#include "exec/join/op_join_build.h"

typedef struct op_join_tail {
    exec_operator base;
    op_join_build *join;
    uint64_t slice_rows; /* whole words of bits */
    _Atomic uint64_t next_row;
    join_queue queue; /* of what was spilled */
} op_join_tail;

static status join_tail_make_output(const op_join_build *join, const join_side *side,
                                    exec_task *task, const row_selection *chosen, chunk **out)
{
    TRY(chunk_new(join->output_count, chosen->count, out));
    (*out)->rows_owner = dev_buffer_ref(chosen->count_owner);
    for (uint32_t i = 0; i < join->output_count; i++) {
        const join_source *source = &join->outputs[i];
        tensor **target = &(*out)->columns[i];
        if (!source->is_build) {
            TRY(join_null_column(task->stream, join->probe_types[source->column], target));
            continue;
        }
        tensor *column = side->table.build->columns[source->column];
        if (chosen->rows)
            TRY(tensor_new_indexed(task->stream, column, side->table.row_count, chosen->rows,
                                   chosen->count, target));
        else
            *target = tensor_ref(column);
    }
    return STATUS_OK;
}

status join_tail_rows(const op_join_build *join, const join_side *side, exec_task *task,
                      uint64_t first, uint64_t count, chunk **out)
{
    row_mask mask = {.bits = (const uint64_t *)side->matched->address + first / 64,
                     .is_inverted = join->type != JOIN_SEMI,
                     .first_row = (uint32_t)first};
    row_selection chosen;
    *out = NULL;
    TRY(row_selection_make(task->stream, &mask, dev_count_exact(count), &chosen));
    status st = STATUS_OK;
    if (chosen.count.bound)
        st = join_tail_make_output(join, side, task, &chosen, out);
    row_selection_release(&chosen);
    if (st) {
        chunk_free(*out);
        *out = NULL;
    }
    return st;
}

static exec_result pull_rows(op_join_tail *op, exec_task *task, chunk **output)
{
    const join_side *side = &op->join->whole;
    while (!*output && !exec_is_cancelled(task->query)) {
        uint64_t first = atomic_fetch_add(&op->next_row, op->slice_rows);
        if (first >= side->table.row_count)
            return EXEC_FINISHED;
        uint64_t left = side->table.row_count - first;
        EXEC_TRY(task, join_tail_rows(op->join, side, task, first,
                                      left < op->slice_rows ? left : op->slice_rows, output));
    }
    return *output ? EXEC_HAVE_OUTPUT : EXEC_FINISHED;
}

static exec_result tail_pull(exec_operator *base, exec_task *task, void *state, chunk **output)
{
    op_join_tail *op = (op_join_tail *)base;
    *output = NULL;
    return join_has_spilled(op->join) ? join_partitions_pull(state, &op->queue, task, output)
                                      : pull_rows(op, task, output);
}

static status tail_local_open(exec_operator *base, exec_task *task, void *state)
{
    op_join_tail *op = (op_join_tail *)base;
    return join_has_spilled(op->join) ? join_partitions_local_init(state, op->join, task)
                                      : STATUS_OK;
}

static void tail_local_close(exec_operator *base, void *state)
{
    op_join_tail *op = (op_join_tail *)base;
    if (join_has_spilled(op->join))
        join_partitions_local_release(state, &op->queue);
}

static void tail_release(exec_operator *base)
{
    join_release(((op_join_tail *)base)->join);
}

static void tail_close(exec_operator *base)
{
    join_queue_release(&((op_join_tail *)base)->queue);
    mem_free(base);
}

static const exec_operator_ops tail_ops = {
    .name = "join tail",
    .local_bytes = sizeof(join_partitions_local),
    .local_open = tail_local_open,
    .local_close = tail_local_close,
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
    join_queue_init(&op->queue, join);
    *out = &op->base;
    return STATUS_OK;
}
