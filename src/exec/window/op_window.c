/* op_window.c - functions OVER windows: rows come in order, and go on with their values.
 *
 * Rows are kept until their partition is whole, as the sort gave them: nothing is copied for that. Then all
 * partitions that are whole are evaluated at once, and given out a chunk at a time. Where calls need no rows
 * behind a row's peers, partitions are cut between those instead, and tasks evaluate the pieces (window_turn.h). */
#include "exec/window/op_window.h"

#include "device/chunk.h"
#include "device/transfer.h"
#include "exec/window/window_rows.h"
#include "exec/window/window_turn.h"

/* So that a row, and the default of a row, have a number of 32 bits each. */
#define MOST_ROWS ((uint64_t)1 << 31)

typedef struct op_window {
    exec_operator base;
    column_map input;
    window_turns turns; /* where turns divide partitions */
} op_window;

typedef struct window_local {
    chunk_list pending; /* of partitions that are not whole */
    uint64_t pending_rows;
    tensor **keys;     /* the partition's, of the chunk before: NULL: there was none */
    uint64_t keys_row; /* its last */
    chunk *result;     /* whole partitions with their values */
    uint64_t next;     /* row of it that comes next */
    bool is_turns_end; /* whole_keys: the turn has no more rows than these */
    uint64_t number;   /* of the turn, where turns divide partitions */
    window_turn turn;  /* that has all of its rows */
} window_local;

/* ---- slices ---- */

/* Numbers from `first` on. */
static status window_count_rows(exec_task *task, uint64_t first, uint64_t count, row_index **out)
{
    TRY(row_index_new(task->stream->dev, count, out));
    status st = DEV_LAUNCH(task->stream, count_up, .first = (uint32_t)first,
                           .count = dev_count_exact(count), .out = (*out)->rows);
    if (st) {
        row_index_unref(*out);
        *out = NULL;
    }
    return st;
}

/* A column's rows [first, first + count), not copied. *numbers: those rows, once a column needs them. */
static status window_slice_column(exec_task *task, tensor *t, uint64_t rows, uint64_t first,
                                  uint64_t count, row_index **numbers, tensor **out)
{
    row_index *cut;
    if (!t || t->form == TENSOR_CONSTANT || !first) {
        *out = tensor_ref(t);
        return STATUS_OK;
    }
    if (task->stream->dev->is_host && tensor_can_slice(t, first))
        return tensor_new_slice(t, first, out);
    if (t->form == TENSOR_FLAT) {
        if (!*numbers)
            TRY(window_count_rows(task, first, count, numbers));
        return tensor_new_indexed(task->stream, t, rows, *numbers, dev_count_exact(count), out);
    }
    TRY(row_index_view(t->index, first, &cut));
    status st =
        tensor_new_indexed(task->stream, t->base, t->base_rows, cut, dev_count_exact(count), out);
    row_index_unref(cut);
    return st;
}

static status window_slice(exec_task *task, const chunk *c, uint64_t first, uint64_t count,
                           chunk **out)
{
    row_index *numbers = NULL;
    chunk *part;
    *out = NULL;
    TRY(chunk_new(c->column_count, dev_count_exact(count), &part));
    status st = STATUS_OK;
    for (uint32_t i = 0; i < c->column_count && !st; i++)
        st = window_slice_column(task, c->columns[i], c->rows.bound, first, count, &numbers,
                                 &part->columns[i]);
    row_index_unref(numbers);
    if (st) {
        chunk_free(part);
        return st;
    }
    *out = part;
    return STATUS_OK;
}

/* ---- evaluating ---- */

/* The pending rows as one chunk, which the caller gets. */
static status take_pending(exec_task *task, window_local *local, chunk **out)
{
    if (local->pending_rows > MOST_ROWS)
        return status_hint(status_new(STATUS_KIND_LIMIT,
                                      "a window's partition has more than %llu rows",
                                      (unsigned long long)MOST_ROWS),
                           "PARTITION BY divides them");
    if (local->pending.count == 1)
        *out = local->pending.items[0];
    else
        TRY(chunk_combine(task->stream, local->pending.items, local->pending.count, "window", out));
    if (local->pending.count == 1)
        local->pending.count = 0;
    chunk_list_release(&local->pending);
    local->pending_rows = 0;
    return STATUS_OK;
}

static status window_evaluate(const op_window *op, exec_task *task, chunk *c, chunk **out)
{
    const plan_node *plan = op->base.plan;
    window_rows rows = {
        .task = task, .places = &op->input, .plan = plan, .columns = c, .count = c->rows};
    uint32_t passed = c->column_count, calls = (uint32_t)plan->window.calls.count;
    chunk *result;
    TRY(chunk_new(passed + calls, c->rows, &result));
    status st = STATUS_OK;
    for (uint32_t i = 0; i < calls && !st; i++)
        st = window_call_evaluate(&rows, &plan->window.calls.items[i],
                                  plan->columns.items[passed + i].type,
                                  &result->columns[passed + i]);
    for (uint32_t i = 0; i < passed; i++)
        result->columns[i] = tensor_ref(c->columns[i]);
    window_rows_release(&rows);
    if (!st)
        st = exec_check_error(task);
    if (st) {
        chunk_free(result);
        return st;
    }
    *out = result;
    return STATUS_OK;
}

