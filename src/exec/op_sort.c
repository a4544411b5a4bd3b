/* op_sort.c - ORDER BY, and top-k where a LIMIT follows.
 *
 * Lanes collect rows; at the end one lane sorts all of them by packed keys and the source hands
 * them out in order. With a limit, a lane that has collected enough sorts what it has and keeps the
 * best, so that memory does not grow with the input. */
#include "exec/program.h"

#include <pthread.h>

/* Rows beyond the limit that a lane collects before it throws the rest away. */
#define SPARE_ROWS 65536

typedef ARRAY(chunk *) chunk_list;

typedef struct op_sort {
    exec_operator base;
    program *program; /* the keys */
    uint32_t key_count;
    uint64_t text_keys, descending_keys;
    pthread_mutex_t lock;
    chunk_list chunks; /* of finished lanes: columns, then keys */
    chunk *sorted;
    uint64_t row_count;
} op_sort;

typedef struct sort_lane {
    program_run *run;
    chunk_list chunks;
    uint64_t row_count;
    exec_fetch fetch;
    uint64_t scratch;
    chunk *current; /* input's columns and room for keys */
    uint32_t next;
} sort_lane;

static void release_chunks(chunk_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        chunk_free(list->items[i]);
    array_release(list);
}

/* The order of a chunk's rows. */
static status order_rows(const op_sort *op, exec_task *task, const chunk *c, row_index **out)
{
    uint64_t rows = c->rows.bound;
    uint32_t first_key = c->column_count - op->key_count;
    dev_buffer *packed = NULL, *scratch = NULL;
    row_index *index = NULL;
    TRY(dev_alloc(task->stream->dev, rows * op->key_count * 24, "sort", &packed));
    status st = dev_alloc(task->stream->dev, rows * sizeof(uint32_t), "sort", &scratch);
    if (!st)
        st = row_index_new(task->stream->dev, rows, &index);
    for (uint32_t k = 0; k < op->key_count && !st; k++) {
        const plan_sort_key *key = &op->base.plan->sort.keys.items[k];
        const tensor *values = c->columns[first_key + k];
        st = DEV_LAUNCH(task->stream, sort_pack, .type = values->type, .values = values->values,
                        .validity = values->validity, .count = c->rows, .key = k,
                        .key_count = op->key_count, .is_descending = key->is_descending,
                        .nulls_first = key->nulls_first, .rows = packed->address);
    }
    if (!st)
        st =
            DEV_LAUNCH(task->stream, sort_rows, .rows = packed->address, .key_count = op->key_count,
                       .text_keys = op->text_keys, .descending_keys = op->descending_keys,
                       .count = c->rows, .scratch = scratch->address, .out = index->rows);
    dev_buffer_unref(packed);
    dev_buffer_unref(scratch);
    if (st) {
        row_index_unref(index);
        return st;
    }
    *out = index;
    return STATUS_OK;
}

/* All rows of a list as one chunk in order, cut to the limit if there is one; the list is emptied.
 */
static status sort_list(const op_sort *op, exec_task *task, chunk_list *list, chunk **out)
{
    const plan_node *plan = op->base.plan;
    chunk *all;
    row_index *order;
    *out = NULL;
    TRY(chunk_concat(task->stream, list->items, list->count, "sort", &all));
    release_chunks(list);
    status st = order_rows(op, task, all, &order);
    if (!st) {
        uint64_t rows = all->rows.bound;
        if (plan->sort.has_limit && plan->sort.limit < rows)
            rows = plan->sort.limit;
        st = chunk_select(task->stream, all, order, dev_count_exact(rows), NULL);
        row_index_unref(order);
    }
    if (st) {
        chunk_free(all);
        return st;
    }
    *out = all;
    return STATUS_OK;
}

static status shrink(const op_sort *op, exec_task *task, sort_lane *lane)
{
    chunk *best, *flat;
    TRY(sort_list(op, task, &lane->chunks, &best));
    lane->row_count = best->rows.bound;
    status st = chunk_concat(task->stream, &best, 1, "sort", &flat);
    chunk_free(best);
    if (!st)
        st = array_push(NULL, &lane->chunks, flat);
    return st;
}

