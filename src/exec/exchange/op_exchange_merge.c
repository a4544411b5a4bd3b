/* op_exchange_merge.c - the source of a merge: each rank sends its rows in order, they come out in order.
 *
 *     rank 0 ─ messages ─ rows ─┐
 *     rank 1 ─ messages ─ rows ─┼─ heap: whose next row is first? ─ picks ─ chunk
 *     rank 2 ─ messages ─ rows ─┘
 *
 * One task merges, in the host's memory. A chunk goes out when some rank's message is used up, at the
 * latest: its rows are put together rank by rank, and selected in the order of the picks. */
#include "device/chunk.h"
#include "device/chunk_transfer.h"
#include "device/value/sort_key.h"
#include "exec/exchange/exchange_cargo.h"
#include "exec/exchange/exchange_count.h"
#include "exec/exchange/exchange_stream.h"
#include "exec/exchange/op_exchange.h"
#include "exec/exchange/op_exchange_receive.h"
#include "net/wire/wire.h"
#include "net/wire/wire_read.h"

#define KEY_WORDS 3

typedef struct merge_rank {
    wire_reader *reader;
    chunk *rows;      /* of a message; NULL: the next one is to come, or all are done */
    dev_buffer *keys; /* of those, packed */
    uint64_t first;   /* row that no chunk has yet */
    uint64_t at;      /* the next one to be picked */
    uint64_t place;   /* where its first row is, while a chunk is made */
    bool has_ended;
} merge_rank;

typedef struct op_merge {
    exec_operator base;
    net_exchange *net; /* the sink's */
    exchange_columns columns;
    dev_stream host; /* a host device's: on which keys are packed, and chunks made */
    uint32_t rank_count, key_count;
    uint32_t *key_columns; /* among those that travel */
    merge_rank *ranks;
    uint32_t *heap; /* ranks that have rows, the one of the first row first */
    uint32_t heap_count;
    uint32_t waiting; /* the next rank whose message is to be there, before anything is picked */
    uint32_t *picks;  /* ranks, one a row */
    uint64_t pick_count, pick_max;
    uint64_t rows_left; /* until the limit */
    net_waiter waiter;
} op_merge;

/* ---- messages ---- */

static status exchange_merge_pack_keys(op_merge *op, merge_rank *from)
{
    tensor *key;
    uint64_t rows = from->rows->rows.bound;
    TRY(dev_alloc(op->host.dev, rows * op->key_count * KEY_WORDS * sizeof(uint64_t), "merge",
                  &from->keys));
    for (uint32_t k = 0; k < op->key_count; k++) {
        const plan_sort_key *order = &op->base.plan->exchange.order.items[k];
        TRY(chunk_flatten_column(&op->host, from->rows, op->key_columns[k], &key));
        TRY(DEV_LAUNCH(&op->host, sort_pack, .type = key->type, .values = key->values,
                       .validity = key->validity, .count = from->rows->rows, .key = k,
                       .key_count = op->key_count, .is_descending = order->is_descending,
                       .nulls_first = order->nulls_first, .rows = from->keys->address));
    }
    return STATUS_OK;
}

static void exchange_merge_drop_rows(merge_rank *from)
{
    chunk_free(from->rows);
    dev_buffer_unref(from->keys);
    from->rows = NULL;
    from->keys = NULL;
    from->first = from->at = 0;
}

/* Rows of another device come to this one, and from there to the host. */
static status exchange_merge_fetch(dev_stream *stream, const net_message *message, chunk **out)
{
    chunk *rows;
    *out = NULL;
    TRY(exchange_cargo_fetch(stream, message, "merge", &rows));
    status st = chunk_to_host(stream, rows, true, "merge", out);
    chunk_free(rows);
    return st;
}

/* One task sends: its messages are one stream. */
static status exchange_merge_read_message(op_merge *op, dev_stream *stream, merge_rank *from,
                                          const net_message *message)
{
    bool is_cargo = op->base.query->sends_cargo;
    uint32_t header = (uint32_t)sizeof(exchange_header);
    TRY(exchange_stream_check_one(message, "merge", is_cargo));
    status st = is_cargo ? exchange_merge_fetch(stream, message, &from->rows)
                         : wire_read(from->reader, message->data + header, message->bytes - header,
                                     &from->rows);
    if (!st && from->rows && !from->rows->rows.bound)
        exchange_merge_drop_rows(from);
    if (!st && from->rows)
        st = exchange_merge_pack_keys(op, from);
    return status_context(st, "rank %u", message->peer);
}

