/* op_exchange_send.c - the sink of an exchange: rows to the ranks that they belong to.
 *
 *     chunk ─ keys ─ hash ─ ranks_partition ─┬─ lane 0 ─ messages ─> rank 0
 *                                            └─ lane 1 ─ messages ─> rank 1
 *
 * Where all rows go the same way there is one lane, to rank 0 or to all ranks; a broadcast that may overflow
 * has one to all ranks and one to each. Each task has its own, and takes no chunk before all lanes have
 * written the one before. Rows that stay go to the source by exchange_stay.h, those of ranges to the ranks that
 * exchange_ranges.h says. */
#include "device/chunk.h"
#include "device/transfer.h"
#include "exec/exchange/exchange_cargo.h"
#include "exec/exchange/exchange_count.h"
#include "exec/exchange/exchange_heavy.h"
#include "exec/exchange/exchange_lane.h"
#include "exec/exchange/exchange_sample.h"
#include "exec/exchange/exchange_stay.h"
#include "exec/exchange/op_exchange.h"
#include "exec/exchange/op_exchange_receive.h"
#include "exec/expression/program.h"
#include "exec/expression/program_compile.h"
#include "exec/expression/program_run.h"

typedef struct op_send {
    exec_operator base;
    net_exchange *net;
    exchange_columns columns;
    uint32_t lane_count, rank_count;
    uint32_t rank_lane; /* that of rank 0, where rows go by keys */
    exchange_stay stay;
    program *program; /* of the keys */
    uint32_t key_count;
    heavy_keys *heavy;       /* the join's; or NULL */
    exchange_ranges *ranges; /* by which rows go; or NULL */
    _Atomic uint32_t next_stream;
    _Atomic bool *has_declined; /* by rank */
    _Atomic uint32_t declined_count;
} op_send;

typedef struct send_local {
    net_waiter waiter;
    program_run *run;
    chunk *current; /* its keys are being evaluated */
    tensor **keys;
    uint32_t next_key;
    uint64_t *offsets; /* two to a word: where the rows of each rank begin, and the end */
    exchange_lane *lanes;
    chunk **packed; /* by rank, on their way to the lanes */
    uint64_t turn;  /* of rows that may go to several ranks */
} send_local;

#define OFFSET_WORDS(ranks) ((ranks) / 2 + 1)

/* ---- lanes to ranks ---- */

static void note_declined(op_send *op, uint32_t peer)
{
    if (!atomic_exchange(&op->has_declined[peer], true))
        atomic_fetch_add(&op->declined_count, 1);
}

static status send_message(op_send *op, exchange_lane *lane, net_message *message)
{
    status st = exchange_lane_fill(lane, message);
    if (st) {
        net_message_free(message);
        return st;
    }
    exchange_count_sent(&op->base, message);
    net_send(op->net, &message);
    return STATUS_OK;
}

/* The lane's message to whom it has to go; NET_WAIT: the rest when the task is woken. */
static status send_full(op_send *op, send_local *local, exchange_lane *lane, net_state *out)
{
    uint32_t rank;
    *out = NET_READY;
    while (exchange_lane_next(lane, &rank)) {
        net_message *message;
        TRY(net_try_message(op->net, rank, &local->waiter, out, &message));
        if (*out == NET_WAIT)
            return STATUS_OK;
        if (*out == NET_READY)
            TRY(send_message(op, lane, message));
        else
            note_declined(op, rank);
        lane->next++;
    }
    *out = NET_READY;
    return STATUS_OK;
}

/* Until no lane has rows, or a full message. */
static status send_lanes(op_send *op, send_local *local, net_state *out)
{
    *out = NET_READY;
    for (uint32_t i = 0; i < op->lane_count; i++) {
        exchange_lane *lane = &local->lanes[i];
        while (lane->rows || lane->is_full) {
            TRY(send_full(op, local, lane, out));
            if (*out == NET_WAIT)
                return STATUS_OK;
            TRY(exchange_lane_write(lane));
        }
    }
    return STATUS_OK;
}

/* ---- rows to lanes ---- */

static status hash_rows(op_send *op, exec_task *task, send_local *local, uint64_t *hashes)
{
    if (op->ranges)
        return exchange_ranges_hash(op->ranges, task, local->current, &local->turn, hashes);
    for (uint32_t k = 0; k < op->key_count; k++) {
        const tensor *key = local->keys[k];
        TRY(DEV_LAUNCH(task->stream, hash_values, .type = key->type, .combine = k > 0,
                       .values = key->values, .validity = key->validity,
                       .count = local->current->rows, .out = hashes));
    }
    return STATUS_OK;
}

