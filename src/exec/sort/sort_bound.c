/* sort_bound.c - top-k: rows that come after the k-th best of what was seen are dropped before
 * anything of them is copied. On host devices by a bound on all keys, which tasks and scans share; on
 * lazy ones, which do not know the values, by the first key of what one task has seen. */
#include "exec/sort/sort_bound.h"

#include "device/chunk.h"
#include "exec/expression/program_run.h"
#include "exec/sched/query.h"
#include "exec/sort/sort.h"

/* ---- shared ---- */

static bool sort_bound_is_ordered(data_type type)
{
    return type_is_numeric(type) || type_is_time(type) || type_is_text(type);
}

/* The collected chunk's columns, by their numbers from 1. */
static status sort_bound_make_layout(op_sort *op, arena *a, exec_layout input)
{
    const plan_node *plan = op->base.plan;
    uint32_t count = op->column_count + op->extra_count;
    plan_column *columns = arena_alloc_array(a, count + 1, sizeof *columns);
    if (!columns)
        return status_no_memory("sort", count * sizeof *columns);
    for (uint32_t i = 0; i < op->column_count; i++)
        columns[i] = input.columns[i];
    for (uint32_t k = 0; k < op->key_count; k++)
        columns[op->key_columns[k]].type = plan->sort.keys.items[k].key->type;
    for (uint32_t i = 0; i < count; i++) {
        columns[i].id = i + 1;
        columns[i].is_nullable = true;
    }
    op->bound.layout = (exec_layout){count, columns};
    return STATUS_OK;
}

status sort_bound_share(op_sort *op, exec_layout input)
{
    const plan_node *plan = op->base.plan;
    arena *a = exec_memory(op->base.query);
    bound_key *keys = arena_alloc_array(a, op->key_count + 1, sizeof *keys);
    runtime_bound_init(&op->own_bound);
    op->bound.bound =
        plan->sort.bound ? exec_runtime_bound(op->base.query, plan->sort.bound) : &op->own_bound;
    op->bound.keys = keys;
    if (!keys)
        return status_no_memory("sort", op->key_count * sizeof *keys);
    if (!plan->sort.has_limit || !plan->sort.limit || !exec_device(op->base.query)->is_host)
        return STATUS_OK;
    for (; op->bound.count < op->key_count && op->bound.count < PLAN_BOUND_KEYS_MAX;
         op->bound.count++) {
        const plan_sort_key *key = &plan->sort.keys.items[op->bound.count];
        if (!sort_bound_is_ordered(key->key->type))
            break;
        keys[op->bound.count] = (bound_key){op->key_columns[op->bound.count] + 1, key->key->type,
                                            key->is_descending, key->nulls_first};
    }
    op->bound.has_all_keys = op->bound.count == op->key_count;
    return sort_bound_make_layout(op, a, input);
}

/* Reads the value of a row on the host, in any form. */
static value sort_bound_value_of(const tensor *t, uint64_t row)
{
    if (t->form != TENSOR_INDEXED)
        return tensor_value(t, row);
    uint32_t number = t->index->rows[row];
    return number == ROW_NULL ? value_null(t->type) : tensor_value(t->base, number);
}

status sort_bound_publish(const op_sort *op, const chunk *best)
{
    const plan_node *plan = op->base.plan;
    uint64_t limit = plan->sort.limit;
    if (!op->bound.count || best->rows.bound < limit)
        return STATUS_OK;
    value *values = mem_new_array(op->bound.count, sizeof *values);
    if (!values)
        return status_no_memory("sort", op->bound.count * sizeof *values);
    for (uint32_t k = 0; k < op->bound.count; k++)
        values[k] = sort_bound_value_of(best->columns[op->key_columns[k]], limit - 1);
    status st =
        runtime_bound_tighten(op->bound.bound, plan->sort.keys.items, values, op->bound.count);
    mem_free(values);
    return st;
}

bool sort_bound_is_offered(const op_sort *op)
{
    return op->bound.count && op->base.plan->sort.limit <= SORT_BEST_MAX;
}

static status offer_row(op_sort *op, const chunk *rows, uint64_t row, value *values)
{
    const plan_node *plan = op->base.plan;
    for (uint32_t k = 0; k < op->bound.count; k++)
        values[k] = sort_bound_value_of(rows->columns[op->key_columns[k]], row);
    return sort_best_offer(&op->best, (uint32_t)plan->sort.limit, plan->sort.keys.items, values,
                           op->bound.count, op->bound.bound);
}

