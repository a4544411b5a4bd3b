/* op_values.c - VALUES, and the one row of a SELECT without FROM: a chunk per row of expressions.
 */
#include "exec/expression/program.h"

typedef struct op_values {
    exec_operator base;
    program *program; /* row by row, column by column */
    uint32_t column_count;
    size_t row_count;
} op_values;

typedef struct values_lane {
    program_run *run;
    size_t row;
    chunk *nothing; /* a row without columns, to evaluate constants over */
    chunk *current;
    uint32_t next;
} values_lane;

static status values_lane_open(exec_operator *base, exec_task *task, void *state)
{
    values_lane *lane = state;
    TRY(chunk_new(0, dev_count_exact(1), &lane->nothing));
    return program_run_new(((op_values *)base)->program, task, &lane->run);
}

static void values_lane_close(exec_operator *base, void *state)
{
    (void)base;
    values_lane *lane = state;
    chunk_free(lane->nothing);
    chunk_free(lane->current);
    program_run_free(lane->run);
}

static exec_step values_pull(exec_operator *base, exec_task *task, void *state, chunk **output)
{
    op_values *op = (op_values *)base;
    values_lane *lane = state;
    if (lane->row == op->row_count)
        return EXEC_FINISHED;
    if (!lane->current)
        EXEC_TRY(task, chunk_new(op->column_count, dev_count_exact(1), &lane->current));
    for (; lane->next < op->column_count; lane->next++) {
        uint32_t index = (uint32_t)(lane->row * op->column_count) + lane->next;
        exec_step step =
            program_evaluate(lane->run, index, lane->nothing, &lane->current->columns[lane->next]);
        if (step != EXEC_FINISHED)
            return step;
    }
    lane->next = 0;
    lane->row++;
    *output = lane->current;
    lane->current = NULL;
    return EXEC_HAVE_OUTPUT;
}

static void values_close(exec_operator *base)
{
    op_values *op = (op_values *)base;
    program_free(op->program);
    mem_free(op);
}

static const exec_operator_ops values_ops = {
    .name = "values",
    .lane_bytes = sizeof(values_lane),
    .lane_open = values_lane_open,
    .lane_close = values_lane_close,
    .pull = values_pull,
    .close = values_close,
};

status op_values_open(exec_query *query, const plan_node *plan, exec_operator **out)
{
    *out = NULL;
    op_values *op = mem_new(sizeof *op);
    if (!op)
        return status_no_memory("values", sizeof *op);
    op->base = (exec_operator){.ops = &values_ops, .query = query, .plan = plan, .lane_limit = 1};
    op->column_count = (uint32_t)plan->columns.count;
    op->row_count = plan->values.rows.count;
    arena *a = exec_memory(query);
    expr_list exprs = {0};
    status st = STATUS_OK;
    for (size_t row = 0; row < op->row_count && !st; row++)
        for (uint32_t c = 0; c < op->column_count && !st; c++)
            st = array_push(a, &exprs, plan->values.rows.items[row][c]);
    if (!st)
        st = program_compile((const expr *const *)exprs.items, (uint32_t)exprs.count,
                             (exec_layout){0}, &op->program);
    if (st) {
        values_close(&op->base);
        return st;
    }
    *out = &op->base;
    return STATUS_OK;
}
