/* op_project.c - the SELECT list: one expression per output column. */
#include "device/chunk.h"
#include "exec/expression/program.h"
#include "exec/expression/program_compile.h"
#include "exec/expression/program_run.h"

typedef struct op_project {
    exec_operator base;
    program *program;
    uint32_t expr_count;
} op_project;

typedef struct project_local {
    program_run *run;
    chunk *current, *result; /* between waits */
    uint32_t next;           /* the expression to be evaluated */
} project_local;

static status project_local_open(exec_operator *op, exec_task *task, void *state)
{
    project_local *local = state;
    TRY(program_run_new(((op_project *)op)->program, task, &local->run));
    program_run_take_all(local->run);
    return STATUS_OK;
}

static void project_local_close(exec_operator *op, void *state)
{
    (void)op;
    project_local *local = state;
    chunk_free(local->current);
    chunk_free(local->result);
    program_run_free(local->run);
}

static exec_result project_push(exec_operator *base, exec_task *task, void *state, chunk **input,
                                chunk **output)
{
    op_project *op = (op_project *)base;
    project_local *local = state;
    if (*input) {
        local->current = *input;
        *input = NULL;
        local->next = 0;
        EXEC_TRY(task, chunk_new(op->expr_count, local->current->rows, &local->result));
        local->result->rows_owner = dev_buffer_ref(local->current->rows_owner);
    }
    if (!local->current)
        return EXEC_NEED_INPUT;
    for (; local->next < op->expr_count; local->next++) {
        exec_result result = program_evaluate(local->run, local->next, local->current,
                                              &local->result->columns[local->next]);
        if (result != EXEC_FINISHED)
            return result;
    }
    chunk_free(local->current);
    local->current = NULL;
    *output = local->result;
    local->result = NULL;
    return EXEC_HAVE_OUTPUT;
}

static void project_close(exec_operator *base)
{
    op_project *op = (op_project *)base;
    program_free(op->program);
    mem_free(op);
}

static const exec_operator_ops project_ops = {
    .name = "project",
    .local_bytes = sizeof(project_local),
    .local_open = project_local_open,
    .local_close = project_local_close,
    .push = project_push,
    .close = project_close,
};

status op_project_open(exec_query *query, const plan_node *plan, exec_layout input,
                       exec_operator **out)
{
    *out = NULL;
    op_project *op = mem_new(sizeof *op);
    if (!op)
        return status_no_memory("project", sizeof *op);
    op->base = (exec_operator){.ops = &project_ops, .query = query, .plan = plan};
    op->expr_count = (uint32_t)plan->project.exprs.count;
    status st = program_compile((const expr *const *)plan->project.exprs.items, op->expr_count,
                                input, &op->program);
    return exec_operator_opened(&op->base, st, out);
}
