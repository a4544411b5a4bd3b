/* op_values.c - VALUES, and the one row of a SELECT without FROM: a chunk per row of expressions.
 */
#include "device/chunk.h"
#include "exec/expression/program.h"
#include "exec/expression/program_compile.h"
#include "exec/expression/program_run.h"

typedef struct op_values {
    exec_operator base;
    program *program; /* row by row, column by column */
    uint32_t column_count;
    size_t row_count;
} op_values;

typedef struct values_local {
    program_run *run;
    size_t row;
    chunk *nothing; /* a row without columns, to evaluate constants over */
    chunk *current;
    uint32_t next;
} values_local;

static status values_local_open(exec_operator *base, exec_task *task, void *state)
{
    values_local *local = state;
    TRY(chunk_new(0, dev_count_exact(1), &local->nothing));
    return program_run_new(((op_values *)base)->program, task, &local->run);
}

static void values_local_close(exec_operator *base, void *state)
{
    (void)base;
    values_local *local = state;
    chunk_free(local->nothing);
    chunk_free(local->current);
    program_run_free(local->run);
}

static exec_result values_pull(exec_operator *base, exec_task *task, void *state, chunk **output)
{
    op_values *op = (op_values *)base;
    values_local *local = state;
    if (local->row == op->row_count)
        return EXEC_FINISHED;
    if (!local->current)
        EXEC_TRY(task, chunk_new(op->column_count, dev_count_exact(1), &local->current));
    for (; local->next < op->column_count; local->next++) {
        uint32_t index = (uint32_t)(local->row * op->column_count) + local->next;
        exec_result result = program_evaluate(local->run, index, local->nothing,
                                              &local->current->columns[local->next]);
        if (result != EXEC_FINISHED)
            return result;
    }
    local->next = 0;
    local->row++;
    *output = local->current;
    local->current = NULL;
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
    .local_bytes = sizeof(values_local),
    .local_open = values_local_open,
    .local_close = values_local_close,
    .pull = values_pull,
    .close = values_close,
};

status op_values_open(exec_query *query, const plan_node *plan, exec_operator **out)
{
    *out = NULL;
    op_values *op = mem_new(sizeof *op);
    if (!op)
        return status_no_memory("values", sizeof *op);
    op->base = (exec_operator){.ops = &values_ops, .query = query, .plan = plan, .task_limit = 1};
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
    return exec_operator_opened(&op->base, st, out);
}
