/* op_join_answering.c - what this rank's table has of keys that ranks ask for, to all of them. */
#include "base/system/mutex.h"
#include "device/chunk.h"
#include "device/chunk_transfer.h"
#include "device/transfer.h"
#include "exec/join/join_heavy.h"
#include "exec/join/join_spill.h"
#include "exec/join/op_join_build.h"
#include "net/wire/wire.h"
#include "net/wire/wire_read.h"
#include "net/wire/wire_write.h"

typedef struct op_answering {
    exec_operator base;
    op_join_build *join;
    join_answer_columns columns;
    uint64_t bytes; /* given so far, about */
} op_answering;

typedef enum answer_step { ANSWER_IDLE, ANSWER_KEY, ANSWER_ROWS, ANSWER_END } answer_step;

typedef struct answering_local {
    net_waiter waiter;
    uint64_t hash;
    answer_step step;
    chunk *key, *rows; /* in the host's reach; rows NULL: there are none */
    bool is_none;
    uint64_t at;         /* of what the step sends */
    wire_writer *writer; /* the step's */
    dev_buffer *message; /* being sent, */
    uint32_t bytes, next_rank;
    bool has_message;
    ARRAY(uint64_t) done; /* hashes */
} answering_local;

static void join_answering_wake(void *task)
{
    exec_wake(task);
}

static status answering_local_open(exec_operator *base, exec_task *task, void *state)
{
    (void)base;
    answering_local *local = state;
    local->waiter = (net_waiter){.wake = join_answering_wake, .argument = task};
    return STATUS_OK;
}

static void join_answering_end_answer(answering_local *local)
{
    chunk_free(local->key);
    chunk_free(local->rows);
    wire_writer_free(local->writer);
    local->key = local->rows = NULL;
    local->writer = NULL;
    local->is_none = false;
    local->step = ANSWER_IDLE;
}

static void answering_local_close(exec_operator *base, void *state)
{
    (void)base;
    answering_local *local = state;
    join_answering_end_answer(local);
    dev_buffer_unref(local->message);
    array_release(&local->done);
}

/* ---- the key's rows ---- */

/* The numbers [first, first + count) of the lists of build rows, or that one itself; of none, zeros. */
static status join_answering_list_rows(const join_table *table, exec_task *task, uint64_t first,
                                       uint64_t count, row_index **out)
{
    TRY(row_index_new(task->stream->dev, count, out));
    status st;
    if (table->rows)
        st = task->stream->dev->ops->copy(task->stream, (*out)->rows,
                                          (const uint32_t *)table->rows->address + first,
                                          count * sizeof(uint32_t));
    else
        st = DEV_LAUNCH(task->stream, fill, .width = 4, .value_low = table->is_direct ? first : 0,
                        .count = dev_count_exact(count), .out = (*out)->rows);
    if (st) {
        row_index_unref(*out);
        *out = NULL;
    }
    return st;
}

/* Finds the key's rows in those lists. The key is there twice: groups are read by words. */
static status join_answering_find_rows(const join_table *table, exec_task *task, const chunk *key,
                                       uint64_t *out_first, uint64_t *out_count)
{
    row_index *groups;
    uint32_t words[2];
    uint64_t word;
    *out_first = *out_count = 0;
    TRY(join_table_probe(table, task, key->columns, key->rows, &groups));
    status st = dev_words_read(task->stream, groups->rows, &word, 1);
    row_index_unref(groups);
    TRY(st);
    memcpy(words, &word, sizeof words);
    if (words[0] == ROW_NULL)
        return STATUS_OK;
    *out_first = words[0];
    *out_count = 1;
    if (!table->starts)
        return STATUS_OK;
    TRY(dev_words_read(task->stream, (const uint32_t *)table->starts->address + words[0], &word,
                       1));
    memcpy(words, &word, sizeof words);
    *out_first = words[0];
    *out_count = words[1] - words[0];
    return STATUS_OK;
}

static uint64_t row_bytes(const op_answering *op)
{
    uint64_t bytes = 1;
    for (uint32_t i = 0; i < op->columns.count; i++)
        bytes += type_is_text(op->columns.types[i]) ? 32 : op->columns.types[i].width;
    return bytes;
}