static status finish_partitions(const op_window *op, exec_task *task, window_local *local)
{
    chunk *c;
    if (!local->pending.count)
        return STATUS_OK;
    TRY(take_pending(task, local, &c));
    status st = window_evaluate(op, task, c, &local->result);
    chunk_free(c);
    local->next = 0;
    return st;
}

/* ---- partitions ---- */

/* Takes the chunk over, also on failure. */
static status window_keep(window_local *local, chunk *c)
{
    uint64_t rows = c->rows.bound;
    TRY(chunk_list_push(&local->pending, c));
    local->pending_rows += rows;
    return STATUS_OK;
}

/* Marks the chunk's rows where a key of the partition changes, and keeps the keys for the next chunk. */
static status mark_key(const op_window *op, exec_task *task, window_local *local, const chunk *c,
                       size_t k, dev_buffer *bits)
{
    const expr *key = op->base.plan->window.partition.items[k];
    tensor *values, *before = local->keys[k];
    TRY(tensor_flatten(task->stream, c->columns[window_column(&op->input, key)], c->rows, &values));
    status st = DEV_LAUNCH(
        task->stream, over_changes, .type = values->type, .values = values->values,
        .validity = values->validity, .previous = before ? before->values : NULL,
        .previous_validity = before ? before->validity : NULL, .previous_row = local->keys_row,
        .count = c->rows, .combine = k > 0, .out = bits->address);
    tensor_unref(before);
    local->keys[k] = values;
    return st;
}

/* *out: 1 + the first row of the chunk's last partition; 0: all rows are of the pending one. */
static status find_last_partition(const op_window *op, exec_task *task, window_local *local,
                                  const chunk *c, uint64_t *out)
{
    dev_buffer *bits, *word = NULL;
    size_t keys = op->base.plan->window.partition.count;
    *out = 0;
    if (!keys)
        return STATUS_OK;
    TRY(dev_alloc(task->stream->dev, bitmap_bytes(c->rows.bound), "window", &bits));
    status st = dev_words_new(task->stream, 1, &word);
    for (size_t k = 0; k < keys && !st; k++)
        st = mark_key(op, task, local, c, k, bits);
    local->keys_row = c->rows.bound - 1;
    if (!st)
        st = DEV_LAUNCH(task->stream, over_last_change, .bits = bits->address, .count = c->rows,
                        .out = word->address);
    if (!st)
        st = dev_words_read(task->stream, word->address, out, 1);
    dev_buffer_unref(bits);
    dev_buffer_unref(word);
    return st;
}

/* The last chunk of a turn makes all of its partitions whole. */
static status window_end_turn(const op_window *op, exec_task *task, window_local *local,
                              const chunk *c)
{
    chunk *part;
    TRY(window_slice(task, c, 0, c->rows.bound, &part));
    TRY(window_keep(local, part));
    return finish_partitions(op, task, local);
}

/* The chunk's rows are kept; those before its last partition make partitions whole. */
static status window_divide(const op_window *op, exec_task *task, window_local *local,
                            const chunk *c)
{
    uint64_t last, rows = c->rows.bound;
    chunk *part;
    TRY(find_last_partition(op, task, local, c, &last));
    if (last > 1) {
        TRY(window_slice(task, c, 0, last - 1, &part));
        TRY(window_keep(local, part));
    }
    if (last)
        TRY(finish_partitions(op, task, local));
    uint64_t first = last ? last - 1 : 0;
    TRY(window_slice(task, c, first, rows - first, &part));
    return window_keep(local, part);
}

/* ---- pieces of partitions ---- */

/* Turns end between peers, not between partitions alone. */
static bool divides_partitions(const op_window *op)
{
    return op->base.whole_keys > op->base.plan->window.partition.count;
}

static status start_turn(const op_window *op, exec_task *task, window_local *local)
{
    chunk *c;
    TRY(take_pending(task, local, &c));
    return window_turn_start(task, &op->input, op->base.plan, local->number, c, &local->turn);
}

/* The turn's rows are kept until it has all of them. Returns EXEC_WAIT while its turn has not come. */
static exec_result push_turn(op_window *op, exec_task *task, window_local *local, const chunk *c)
{
    chunk *part;
    if (!local->turn.is_open) {
        local->number = task->turn.number;
        EXEC_TRY(task, window_slice(task, c, 0, c->rows.bound, &part));
        EXEC_TRY(task, window_keep(local, part));
        if (!task->turn.is_last)
            return EXEC_FINISHED;
        EXEC_TRY(task, start_turn(op, task, local));
    }
    exec_result result = window_turn_finish(&op->turns, task, &local->turn, &local->result);
    local->is_turns_end = true;
    local->next = 0;
    return result;
}

