/* op_buffer.c - dynamic buffering: small chunks wait for others before an operator to which their
 * size matters.
 *
 * Where filters or joins leave a few rows of each chunk, what an operator does once for a chunk
 * takes longer than what it does for its rows. So a task keeps small chunks until there are rows
 * enough, or chunks so many that the pages they point into would be too much to hold. */
#include "device/chunk.h"
#include "exec/sched/memory.h"

/* Chunks below one part in this many of the device's chunk size are kept until they have that many rows. */
#define SMALL_PART 16
#define ENOUGH_PART 4
#define CHUNKS_MAX 16

typedef struct buffer_local {
    chunk *kept[CHUNKS_MAX];
    unsigned count;
    uint64_t rows;
    chunk *next; /* to be given after what is kept */
} buffer_local;

/* Gives the rows that were kept, as one chunk. */
static status give_kept(exec_task *task, buffer_local *local, chunk **out)
{
    if (local->count == 1) {
        *out = local->kept[0];
    } else {
        TRY(chunk_combine(task->stream, local->kept, local->count, "buffer", out));
        for (unsigned i = 0; i < local->count; i++)
            chunk_free(local->kept[i]);
    }
    local->count = 0;
    local->rows = 0;
    return STATUS_OK;
}

/* Its pages could be reused, but for these rows. */
static bool holds_much(const exec_task *task, const chunk *c)
{
    return exec_may_spill(task->query) &&
           exec_is_much(task, exec_chunk_bytes(c) + exec_chunk_base_bytes(c, NULL));
}

static exec_result buffer_push(exec_operator *op, exec_task *task, void *state, chunk **input,
                               chunk **output)
{
    buffer_local *local = state;
    uint32_t chunk_rows = exec_device(op->query)->chunk_rows;
    if (!*input) {
        *output = local->next;
        local->next = NULL;
        return *output ? EXEC_HAVE_OUTPUT : EXEC_NEED_INPUT;
    }
    uint64_t rows = (*input)->rows.bound;
    if (rows < chunk_rows / SMALL_PART && !holds_much(task, *input)) {
        local->kept[local->count++] = *input;
        local->rows += rows;
        *input = NULL;
        if (local->count < CHUNKS_MAX && local->rows < chunk_rows / ENOUGH_PART)
            return EXEC_NEED_INPUT;
    } else if (local->count) {
        local->next = *input;
        *input = NULL;
    } else {
        *output = *input;
        *input = NULL;
        return EXEC_HAVE_OUTPUT;
    }
    EXEC_TRY(task, give_kept(task, local, output));
    return EXEC_HAVE_OUTPUT;
}

static exec_result buffer_finish(exec_operator *op, exec_task *task, void *state, chunk **output)
{
    (void)op;
    buffer_local *local = state;
    if (!local->count)
        return EXEC_FINISHED;
    EXEC_TRY(task, give_kept(task, local, output));
    return EXEC_HAVE_OUTPUT;
}

static void buffer_local_close(exec_operator *op, void *state)
{
    (void)op;
    buffer_local *local = state;
    while (local->count)
        chunk_free(local->kept[--local->count]);
    chunk_free(local->next);
}

static const exec_operator_ops buffer_ops = {
    .name = "buffer",
    .local_bytes = sizeof(buffer_local),
    .local_close = buffer_local_close,
    .push = buffer_push,
    .local_finish = buffer_finish,
};

status op_buffer_open(exec_query *query, exec_operator **out)
{
    *out = mem_new(sizeof **out);
    if (!*out)
        return status_no_memory("buffer", sizeof **out);
    **out = (exec_operator){.ops = &buffer_ops, .query = query};
    return STATUS_OK;
}
