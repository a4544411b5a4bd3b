/* op_single_row.c - a subquery used as a value: its one row, NULLs if it has none, an error if it
 * has more. */
#include "base/system/mutex.h"
#include "device/chunk.h"
#include "exec/sched/operator.h"

#include <pthread.h>

typedef struct op_single_row {
    exec_operator base;
    pthread_mutex_t lock;
    chunk *row; /* NULL: none yet */
} op_single_row;

static exec_result single_row_push(exec_operator *base, exec_task *task, void *state, chunk **input,
                                   chunk **output)
{
    (void)state, (void)output;
    op_single_row *op = (op_single_row *)base;
    chunk *owned;
    status st = STATUS_OK;
    if (!*input)
        return EXEC_NEED_INPUT;
    uint64_t rows = (*input)->rows.bound;
    EXEC_TRY(task, chunk_concat(task->stream, input, 1, "subquery", &owned));
    mutex_lock(&op->lock);
    if (op->row || rows > 1)
        st = status_at(
            status_new(STATUS_KIND_DATA, "a subquery used as a value gave more than one row"),
            base->plan->position);
    if (!op->row) {
        op->row = owned;
        owned = NULL;
    }
    mutex_unlock(&op->lock);
    chunk_free(owned);
    EXEC_TRY(task, st);
    return EXEC_NEED_INPUT;
}

static void single_row_close(exec_operator *base)
{
    op_single_row *op = (op_single_row *)base;
    chunk_free(op->row);
    mutex_destroy(&op->lock);
    mem_free(op);
}

static const exec_operator_ops single_row_ops = {
    .name = "single row",
    .push = single_row_push,
    .exact_counts = true,
    .close = single_row_close,
};

typedef struct op_single_row_source {
    exec_operator base;
    op_single_row *sink;
    bool is_done; /* one task */
} op_single_row_source;

static exec_result single_row_source_pull(exec_operator *base, exec_task *task, void *state,
                                          chunk **output)
{
    (void)state;
    op_single_row_source *source = (op_single_row_source *)base;
    const plan_column_list *columns = &base->plan->columns;
    if (source->is_done)
        return EXEC_FINISHED;
    source->is_done = true;
    chunk *c;
    EXEC_TRY(task, chunk_new((uint32_t)columns->count, dev_count_exact(1), &c));
    status st = STATUS_OK;
    for (uint32_t i = 0; i < c->column_count && !st; i++) {
        value null = value_null(columns->items[i].type);
        if (source->sink->row)
            c->columns[i] = tensor_ref(source->sink->row->columns[i]);
        else
            st = tensor_new_constant(task->stream, &null, &c->columns[i]);
    }
    if (st) {
        chunk_free(c);
        return exec_fail(task, st);
    }
    *output = c;
    return EXEC_HAVE_OUTPUT;
}

static const exec_operator_ops source_ops = {
    .name = "single row",
    .pull = single_row_source_pull,
};

status op_single_row_open(exec_query *query, const plan_node *plan, exec_layout input,
                          exec_operator **out_sink, exec_operator **out_source)
{
    (void)input;
    *out_sink = *out_source = NULL;
    op_single_row *op = mem_new(sizeof *op);
    op_single_row_source *source = mem_new(sizeof *source);
    if (!op || !source) {
        mem_free(op);
        mem_free(source);
        return status_no_memory("subquery", sizeof *op);
    }
    op->base = (exec_operator){.ops = &single_row_ops, .query = query, .plan = plan};
    mutex_init(&op->lock);
    source->base =
        (exec_operator){.ops = &source_ops, .query = query, .plan = plan, .task_limit = 1};
    source->sink = op;
    *out_sink = &op->base;
    *out_source = &source->base;
    return STATUS_OK;
}
