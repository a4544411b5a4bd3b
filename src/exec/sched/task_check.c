/* task_check.c - what must hold of a task between its steps, and of what operators hand on. */
#include "exec/sched/task.h"

#include "device/check.h"

#include <assert.h>

#ifndef NDEBUG

void task_check(const scheduled_task *scheduled)
{
    const exec_task *task = &scheduled->task;
    assert(task->query == scheduled->stage->query && task->scheduled == scheduled);
    assert(task->index < task->count && task->stream && task->error);
    if (!scheduled->stage->source)
        return;
    assert(scheduled->opened_count == scheduled->operator_count + 1);
    assert(scheduled->finishing <= scheduled->operator_count);
    assert(!scheduled->finishing || scheduled->is_drained);
    assert(!scheduled->is_done || scheduled->finishing == scheduled->operator_count);
    /* An operator that has finished gets nothing more. */
    for (unsigned k = 0; k < scheduled->finishing; k++)
        assert(!scheduled->inputs[k] && !scheduled->late[k].rows && !scheduled->has_more[k]);
}

void task_check_output(const exec_operator *op, bool can_give, exec_result result,
                       const chunk *output)
{
    assert(result <= EXEC_FAILED);
    assert((result == EXEC_HAVE_OUTPUT) == (output != NULL));
    assert(can_give || !output);
    if (output)
        chunk_check(op->query->dev, output);
}

void task_check_made(const exec_operator *op)
{
    /* An operator that was given up may be half made. */
    if (op->ops->check && !atomic_load(&op->query->is_cancelled))
        op->ops->check(op);
}

#endif
