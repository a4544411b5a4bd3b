/* op_join_kept.c - probe rows of heavy keys, joined on the rank where they are. */
#include "exec/join/join_heavy.h"
#include "exec/join/join_probe.h"

typedef struct op_kept {
    exec_operator base;
    op_join_build *join;
    _Atomic unsigned closed_tasks;
} op_kept;

typedef struct kept_local {
    exec_task *task;
    join_prober prober;
    heavy_table *table; /* that the chunk at work meets */
} kept_local;

static status kept_local_open(exec_operator *base, exec_task *task, void *state)
{
    kept_local *local = state;
    local->task = task;
    return join_prober_init(&local->prober, ((op_kept *)base)->join, task);
}

/* The last task says that no more is wanted. */
static void kept_local_close(exec_operator *base, void *state)
{
    op_kept *op = (op_kept *)base;
    kept_local *local = state;
    join_prober_release(&local->prober);
    heavy_table_unref(local->table);
    if (local->task && atomic_fetch_add(&op->closed_tasks, 1) + 1 == local->task->count)
        heavy_keys_decline(op->join->heavy);
}

static exec_result join_kept_take(op_kept *op, exec_task *task, kept_local *local)
{
    net_state is;
    chunk *rows;
    heavy_table *table;
    EXEC_TRY(task, heavy_keys_try_take(op->join->heavy, task, &is, &rows, &table));
    if (is != NET_READY)
        return is == NET_WAIT ? EXEC_WAIT : EXEC_FINISHED;
    heavy_table_unref(local->table);
    local->table = table;
    exec_count_probed(&op->base, rows);
    join_prober_take(&local->prober, &((join_heavy_table *)table)->rows, rows);
    return EXEC_NEED_INPUT;
}

static exec_result kept_pull(exec_operator *base, exec_task *task, void *state, chunk **output)
{
    op_kept *op = (op_kept *)base;
    kept_local *local = state;
    if (local->prober.stage == PROBE_IDLE)
        return join_kept_take(op, task, local);
    return join_prober_next(&local->prober, task, output);
}

/* Tasks of this stage and of the one that sends wait for each other and for the one that collects, which may
 * not even have started. */
static void kept_wake_all(exec_operator *base)
{
    heavy_keys_stop(((op_kept *)base)->join->heavy);
}

static const exec_operator_ops kept_ops = {
    .name = "join kept",
    .local_bytes = sizeof(kept_local),
    .local_open = kept_local_open,
    .local_close = kept_local_close,
    .pull = kept_pull,
    .wake_all = kept_wake_all,
};

status join_kept_new(op_join_build *join, exec_operator **out)
{
    op_kept *op = mem_new(sizeof *op);
    *out = NULL;
    if (!op)
        return status_no_memory("join", sizeof *op);
    op->base =
        (exec_operator){.ops = &kept_ops, .query = join->base.query, .plan = join->base.plan};
    op->join = join;
    *out = &op->base;
    return STATUS_OK;
}
