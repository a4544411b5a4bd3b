/* op_reorder.c - chunks in the order of their turns; of a LIMIT, the first rows in that order.
 *
 *     task 0   turn 0 ──────────────┐ turn 3 ...
 *     task 1   turn 1 ─┐ turn 2 ──┐          held: 1 1 1 2 2     given: 0 0 ...
 *
 * Tasks take turns from the source (exec_turn_begin) and work at the same time; a chunk whose turn has
 * not come yet, as a task is still in one before it, is held here. Whoever comes by once it has, gives
 * it: every chunk that is given has a turn of its own, which the query's sink heeds. So the rows of a
 * statement without ORDER BY come as they lie in its files, however many tasks there are.
 *
 * Of a UNION the children run one after another: each has turns of its own, and what is given goes on counting.
 *
 * Hosts only: what a task of a lazy device has pushed comes out of its stream later, with another turn. */
#include "base/system/mutex.h"
#include "device/chunk.h"
#include "exec/operators/op_limit.h"
#include "exec/sched/memory.h"
#include "exec/sched/pool.h"
#include "exec/sched/query.h"
#include "exec/sched/task.h"

/* Chunks that may be held for each task: about a row group, because all tasks that go at the same speed have given
 * one each when the first one's is over. */
#define HELD_CHUNKS 16
#define HELD_BYTES (UINT64_C(16) << 20)
#define TEXT_BYTES 24 /* of a text, beside its view, about */

typedef struct held_chunk held_chunk;
struct held_chunk {
    chunk *rows;
    uint64_t turn;
    held_chunk *next;
};

typedef struct op_reorder {
    exec_operator base; /* its plan: the LIMIT node, or NULL */
    pthread_mutex_t lock;
    uint64_t *begun; /* by task: the turn that it is in; OVER: it gives nothing any more */
    unsigned task_count, task_max;
    const exec_stage *stage; /* that is at work: of several one comes after another */
    held_chunk *first;       /* by turn, and of one turn in the order in which they came */
    uint64_t held_rows, held_rows_max; /* the latter of each task */
    uint64_t rows, chunks;             /* given */
    exec_task_list waiting;            /* for room, or for their turn */
} op_reorder;

#define OVER UINT64_MAX

/* ---- with the lock held ---- */

/* Chunks of this turn, and of those before it, are the next. */
static uint64_t frontier(const op_reorder *op)
{
    uint64_t least = OVER;
    for (unsigned i = 0; i < op->task_count; i++)
        least = op->begun[i] < least ? op->begun[i] : least;
    return least;
}

/* No further row is wanted. */
static bool is_complete(const op_reorder *op)
{
    return op->base.plan && op->rows >= limit_end(op->base.plan);
}

/* Held rows whose turn has come are all that are still wanted. */
static bool has_enough(const op_reorder *op)
{
    uint64_t rows = op->rows, now = frontier(op);
    if (!op->base.plan)
        return false;
    for (const held_chunk *h = op->first; h && h->turn <= now; h = h->next)
        rows += h->rows->rows.bound;
    return rows >= limit_end(op->base.plan);
}

static bool reorder_has_room(const op_reorder *op, uint64_t turn)
{
    uint64_t most = op->held_rows_max * op->task_count;
    return turn <= frontier(op) || exec_is_cancelled(op->base.query) ||
           (op->held_rows < most && exec_has_room(op->base.query, 0));
}

/* Takes *input over. */
static status reorder_hold(op_reorder *op, uint64_t turn, chunk **input)
{
    held_chunk *held = mem_new(sizeof *held), **at = &op->first;
    if (!held)
        return status_no_memory("reorder", sizeof *held);
    while (*at && (*at)->turn <= turn)
        at = &(*at)->next;
    *held = (held_chunk){*input, turn, *at};
    *at = held;
    op->held_rows += (*input)->rows.bound;
    *input = NULL;
    return STATUS_OK;
}

/* A chunk to be cut and given. */
typedef struct given_chunk {
    chunk *rows; /* NULL: there is none */
    uint64_t skip, stop;
} given_chunk;

/* The next chunk whose turn has come. */
static given_chunk reorder_take(op_reorder *op, exec_task *task)
{
    while (op->first && op->first->turn <= frontier(op) && !is_complete(op)) {
        held_chunk *held = op->first;
        given_chunk given = {.rows = held->rows, .stop = held->rows->rows.bound};
        op->first = held->next;
        mem_free(held);
        op->held_rows -= given.stop;
        if (op->base.plan)
            limit_range(op->base.plan, op->rows, given.stop, &given.skip, &given.stop);
        op->rows += given.rows->rows.bound;
        if (given.skip < given.stop) {
            task->turn = (exec_turn){op->chunks++, true};
            return given;
        }
        chunk_free(given.rows);
    }
    return (given_chunk){0};
}

/* ---- without it ---- */

static void reorder_wake_all(exec_operator *base)
{
    op_reorder *op = (op_reorder *)base;
    exec_wake_each(&op->lock, &op->waiting);
}

