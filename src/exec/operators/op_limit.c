/* op_limit.c - LIMIT and OFFSET: tasks share one count of rows seen. */
#include "exec/sched/operator.h"

typedef struct op_limit {
    exec_operator base;
    _Atomic uint64_t seen; /* rows that have come, over all tasks */
} op_limit;

/* Cuts the chunk to its rows [skip, skip + count). */
static status cut(exec_task *task, chunk *c, uint64_t skip, uint64_t count)
{
    row_index *rows;
    TRY(row_index_new(task->stream->dev, c->rows.bound, &rows));
    status st = DEV_LAUNCH(task->stream, count_up, .first = (uint32_t)skip,
                           .count = dev_count_exact(count), .out = rows->rows);
    if (!st)
        st = chunk_select(task->stream, c, rows, dev_count_exact(count), NULL);
    row_index_unref(rows);
    return st;
}

static exec_result limit_push(exec_operator *base, exec_task *task, void *state, chunk **input,
                              chunk **output)
{
    (void)state;
    op_limit *op = (op_limit *)base;
    uint64_t offset = base->plan->limit.offset, end = UINT64_MAX;
    if (!*input)
        return EXEC_NEED_INPUT;
    if (base->plan->limit.has_limit &&
        __builtin_add_overflow(offset, base->plan->limit.limit, &end))
        end = UINT64_MAX;
    uint64_t rows = (*input)->rows.bound, first = atomic_fetch_add(&op->seen, rows);
    if (first >= end)
        return EXEC_FINISHED;
    uint64_t skip = first < offset ? offset - first : 0;
    uint64_t stop = rows < end - first ? rows : end - first;
    if (skip >= stop)
        return EXEC_NEED_INPUT;
    if (skip || stop < rows)
        EXEC_TRY(task, cut(task, *input, skip, stop - skip));
    *output = *input;
    *input = NULL;
    return EXEC_HAVE_OUTPUT;
}

static const exec_operator_ops limit_ops = {
    .name = "limit",
    .push = limit_push,
    .exact_counts = true,
};

status op_limit_open(exec_query *query, const plan_node *plan, exec_layout input,
                     exec_operator **out)
{
    (void)input;
    op_limit *op = mem_new(sizeof *op);
    if (!op)
        return status_no_memory("limit", sizeof *op);
    *out = &op->base;
    op->base = (exec_operator){.ops = &limit_ops, .query = query, .plan = plan};
    return STATUS_OK;
}