static exchange_keyed keyed_rows(const op_send *op, send_local *local)
{
    return (exchange_keyed){.columns = &op->columns,
                            .rows = &local->current,
                            .keys = local->keys,
                            .key_count = op->key_count};
}

static status sample_rows(const op_send *op, exec_task *task, send_local *local,
                          const uint64_t *hashes)
{
    exchange_keyed keyed = keyed_rows(op, local);
    return op->heavy ? exchange_heavy_sample(op->heavy, task, &keyed, hashes) : STATUS_OK;
}

/* The rows' hashes become their numbers rank by rank, and in local->offsets where each rank's begin. */
static status partition_rows(op_send *op, exec_task *task, send_local *local,
                             const row_index *order, uint64_t *hashes)
{
    dev_buffer *offsets;
    TRY(dev_words_new(task->stream, OFFSET_WORDS(op->rank_count), &offsets));
    status st = hash_rows(op, task, local, hashes);
    if (!st)
        st = sample_rows(op, task, local, hashes);
    if (!st)
        st = DEV_LAUNCH(task->stream, ranks_partition, .hashes = hashes,
                        .count = local->current->rows, .ranks = op->rank_count, .out = order->rows,
                        .offsets = offsets->address);
    if (!st)
        st = dev_words_read(task->stream, offsets->address, local->offsets,
                            OFFSET_WORDS(op->rank_count));
    dev_buffer_unref(offsets);
    return st;
}

static status exchange_send_order_rows(op_send *op, exec_task *task, send_local *local,
                                       row_index **out)
{
    device *dev = task->stream->dev;
    uint64_t rows = local->current->rows.bound;
    dev_buffer *hashes;
    TRY(row_index_new(dev, rows, out));
    status st = dev_alloc(dev, rows * sizeof(uint64_t), "exchange", &hashes);
    if (!st) {
        st = partition_rows(op, task, local, *out, hashes->address);
        dev_buffer_unref(hashes);
    }
    if (st) {
        row_index_unref(*out);
        *out = NULL;
    }
    return st;
}

/* The columns that travel, in the order (NULL: as they are), in the host's reach. */
static status bring_rows(op_send *op, exec_task *task, send_local *local, row_index *order,
                         chunk **out)
{
    chunk *rows;
    TRY(exchange_columns_narrow(&op->columns, local->current, &rows));
    status st =
        order ? chunk_select(task->stream, rows, order, local->current->rows, NULL) : STATUS_OK;
    if (st) {
        chunk_free(rows);
        return st;
    }
    return exchange_to_host(task->stream, rows, out);
}

/* From device to device. */
static status pack_for(op_send *op, exec_task *task, send_local *local, const row_index *order,
                       uint32_t ranks, exchange_lane *lanes)
{
    chunk *rows;
    TRY(exchange_columns_narrow(&op->columns, local->current, &rows));
    status st = exchange_cargo_pack(task->stream, rows, order, (const uint32_t *)local->offsets,
                                    ranks, local->packed);
    chunk_free(rows);
    for (uint32_t i = 0; i < ranks && !st; i++)
        if (local->packed[i])
            exchange_lane_give(&lanes[i], local->packed[i], 0, local->packed[i]->rows.bound);
    return st;
}

static status scatter_cargo(op_send *op, exec_task *task, send_local *local)
{
    row_index *order;
    TRY(exchange_send_order_rows(op, task, local, &order));
    status st = pack_for(op, task, local, order, op->rank_count, &local->lanes[op->rank_lane]);
    row_index_unref(order);
    return st;
}

static status scatter(op_send *op, exec_task *task, send_local *local)
{
    row_index *order;
    chunk *rows, *part;
    const uint32_t *offsets = (const uint32_t *)local->offsets;
    if (op->base.query->sends_cargo)
        return scatter_cargo(op, task, local);
    TRY(exchange_send_order_rows(op, task, local, &order));
    status st = bring_rows(op, task, local, order, &rows);
    row_index_unref(order);
    TRY(st);
    for (uint32_t rank = 0; rank < op->rank_count && !st; rank++) {
        uint32_t count = offsets[rank + 1] - offsets[rank];
        st = count ? exchange_share(rows, &part) : STATUS_OK;
        if (!st && count)
            exchange_lane_give(&local->lanes[op->rank_lane + rank], part, offsets[rank], count);
    }
    chunk_free(rows);
    return st;
}

