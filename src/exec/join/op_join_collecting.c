/* op_join_collecting.c - answers of all ranks become tables of heavy keys. */
#include "device/chunk.h"
#include "device/chunk_transfer.h"
#include "exec/join/join_heavy.h"
#include "net/wire/wire.h"
#include "net/wire/wire_read.h"

/* The part of an answer that has come. Each rank gives one after another. */
typedef struct incoming {
    wire_reader *key_reader, *rows_reader;
    chunk *key; /* on the device */
    chunk_list rows;
} incoming;

typedef struct op_collecting {
    exec_operator base;
    op_join_build *join;
    join_answer_columns columns;
} op_collecting;

typedef struct collecting_local {
    net_waiter waiter;
    heavy_keys *heavy;
    incoming *from; /* by rank */
    uint32_t rank_count;
    chunk_list keys, rows; /* of all answers */
} collecting_local;

static void join_collecting_wake(void *task)
{
    exec_wake(task);
}

static status collecting_local_open(exec_operator *base, exec_task *task, void *state)
{
    collecting_local *local = state;
    local->waiter = (net_waiter){.wake = join_collecting_wake, .argument = task};
    local->heavy = ((op_collecting *)base)->join->heavy;
    local->rank_count = base->query->rank_count;
    local->from = mem_new_array(local->rank_count, sizeof *local->from);
    return local->from ? STATUS_OK
                       : status_no_memory("heavy keys", local->rank_count * sizeof *local->from);
}

static void incoming_release(incoming *from)
{
    wire_reader_free(from->key_reader);
    wire_reader_free(from->rows_reader);
    chunk_free(from->key);
    chunk_list_release(&from->rows);
    *from = (incoming){0};
}

/* Tells whoever waits for an answer, or for rows, that no more come. */
static void collecting_local_close(exec_operator *base, void *state)
{
    collecting_local *local = state;
    for (uint32_t i = 0; local->from && i < local->rank_count; i++)
        incoming_release(&local->from[i]);
    mem_free(local->from);
    chunk_list_release(&local->keys);
    chunk_list_release(&local->rows);
    heavy_keys_stop(((op_collecting *)base)->join->heavy);
}

/* ---- messages to rows ---- */

/* FLAT, in the device's memory. Takes the chunk over, also on failure. */
static status join_collecting_bring(exec_task *task, chunk *c, chunk **out)
{
    dev_stream host = {.dev = dev_host(task->stream->dev)};
    chunk *flat;
    *out = NULL;
    status st = chunk_concat(&host, &c, 1, "heavy keys", &flat);
    chunk_free(c);
    TRY(st);
    if (task->stream->dev->is_host) {
        *out = flat;
        return STATUS_OK;
    }
    st = chunk_to_device(task->stream, flat, "heavy keys", out);
    chunk_free(flat);
    return st;
}

static status join_collecting_read_rows(const op_collecting *op, const net_message *message,
                                        bool is_key, wire_reader **reader, chunk **out)
{
    const op_join_build *join = op->join;
    const data_type *types = is_key ? join->key_types : op->columns.types;
    const size_t header = sizeof(join_answer_header);
    *out = NULL;
    if (!*reader)
        TRY(wire_reader_new(dev_host(exec_device(join->base.query)), types,
                            is_key ? join->key_count : op->columns.count, "heavy keys", reader));
    return wire_read(*reader, message->data + header, message->bytes - (uint32_t)header, out);
}

static status join_collecting_take_key(const op_collecting *op, exec_task *task, incoming *from,
                                       const net_message *message)
{
    chunk *c;
    TRY(join_collecting_read_rows(op, message, true, &from->key_reader, &c));
    if (!c)
        return STATUS_OK;
    if (from->key || c->rows.bound != 1) {
        chunk_free(c);
        return status_new(STATUS_KIND_CORRUPT, "an answer of heavy keys is not of one key");
    }
    return join_collecting_bring(task, c, &from->key);
}

/* A column that has the key in each row, FLAT. */
static status repeat_key(exec_task *task, tensor *key, row_index *zeros, dev_count rows,
                         tensor **out)
{
    tensor *indexed;
    TRY(tensor_new_indexed(task->stream, key, 1, zeros, rows, &indexed));
    status st = tensor_flatten(task->stream, indexed, rows, out);
    tensor_unref(indexed);
    return st;
}