static status join_answering_take_rows(const op_answering *op, exec_task *task, uint64_t first,
                                       uint64_t count, chunk **out)
{
    const join_table *table = &op->join->whole.table;
    row_index *numbers;
    chunk *rows;
    TRY(chunk_new(op->columns.count, dev_count_exact(count), &rows));
    status st = join_answering_list_rows(table, task, first, count, &numbers);
    for (uint32_t i = 0; i < op->columns.count && !st; i++)
        st = tensor_new_indexed(task->stream, table->build->columns[op->columns.sources[i]],
                                table->row_count, numbers, rows->rows, &rows->columns[i]);
    row_index_unref(numbers);
    if (!st)
        st = chunk_to_host(task->stream, rows, false, "heavy keys", out);
    chunk_free(rows);
    return st;
}

/* Answers with the key's rows, if they are not too many. */
static status find_answer(op_answering *op, exec_task *task, answering_local *local,
                          const chunk *key)
{
    uint64_t first, count, most = task->query->statement->heavy_bytes;
    local->is_none = join_has_spilled(op->join);
    if (local->is_none)
        return STATUS_OK;
    TRY(join_answering_find_rows(&op->join->whole.table, task, key, &first, &count));
    local->is_none = count > (most - op->bytes) / row_bytes(op);
    if (local->is_none || !count)
        return STATUS_OK;
    op->bytes += count * row_bytes(op);
    return join_answering_take_rows(op, task, first, count, &local->rows);
}

/* ---- asks ---- */

/* The key, in the host's reach. */
static status read_key(const op_answering *op, const net_message *message, chunk **out)
{
    const op_join_build *join = op->join;
    wire_reader *reader;
    TRY(wire_reader_new(dev_host(exec_device(join->base.query)), join->key_types, join->key_count,
                        "heavy keys", &reader));
    status st = wire_read(reader, message->data + sizeof(uint64_t),
                          message->bytes - (uint32_t)sizeof(uint64_t), out);
    wire_reader_free(reader);
    if (!st && (!*out || (*out)->rows.bound != 1))
        st = status_new(STATUS_KIND_CORRUPT, "a message of heavy keys has no key");
    return status_context(st, "rank %u", message->peer);
}

/* Two rows of it on the device, FLAT. */
static status bring_key(exec_task *task, chunk *key, chunk **out)
{
    dev_stream host = {.dev = dev_host(task->stream->dev)};
    chunk *twice[2] = {key, key}, *here;
    TRY(chunk_concat(&host, twice, 2, "heavy keys", &here));
    if (task->stream->dev->is_host) {
        *out = here;
        return STATUS_OK;
    }
    status st = chunk_to_device(task->stream, here, "heavy keys", out);
    chunk_free(here);
    return st;
}

static bool join_answering_is_done(const answering_local *local, uint64_t hash)
{
    for (size_t i = 0; i < local->done.count; i++)
        if (local->done.items[i] == hash)
            return true;
    return false;
}

static status begin_answer(op_answering *op, exec_task *task, answering_local *local,
                           const net_message *message)
{
    chunk *key;
    if (message->bytes <= sizeof local->hash)
        return status_new(STATUS_KIND_CORRUPT, "a message of heavy keys is of %u bytes",
                          message->bytes);
    memcpy(&local->hash, message->data, sizeof local->hash);
    if (join_answering_is_done(local, local->hash)) /* who asks has it, or it is on its way there */
        return STATUS_OK;
    TRY(array_push(NULL, &local->done, local->hash));
    TRY(read_key(op, message, &local->key));
    TRY(bring_key(task, local->key, &key));
    status st = find_answer(op, task, local, key);
    chunk_free(key);
    local->step = local->is_none ? ANSWER_END : ANSWER_KEY;
    local->at = 0;
    return st;
}

/* ---- answers ---- */

static status writer_for(const op_answering *op, answering_local *local)
{
    const op_join_build *join = op->join;
    if (local->writer)
        return STATUS_OK;
    return local->step == ANSWER_KEY
               ? wire_writer_new(join->key_types, join->key_count, &local->writer)
               : wire_writer_new(op->columns.types, op->columns.count, &local->writer);
}

static void join_answering_next_step(answering_local *local)
{
    wire_writer_free(local->writer);
    local->writer = NULL;
    local->at = 0;
    local->step++;
}