static void drop_keys(const op_send *op, send_local *local)
{
    for (uint32_t k = 0; local->keys && k < op->key_count; k++) {
        tensor_unref(local->keys[k]);
        local->keys[k] = NULL;
    }
    local->next_key = 0;
}

static exec_result evaluate_keys(op_send *op, exec_task *task, send_local *local)
{
    for (; local->next_key < op->key_count; local->next_key++) {
        tensor *value = NULL;
        exec_result result = program_evaluate(local->run, local->next_key, local->current, &value);
        if (result != EXEC_FINISHED)
            return result;
        status st = tensor_flatten(task->stream, value, local->current->rows,
                                   &local->keys[local->next_key]);
        tensor_unref(value);
        EXEC_TRY(task, st);
    }
    return EXEC_FINISHED;
}

static status give_all(op_send *op, exec_task *task, send_local *local)
{
    chunk *rows;
    if (op->base.query->sends_cargo)
        return pack_for(op, task, local, NULL, 1, local->lanes);
    TRY(bring_rows(op, task, local, NULL, &rows));
    exchange_lane_give(&local->lanes[0], rows, 0, rows->rows.bound);
    return STATUS_OK;
}

/* Rows of heavy keys stay here. */
static status keep_heavy(op_send *op, exec_task *task, send_local *local)
{
    exchange_keyed keyed = keyed_rows(op, local);
    return op->heavy ? exchange_heavy_keep(op->heavy, task, &keyed) : STATUS_OK;
}

/* A broadcast's do so once it has overflowed. */
static bool go_by_keys(const op_send *op)
{
    const plan_node *plan = op->base.plan;
    if (plan->exchange.kind != EXCHANGE_BROADCAST || !plan->exchange.overflow_id)
        return op->key_count || op->ranges;
    return exec_has_overflowed(&op->base.query->overflows[plan->exchange.overflow_id - 1]);
}

/* The chunk at work goes to the lanes. */
static exec_result distribute(op_send *op, exec_task *task, send_local *local)
{
    if (!go_by_keys(op)) {
        EXEC_TRY(task, give_all(op, task, local));
    } else {
        exec_result result = evaluate_keys(op, task, local);
        if (result != EXEC_FINISHED)
            return result;
        EXEC_TRY(task, keep_heavy(op, task, local));
        if (local->current)
            EXEC_TRY(task, scatter(op, task, local));
        drop_keys(op, local);
    }
    chunk_free(local->current);
    local->current = NULL;
    return EXEC_FINISHED;
}

/* ---- the operator ---- */

/* Says which ranks get what a lane has: those from *out_first up to *out_end. */
static void find_receivers(const op_send *op, uint32_t lane, uint32_t *out_first, uint32_t *out_end)
{
    plan_exchange_kind kind = op->base.plan->exchange.kind;
    *out_first = 0;
    *out_end = op->rank_count;
    if (kind == EXCHANGE_LATER) {
        *out_first = op->base.query->rank + 1;
    } else if (kind == EXCHANGE_EARLIER) {
        *out_end = op->base.query->rank;
    } else if (kind != EXCHANGE_BROADCAST || lane) {
        *out_first = lane >= op->rank_lane ? lane - op->rank_lane : 0;
        *out_end = *out_first + 1;
    }
}

static status open_lanes(op_send *op, exec_task *task, send_local *local)
{
    uint32_t stream = atomic_fetch_add(&op->next_stream, 1 + op->rank_lane);
    exchange_lane_options options = {.dev = dev_host(task->stream->dev),
                                     .columns = &op->columns,
                                     .message_bytes = (uint32_t)op->base.query->net_message_bytes,
                                     .is_cargo = op->base.query->sends_cargo};
    if (stream + op->rank_lane >= EXCHANGE_STREAMS_MAX)
        return status_new(STATUS_KIND_LIMIT, "more than %u tasks send rows to other ranks",
                          EXCHANGE_STREAMS_MAX);
    local->lanes = mem_new_array(op->lane_count, sizeof *local->lanes);
    if (!local->lanes)
        return status_no_memory("exchange", op->lane_count * sizeof *local->lanes);
    for (uint32_t i = 0; i < op->lane_count; i++) {
        bool by_rank = i >= op->rank_lane;
        options.stream = stream + (by_rank ? op->rank_lane : 0);
        options.flags = op->rank_lane && by_rank ? EXCHANGE_BY_KEYS : 0;
        find_receivers(op, i, &options.first, &options.end);
        TRY(exchange_lane_init(&local->lanes[i], &options));
    }
    return STATUS_OK;
}