/* index NULL: each row; else those that it takes from `offered` on. */
static status sort_bound_offer_rows(op_sort *op, const chunk *rows, uint64_t first, uint64_t end,
                                    const row_index *index, uint64_t offered)
{
    status st = STATUS_OK;
    value *values = mem_new_array(op->bound.count, sizeof *values);
    if (!values)
        return status_no_memory("sort", op->bound.count * sizeof *values);
    for (uint64_t i = first; i < end && !st; i++)
        if (!index || index->rows[i] >= offered)
            st = offer_row(op, rows, i, values);
    mem_free(values);
    return st;
}

status sort_bound_offer(op_sort *op, const chunk *rows, uint64_t first, uint64_t end)
{
    return sort_bound_offer_rows(op, rows, first, end, NULL, 0);
}

status sort_bound_offer_rest(op_sort *op, const chunk *best, uint64_t offered)
{
    const tensor *key = best->columns[op->key_columns[0]];
    if (key->form != TENSOR_INDEXED)
        return STATUS_OK; /* a row must not be counted twice */
    return sort_bound_offer_rows(op, best, 0, best->rows.bound, key->index, offered);
}

exec_result sort_bound_select(const op_sort *op, exec_task *task, bound_filter *filter, chunk *c)
{
    row_index *rows = NULL;
    dev_count count;
    dev_buffer *owner = NULL;
    if (!op->bound.count)
        return EXEC_FINISHED;
    EXEC_TRY(task, bound_filter_refresh(filter, &op->bound, task));
    if (!filter->program)
        return EXEC_FINISHED;
    exec_result result = program_select(filter->run, 0, c, &rows, &count, &owner);
    if (result != EXEC_FINISHED || !rows)
        return result;
    status st = chunk_select(task->stream, c, rows, count, owner);
    row_index_unref(rows);
    dev_buffer_unref(owner);
    EXEC_TRY(task, st);
    return EXEC_FINISHED;
}

/* ---- of a task, by the first key ---- */

static status pack_first_key(const op_sort *op, exec_task *task, const tensor *values,
                             dev_count count, dev_buffer **out)
{
    const plan_sort_key *key = &op->base.plan->sort.keys.items[0];
    TRY(dev_alloc(task->stream->dev, count.bound * 24, "sort", out));
    status st = DEV_LAUNCH(task->stream, sort_pack, .type = values->type, .values = values->values,
                           .validity = values->validity, .count = count, .key = 0, .key_count = 1,
                           .is_descending = key->is_descending, .nulls_first = key->nulls_first,
                           .rows = (*out)->address);
    if (st) {
        dev_buffer_unref(*out);
        *out = NULL;
    }
    return st;
}

status sort_bound_new(const op_sort *op, exec_task *task, const chunk *best, dev_buffer **out)
{
    uint64_t limit = op->base.plan->sort.limit;
    *out = NULL;
    if (op->bound.count || op->is_text_first || !limit || best->rows.bound < limit)
        return STATUS_OK;
    return pack_first_key(op, task, best->columns[op->key_columns[0]], best->rows, out);
}

status sort_bound_apply(const op_sort *op, exec_task *task, const dev_buffer *bound, chunk *c)
{
    const uint64_t *last = (const uint64_t *)bound->address + (op->base.plan->sort.limit - 1) * 3;
    tensor *values;
    dev_buffer *keys = NULL, *owner = NULL;
    row_index *rows = NULL;
    TRY(chunk_flatten_column(task->stream, c, op->key_columns[0], &values));
    status st = pack_first_key(op, task, values, c->rows, &keys);
    if (!st)
        st = row_index_new(task->stream->dev, c->rows.bound, &rows);
    if (!st)
        st = dev_words_new(task->stream, 1, &owner);
    if (!st)
        st = DEV_LAUNCH(task->stream, sort_keep, .rows = keys->address, .last = last,
                        .count = c->rows, .out = rows->rows, .out_count = owner->address);
    if (!st) {
        dev_count kept = {c->rows.bound, owner->address};
        dev_count_settle(task->stream->dev, &kept);
        st = chunk_select(task->stream, c, rows, kept, owner);
    }
    dev_buffer_unref(keys);
    dev_buffer_unref(owner);
    row_index_unref(rows);
    return st;
}
