/* op_project.c - the SELECT list: one expression per output column. */
#include "exec/expression/program.h"

typedef struct op_project {
    exec_operator base;
    program *program;
    uint32_t expr_count;
} op_project;

typedef struct project_lane {
    program_run *run;
    chunk *current, *result; /* between waits */
    uint32_t next;           /* the expression to be evaluated */
} project_lane;

static status project_lane_open(exec_operator *op, exec_task *task, void *state)
{
    project_lane *lane = state;
    return program_run_new(((op_project *)op)->program, task, &lane->run);
}

static void project_lane_close(exec_operator *op, void *state)
{
    (void)op;
    project_lane *lane = state;
    chunk_free(lane->current);
    chunk_free(lane->result);
    program_run_free(lane->run);
}

static exec_step project_push(exec_operator *base, exec_task *task, void *state, chunk **input,
                              chunk **output)
{
    op_project *op = (op_project *)base;
    project_lane *lane = state;
    if (*input) {
        lane->current = *input;
        *input = NULL;
        lane->next = 0;
        EXEC_TRY(task, chunk_new(op->expr_count, lane->current->rows, &lane->result));
        lane->result->rows_owner = dev_buffer_ref(lane->current->rows_owner);
    }
    if (!lane->current)
        return EXEC_NEED_INPUT;
    for (; lane->next < op->expr_count; lane->next++) {
        exec_step step = program_evaluate(lane->run, lane->next, lane->current,
                                          &lane->result->columns[lane->next]);
        if (step != EXEC_FINISHED)
            return step;
    }
    chunk_free(lane->current);
    lane->current = NULL;
    *output = lane->result;
    lane->result = NULL;
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
    .lane_bytes = sizeof(project_lane),
    .lane_open = project_lane_open,
    .lane_close = project_lane_close,
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
    if (st) {
        project_close(&op->base);
        return st;
    }
    *out = &op->base;
    return STATUS_OK;
}
