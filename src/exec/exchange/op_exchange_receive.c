/* op_exchange_receive.c - the source of an exchange: messages of all ranks, as chunks. */
#include "exec/exchange/exchange_stream.h"
#include "exec/exchange/op_exchange.h"

typedef struct op_receive {
    exec_operator base;
    net_exchange *net; /* the sink's */
    exchange_streams streams;
    _Atomic unsigned closed_tasks;
} op_receive;

typedef struct receive_local {
    net_waiter waiter;
    exec_task *task;
    exchange_stream *stream; /* whose messages it is reading, or NULL */
} receive_local;

static void wake(void *task)
{
    exec_wake(task);
}

void exchange_waiter_set(net_waiter *waiter, exec_task *task)
{
    *waiter = (net_waiter){.wake = wake, .argument = task};
}

static status receive_local_open(exec_operator *op, exec_task *task, void *state)
{
    (void)op;
    receive_local *local = state;
    local->task = task;
    exchange_waiter_set(&local->waiter, task);
    return STATUS_OK;
}

/* Whoever is last says that no more is wanted: what is above may have had enough (a limit). */
static void receive_local_close(exec_operator *base, void *state)
{
    op_receive *op = (op_receive *)base;
    receive_local *local = state;
    if (local->task && atomic_fetch_add(&op->closed_tasks, 1) + 1 == local->task->count)
        net_decline(op->net);
}

static exec_result receive_pull(exec_operator *base, exec_task *task, void *state, chunk **output)
{
    op_receive *op = (op_receive *)base;
    receive_local *local = state;
    net_state net_is;
    net_message *message;
    EXEC_TRY(task, exchange_streams_next(&op->streams, op->net, &local->waiter, &local->stream,
                                         &net_is, &message));
    if (net_is == NET_WAIT)
        return EXEC_WAIT;
    if (net_is == NET_ENDED)
        return EXEC_FINISHED;
    if (message->peer != base->query->rank)
        atomic_fetch_add_explicit(&base->metrics.bytes_received, message->bytes,
                                  memory_order_relaxed);
    status st = exchange_stream_read(&op->streams, local->stream, message, output);
    net_message_free(message);
    EXEC_TRY(task, st);
    return *output ? EXEC_HAVE_OUTPUT : EXEC_NEED_INPUT;
}

static void receive_close(exec_operator *base)
{
    op_receive *op = (op_receive *)base;
    exchange_streams_release(&op->streams);
    mem_free(op);
}

static const exec_operator_ops receive_ops = {
    .name = "receive",
    .local_bytes = sizeof(receive_local),
    .local_open = receive_local_open,
    .local_close = receive_local_close,
    .pull = receive_pull,
    .close = receive_close,
};

status op_exchange_receive_open(exec_query *query, const plan_node *plan, net_exchange *net,
                                exec_operator **out)
{
    exchange_columns columns;
    *out = NULL;
    op_receive *op = mem_new(sizeof *op);
    if (!op)
        return status_no_memory("exchange", sizeof *op);
    op->base = (exec_operator){.ops = &receive_ops, .query = query, .plan = plan};
    op->net = net;
    status st = exchange_columns_init(plan, &columns);
    if (st)
        exchange_columns_release(&columns);
    else
        st = exchange_streams_init(&op->streams, dev_host(exec_device(query)),
                                   plan_exchange_name(plan->exchange.kind), columns,
                                   query->rank_count);
    if (st) {
        receive_close(&op->base);
        return st;
    }
    *out = &op->base;
    return STATUS_OK;
}
