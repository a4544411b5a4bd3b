/* op_park.c - see op_park.h. */
#include "exec/operators/op_park.h"

#include "base/mutex.h"
#include "device/chunk.h"
#include "exec/sched/query.h"
#include "exec/sched/task.h"

typedef struct op_park {
    exec_operator base;
    const plan_node *from;
    uint32_t column_count;
    uint32_t *columns; /* the nested ones among from's */
    pthread_mutex_t lock;
    chunk_list kept; /* of those columns, in the order of their rows' numbers */
    uint64_t rows;
    chunk *together; /* all of them, once they are asked for */
} op_park;

typedef struct op_unpark {
    exec_operator base;
    op_park *park;
    uint32_t count;
    uint32_t *columns,
        *sources; /* columns of the node's rows; their places among those that are kept */
} op_unpark;

bool exec_has_nested(const plan_node *node)
{
    for (size_t i = 0; i < node->columns.count; i++)
        if (type_is_nested(node->columns.items[i].type))
            return true;
    return false;
}

/* ---- parking ---- */

/* A copy of the chunk's nested columns alone, which holds no page. */
static status park_copy(exec_task *task, const op_park *op, const chunk *input, chunk **out)
{
    chunk *part;
    TRY(chunk_new(op->column_count, input->rows, &part));
    for (uint32_t i = 0; i < op->column_count; i++)
        part->columns[i] = tensor_ref(input->columns[op->columns[i]]);
    status st = chunk_concat(task->stream, &part, 1, "sort", out);
    chunk_free(part);
    return st;
}

static status park_keep(op_park *op, chunk *copy, uint64_t *out_first)
{
    uint64_t rows = copy->rows.bound;
    mutex_lock(&op->lock);
    *out_first = op->rows;
    op->rows += rows;
    status st = chunk_list_push(&op->kept, copy);
    mutex_unlock(&op->lock);
    if (!st && *out_first + rows >= ROW_NULL)
        st = status_new(STATUS_KIND_UNSUPPORTED,
                        "more than %u rows with lists, structs or maps cannot be sorted", ROW_NULL);
    return st;
}

/* The numbers of the rows from the first on, in the place of values of the type. */
static status park_number(exec_task *task, data_type type, uint64_t first, uint64_t rows,
                          tensor **out)
{
    TRY(tensor_new_flat(task->stream->dev, type, rows, false, out));
    nested_value *values = (*out)->values;
    for (uint64_t i = 0; i < rows; i++)
        values[i] = (nested_value){(uint32_t)(first + i), 0};
    return STATUS_OK;
}

static status park_chunk(op_park *op, exec_task *task, chunk *input)
{
    chunk *copy;
    uint64_t first, rows = input->rows.bound;
    TRY(park_copy(task, op, input, &copy));
    TRY(park_keep(op, copy, &first));
    for (uint32_t i = 0; i < op->column_count; i++) {
        tensor **column = &input->columns[op->columns[i]], *numbers;
        TRY(park_number(task, (*column)->type, first, rows, &numbers));
        tensor_unref(*column);
        *column = numbers;
    }
    return STATUS_OK;
}

static exec_result park_push(exec_operator *base, exec_task *task, void *state, chunk **input,
                             chunk **output)
{
    (void)state;
    if (!*input)
        return EXEC_NEED_INPUT;
    EXEC_TRY(task, park_chunk((op_park *)base, task, *input));
    *output = *input;
    *input = NULL;
    return EXEC_HAVE_OUTPUT;
}

static void park_close(exec_operator *base)
{
    op_park *op = (op_park *)base;
    chunk_list_release(&op->kept);
    chunk_free(op->together);
    mutex_destroy(&op->lock);
    mem_free(op->columns);
    mem_free(op);
}

static const exec_operator_ops park_ops = {
    .name = "park",
    .push = park_push,
    .exact_counts = true,
    .close = park_close,
};

