/* program_run_deep.c - expressions of thousands of levels, without a stack as deep.
 *
 * run_instruction() goes from an instruction to its arguments, and so on. Each WAYPOINT_LEVELS levels of a
 * program there are waypoints (instruction_is_waypoint). Before one of them is computed those below it
 * are, in their order: arguments come first. From one to the next it is a few levels. */
#include "exec/expression/program_instruction.h"
#include "exec/expression/program_run.h"

#include <stdlib.h>

typedef ARRAY(uint32_t) number_list;

static int ascending(const void *left, const void *right)
{
    uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    return (a > b) - (a < b);
}

/* Arguments that are evaluated in the same frame. */
static uint32_t own_arguments(const instruction *s)
{
    return s->kind == INSTRUCTION_LAZY_CASE ? 1 : s->arg_count;
}

static status program_run_deep_visit(program_run *run, const frame *f, uint32_t number,
                                     number_list *pending)
{
    const instruction *s = instruction_at(run, number);
    for (uint32_t i = 0; i < own_arguments(s); i++) {
        uint32_t arg = s->args[i];
        if (f->slots[arg] || run->visited[arg] == run->visits)
            continue;
        run->visited[arg] = run->visits;
        TRY(array_push(NULL, pending, arg));
    }
    return STATUS_OK;
}

/* The waypoints below an instruction whose slots are empty. */
static status find_waypoints(program_run *run, const frame *f, uint32_t number, number_list *out)
{
    number_list pending = {0};
    run->visits++;
    status st = program_run_deep_visit(run, f, number, &pending);
    while (!st && pending.count) {
        uint32_t next = pending.items[--pending.count];
        if (instruction_is_waypoint(instruction_at(run, next)))
            st = array_push(NULL, out, next);
        if (!st)
            st = program_run_deep_visit(run, f, next, &pending);
    }
    array_release(&pending);
    if (out->count)
        qsort(out->items, out->count, sizeof *out->items, ascending);
    return st;
}

exec_result run_below(program_run *run, frame *f, uint32_t number)
{
    exec_task *task = run->task;
    number_list waypoints = {0};
    exec_result done = EXEC_FINISHED;
    if (!instruction_is_waypoint(instruction_at(run, number)))
        return EXEC_FINISHED;
    status st = find_waypoints(run, f, number, &waypoints);
    for (size_t i = 0; i < waypoints.count && !st && done == EXEC_FINISHED; i++)
        done = run_instruction(run, f, waypoints.items[i]);
    array_release(&waypoints);
    EXEC_TRY(task, st);
    return done;
}
