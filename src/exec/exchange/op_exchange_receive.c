/* op_exchange_receive.c - the source of an exchange: messages of all ranks, as chunks. */
#include "exec/exchange/op_exchange_receive.h"

#include "device/chunk.h"
#include "device/chunk_transfer.h"
#include "exec/exchange/exchange_cargo.h"
#include "exec/exchange/exchange_count.h"
#include "exec/exchange/exchange_stay.h"
#include "exec/exchange/exchange_stream.h"
#include "exec/exchange/op_exchange.h"

typedef struct op_receive {
    exec_operator base;
    net_exchange *net; /* the sink's */
    exchange_streams streams;
    exchange_stay *stay;     /* the sink's */
    exec_overflow *overflow; /* that the bytes are counted of; or NULL */
    _Atomic unsigned closed_tasks;
} op_receive;

typedef struct receive_local {
    net_waiter waiter;
    exec_task *task;
    exchange_stream *stream; /* whose messages it is reading, or NULL */
    chunk_list rows;         /* read, of a lazy device: on the host as yet, unless they are cargo */
    uint64_t row_count;      /* of those */
    ARRAY(net_message *) fetched; /* whose cargo is being copied */
} receive_local;

static void exchange_receive_wake(void *task)
{
    exec_wake(task);
}

void exchange_waiter_set(net_waiter *waiter, exec_task *task)
{
    *waiter = (net_waiter){.wake = exchange_receive_wake, .argument = task};
}

static status receive_local_open(exec_operator *op, exec_task *task, void *state)
{
    (void)op;
    receive_local *local = state;
    local->task = task;
    exchange_waiter_set(&local->waiter, task);
    return STATUS_OK;
}

/* The stream has passed the copies of all that was fetched. */
static void exchange_receive_let_go(receive_local *local)
{
    for (size_t i = 0; i < local->fetched.count; i++)
        net_message_free(local->fetched.items[i]);
    local->fetched.count = 0;
}

/* The last task says that no more is wanted: the operator above may have had enough (a limit). */
static void receive_local_close(exec_operator *base, void *state)
{
    op_receive *op = (op_receive *)base;
    receive_local *local = state;
    chunk_list_release(&local->rows);
    exchange_receive_let_go(local);
    array_release(&local->fetched);
    exchange_streams_leave(&op->streams, op->net, local->stream);
    if (local->task && atomic_fetch_add(&op->closed_tasks, 1) + 1 == local->task->count)
        net_decline(op->net);
}

/* Counts a message; one that goes to all ranks is counted on each. */
static void exchange_receive_count_received(op_receive *op, const net_message *message)
{
    exchange_header header;
    exchange_count_received(&op->base, message);
    memcpy(&header, message->data, sizeof header);
    if (op->overflow && !(header.flags & EXCHANGE_BY_KEYS))
        atomic_fetch_add(&op->overflow->bytes, exchange_cargo_bytes(message));
}

/* A message's rows, if one is there, as they lie on the host. */
static status exchange_receive_read_message(op_receive *op, receive_local *local,
                                            net_state *out_state, chunk **out)
{
    net_message *message;
    net_waiter *waiter = local->rows.count ? NULL : &local->waiter; /* those go first */
    *out = NULL;
    TRY(exchange_streams_next(&op->streams, op->net, waiter, &local->stream, out_state, &message));
    if (*out_state != NET_READY)
        return STATUS_OK;
    exchange_receive_count_received(op, message);
    status st = exchange_stream_read(&op->streams, local->stream, message, out);
    net_message_free(message);
    return st;
}

/* A lazy device's chunks are large: messages are put together for as long as there are any. */
static status exchange_receive_collect(receive_local *local, chunk *rows)
{
    uint64_t count = rows->rows.bound;
    TRY(chunk_list_push(&local->rows, rows));
    local->row_count += count;
    return STATUS_OK;
}

/* A message's rows, of another device or of this one, if one is there. The message stays until its rows have been copied. */
static status exchange_receive_fetch(op_receive *op, receive_local *local, net_state *out_state)
{
    const char *name = op->streams.name;
    net_message *message;
    exchange_header header;
    chunk *rows, *wide;
    net_waiter *waiter = local->rows.count ? NULL : &local->waiter;
    TRY(net_try_receive(op->net, NET_ANY, waiter, out_state, &message));
    if (*out_state != NET_READY)
        return STATUS_OK;
    status st = array_push(NULL, &local->fetched, message);
    if (st) {
        net_message_free(message);
        return st;
    }
    memcpy(&header, message->data, sizeof header);
    if (message->bytes != sizeof header || header.flags & ~op->streams.flags)
        return status_new(STATUS_KIND_CORRUPT, "a message of %s from rank %u is of no stream", name,
                          message->peer);
    exchange_receive_count_received(op, message);
    TRY(exchange_cargo_fetch(local->task->stream, message, name, &rows));
    TRY(exchange_columns_widen(&op->streams.columns, rows, &wide));
    return exchange_receive_collect(local, wide);
}