status op_park_open(exec_query *query, const plan_node *from, exec_operator **out)
{
    *out = NULL;
    op_park *op = mem_new(sizeof *op);
    if (!op)
        return status_no_memory("park", sizeof *op);
    op->base = (exec_operator){.ops = &park_ops, .query = query};
    op->from = from;
    mutex_init(&op->lock);
    op->columns = mem_new_array(from->columns.count + 1, sizeof *op->columns);
    if (!op->columns) {
        park_close(&op->base);
        return status_no_memory("park", from->columns.count * sizeof *op->columns);
    }
    for (uint32_t i = 0; i < from->columns.count; i++)
        if (type_is_nested(from->columns.items[i].type))
            op->columns[op->column_count++] = i;
    *out = &op->base;
    return STATUS_OK;
}

/* ---- and back ---- */

/* All that is kept, as one chunk: no more comes. */
static status park_together(op_park *op, exec_task *task)
{
    status st = STATUS_OK;
    mutex_lock(&op->lock);
    if (!op->together && op->kept.count) {
        st = chunk_concat(task->stream, op->kept.items, op->kept.count, "sort", &op->together);
        if (!st)
            chunk_list_release(&op->kept);
    }
    mutex_unlock(&op->lock);
    return st;
}

static status unpark_index(exec_task *task, chunk *c, uint32_t column, row_index **out)
{
    tensor *numbers;
    uint64_t rows = c->rows.bound;
    TRY(chunk_flatten_column(task->stream, c, column, &numbers));
    TRY(row_index_new(task->stream->dev, rows, out));
    const nested_value *values = numbers->values;
    for (uint64_t i = 0; i < rows; i++)
        (*out)->rows[i] = values[i].offset;
    return STATUS_OK;
}

static status unpark_chunk(const op_unpark *op, exec_task *task, chunk *c)
{
    row_index *index = NULL;
    TRY(park_together(op->park, task));
    const chunk *kept = op->park->together;
    status st = STATUS_OK;
    for (uint32_t i = 0; i < op->count && !st; i++) {
        tensor **column = &c->columns[op->columns[i]], *values = NULL;
        if (!*column)
            continue;
        if (!index) /* the numbers are the same in all */
            st = unpark_index(task, c, op->columns[i], &index);
        if (!st)
            st = tensor_new_indexed(task->stream, kept->columns[op->sources[i]], kept->rows.bound,
                                    index, c->rows, &values);
        if (!st) {
            tensor_unref(*column);
            *column = values;
        }
    }
    row_index_unref(index);
    return st;
}

static exec_result unpark_push(exec_operator *base, exec_task *task, void *state, chunk **input,
                               chunk **output)
{
    (void)state;
    if (!*input)
        return EXEC_NEED_INPUT;
    EXEC_TRY(task, unpark_chunk((op_unpark *)base, task, *input));
    *output = *input;
    *input = NULL;
    return EXEC_HAVE_OUTPUT;
}

static void unpark_close(exec_operator *base)
{
    op_unpark *op = (op_unpark *)base;
    mem_free(op->columns);
    mem_free(op->sources);
    mem_free(op);
}

static const exec_operator_ops unpark_ops = {
    .name = "unpark",
    .push = unpark_push,
    .exact_counts = true,
    .close = unpark_close,
};

static uint32_t place_of(const op_park *park, uint32_t id)
{
    uint32_t i = 0;
    while (i + 1 < park->column_count && park->from->columns.items[park->columns[i]].id != id)
        i++;
    return i;
}

status op_unpark_open(exec_query *query, exec_operator *park, const plan_node *to,
                      exec_operator **out)
{
    *out = NULL;
    op_unpark *op = mem_new(sizeof *op);
    if (!op)
        return status_no_memory("park", sizeof *op);
    op->base = (exec_operator){.ops = &unpark_ops, .query = query};
    op->park = (op_park *)park;
    op->columns = mem_new_array(to->columns.count + 1, sizeof *op->columns);
    op->sources = mem_new_array(to->columns.count + 1, sizeof *op->sources);
    if (!op->columns || !op->sources) {
        unpark_close(&op->base);
        return status_no_memory("park", to->columns.count * sizeof *op->columns);
    }
    for (uint32_t i = 0; i < to->columns.count; i++) {
        if (!type_is_nested(to->columns.items[i].type))
            continue;
        op->sources[op->count] = place_of(op->park, to->columns.items[i].id);
        op->columns[op->count++] = i;
    }
    *out = &op->base;
    return STATUS_OK;
}
