/* query.c - what operators ask their query for. */
#include "exec/sched/query.h"

#include "exec/sched/memory.h"
#include "exec/sched/pool.h"
#include "exec/sched/task.h"

void exec_operator_close(exec_operator *op)
{
    if (op && op->ops->close)
        op->ops->close(op);
    else
        mem_free(op);
}

status exec_operator_opened(exec_operator *op, status st, exec_operator **out)
{
    if (st)
        exec_operator_close(op);
    *out = st ? NULL : op;
    return st;
}

status exec_adopt(exec_query *query, exec_operator *op)
{
    status st = array_push(query->memory, &query->operators, op);
    return st ? exec_give_up(query, op, st) : STATUS_OK;
}

status exec_give_up(exec_query *query, exec_operator *op, status st)
{
    task_tell_ranks(query, st);
    exec_operator_close(op);
    return st;
}

device *exec_device(const exec_query *query)
{
    return query->dev;
}

mem_budget *exec_budget(const exec_query *query)
{
    return query->budget;
}

const char *exec_temp_directory(const exec_query *query)
{
    return query->temp_directory;
}

arena *exec_memory(exec_query *query)
{
    return query->memory;
}

unsigned exec_task_count(const exec_query *query)
{
    unsigned streams = query->dev->is_host ? 0 : query->dev->stream_count;
    return exec_memory_tasks(query, streams ? streams : exec_pool_thread_count(query->pool));
}

bool exec_is_cancelled(const exec_query *query)
{
    return atomic_load_explicit(&query->is_cancelled, memory_order_relaxed);
}

bool exec_wants_open_tables(const exec_query *query)
{
    return query->has_open_tables;
}

void exec_raise_cancelled(exec_query *query)
{
    atomic_store(&query->is_cancelled, true);
    for (size_t i = 0; i < query->parts.count; i++)
        exec_raise_cancelled(query->parts.items[i]);
}

struct runtime_filter *exec_runtime_filter(exec_query *query, uint32_t id)
{
    return &query->filters[id];
}

struct runtime_bound *exec_runtime_bound(exec_query *query, uint32_t id)
{
    return &query->bounds[id - 1];
}