/* Makes one chunk of all that was fetched, when it is there. */
static status exchange_receive_put_together(dev_stream *stream, receive_local *local,
                                            chunk **output)
{
    TRY(dev_stream_await(stream));
    exchange_receive_let_go(local);
    if (local->rows.count > 1) {
        TRY(chunk_combine(stream, local->rows.items, local->rows.count, "exchange", output));
        chunk_list_release(&local->rows);
    } else {
        *output = local->rows.items[0];
        array_release(&local->rows);
    }
    local->rows = (chunk_list){0};
    local->row_count = 0;
    return STATUS_OK;
}

/* Copies what was read to the device, together. */
static status upload(dev_stream *stream, receive_local *local, chunk **output)
{
    dev_stream host = {.dev = dev_host(stream->dev)};
    chunk *all = local->rows.items[0];
    if (local->rows.count > 1)
        TRY(chunk_combine(&host, local->rows.items, local->rows.count, "exchange", &all));
    status st = chunk_to_device(stream, all, "exchange", output);
    if (local->rows.count > 1)
        chunk_free(all);
    chunk_list_release(&local->rows);
    local->rows = (chunk_list){0};
    local->row_count = 0;
    return st;
}

static exec_result exchange_receive_result_of(net_state net_is)
{
    return net_is == NET_WAIT ? EXEC_WAIT : net_is == NET_ENDED ? EXEC_FINISHED : EXEC_NEED_INPUT;
}

static exec_result receive_cargo(op_receive *op, exec_task *task, receive_local *local,
                                 chunk **output)
{
    net_state net_is;
    EXEC_TRY(task, exchange_receive_fetch(op, local, &net_is));
    if (local->row_count >= task->stream->dev->chunk_rows ||
        (net_is != NET_READY && local->rows.count))
        EXEC_TRY(task, exchange_receive_put_together(task->stream, local, output));
    return *output ? EXEC_HAVE_OUTPUT : exchange_receive_result_of(net_is);
}

static exec_result receive_pull(exec_operator *base, exec_task *task, void *state, chunk **output)
{
    op_receive *op = (op_receive *)base;
    receive_local *local = state;
    device *dev = task->stream->dev;
    net_state net_is = NET_READY;
    chunk *rows = NULL;
    if (exchange_stays(base)) {
        EXEC_TRY(task, exchange_stay_take(op->stay, &local->waiter, &net_is, output));
        return *output ? EXEC_HAVE_OUTPUT : exchange_receive_result_of(net_is);
    }
    if (base->query->sends_cargo)
        return receive_cargo(op, task, local, output);
    EXEC_TRY(task, exchange_receive_read_message(op, local, &net_is, &rows));
    if (dev->is_host)
        *output = rows;
    else if (rows)
        EXEC_TRY(task, exchange_receive_collect(local, rows));
    if (local->row_count >= dev->chunk_rows || (net_is != NET_READY && local->rows.count))
        EXEC_TRY(task, upload(task->stream, local, output));
    return *output ? EXEC_HAVE_OUTPUT : exchange_receive_result_of(net_is);
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

/* Watches a broadcast that may overflow. */
static void exchange_receive_watch(op_receive *op)
{
    const plan_node *plan = op->base.plan;
    if (plan->exchange.kind != EXCHANGE_BROADCAST || !plan->exchange.overflow_id)
        return;
    op->overflow = &op->base.query->overflows[plan->exchange.overflow_id - 1];
    op->overflow->bytes_max = plan->exchange.overflow_bytes;
    op->streams.flags = EXCHANGE_BY_KEYS;
}

status op_exchange_receive_open(exec_query *query, const plan_node *plan, net_exchange *net,
                                exchange_stay *stay, exec_operator **out)
{
    exchange_columns columns;
    *out = NULL;
    op_receive *op = mem_new(sizeof *op);
    if (!op)
        return status_no_memory("exchange", sizeof *op);
    op->base = (exec_operator){.ops = &receive_ops, .query = query, .plan = plan};
    op->net = net;
    op->stay = stay;
    status st = exchange_columns_init(plan, &columns);
    if (st)
        exchange_columns_release(&columns);
    else
        st = exchange_streams_init(&op->streams, dev_host(exec_device(query)),
                                   plan_exchange_name(plan->exchange.kind), columns,
                                   query->rank_count);
    if (!st)
        st = exchange_counters_new(&op->base, false);
    exchange_receive_watch(op);
    return exec_operator_opened(&op->base, st, out);
}