/* Input columns and evaluated keys side by side. */
static exec_step add_keys(op_sort *op, exec_task *task, sort_lane *lane, chunk *input)
{
    uint32_t columns = input->column_count;
    if (!lane->current) {
        EXEC_TRY(task, chunk_new(columns + op->key_count, input->rows, &lane->current));
        for (uint32_t i = 0; i < columns; i++)
            lane->current->columns[i] = tensor_ref(input->columns[i]);
        lane->next = 0;
    }
    for (; lane->next < op->key_count; lane->next++) {
        exec_step step = program_evaluate(lane->run, lane->next, input,
                                          &lane->current->columns[columns + lane->next]);
        if (step != EXEC_FINISHED)
            return step;
    }
    return EXEC_FINISHED;
}

static exec_step sort_push(exec_operator *base, exec_task *task, void *state, chunk **input,
                           chunk **output)
{
    (void)output;
    op_sort *op = (op_sort *)base;
    sort_lane *lane = state;
    const plan_node *plan = base->plan;
    status st;
    if (!*input)
        return EXEC_NEED_INPUT;
    if (!exec_fetch_count(task, &lane->fetch, &(*input)->rows, &lane->scratch, &st)) {
        EXEC_TRY(task, st);
        return EXEC_WAIT;
    }
    uint64_t rows = (*input)->rows.bound;
    if (!rows)
        return EXEC_NEED_INPUT;
    exec_step step = add_keys(op, task, lane, *input);
    if (step != EXEC_FINISHED)
        return step;
    chunk *owned;
    EXEC_TRY(task, exec_check_error(task));
    EXEC_TRY(task, array_reserve(NULL, &lane->chunks, 1));
    EXEC_TRY(task, chunk_concat(task->stream, &lane->current, 1, "sort", &owned));
    chunk_free(lane->current);
    lane->current = NULL;
    lane->chunks.items[lane->chunks.count++] = owned;
    lane->row_count += rows;
    if (plan->sort.has_limit && lane->row_count > plan->sort.limit &&
        lane->row_count - plan->sort.limit > SPARE_ROWS + plan->sort.limit)
        EXEC_TRY(task, shrink(op, task, lane));
    return EXEC_NEED_INPUT;
}

static exec_step sort_finish_lane(exec_operator *base, exec_task *task, void *state, chunk **output)
{
    (void)output;
    op_sort *op = (op_sort *)base;
    sort_lane *lane = state;
    uint64_t words[1];
    EXEC_TRY(task, dev_words_wait(task->stream, task->error, words, 1));
    pthread_mutex_lock(&op->lock);
    status st = array_reserve(NULL, &op->chunks, lane->chunks.count);
    if (!st && lane->chunks.count) {
        memcpy(op->chunks.items + op->chunks.count, lane->chunks.items,
               lane->chunks.count * sizeof *lane->chunks.items);
        op->chunks.count += lane->chunks.count;
        lane->chunks.count = 0;
    }
    pthread_mutex_unlock(&op->lock);
    EXEC_TRY(task, st);
    return EXEC_FINISHED;
}

static exec_step sort_phase(exec_operator *base, exec_task *task, unsigned number)
{
    (void)number;
    op_sort *op = (op_sort *)base;
    uint64_t words[1];
    if (task->lane || !op->chunks.count)
        return EXEC_FINISHED;
    EXEC_TRY(task, sort_list(op, task, &op->chunks, &op->sorted));
    op->row_count = op->sorted->rows.bound;
    EXEC_TRY(task, dev_words_wait(task->stream, task->error, words, 1));
    return EXEC_FINISHED;
}

static status sort_lane_open(exec_operator *base, exec_task *task, void *state)
{
    sort_lane *lane = state;
    return program_run_new(((op_sort *)base)->program, task, &lane->run);
}

static void sort_lane_close(exec_operator *base, void *state)
{
    sort_lane *lane = state;
    release_chunks(&lane->chunks);
    chunk_free(lane->current);
    program_run_free(lane->run);
    if (lane->fetch.event)
        exec_device(base->query)->ops->event_free(lane->fetch.event);
}

