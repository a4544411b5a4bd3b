/* op_join_probe.c - the operator of a join's probe side: rows stream through and meet their
 * matches (join_probe.c), or, where the build side was spilled, are spilled as well. */
#include "device/transfer.h"
#include "exec/join/join_probe.h"
#include "exec/join/join_side.h"
#include "exec/join/join_spill.h"
#include "exec/join/op_join_build.h"

typedef struct op_join_probe {
    exec_operator base;
    op_join_build *join;
    _Atomic uint64_t next_group; /* to be marked by a phase */
} op_join_probe;

typedef struct probe_local {
    /* The chunk that came last, and the one before it, whose pairs were being counted: on lazy
     * devices they take turns. */
    join_prober probers[2];
    unsigned last;
    join_collector collector; /* of rows to be spilled */
} probe_local;

/* The chunk that was taken goes to parts. */
static exec_result spill_rows(op_join_build *join, exec_task *task, probe_local *local)
{
    join_prober *prober = &local->probers[0];
    chunk *rows;
    if (!prober->input)
        return EXEC_NEED_INPUT;
    EXEC_TRY(task, dev_count_read(task->stream, &prober->input->rows));
    exec_result result = join_prober_keys(prober, task);
    if (result != EXEC_FINISHED)
        return result;
    EXEC_TRY(task, exec_check_error(task));
    EXEC_TRY(task, join_spill_probe_rows(join, task, prober->input, prober->keys, &rows));
    join_prober_drop(prober);
    if (rows)
        EXEC_TRY(task, join_collect(&local->collector, task, join->spill.probe, rows));
    return EXEC_NEED_INPUT;
}

/* The chunk before gives its rows when the device has the last one's keys to work on. */
static exec_result probe_rows(exec_task *task, probe_local *local, chunk **output)
{
    join_prober *last = &local->probers[local->last];
    exec_result result = join_prober_start(last, task);
    if (result == EXEC_NEED_INPUT)
        result = join_prober_next(&local->probers[!local->last], task, output);
    if (result != EXEC_NEED_INPUT)
        return result;
    if (last->stage != PROBE_COUNTING)
        return join_prober_next(last, task, output);
    local->last = !local->last;
    return EXEC_NEED_INPUT;
}

static exec_result probe_push(exec_operator *base, exec_task *task, void *state, chunk **input,
                              chunk **output)
{
    op_join_build *join = ((op_join_probe *)base)->join;
    probe_local *local = state;
    if (*input) {
        exec_count_probed(base, *input);
        join_prober_take(&local->probers[local->last], &join->whole, *input);
        *input = NULL;
    }
    if (join_has_spilled(join))
        return spill_rows(join, task, local);
    return probe_rows(task, local, output);
}

static status probe_local_open(exec_operator *base, exec_task *task, void *state)
{
    probe_local *local = state;
    const op_join_build *join = ((op_join_probe *)base)->join;
    TRY(join_prober_init(&local->probers[0], join, task));
    if (task->stream->dev->is_host)
        return STATUS_OK;
    return join_prober_init(&local->probers[1], join, task);
}

static void probe_check(const exec_operator *base)
{
    const op_join_build *join = ((const op_join_probe *)base)->join;
    if (!join_has_spilled(join))
        join_table_check(&join->whole.table);
}

static void probe_local_close(exec_operator *base, void *state)
{
    (void)base;
    probe_local *local = state;
    join_prober_release(&local->probers[0]);
    join_prober_release(&local->probers[1]);
    join_collector_release(&local->collector);
}

static exec_result probe_finish_local(exec_operator *base, exec_task *task, void *state,
                                      chunk **output)
{
    probe_local *local = state;
    const op_join_build *join = ((op_join_probe *)base)->join;
    if (join_has_spilled(join)) {
        EXEC_TRY(task, join_collect_end(&local->collector, task, join->spill.probe));
        return EXEC_FINISHED;
    }
    exec_result result = join_prober_next(&local->probers[!local->last], task, output);
    return result == EXEC_NEED_INPUT ? EXEC_FINISHED : result;
}

/* Gives the join up, unless a tail follows, which is the last to need the table. */
static void probe_release(exec_operator *base)
{
    op_join_build *join = ((op_join_probe *)base)->join;
    if (!join_marks_build(join) && !join_has_spilled(join))
        join_release(join);
}

/* Passes the marks of groups on to their rows. */
static exec_result probe_phase(exec_operator *base, exec_task *task, unsigned number)
{
    (void)number;
    op_join_probe *op = (op_join_probe *)base;
    EXEC_TRY(task, join_side_mark_rows(&op->join->whole, task, &op->next_group));
    return EXEC_FINISHED;
}

static const exec_operator_ops probe_ops = {
    .name = "join probe",
    .local_bytes = sizeof(probe_local),
    .local_open = probe_local_open,
    .check = probe_check,
    .local_close = probe_local_close,
    .push = probe_push,
    .local_finish = probe_finish_local,
    .phase_count = 1, /* where it is a sink */
    .phase = probe_phase,
    .release = probe_release,
};

status join_probe_new(op_join_build *join, exec_operator **out)
{
    op_join_probe *op = mem_new(sizeof *op);
    *out = NULL;
    if (!op)
        return status_no_memory("join", sizeof *op);
    op->base =
        (exec_operator){.ops = &probe_ops, .query = join->base.query, .plan = join->base.plan};
    op->join = join;
    *out = &op->base;
    return STATUS_OK;
}
