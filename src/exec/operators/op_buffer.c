/* op_buffer.c - dynamic buffering: small chunks wait for others before an operator to which their
 * size matters.
 *
 * Where filters or joins leave a few rows of each chunk, what an operator does once for a chunk
 * takes longer than what it does for its rows. So a lane keeps small chunks until there are rows
 * enough, or chunks so many that the pages they point into would be too much to hold. */
#include "exec/sched/operator.h"

/* Of the device's chunk size: chunks below one part are kept, until they have the other. */
#define SMALL_PART 16
#define ENOUGH_PART 4
#define CHUNKS_MAX 16

typedef struct buffer_lane {
    chunk *kept[CHUNKS_MAX];
    unsigned count;
    uint64_t rows;
    chunk *next; /* to be given after what is kept */
} buffer_lane;

/* What is kept, as one chunk. */
static status give_kept(exec_task *task, buffer_lane *lane, chunk **out)
{
    if (lane->count == 1) {
        *out = lane->kept[0];
    } else {
        TRY(chunk_combine(task->stream, lane->kept, lane->count, "buffer", out));
        for (unsigned i = 0; i < lane->count; i++)
            chunk_free(lane->kept[i]);
    }
    lane->count = 0;
    lane->rows = 0;
    return STATUS_OK;
}

static exec_step buffer_push(exec_operator *op, exec_task *task, void *state, chunk **input,
                             chunk **output)
{
    buffer_lane *lane = state;
    uint32_t chunk_rows = exec_device(op->query)->chunk_rows;
    if (!*input) {
        *output = lane->next;
        lane->next = NULL;
        return *output ? EXEC_HAVE_OUTPUT : EXEC_NEED_INPUT;
    }
    uint64_t rows = (*input)->rows.bound;
    if (rows < chunk_rows / SMALL_PART) {
        lane->kept[lane->count++] = *input;
        lane->rows += rows;
        *input = NULL;
        if (lane->count < CHUNKS_MAX && lane->rows < chunk_rows / ENOUGH_PART)
            return EXEC_NEED_INPUT;
    } else if (lane->count) {
        lane->next = *input;
        *input = NULL;
    } else {
        *output = *input;
        *input = NULL;
        return EXEC_HAVE_OUTPUT;
    }
    EXEC_TRY(task, give_kept(task, lane, output));
    return EXEC_HAVE_OUTPUT;
}

static exec_step buffer_finish(exec_operator *op, exec_task *task, void *state, chunk **output)
{
    (void)op;
    buffer_lane *lane = state;
    if (!lane->count)
        return EXEC_FINISHED;
    EXEC_TRY(task, give_kept(task, lane, output));
    return EXEC_HAVE_OUTPUT;
}

static void buffer_lane_close(exec_operator *op, void *state)
{
    (void)op;
    buffer_lane *lane = state;
    while (lane->count)
        chunk_free(lane->kept[--lane->count]);
    chunk_free(lane->next);
}

static void buffer_close(exec_operator *op)
{
    mem_free(op);
}

static const exec_operator_ops buffer_ops = {
    .name = "buffer",
    .lane_bytes = sizeof(buffer_lane),
    .lane_close = buffer_lane_close,
    .push = buffer_push,
    .lane_finish = buffer_finish,
    .close = buffer_close,
};

status op_buffer_open(exec_query *query, exec_operator **out)
{
    *out = mem_new(sizeof **out);
    if (!*out)
        return status_no_memory("buffer", sizeof **out);
    **out = (exec_operator){.ops = &buffer_ops, .query = query};
    return STATUS_OK;
}