/* The rank has rows, or has ended; NET_WAIT: not yet. */
static status next_rows(op_merge *op, dev_stream *stream, uint32_t rank, net_state *out_state)
{
    merge_rank *from = &op->ranks[rank];
    *out_state = NET_READY;
    while (!from->rows && !from->has_ended) {
        net_message *message;
        TRY(net_try_receive(op->net, rank, &op->waiter, out_state, &message));
        if (*out_state == NET_WAIT)
            return STATUS_OK;
        from->has_ended = *out_state == NET_ENDED;
        if (from->has_ended)
            break;
        exchange_count_received(&op->base, message);
        status st = exchange_merge_read_message(op, stream, from, message);
        net_message_free(message);
        TRY(st);
    }
    *out_state = NET_READY;
    return STATUS_OK;
}

/* ---- order ---- */

static const uint64_t *exchange_merge_key_of(const op_merge *op, uint32_t rank)
{
    const merge_rank *from = &op->ranks[rank];
    const uint64_t *keys = from->keys->address;
    return keys + from->at * op->key_count * KEY_WORDS;
}

static bool exchange_merge_goes_first(const op_merge *op, uint32_t left, uint32_t right)
{
    int order = sort_key_compare(exchange_merge_key_of(op, left), exchange_merge_key_of(op, right),
                                 op->key_count, string_data);
    return order ? order < 0 : left < right;
}

static void exchange_merge_sift_down(op_merge *op, uint32_t at)
{
    uint32_t moved = op->heap[at];
    for (;;) {
        uint32_t child = 2 * at + 1;
        if (child >= op->heap_count)
            break;
        if (child + 1 < op->heap_count &&
            exchange_merge_goes_first(op, op->heap[child + 1], op->heap[child]))
            child++;
        if (!exchange_merge_goes_first(op, op->heap[child], moved))
            break;
        op->heap[at] = op->heap[child];
        at = child;
    }
    op->heap[at] = moved;
}

/* After a rank's rows have come. */
static void exchange_merge_make_heap(op_merge *op)
{
    op->heap_count = 0;
    for (uint32_t rank = 0; rank < op->rank_count; rank++)
        if (op->ranks[rank].rows)
            op->heap[op->heap_count++] = rank;
    for (uint32_t i = op->heap_count / 2; i-- > 0;)
        exchange_merge_sift_down(op, i);
}

/* Until some rank's rows are used up, or there are enough. */
static void exchange_merge_pick(op_merge *op)
{
    while (op->heap_count && op->rows_left && op->pick_count < op->pick_max) {
        merge_rank *from = &op->ranks[op->heap[0]];
        op->picks[op->pick_count++] = op->heap[0];
        op->rows_left--;
        if (++from->at == from->rows->rows.bound)
            return;
        exchange_merge_sift_down(op, 0);
    }
}

/* ---- making a chunk ---- */

/* Rows [first, at) of a rank. */
static status exchange_merge_take_slice(op_merge *op, const merge_rank *from, chunk **out)
{
    row_index *index;
    uint64_t count = from->at - from->first;
    TRY(row_index_new(op->host.dev, count, &index));
    for (uint64_t i = 0; i < count; i++)
        index->rows[i] = (uint32_t)(from->first + i);
    status st = exchange_share(from->rows, out);
    if (!st)
        st = chunk_select(&op->host, *out, index, dev_count_exact(count), NULL);
    row_index_unref(index);
    return st;
}

static status take_slices(op_merge *op, chunk_list *slices)
{
    uint64_t place = 0;
    for (uint32_t rank = 0; rank < op->rank_count; rank++) {
        merge_rank *from = &op->ranks[rank];
        chunk *slice = NULL;
        if (from->at == from->first)
            continue;
        status st = exchange_merge_take_slice(op, from, &slice);
        if (!st)
            st = array_push(NULL, slices, slice);
        if (st) {
            chunk_free(slice);
            return st;
        }
        from->place = place;
        place += from->at - from->first;
        from->first = from->at;
    }
    return STATUS_OK;
}

static status select_picks(op_merge *op, chunk *rows)
{
    row_index *order;
    TRY(row_index_new(op->host.dev, op->pick_count, &order));
    for (uint64_t i = 0; i < op->pick_count; i++)
        order->rows[i] = (uint32_t)op->ranks[op->picks[i]].place++;
    status st = chunk_select(&op->host, rows, order, dev_count_exact(op->pick_count), NULL);
    row_index_unref(order);
    return st;
}

/* Takes the rows that were picked, on the host. */
static status take_picks(op_merge *op, chunk **out)
{
    chunk *rows = NULL;
    chunk_list slices = {0};
    status st = take_slices(op, &slices);
    if (!st)
        st = chunk_concat(&op->host, slices.items, slices.count, "merge", &rows);
    bool has_several = slices.count > 1;
    chunk_list_release(&slices);
    if (!st && has_several)
        st = select_picks(op, rows);
    if (st) {
        chunk_free(rows);
        return st;
    }
    op->pick_count = 0;
    for (uint32_t rank = 0; rank < op->rank_count; rank++)
        if (op->ranks[rank].rows && op->ranks[rank].at == op->ranks[rank].rows->rows.bound)
            exchange_merge_drop_rows(&op->ranks[rank]);
    return exchange_columns_widen(&op->columns, rows, out);
}

