/* op_filter.c - WHERE: keeps the rows for which every condition is true.
 *
 * Conditions are evaluated in the plan's order, each on the rows that the ones before have left. */
#include "exec/expression/program.h"

typedef struct op_filter {
    exec_operator base;
    program *program;
    uint32_t condition_count;
} op_filter;

typedef struct filter_lane {
    program_run *run;
    chunk *current; /* between waits */
    uint32_t next;  /* the condition to be evaluated */
} filter_lane;

static status filter_lane_open(exec_operator *op, exec_task *task, void *state)
{
    filter_lane *lane = state;
    return program_run_new(((op_filter *)op)->program, task, &lane->run);
}

static void filter_lane_close(exec_operator *op, void *state)
{
    (void)op;
    filter_lane *lane = state;
    chunk_free(lane->current);
    program_run_free(lane->run);
}

static exec_step filter_push(exec_operator *base, exec_task *task, void *state, chunk **input,
                             chunk **output)
{
    op_filter *op = (op_filter *)base;
    filter_lane *lane = state;
    if (*input) {
        lane->current = *input;
        *input = NULL;
        lane->next = 0;
    }
    if (!lane->current)
        return EXEC_NEED_INPUT;
    while (lane->next < op->condition_count) {
        row_index *rows = NULL;
        dev_count count;
        dev_buffer *owner = NULL;
        exec_step step =
            program_select(lane->run, lane->next, lane->current, &rows, &count, &owner);
        if (step != EXEC_FINISHED)
            return step;
        lane->next++;
        if (!rows)
            continue;
        status st = chunk_select(task->stream, lane->current, rows, count, owner);
        row_index_unref(rows);
        dev_buffer_unref(owner);
        EXEC_TRY(task, st);
        if (!count.actual && !count.bound) {
            chunk_free(lane->current);
            lane->current = NULL;
            return EXEC_NEED_INPUT;
        }
    }
    *output = lane->current;
    lane->current = NULL;
    return EXEC_HAVE_OUTPUT;
}

static void filter_close(exec_operator *base)
{
    op_filter *op = (op_filter *)base;
    program_free(op->program);
    mem_free(op);
}

static const exec_operator_ops filter_ops = {
    .name = "filter",
    .lane_bytes = sizeof(filter_lane),
    .lane_open = filter_lane_open,
    .lane_close = filter_lane_close,
    .push = filter_push,
    .close = filter_close,
};

status op_filter_open(exec_query *query, const plan_node *plan, exec_layout input,
                      exec_operator **out)
{
    *out = NULL;
    op_filter *op = mem_new(sizeof *op);
    if (!op)
        return status_no_memory("filter", sizeof *op);
    op->base = (exec_operator){.ops = &filter_ops, .query = query, .plan = plan};
    op->condition_count = (uint32_t)plan->filter.conditions.count;
    status st = program_compile((const expr *const *)plan->filter.conditions.items,
                                op->condition_count, input, &op->program);
    if (st) {
        filter_close(&op->base);
        return st;
    }
    *out = &op->base;
    return STATUS_OK;
}