static void sort_close(exec_operator *base)
{
    op_sort *op = (op_sort *)base;
    release_chunks(&op->chunks);
    chunk_free(op->sorted);
    program_free(op->program);
    pthread_mutex_destroy(&op->lock);
    mem_free(op);
}

static const exec_operator_ops sort_ops = {
    .name = "sort",
    .lane_bytes = sizeof(sort_lane),
    .lane_open = sort_lane_open,
    .lane_close = sort_lane_close,
    .push = sort_push,
    .lane_finish = sort_finish_lane,
    .phase_count = 1,
    .phase = sort_phase,
    .close = sort_close,
};

/* ---- the source ---- */

typedef struct op_sort_source {
    exec_operator base;
    op_sort *sink;
    uint64_t next; /* one lane */
} op_sort_source;

/* Rows [next, next + count) of the sorted chunk: the columns' shared index is cut, not copied. */
static exec_step source_pull(exec_operator *base, exec_task *task, void *state, chunk **output)
{
    (void)state;
    op_sort_source *source = (op_sort_source *)base;
    const op_sort *op = source->sink;
    uint64_t rows = exec_device(base->query)->chunk_rows, left = op->row_count - source->next;
    if (!left)
        return EXEC_FINISHED;
    uint64_t count = left < rows ? left : rows;
    uint32_t columns = op->sorted->column_count - op->key_count;
    chunk *c;
    EXEC_TRY(task, chunk_new(columns, dev_count_exact(count), &c));
    status st = STATUS_OK;
    row_index *cut = NULL;
    const row_index *shared = NULL;
    for (uint32_t i = 0; i < columns && !st; i++) {
        tensor *t = op->sorted->columns[i];
        if (!t || t->form != TENSOR_INDEXED) {
            c->columns[i] = tensor_ref(t);
            continue;
        }
        if (shared != t->index) {
            row_index_unref(cut);
            st = row_index_view(t->index, source->next, &cut);
            shared = t->index;
        }
        if (!st)
            st = tensor_new_indexed(task->stream, t->base, t->base_rows, cut,
                                    dev_count_exact(count), &c->columns[i]);
    }
    row_index_unref(cut);
    if (st) {
        chunk_free(c);
        return exec_fail(task, st);
    }
    source->next += count;
    *output = c;
    return EXEC_HAVE_OUTPUT;
}

static void source_close(exec_operator *base)
{
    mem_free(base);
}

static const exec_operator_ops source_ops = {
    .name = "sort",
    .pull = source_pull,
    .close = source_close,
};

static status compile(op_sort *op, arena *a, exec_layout input)
{
    const plan_node *plan = op->base.plan;
    expr_list keys = {0};
    for (uint32_t k = 0; k < op->key_count; k++) {
        const plan_sort_key *key = &plan->sort.keys.items[k];
        if (type_is_text(key->key->type))
            op->text_keys |= (uint64_t)1 << k;
        if (key->is_descending)
            op->descending_keys |= (uint64_t)1 << k;
        TRY(array_push(a, &keys, key->key));
    }
    return program_compile((const expr *const *)keys.items, op->key_count, input, &op->program);
}

status op_sort_open(exec_query *query, const plan_node *plan, exec_layout input,
                    exec_operator **out_sink, exec_operator **out_source)
{
    *out_sink = *out_source = NULL;
    if (plan->sort.keys.count > 64)
        return status_at(status_new(STATUS_KIND_UNSUPPORTED, "more than 64 sort keys"),
                         plan->position);
    op_sort *op = mem_new(sizeof *op);
    op_sort_source *source = mem_new(sizeof *source);
    if (!op || !source) {
        mem_free(op);
        mem_free(source);
        return status_no_memory("sort", sizeof *op);
    }
    op->base = (exec_operator){.ops = &sort_ops, .query = query, .plan = plan};
    op->key_count = (uint32_t)plan->sort.keys.count;
    pthread_mutex_init(&op->lock, NULL);
    status st = compile(op, exec_memory(query), input);
    if (st) {
        sort_close(&op->base);
        mem_free(source);
        return st;
    }
    source->base =
        (exec_operator){.ops = &source_ops, .query = query, .plan = plan, .lane_limit = 1};
    source->sink = op;
    *out_sink = &op->base;
    *out_source = &source->base;
    return STATUS_OK;
}