static exec_result reorder_give(op_reorder *op, exec_task *task, given_chunk given, chunk **output)
{
    reorder_wake_all(&op->base);
    status st = limit_cut(task, given.rows, given.skip, given.stop);
    if (st)
        chunk_free(given.rows);
    EXEC_TRY(task, st);
    *output = given.rows;
    return EXEC_HAVE_OUTPUT;
}

static exec_result reorder_push(exec_operator *base, exec_task *task, void *state, chunk **input,
                                chunk **output)
{
    (void)state;
    op_reorder *op = (op_reorder *)base;
    status st = STATUS_OK;
    exec_result result = EXEC_NEED_INPUT;
    mutex_lock(&op->lock);
    uint64_t turn = op->begun[task->index];
    if (*input && reorder_has_room(op, turn))
        st = reorder_hold(op, turn, input);
    given_chunk given = st ? (given_chunk){0} : reorder_take(op, task);
    if (is_complete(op) && !given.rows) {
        result = EXEC_FINISHED;
    } else if (*input && !given.rows && !st) {
        st = array_push(NULL, &op->waiting, task);
        result = EXEC_WAIT;
    }
    mutex_unlock(&op->lock);
    EXEC_TRY(task, st);
    return given.rows ? reorder_give(op, task, given, output) : result;
}

/* The task has given all that it has. */
static exec_result reorder_finish(exec_operator *base, exec_task *task, void *state, chunk **output)
{
    (void)state;
    op_reorder *op = (op_reorder *)base;
    mutex_lock(&op->lock);
    op->begun[task->index] = OVER;
    given_chunk given = reorder_take(op, task);
    mutex_unlock(&op->lock);
    if (given.rows)
        return reorder_give(op, task, given, output);
    reorder_wake_all(&op->base);
    return EXEC_FINISHED;
}

static bool reorder_begin_turn(exec_operator *base, exec_task *task, uint64_t number)
{
    op_reorder *op = (op_reorder *)base;
    mutex_lock(&op->lock);
    uint64_t before = frontier(op);
    op->begun[task->index] = number;
    bool has_moved = frontier(op) != before;
    bool goes_on = !is_complete(op) && !has_enough(op);
    mutex_unlock(&op->lock);
    if (has_moved)
        reorder_wake_all(&op->base);
    return goes_on;
}

/* A task that has not begun may still take any turn. */
static status reorder_local_open(exec_operator *base, exec_task *task, void *state)
{
    (void)state;
    op_reorder *op = (op_reorder *)base;
    if (task->count > op->task_max)
        return status_new(STATUS_KIND_INTERNAL, "more tasks than threads");
    mutex_lock(&op->lock);
    if (op->stage != task->scheduled->stage)
        memset(op->begun, 0, op->task_max * sizeof *op->begun);
    op->stage = task->scheduled->stage;
    op->task_count = task->count;
    mutex_unlock(&op->lock);
    return STATUS_OK;
}

static void reorder_close(exec_operator *base)
{
    op_reorder *op = (op_reorder *)base;
    while (op->first) {
        held_chunk *held = op->first;
        op->first = held->next;
        chunk_free(held->rows);
        mem_free(held);
    }
    array_release(&op->waiting);
    mutex_destroy(&op->lock);
    mem_free(op->begun);
    mem_free(op);
}

static const exec_operator_ops reorder_ops = {
    .name = "reorder",
    .local_open = reorder_local_open,
    .push = reorder_push,
    .exact_counts = true,
    .local_finish = reorder_finish,
    .begin_turn = reorder_begin_turn,
    .wake_all = reorder_wake_all,
    .close = reorder_close,
};

static uint64_t held_rows_max(const exec_query *query, exec_layout input)
{
    uint64_t chunk_rows = exec_device(query)->chunk_rows, row_bytes = 1;
    for (uint32_t i = 0; i < input.count; i++) {
        data_type type = input.columns[i].type;
        row_bytes += type.width + (type_is_text(type) ? TEXT_BYTES : 0);
    }
    uint64_t rows = HELD_BYTES / row_bytes, most = HELD_CHUNKS * chunk_rows;
    return rows < chunk_rows ? chunk_rows : rows < most ? rows : most;
}

status op_reorder_open(exec_query *query, const plan_node *limit, exec_layout input,
                       exec_operator **out)
{
    *out = NULL;
    op_reorder *op = mem_new(sizeof *op);
    if (!op)
        return status_no_memory("reorder", sizeof *op);
    op->base = (exec_operator){.ops = &reorder_ops, .query = query, .plan = limit};
    op->held_rows_max = held_rows_max(query, input);
    op->task_max = exec_pool_thread_count(query->pool);
    op->begun = mem_new_array(op->task_max, sizeof *op->begun);
    if (!op->begun) {
        mem_free(op);
        return status_no_memory("reorder", exec_pool_thread_count(query->pool) * sizeof(uint64_t));
    }
    mutex_init(&op->lock);
    *out = &op->base;
    return STATUS_OK;
}