static status give_picks(op_merge *op, dev_stream *stream, chunk **output)
{
    chunk *rows;
    TRY(take_picks(op, &rows));
    if (stream->dev->is_host) {
        *output = rows;
        return STATUS_OK;
    }
    status st = chunk_to_device(stream, rows, "merge", output);
    chunk_free(rows);
    return st;
}

/* ---- the operator ---- */

static exec_result merge_pull(exec_operator *base, exec_task *task, void *state, chunk **output)
{
    (void)state;
    op_merge *op = (op_merge *)base;
    net_state is;
    for (; op->waiting < op->rank_count; op->waiting++) {
        EXEC_TRY(task, next_rows(op, task->stream, op->waiting, &is));
        if (is == NET_WAIT)
            return EXEC_WAIT;
    }
    exchange_merge_make_heap(op);
    exchange_merge_pick(op);
    if (!op->pick_count)
        return EXEC_FINISHED;
    EXEC_TRY(task, give_picks(op, task->stream, output));
    op->waiting = 0;
    return EXEC_HAVE_OUTPUT;
}

typedef struct merge_local {
    op_merge *op;
} merge_local;

static status merge_local_open(exec_operator *base, exec_task *task, void *state)
{
    op_merge *op = (op_merge *)base;
    ((merge_local *)state)->op = op;
    exchange_waiter_set(&op->waiter, task);
    return STATUS_OK;
}

/* Tells the senders if the operator above has had enough. */
static void merge_local_close(exec_operator *base, void *state)
{
    if (((merge_local *)state)->op)
        net_decline(((op_merge *)base)->net);
}

static void merge_close(exec_operator *base)
{
    op_merge *op = (op_merge *)base;
    for (uint32_t rank = 0; op->ranks && rank < op->rank_count; rank++) {
        exchange_merge_drop_rows(&op->ranks[rank]);
        wire_reader_free(op->ranks[rank].reader);
    }
    mem_free(op->ranks);
    mem_free(op->heap);
    mem_free(op->picks);
    mem_free(op->key_columns);
    exchange_columns_release(&op->columns);
    mem_free(op);
}

static const exec_operator_ops merge_ops = {
    .name = "merge",
    .local_bytes = sizeof(merge_local),
    .local_open = merge_local_open,
    .local_close = merge_local_close,
    .pull = merge_pull,
    .close = merge_close,
};

/* The keys are columns of the plan's, which travel. */
static status exchange_merge_find_keys(op_merge *op)
{
    const plan_node *plan = op->base.plan;
    for (uint32_t k = 0; k < op->key_count; k++) {
        int column = plan_column_index(plan, plan->exchange.order.items[k].key->column_id);
        uint32_t at = 0;
        while (at < op->columns.count && op->columns.sources[at] != (uint32_t)column)
            at++;
        if (at == op->columns.count)
            return status_new(STATUS_KIND_INTERNAL, "key %u of a merge does not travel", k);
        op->key_columns[k] = at;
    }
    return STATUS_OK;
}

static status merge_init(op_merge *op, const plan_node *plan)
{
    uint32_t ranks = op->rank_count = op->base.query->rank_count;
    op->key_count = (uint32_t)plan->exchange.order.count;
    op->rows_left = plan->exchange.has_limit ? plan->exchange.limit : UINT64_MAX;
    op->pick_max = dev_room_rows(exec_device(op->base.query));
    op->host.dev = dev_host(exec_device(op->base.query));
    op->ranks = mem_new_array(ranks, sizeof *op->ranks);
    op->heap = mem_new_array(ranks, sizeof *op->heap);
    op->key_columns = mem_new_array(op->key_count + 1, sizeof *op->key_columns);
    op->picks = mem_new_array(op->pick_max, sizeof *op->picks);
    if (!op->ranks || !op->heap || !op->key_columns || !op->picks)
        return status_no_memory("merge", op->pick_max * sizeof *op->picks);
    TRY(exchange_counters_new(&op->base, false));
    TRY(exchange_columns_init(plan, &op->columns));
    for (uint32_t rank = 0; rank < ranks; rank++)
        TRY(wire_reader_new(op->host.dev, op->columns.types, op->columns.count, "merge",
                            &op->ranks[rank].reader));
    return exchange_merge_find_keys(op);
}

status op_exchange_merge_open(exec_query *query, const plan_node *plan, net_exchange *net,
                              exec_operator **out)
{
    *out = NULL;
    op_merge *op = mem_new(sizeof *op);
    if (!op)
        return status_no_memory("merge", sizeof *op);
    op->base = (exec_operator){.ops = &merge_ops, .query = query, .plan = plan, .task_limit = 1};
    op->net = net;
    status st = merge_init(op, plan);
    return exec_operator_opened(&op->base, st, out);
}
