/* op_filter.c - WHERE: keeps the rows for which every condition is true.
 *
 * Conditions are evaluated in the plan's order, each on the rows that the ones before have left. */
#include "device/chunk.h"
#include "exec/expression/program.h"
#include "exec/expression/program_compile.h"
#include "exec/expression/program_run.h"
#include "exec/sched/query.h"

typedef struct op_filter {
    exec_operator base;
    program *program;
    uint32_t condition_count;
} op_filter;

typedef struct filter_local {
    program_run *run;
    chunk *current; /* between waits */
    uint32_t next;  /* the condition to be evaluated */
} filter_local;

static status filter_local_open(exec_operator *op, exec_task *task, void *state)
{
    filter_local *local = state;
    return program_run_new(((op_filter *)op)->program, task, &local->run);
}

static void filter_local_close(exec_operator *op, void *state)
{
    (void)op;
    filter_local *local = state;
    chunk_free(local->current);
    program_run_free(local->run);
}

static exec_result filter_push(exec_operator *base, exec_task *task, void *state, chunk **input,
                               chunk **output)
{
    op_filter *op = (op_filter *)base;
    filter_local *local = state;
    if (*input) {
        local->current = *input;
        *input = NULL;
        local->next = 0;
    }
    if (!local->current)
        return EXEC_NEED_INPUT;
    while (local->next < op->condition_count) {
        row_index *rows = NULL;
        dev_count count;
        dev_buffer *owner = NULL;
        exec_result result =
            program_select(local->run, local->next, local->current, &rows, &count, &owner);
        if (result != EXEC_FINISHED)
            return result;
        local->next++;
        if (!rows)
            continue;
        status st = chunk_select(task->stream, local->current, rows, count, owner);
        row_index_unref(rows);
        dev_buffer_unref(owner);
        EXEC_TRY(task, st);
        if (!count.actual && !count.bound) {
            chunk_free(local->current);
            local->current = NULL;
            return EXEC_NEED_INPUT;
        }
    }
    *output = local->current;
    local->current = NULL;
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
    .local_bytes = sizeof(filter_local),
    .local_open = filter_local_open,
    .local_close = filter_local_close,
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
    status st = program_compile_conditions((const expr *const *)plan->filter.conditions.items,
                                           (uint32_t)plan->filter.conditions.count, input,
                                           query->dev, &op->program, &op->condition_count);
    return exec_operator_opened(&op->base, st, out);
}
