/* op_repeat.c - each row as often as a number says: INTERSECT ALL and EXCEPT ALL. */
#include "device/chunk.h"
#include "device/transfer.h"
#include "exec/expression/program.h"
#include "exec/expression/program_compile.h"
#include "exec/expression/program_run.h"

typedef struct op_repeat {
    exec_operator base;
    program *program;
} op_repeat;

typedef struct repeat_local {
    program_run *run;
    chunk *current;
    dev_buffer *cursor; /* [0] row, [1] copies of it done, [2] numbers made */
    tensor *counts;
} repeat_local;

static void repeat_drop(repeat_local *local)
{
    chunk_free(local->current);
    tensor_unref(local->counts);
    dev_buffer_unref(local->cursor);
    local->current = NULL;
    local->counts = NULL;
    local->cursor = NULL;
}

static status next_copies(exec_task *task, repeat_local *local, chunk **out, bool *out_done)
{
    uint64_t room = dev_room_rows(task->stream->dev), words[3], *cursor = local->cursor->address;
    uint64_t rows = local->current->rows.bound;
    row_index *index;
    *out = NULL;
    TRY(row_index_new(task->stream->dev, room, &index));
    status st = DEV_LAUNCH(task->stream, repeat_rows, .counts = local->counts->values,
                           .validity = local->counts->validity, .count = dev_count_exact(rows),
                           .room = room, .cursor = cursor, .out = index->rows);
    if (!st)
        st = dev_words_read(task->stream, cursor, words, 3);
    *out_done = st || words[0] >= rows;
    chunk *c = NULL;
    if (!st && words[2])
        st = chunk_new(local->current->column_count, dev_count_exact(words[2]), &c);
    for (uint32_t i = 0; c && i < c->column_count && !st; i++)
        if (local->current->columns[i])
            st = tensor_new_indexed(task->stream, local->current->columns[i], rows, index, c->rows,
                                    &c->columns[i]);
    row_index_unref(index);
    if (st) {
        chunk_free(c);
        return st;
    }
    *out = c;
    return STATUS_OK;
}

static exec_result repeat_push(exec_operator *base, exec_task *task, void *state, chunk **input,
                               chunk **output)
{
    (void)base;
    repeat_local *local = state;
    status st;
    if (*input) {
        tensor *value = NULL;
        exec_result result = program_evaluate(local->run, 0, *input, &value);
        if (result != EXEC_FINISHED)
            return result;
        st = tensor_flatten(task->stream, value, (*input)->rows, &local->counts);
        tensor_unref(value);
        EXEC_TRY(task, st);
        EXEC_TRY(task, dev_words_new(task->stream, 3, &local->cursor));
        local->current = *input;
        *input = NULL;
    }
    while (local->current) {
        bool is_done;
        EXEC_TRY(task, next_copies(task, local, output, &is_done));
        if (is_done)
            repeat_drop(local);
        if (*output)
            return EXEC_HAVE_OUTPUT;
    }
    return EXEC_NEED_INPUT;
}

static status repeat_local_open(exec_operator *base, exec_task *task, void *state)
{
    return program_run_new(((op_repeat *)base)->program, task, &((repeat_local *)state)->run);
}

static void repeat_local_close(exec_operator *base, void *state)
{
    (void)base;
    repeat_local *local = state;
    repeat_drop(local);
    program_run_free(local->run);
}

static void repeat_close(exec_operator *base)
{
    op_repeat *op = (op_repeat *)base;
    program_free(op->program);
    mem_free(op);
}

static const exec_operator_ops repeat_ops = {
    .name = "repeat",
    .local_bytes = sizeof(repeat_local),
    .local_open = repeat_local_open,
    .local_close = repeat_local_close,
    .push = repeat_push,
    .exact_counts = true,
    .close = repeat_close,
};

status op_repeat_open(exec_query *query, const plan_node *plan, exec_layout input,
                      exec_operator **out)
{
    *out = NULL;
    op_repeat *op = mem_new(sizeof *op);
    if (!op)
        return status_no_memory("repeat", sizeof *op);
    op->base = (exec_operator){.ops = &repeat_ops, .query = query, .plan = plan};
    arena *a = exec_memory(query);
    const expr *count = expr_new_cast(a, plan->repeat.count, type_make(TYPE_INT64), -1);
    status st = count ? program_compile(&count, 1, input, &op->program)
                      : status_no_memory("repeat", sizeof *count);
    return exec_operator_opened(&op->base, st, out);
}
