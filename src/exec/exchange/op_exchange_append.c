/* op_exchange_append.c - the source of an exchange whose ranks have ranges of an order: rank 0's rows come out first, in
 * their order, then rank 1's, and so on.
 *
 * One task receives. What later ranks send waits in the network, as much as credits let them send. */
#include "device/chunk.h"
#include "device/chunk_transfer.h"
#include "exec/exchange/exchange_cargo.h"
#include "exec/exchange/exchange_count.h"
#include "exec/exchange/exchange_stream.h"
#include "exec/exchange/op_exchange.h"
#include "exec/exchange/op_exchange_receive.h"
#include "net/wire/wire_read.h"

typedef struct op_append {
    exec_operator base;
    net_exchange *net; /* the sink's */
    exchange_columns columns;
    uint32_t rank;       /* whose rows come out */
    wire_reader *reader; /* of what it sends; or NULL */
    net_waiter waiter;
} op_append;

/* ---- messages ---- */

static status append_fetch(exec_task *task, const net_message *message, chunk **out)
{
    TRY(exchange_cargo_fetch(task->stream, message, "append", out));
    return dev_stream_await(task->stream); /* the message goes then */
}

static status append_read(op_append *op, exec_task *task, const net_message *message, chunk **out)
{
    device *dev = task->stream->dev;
    uint32_t skipped = (uint32_t)sizeof(exchange_header);
    chunk *rows;
    if (!op->reader)
        TRY(wire_reader_new(dev_host(dev), op->columns.types, op->columns.count, "append",
                            &op->reader));
    TRY(wire_read(op->reader, message->data + skipped, message->bytes - skipped, &rows));
    *out = rows;
    if (!rows || dev->is_host)
        return STATUS_OK;
    status st = chunk_to_device(task->stream, rows, "append", out);
    chunk_free(rows);
    return st;
}

/* One task of a rank sends: its messages are one stream. *out NULL: no row is whole yet. */
static status append_rows(op_append *op, exec_task *task, const net_message *message, chunk **out)
{
    bool is_cargo = op->base.query->sends_cargo;
    *out = NULL;
    TRY(exchange_stream_check_one(message, "append", is_cargo));
    status st = is_cargo ? append_fetch(task, message, out) : append_read(op, task, message, out);
    if (!st && *out)
        st = exchange_columns_widen(&op->columns, *out, out);
    return status_context(st, "rank %u", message->peer);
}

static void next_rank(op_append *op)
{
    wire_reader_free(op->reader);
    op->reader = NULL;
    op->rank++;
}

/* ---- the operator ---- */

static exec_result append_pull(exec_operator *base, exec_task *task, void *state, chunk **output)
{
    (void)state;
    op_append *op = (op_append *)base;
    net_message *message;
    net_state is;
    while (op->rank < base->query->rank_count && !*output) {
        EXEC_TRY(task, net_try_receive(op->net, op->rank, &op->waiter, &is, &message));
        if (is == NET_WAIT)
            return EXEC_WAIT;
        if (is == NET_ENDED) {
            next_rank(op);
            continue;
        }
        exchange_count_received(base, message);
        status st = append_rows(op, task, message, output);
        net_message_free(message);
        EXEC_TRY(task, st);
    }
    return *output ? EXEC_HAVE_OUTPUT : EXEC_FINISHED;
}

typedef struct append_local {
    op_append *op;
} append_local;

static status append_local_open(exec_operator *base, exec_task *task, void *state)
{
    op_append *op = (op_append *)base;
    ((append_local *)state)->op = op;
    exchange_waiter_set(&op->waiter, task);
    return STATUS_OK;
}

/* Tells the senders if the operator above has had enough. */
static void append_local_close(exec_operator *base, void *state)
{
    if (((append_local *)state)->op)
        net_decline(((op_append *)base)->net);
}

static void append_close(exec_operator *base)
{
    op_append *op = (op_append *)base;
    wire_reader_free(op->reader);
    exchange_columns_release(&op->columns);
    mem_free(op);
}

static const exec_operator_ops append_ops = {
    .name = "append",
    .local_bytes = sizeof(append_local),
    .local_open = append_local_open,
    .local_close = append_local_close,
    .pull = append_pull,
    .close = append_close,
};

status op_exchange_append_open(exec_query *query, const plan_node *plan, net_exchange *net,
                               exec_operator **out)
{
    *out = NULL;
    op_append *op = mem_new(sizeof *op);
    if (!op)
        return status_no_memory("exchange", sizeof *op);
    op->base = (exec_operator){.ops = &append_ops, .query = query, .plan = plan, .task_limit = 1};
    op->net = net;
    status st = exchange_counters_new(&op->base, false);
    if (!st)
        st = exchange_columns_init(plan, &op->columns);
    return exec_operator_opened(&op->base, st, out);
}
