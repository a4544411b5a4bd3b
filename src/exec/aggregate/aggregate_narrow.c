/* aggregate_narrow.c - which arguments may be NARROW. */
#include "exec/aggregate/aggregate_narrow.h"

#include "exec/aggregate/aggregate_state_ops.h"
#include "exec/expression/program_compile.h"

/* A sum of wider numbers may not fit 128 bits, which the kernel does not check. */
static bool is_summed(data_type type)
{
    return (type_is_integer(type) || type.id == TYPE_DECIMAL) && type.width <= sizeof(int64_t);
}

static bool takes_narrow(const state_plan *plan)
{
    return plan->source == SOURCE_ROWS && plan->filter < 0 && plan->second < 0 &&
           (plan->ops == &aggregate_state_sum || plan->ops == &aggregate_state_count);
}

/* Returns whether the expression is the argument of states that take NARROW tensors, and nothing else. */
static bool is_argument_alone(const op_aggregate *op, int number)
{
    bool is_argument = false;
    for (uint32_t i = 0; i < op->core.state_count; i++) {
        const state_plan *plan = &op->core.states[i];
        if (plan->filter == number || plan->second == number ||
            (plan->argument == number && !takes_narrow(plan)))
            return false;
        is_argument |= plan->argument == number;
    }
    return is_argument;
}

/* Counts how many expressions read each column of the input. */
static void aggregate_narrow_count_uses(const op_aggregate *op, uint32_t *uses)
{
    for (uint32_t i = 0; i < op->expr_count; i++) {
        const uint32_t *inputs;
        uint32_t count = program_inputs(op->program, i, &inputs);
        for (uint32_t k = 0; k < count; k++)
            uses[inputs[k]]++;
    }
}

static int64_t column_of(const op_aggregate *op, uint32_t number, const expr *e,
                         const uint32_t *uses)
{
    const uint32_t *inputs;
    if (e->kind != EXPR_COLUMN || !is_summed(e->type) || !is_argument_alone(op, (int)number) ||
        program_inputs(op->program, number, &inputs) != 1 || uses[inputs[0]] != 1)
        return -1;
    return inputs[0];
}

status aggregate_narrow_find(op_aggregate *op, const expr_list *exprs, uint32_t column_count)
{
    op->narrow = mem_new_array(op->expr_count + 1, sizeof *op->narrow);
    op->narrow_columns = mem_new_array(column_count + 1, sizeof *op->narrow_columns);
    uint32_t *uses = mem_new_array(column_count + 1, sizeof *uses);
    if (!op->narrow || !op->narrow_columns || !uses) {
        mem_free(uses);
        return status_no_memory("aggregation", column_count * sizeof *uses);
    }
    aggregate_narrow_count_uses(op, uses);
    bool may_be = op->core.dev->is_host && !op->core.key_count && !op->set_count;
    for (uint32_t i = 0; i < op->expr_count; i++) {
        op->narrow[i] = may_be ? column_of(op, i, exprs->items[i], uses) : -1;
        if (op->narrow[i] >= 0)
            op->narrow_columns[op->narrow[i]] = true;
    }
    mem_free(uses);
    return STATUS_OK;
}
