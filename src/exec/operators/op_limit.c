/* op_limit.c - LIMIT and OFFSET: tasks share one count of rows seen. */
#include "exec/operators/op_limit.h"

#include "device/chunk.h"

typedef struct op_limit {
    exec_operator base;
    _Atomic uint64_t seen; /* rows that have come, over all tasks */
} op_limit;

uint64_t limit_end(const plan_node *limit)
{
    uint64_t end;
    if (!limit->limit.has_limit ||
        __builtin_add_overflow(limit->limit.offset, limit->limit.limit, &end))
        return UINT64_MAX;
    return end;
}

void limit_range(const plan_node *limit, uint64_t first, uint64_t rows, uint64_t *out_skip,
                 uint64_t *out_stop)
{
    uint64_t offset = limit->limit.offset, end = limit_end(limit);
    *out_skip = first < offset ? offset - first : 0;
    *out_stop = first >= end ? 0 : rows < end - first ? rows : end - first;
}

status limit_cut(exec_task *task, chunk *c, uint64_t skip, uint64_t stop)
{
    row_index *rows;
    if (!skip && stop == c->rows.bound)
        return STATUS_OK;
    dev_count count = dev_count_exact(stop - skip);
    TRY(row_index_new(task->stream->dev, c->rows.bound, &rows));
    status st = DEV_LAUNCH(task->stream, count_up, .first = (uint32_t)skip, .count = count,
                           .out = rows->rows);
    if (!st)
        st = chunk_select(task->stream, c, rows, count, NULL);
    row_index_unref(rows);
    return st;
}

static exec_result limit_push(exec_operator *base, exec_task *task, void *state, chunk **input,
                              chunk **output)
{
    (void)state;
    op_limit *op = (op_limit *)base;
    uint64_t skip, stop;
    if (!*input)
        return EXEC_NEED_INPUT;
    uint64_t rows = (*input)->rows.bound, first = atomic_fetch_add(&op->seen, rows);
    if (first >= limit_end(base->plan))
        return EXEC_FINISHED;
    limit_range(base->plan, first, rows, &skip, &stop);
    if (skip >= stop)
        return EXEC_NEED_INPUT;
    EXEC_TRY(task, limit_cut(task, *input, skip, stop));
    *output = *input;
    *input = NULL;
    return EXEC_HAVE_OUTPUT;
}

static const exec_operator_ops limit_ops = {
    .name = "limit",
    .push = limit_push,
    .exact_counts = true,
};

status op_limit_open(exec_query *query, const plan_node *plan, exec_operator **out)
{
    op_limit *op = mem_new(sizeof *op);
    if (!op)
        return status_no_memory("limit", sizeof *op);
    *out = &op->base;
    op->base = (exec_operator){.ops = &limit_ops, .query = query, .plan = plan};
    return STATUS_OK;
}