/* The stored columns: those that came, and keys. */
static status join_collecting_widen(const op_collecting *op, exec_task *task, const incoming *from,
                                    const chunk *c, chunk **out)
{
    const op_join_build *join = op->join;
    row_index *zeros;
    TRY(chunk_new(join->stored_columns, c->rows, out));
    for (uint32_t i = 0; i < op->columns.count; i++)
        (*out)->columns[op->columns.sources[i]] = tensor_ref(c->columns[i]);
    TRY(row_index_new(task->stream->dev, c->rows.bound, &zeros));
    status st = DEV_LAUNCH(task->stream, fill, .width = 4, .count = c->rows, .out = zeros->rows);
    for (uint32_t k = 0; k < join->key_count && !st; k++) {
        tensor **column = &(*out)->columns[join->key_columns[k]];
        if (!*column)
            st = repeat_key(task, from->key->columns[k], zeros, c->rows, column);
    }
    row_index_unref(zeros);
    return st;
}

static status join_collecting_take_rows(const op_collecting *op, exec_task *task, incoming *from,
                                        const net_message *message)
{
    chunk *c, *here, *wide;
    if (!from->key)
        return status_new(STATUS_KIND_CORRUPT, "an answer of heavy keys has no key");
    TRY(join_collecting_read_rows(op, message, false, &from->rows_reader, &c));
    if (!c)
        return STATUS_OK;
    TRY(join_collecting_bring(task, c, &here));
    status st = join_collecting_widen(op, task, from, here, &wide);
    chunk_free(here);
    if (!st)
        st = array_push(NULL, &from->rows, wide);
    if (st)
        chunk_free(wide);
    return st;
}

/* ---- answers to tables ---- */

static status join_collecting_end_answer(const op_collecting *op, exec_task *task,
                                         collecting_local *local, incoming *from, uint64_t hash)
{
    join_heavy_table *table;
    if (!from->key)
        return status_new(STATUS_KIND_CORRUPT, "an answer of heavy keys has no key");
    TRY(array_push(NULL, &local->keys, from->key));
    from->key = NULL;
    TRY(chunk_list_move(&from->rows, &local->rows));
    incoming_release(from);
    TRY(join_heavy_table_new(op->join, task, &local->keys, &local->rows, &table));
    return heavy_keys_answer(local->heavy, hash, &table->base);
}

static status join_collecting_take_in(const op_collecting *op, exec_task *task,
                                      collecting_local *local, const net_message *message)
{
    join_answer_header header;
    incoming *from = &local->from[message->peer];
    if (message->bytes < sizeof header)
        return status_new(STATUS_KIND_CORRUPT, "an answer of heavy keys is of %u bytes",
                          message->bytes);
    memcpy(&header, message->data, sizeof header);
    switch (header.kind) {
    case JOIN_ANSWER_KEY:
        return join_collecting_take_key(op, task, from, message);
    case JOIN_ANSWER_ROWS:
        return join_collecting_take_rows(op, task, from, message);
    case JOIN_ANSWER_END:
        return join_collecting_end_answer(op, task, local, from, header.hash);
    case JOIN_ANSWER_NONE:
        return heavy_keys_answer(local->heavy, header.hash, NULL);
    default:
        return status_new(STATUS_KIND_CORRUPT, "an answer of heavy keys is of kind %u",
                          header.kind);
    }
}

static exec_result collecting_pull(exec_operator *base, exec_task *task, void *state,
                                   chunk **output)
{
    (void)output;
    op_collecting *op = (op_collecting *)base;
    collecting_local *local = state;
    net_message *message;
    net_state is;
    EXEC_TRY(task, net_try_receive(heavy_keys_answers(op->join->heavy), NET_ANY, &local->waiter,
                                   &is, &message));
    if (is != NET_READY)
        return is == NET_WAIT ? EXEC_WAIT : EXEC_FINISHED;
    status st = join_collecting_take_in(op, task, local, message);
    if (st)
        st = status_context(st, "rank %u", message->peer);
    net_message_free(message);
    EXEC_TRY(task, st);
    return EXEC_NEED_INPUT;
}

static void collecting_close(exec_operator *base)
{
    join_answer_columns_release(&((op_collecting *)base)->columns);
    mem_free(base);
}

static const exec_operator_ops collecting_ops = {
    .name = "collect",
    .local_bytes = sizeof(collecting_local),
    .local_open = collecting_local_open,
    .local_close = collecting_local_close,
    .pull = collecting_pull,
    .close = collecting_close,
};

status join_collecting_new(op_join_build *join, exec_operator **out)
{
    op_collecting *op = mem_new(sizeof *op);
    *out = NULL;
    if (!op)
        return status_no_memory("join", sizeof *op);
    op->base = (exec_operator){.ops = &collecting_ops, .query = join->base.query, .task_limit = 1};
    op->join = join;
    status st = join_answer_columns_init(join, &op->columns);
    return exec_operator_opened(&op->base, st, out);
}