/* The next message of the answer. */
static status join_answering_make_message(const op_answering *op, answering_local *local,
                                          uint32_t room)
{
    join_answer_header header = {.hash = local->hash};
    const chunk *sent = local->step == ANSWER_KEY ? local->key : local->rows;
    uint32_t used = 0;
    uint64_t rows;
    char *target = local->message->address;
    if (local->step == ANSWER_ROWS && !sent)
        join_answering_next_step(local);
    if (local->step == ANSWER_END) {
        header.kind = local->is_none ? JOIN_ANSWER_NONE : JOIN_ANSWER_END;
        join_answering_end_answer(local);
    } else {
        header.kind = local->step == ANSWER_KEY ? JOIN_ANSWER_KEY : JOIN_ANSWER_ROWS;
        TRY(writer_for(op, local));
        TRY(wire_append(local->writer, sent, local->at, sent->rows.bound - local->at,
                        target + sizeof header, room - (uint32_t)sizeof header, &used, &rows));
        local->at += rows;
        if (local->at == sent->rows.bound)
            join_answering_next_step(local);
    }
    memcpy(target, &header, sizeof header);
    local->bytes = (uint32_t)sizeof header + used;
    local->next_rank = 0;
    local->has_message = true;
    return STATUS_OK;
}

/* The message goes to every rank. */
static status join_answering_send(const op_answering *op, answering_local *local, net_state *out)
{
    net_exchange *net = heavy_keys_answers(op->join->heavy);
    *out = NET_READY;
    for (; local->next_rank < op->base.query->rank_count; local->next_rank++) {
        net_message *message;
        TRY(net_try_message(net, local->next_rank, &local->waiter, out, &message));
        if (*out == NET_WAIT)
            return STATUS_OK;
        if (*out == NET_ENDED)
            continue;
        memcpy(message->data, local->message->address, local->bytes);
        message->bytes = local->bytes;
        if (!op->base.query->dev->is_host && message->peer != op->base.query->rank)
            DEV_WORK_ADD(exchanged_by_host, message->bytes);
        net_send(net, &message);
    }
    local->has_message = false;
    *out = NET_READY;
    return STATUS_OK;
}

static void end_answers(const op_answering *op)
{
    for (uint32_t rank = 0; rank < op->base.query->rank_count; rank++)
        net_end(heavy_keys_answers(op->join->heavy), rank);
}

static exec_result next_ask(op_answering *op, exec_task *task, answering_local *local)
{
    net_state is;
    net_message *message;
    EXEC_TRY(task, net_try_receive(heavy_keys_asks(op->join->heavy), NET_ANY, &local->waiter, &is,
                                   &message));
    if (is == NET_WAIT)
        return EXEC_WAIT;
    if (is == NET_ENDED) {
        end_answers(op);
        return EXEC_FINISHED;
    }
    status st = begin_answer(op, task, local, message);
    net_message_free(message);
    EXEC_TRY(task, st);
    return EXEC_NEED_INPUT;
}

static exec_result answering_pull(exec_operator *base, exec_task *task, void *state, chunk **output)
{
    (void)output;
    op_answering *op = (op_answering *)base;
    answering_local *local = state;
    net_state is;
    if (!local->has_message && local->step == ANSWER_IDLE)
        return next_ask(op, task, local);
    if (!local->message)
        EXEC_TRY(task, dev_alloc(dev_host(task->stream->dev), HEAVY_ANSWER_BYTES, "heavy keys",
                                 &local->message));
    if (!local->has_message)
        EXEC_TRY(task, join_answering_make_message(op, local, HEAVY_ANSWER_BYTES));
    EXEC_TRY(task, join_answering_send(op, local, &is));
    return is == NET_WAIT ? EXEC_WAIT : EXEC_NEED_INPUT;
}

/* The table is not needed for answers any more. */
static void answering_release(exec_operator *base)
{
    op_join_build *join = ((op_answering *)base)->join;
    mutex_lock(&join->lock);
    join->is_answering = false;
    bool is_over = join->is_released;
    mutex_unlock(&join->lock);
    if (is_over)
        join_release(join);
}

static void answering_close(exec_operator *base)
{
    join_answer_columns_release(&((op_answering *)base)->columns);
    mem_free(base);
}

static const exec_operator_ops answering_ops = {
    .name = "answer",
    .local_bytes = sizeof(answering_local),
    .local_open = answering_local_open,
    .local_close = answering_local_close,
    .pull = answering_pull,
    .release = answering_release,
    .close = answering_close,
};

status join_answering_new(op_join_build *join, exec_operator **out)
{
    op_answering *op = mem_new(sizeof *op);
    *out = NULL;
    if (!op)
        return status_no_memory("join", sizeof *op);
    op->base = (exec_operator){.ops = &answering_ops, .query = join->base.query, .task_limit = 1};
    op->join = join;
    status st = join_answer_columns_init(join, &op->columns);
    if (st) {
        answering_close(&op->base);
        return st;
    }
    join->is_answering = true;
    *out = &op->base;
    return STATUS_OK;
}