static status send_local_open(exec_operator *base, exec_task *task, void *state)
{
    op_send *op = (op_send *)base;
    send_local *local = state;
    exchange_waiter_set(&local->waiter, task);
    local->keys = mem_new_array(op->key_count + 1, sizeof *local->keys);
    local->offsets = mem_new_array(OFFSET_WORDS(op->rank_count), sizeof *local->offsets);
    local->packed = mem_new_array(op->rank_count, sizeof *local->packed);
    if (!local->keys || !local->offsets || !local->packed)
        return status_no_memory("exchange", op->key_count * sizeof *local->keys);
    TRY(open_lanes(op, task, local));
    return op->program ? program_run_new(op->program, task, &local->run) : STATUS_OK;
}

static void send_local_close(exec_operator *base, void *state)
{
    op_send *op = (op_send *)base;
    send_local *local = state;
    drop_keys(op, local);
    chunk_free(local->current);
    program_run_free(local->run);
    for (uint32_t i = 0; local->lanes && i < op->lane_count; i++)
        exchange_lane_release(&local->lanes[i]);
    mem_free(local->lanes);
    mem_free(local->keys);
    mem_free(local->offsets);
    mem_free(local->packed);
}

/* Rows that stay: other tasks take them, on streams of their own. */
static exec_result push_staying(op_send *op, exec_task *task, send_local *local, chunk **input)
{
    net_state net_is;
    if (*input) {
        if (!task->stream->dev->is_host)
            EXEC_TRY(task, dev_stream_await(task->stream));
        local->current = *input;
        *input = NULL;
    }
    if (!local->current)
        return EXEC_NEED_INPUT;
    EXEC_TRY(task, exchange_stay_put(&op->stay, &local->waiter, &local->current, &net_is));
    return net_is == NET_WAIT ? EXEC_WAIT : net_is == NET_ENDED ? EXEC_FINISHED : EXEC_NEED_INPUT;
}

/* NET_WAIT: other ranks' samples are still to come. */
static status send_try_ranges(op_send *op, send_local *local, net_state *out)
{
    *out = NET_READY;
    return op->ranges ? exchange_ranges_try(op->ranges, &local->waiter, out) : STATUS_OK;
}

static exec_result send_push(exec_operator *base, exec_task *task, void *state, chunk **input,
                             chunk **output)
{
    (void)output;
    op_send *op = (op_send *)base;
    send_local *local = state;
    net_state net_is;
    if (exchange_stays(base))
        return push_staying(op, task, local, input);
    EXEC_TRY(task, send_try_ranges(op, local, &net_is));
    if (net_is == NET_WAIT)
        return EXEC_WAIT;
    EXEC_TRY(task, send_lanes(op, local, &net_is));
    if (net_is == NET_WAIT)
        return EXEC_WAIT;
    if (atomic_load(&op->declined_count) == op->rank_count)
        return EXEC_FINISHED;
    if (*input && op->heavy) {
        bool can_go_on;
        EXEC_TRY(task, heavy_keys_try_go_on(op->heavy, task, &local->waiter, &can_go_on));
        if (!can_go_on)
            return EXEC_WAIT;
    }
    if (*input) {
        local->current = *input;
        *input = NULL;
    }
    if (!local->current)
        return EXEC_NEED_INPUT;
    exec_result result = distribute(op, task, local);
    if (result != EXEC_FINISHED)
        return result;
    EXEC_TRY(task, send_lanes(op, local, &net_is));
    return net_is == NET_WAIT ? EXEC_WAIT : EXEC_NEED_INPUT;
}

static exec_result send_local_finish(exec_operator *base, exec_task *task, void *state,
                                     chunk **output)
{
    (void)output;
    op_send *op = (op_send *)base;
    send_local *local = state;
    net_state net_is;
    EXEC_TRY(task, exec_check_error(task));
    EXEC_TRY(task, send_try_ranges(op, local, &net_is)); /* ranks without rows agree, too */
    if (net_is == NET_WAIT)
        return EXEC_WAIT;
    for (uint32_t i = 0; i < op->lane_count; i++)
        exchange_lane_flush(&local->lanes[i]);
    EXEC_TRY(task, send_lanes(op, local, &net_is));
    return net_is == NET_WAIT ? EXEC_WAIT : EXEC_FINISHED;
}