/* A turn whose end nobody has told. */
static exec_result finish_turn(op_window *op, exec_task *task, window_local *local)
{
    if (local->pending.count)
        EXEC_TRY(task, start_turn(op, task, local));
    if (!local->turn.is_open)
        return EXEC_FINISHED;
    local->next = 0;
    return window_turn_finish(&op->turns, task, &local->turn, &local->result);
}

/* ---- the operator ---- */

/* The next rows of the result, if there are any: *out is not NULL then. */
static status give_out(exec_task *task, window_local *local, chunk **out)
{
    uint64_t most = task->stream->dev->chunk_rows;
    *out = NULL;
    if (!local->result)
        return STATUS_OK;
    uint64_t left = local->result->rows.bound - local->next;
    task->turn.is_last = local->is_turns_end && left <= most;
    if (left <= most && !local->next) {
        *out = local->result;
        local->result = NULL;
        return STATUS_OK;
    }
    uint64_t count = left < most ? left : most;
    TRY(window_slice(task, local->result, local->next, count, out));
    local->next += count;
    if (count == left) {
        chunk_free(local->result);
        local->result = NULL;
    }
    return STATUS_OK;
}

static exec_result window_push(exec_operator *base, exec_task *task, void *state, chunk **input,
                               chunk **output)
{
    op_window *op = (op_window *)base;
    window_local *local = state;
    if (*input && divides_partitions(op)) {
        exec_result result = push_turn(op, task, local, *input);
        if (result != EXEC_FINISHED)
            return result;
    } else if (*input) {
        local->is_turns_end = base->whole_keys && task->turn.is_last;
        EXEC_TRY(task, local->is_turns_end ? window_end_turn(op, task, local, *input)
                                           : window_divide(op, task, local, *input));
    }
    if (*input) {
        chunk_free(*input);
        *input = NULL;
    }
    EXEC_TRY(task, give_out(task, local, output));
    return *output ? EXEC_HAVE_OUTPUT : EXEC_NEED_INPUT;
}

static exec_result window_finish(exec_operator *base, exec_task *task, void *state, chunk **output)
{
    op_window *op = (op_window *)base;
    window_local *local = state;
    EXEC_TRY(task, give_out(task, local, output));
    if (*output)
        return EXEC_HAVE_OUTPUT;
    if (divides_partitions(op)) {
        exec_result result = finish_turn(op, task, local);
        if (result != EXEC_FINISHED)
            return result;
    } else {
        EXEC_TRY(task, finish_partitions(op, task, local));
    }
    EXEC_TRY(task, give_out(task, local, output));
    return *output ? EXEC_HAVE_OUTPUT : EXEC_FINISHED;
}

static status window_local_open(exec_operator *base, exec_task *task, void *state)
{
    window_local *local = state;
    size_t keys = base->plan->window.partition.count;
    (void)task;
    local->keys = mem_new_array(keys + 1, sizeof *local->keys);
    return local->keys ? STATUS_OK : status_no_memory("window", keys * sizeof *local->keys);
}

static void window_local_close(exec_operator *base, void *state)
{
    window_local *local = state;
    for (size_t k = 0; local->keys && k < base->plan->window.partition.count; k++)
        tensor_unref(local->keys[k]);
    mem_free(local->keys);
    chunk_list_release(&local->pending);
    window_turn_close(&local->turn);
    chunk_free(local->result);
}

static void window_wake_all(exec_operator *base)
{
    window_turns_wake(&((op_window *)base)->turns);
}

static void window_close(exec_operator *base)
{
    window_turns_close(&((op_window *)base)->turns);
    mem_free(base);
}

static const exec_operator_ops window_ops = {
    .name = "window",
    .local_bytes = sizeof(window_local),
    .local_open = window_local_open,
    .local_close = window_local_close,
    .push = window_push,
    .exact_counts = true,
    .local_finish = window_finish,
    .wake_all = window_wake_all,
    .close = window_close,
};

bool op_window_may_divide(const plan_node *plan)
{
    for (size_t i = 0; i < plan->window.calls.count; i++)
        if (!window_running_can(&plan->window.calls.items[i]))
            return false;
    return true;
}

status op_window_open(exec_query *query, const plan_node *plan, exec_layout input,
                      exec_operator **out)
{
    *out = NULL;
    for (size_t i = 0; i < plan->window.calls.count; i++) {
        const plan_window_call *call = &plan->window.calls.items[i];
        if (call->function == WINDOW_AGGREGATE && !window_aggregate_is_known(call->aggregate))
            return status_at(status_new(STATUS_KIND_UNSUPPORTED,
                                        "%s over a window is not supported",
                                        plan_aggregate_name(call->aggregate)),
                             call->position);
    }
    op_window *op = mem_new(sizeof *op);
    if (!op)
        return status_no_memory("window", sizeof *op);
    op->base = (exec_operator){.ops = &window_ops, .query = query, .plan = plan};
    status st = column_map_new(exec_memory(query), input.columns, input.count, &op->input);
    if (!st)
        st = window_turns_open(plan, &op->turns);
    return exec_operator_opened(&op->base, st, out);
}
