/* op_arrow_scan.c - rows of Arrow files: a task takes rows of a batch, and makes chunks of them. */
#include "arrowfile/arrowfile_reader.h"
#include "device/chunk.h"
#include "device/chunk_transfer.h"
#include "exec/sched/lock.h"
#include "exec/sched/query.h"

#define PIECE_CHUNKS 4

typedef struct op_arrow_scan {
    exec_operator base;
    const arrowfile_table *table;
    device *host;
    exec_lock lock; /* of the dealer */
    arrowfile_dealer *dealer;
} op_arrow_scan;

typedef struct arrow_scan_local {
    arrowfile_reader *reader;
    arrowfile_piece piece;
    bool has_piece;
    arrowfile_range left; /* of its rows */
} arrow_scan_local;

/* Returns whether another rank reads the piece: ranks take turns. */
static bool is_of_another_rank(const op_arrow_scan *op, const arrowfile_piece *p)
{
    const exec_query *query = op->base.query;
    return query->net && op->base.plan->placement == PLACEMENT_PARTS &&
           p->number % query->rank_count != query->rank;
}

static status arrow_scan_take(op_arrow_scan *op, exec_task *task, arrow_scan_local *local)
{
    TRY(exec_lock_take(&op->lock, task->stream));
    status st;
    do {
        st = cancel_check();
        if (!st)
            st = arrowfile_dealer_take(op->dealer, &local->piece, &local->has_piece);
    } while (!st && local->has_piece && is_of_another_rank(op, &local->piece));
    exec_lock_give(&op->lock, task->stream);
    local->left = local->piece.rows;
    return st;
}

static status fill_columns(const op_arrow_scan *op, const arrow_scan_local *local,
                           arrowfile_range rows, chunk *c)
{
    const plan_node *plan = op->base.plan;
    for (uint32_t i = 0; i < c->column_count; i++)
        TRY(arrowfile_reader_make(local->reader, plan->arrow_scan.sources.items[i], rows,
                                  &c->columns[i]));
    return STATUS_OK;
}

static status arrow_scan_chunk(op_arrow_scan *op, exec_task *task, arrow_scan_local *local,
                               chunk **out)
{
    uint32_t most = dev_room_rows(task->stream->dev);
    arrowfile_range rows = local->left;
    chunk *made;
    rows.count = rows.count < most ? rows.count : most;
    TRY(chunk_new((uint32_t)op->base.plan->columns.count, dev_count_exact((uint32_t)rows.count),
                  &made));
    status st = fill_columns(op, local, rows, made);
    local->left.first += rows.count;
    uint64_t bytes = arrowfile_reader_bytes(local->reader);
    atomic_fetch_add_explicit(&op->base.metrics.bytes_read, bytes, memory_order_relaxed);
    local->left.count -= rows.count;
    *out = made;
    if (!st && task->stream->dev->is_host)
        return STATUS_OK;
    *out = NULL;
    if (!st)
        st = chunk_to_device_as_bytes(task->stream, made, "Arrow files", out);
    chunk_free(made);
    return st;
}

static exec_result arrow_scan_pull(exec_operator *base, exec_task *task, void *state,
                                   chunk **output)
{
    op_arrow_scan *op = (op_arrow_scan *)base;
    arrow_scan_local *local = state;
    EXEC_TRY(task, cancel_check());
    if (!local->has_piece || !local->left.count) {
        EXEC_TRY(task, arrow_scan_take(op, task, local));
        if (!local->has_piece || !exec_turn_begin(task, local->piece.number))
            return EXEC_FINISHED;
        EXEC_TRY(task, arrowfile_reader_begin(local->reader, &local->piece));
    }
    EXEC_TRY(task, arrow_scan_chunk(op, task, local, output));
    return EXEC_HAVE_OUTPUT;
}

static status arrow_scan_local_open(exec_operator *base, exec_task *task, void *state)
{
    arrow_scan_local *local = state;
    const op_arrow_scan *op = (op_arrow_scan *)base;
    return arrowfile_reader_new(op->table, op->host, task->stream->dev->host_isa, &local->reader);
}

static void arrow_scan_local_close(exec_operator *base, void *state)
{
    (void)base;
    arrow_scan_local *local = state;
    arrowfile_reader_free(local->reader);
}

static void arrow_scan_close(exec_operator *base)
{
    op_arrow_scan *op = (op_arrow_scan *)base;
    arrowfile_dealer_free(op->dealer);
    exec_lock_destroy(&op->lock);
    mem_free(op);
}

static const exec_operator_ops arrow_scan_ops = {
    .name = "scan",
    .local_bytes = sizeof(arrow_scan_local),
    .local_open = arrow_scan_local_open,
    .local_close = arrow_scan_local_close,
    .pull = arrow_scan_pull,
    .close = arrow_scan_close,
};

status op_arrow_scan_open(exec_query *query, const plan_node *plan, exec_operator **out)
{
    *out = NULL;
    op_arrow_scan *op = mem_new(sizeof *op);
    if (!op)
        return status_no_memory("Arrow scan", sizeof *op);
    op->base = (exec_operator){.ops = &arrow_scan_ops, .query = query, .plan = plan};
    op->table = plan->arrow_scan.table;
    op->host = dev_host(query->dev);
    exec_lock_init(&op->lock);
    status st = arrowfile_dealer_new(op->table, (uint64_t)dev_room_rows(query->dev) * PIECE_CHUNKS,
                                     &op->dealer);
    return exec_operator_opened(&op->base, st, out);
}