/* All tasks have sent all they had. */
static exec_result send_phase(exec_operator *base, exec_task *task, unsigned number)
{
    (void)number;
    op_send *op = (op_send *)base;
    for (uint32_t rank = 0; rank < op->rank_count && task->index == 0; rank++)
        net_end(op->net, rank);
    if (op->heavy && task->index == 0)
        heavy_keys_end(op->heavy);
    return EXEC_FINISHED;
}

static void send_close(exec_operator *base)
{
    op_send *op = (op_send *)base;
    net_exchange_close(op->net);
    exchange_stay_release(&op->stay);
    exchange_ranges_free(op->ranges);
    program_free(op->program);
    exchange_columns_release(&op->columns);
    mem_free(op->has_declined);
    mem_free(op);
}

static const exec_operator_ops send_ops = {
    .name = "send",
    .local_bytes = sizeof(send_local),
    .local_open = send_local_open,
    .local_close = send_local_close,
    .push = send_push,
    .exact_counts = true,
    .local_finish = send_local_finish,
    .phase_count = 1,
    .phase = send_phase,
    .close = send_close,
};

static status exchange_send_open_net(exec_query *query, const plan_node *plan, bool is_receiver,
                                     net_exchange **out)
{
    net_exchange_options options = {.id = EXEC_NET_FIRST_EXCHANGE + plan->exchange.id,
                                    .name = plan_exchange_name(plan->exchange.kind),
                                    .message_bytes = query->sends_cargo
                                                         ? EXCHANGE_CARGO_MESSAGE_BYTES
                                                         : (uint32_t)query->net_message_bytes,
                                    .is_no_receiver = !is_receiver,
                                    .has_root = plan_exchange_has_root(plan->exchange.kind)};
    return net_exchange_open(query->net, &options, out);
}

static status send_open(exec_query *query, const plan_node *plan, bool is_receiver, op_send *op)
{
    const plan_column_list *columns = &plan->children[0]->columns;
    op->rank_count = query->rank_count;
    op->key_count = (uint32_t)plan->exchange.keys.count;
    op->heavy = plan->exchange.heavy_id ? query->heavy[plan->exchange.heavy_id - 1] : NULL;
    op->rank_lane = plan->exchange.kind == EXCHANGE_BROADCAST && op->key_count;
    bool is_ranged = plan->exchange.kind == EXCHANGE_RANGES;
    op->lane_count = op->rank_lane + (op->key_count || is_ranged ? op->rank_count : 1);
    op->has_declined = mem_new_array(op->rank_count, sizeof *op->has_declined);
    if (!op->has_declined)
        return status_no_memory("exchange", op->rank_count * sizeof *op->has_declined);
    TRY(exchange_counters_new(&op->base, true));
    TRY(exchange_columns_init(plan, &op->columns));
    if (is_ranged)
        TRY(exchange_ranges_new(query, plan, &op->ranges));
    if (op->key_count)
        TRY(program_compile((const expr *const *)plan->exchange.keys.items, op->key_count,
                            (exec_layout){(uint32_t)columns->count, columns->items}, &op->program));
    return exchange_send_open_net(query, plan, is_receiver, &op->net);
}

static status open_source(exec_query *query, const plan_node *plan, op_send *op,
                          exec_operator **out)
{
    switch (plan->exchange.kind) {
    case EXCHANGE_MERGE:
        return op_exchange_merge_open(query, plan, op->net, out);
    case EXCHANGE_APPEND:
        return op_exchange_append_open(query, plan, op->net, out);
    default:
        return op_exchange_receive_open(query, plan, op->net, &op->stay, out);
    }
}

status op_exchange_sampler(exec_operator *sink, exec_operator **out)
{
    return op_exchange_sample_open(sink->query, ((op_send *)sink)->ranges, out);
}

status op_exchange_open(exec_query *query, const plan_node *plan, exec_operator **out_sink,
                        exec_operator **out_source)
{
    *out_sink = NULL;
    op_send *op = mem_new(sizeof *op);
    if (!op)
        return status_no_memory("exchange", sizeof *op);
    op->base = (exec_operator){.ops = &send_ops, .query = query, .plan = plan};
    exchange_stay_init(&op->stay, NULL, query->rank);
    status st = send_open(query, plan, out_source != NULL, op);
    op->stay.net = op->net;
    if (!st && out_source)
        st = open_source(query, plan, op, out_source);
    if (st)
        return exec_give_up(query, &op->base, st);
    *out_sink = &op->base;
    return STATUS_OK;
}
