/* op_window_limit.c - drops rows that are not among the first of their partition: rows come behind as many
 * others as are wanted, of those that the task has seen.
 *
 * A table of the partitions has beside each of them what its first rows' keys are, as numbers that stand in the
 * keys' order (kernel order_codes), as far as the first key goes: a row goes on if it is not behind them. It is
 * only a help to the sort above: where the table has become too large the task begins a new one, or, if hardly
 * a row was dropped, lets all rows pass. On lazy devices they all pass. */
#include "device/chunk.h"
#include "device/selection.h"
#include "exec/aggregate/aggregate_state.h"
#include "exec/expression/program.h"
#include "exec/expression/program_compile.h"
#include "exec/expression/program_run.h"
#include "exec/sched/memory.h"

/* Bytes of a task's table, at most; one part in this many of what an operator may hold. */
#define TABLE_BYTES_MAX (64u << 20)
#define TABLE_SHARE 8
/* A table that has not dropped one in this many of the rows that it has seen is the last one. */
#define DROPPED_LEAST 8
/* Rows after which the table is judged even if partitions are few, so that there were rows to drop, or nearly as many
 * as rows, so that there will not be any. */
#define CHECK_ROWS 65536
#define FEW_PART 4
#define MANY_PART 16
/* With more first rows than that, putting one in its place is only worth it if partitions have several times
 * as many rows. */
#define CHEAP_LIMIT 64
/* A chunk's rows may all be partitions; and what grows is there twice for a while. */
#define GROWTH 3

typedef struct op_window_limit {
    exec_operator base;
    program *program; /* the partition's columns, then the first key of the order */
    aggregate_core core;
    uint64_t table_bytes_max;
    bool drops_ties;
} op_window_limit;

typedef struct limit_local {
    program_run *run;
    chunk *current;  /* between waits */
    tensor **values; /* of it */
    uint32_t next;   /* to be evaluated */
    aggregate_table *table;
    dev_buffer *first;    /* the kernel's */
    uint64_t first_count; /* partitions that it has room for */
    uint64_t rows, kept;  /* that the table has seen */
    bool is_plain;        /* texts have no numbers */
    bool is_over;
} limit_local;

static void forget(const op_window_limit *op, limit_local *local)
{
    aggregate_table_free(&op->core, local->table);
    dev_buffer_unref(local->first);
    local->table = NULL;
    local->first = NULL;
    local->first_count = local->rows = local->kept = 0;
}

static void op_window_limit_drop_values(const op_window_limit *op, limit_local *local)
{
    for (uint32_t i = 0; local->values && i <= op->core.key_count; i++) {
        tensor_unref(local->values[i]);
        local->values[i] = NULL;
    }
    local->next = 0;
}

/* ---- a chunk ---- */

static exec_result op_window_limit_evaluate(const op_window_limit *op, exec_task *task,
                                            limit_local *local)
{
    for (; local->next <= op->core.key_count; local->next++) {
        tensor *value = NULL;
        exec_result result = program_evaluate(local->run, local->next, local->current, &value);
        if (result != EXEC_FINISHED)
            return result;
        if (local->next < op->core.key_count) {
            local->values[local->next] = value;
            continue;
        }
        status st =
            tensor_flatten(task->stream, value, local->current->rows, &local->values[local->next]);
        tensor_unref(value);
        EXEC_TRY(task, st);
    }
    return EXEC_FINISHED;
}

/* Room for the first rows of all partitions; new ones have none yet. */
static status reserve_first(const op_window_limit *op, exec_task *task, limit_local *local)
{
    uint64_t row = op->base.plan->window_limit.limit * sizeof(uint64_t), old = local->first_count;
    uint64_t count = local->table->count + local->table->count / 2;
    dev_buffer *buffer;
    if (local->table->count <= old)
        return STATUS_OK;
    TRY(dev_alloc(op->core.dev, count * row, op->core.who, &buffer));
    status st = old ? op->core.dev->ops->copy(task->stream, buffer->address, local->first->address,
                                              old * row)
                    : STATUS_OK;
    if (!st)
        st = DEV_LAUNCH(task->stream, fill, .width = sizeof(uint64_t), .value_low = UINT64_MAX,
                        .count = dev_count_exact((count - old) * (row / sizeof(uint64_t))),
                        .out = (char *)buffer->address + old * row);
    dev_buffer_unref(local->first);
    local->first = buffer;
    local->first_count = count;
    return st;
}

/* A mask of the rows that go on. */
static status make_mask(const op_window_limit *op, exec_task *task, limit_local *local,
                        const row_index *groups, dev_buffer **out)
{
    const plan_sort_key *order = &op->base.plan->window_limit.order.items[0];
    const tensor *key = local->values[op->core.key_count];
    dev_count rows = local->current->rows;
    dev_buffer *codes;
    TRY(dev_alloc(op->core.dev, rows.bound * sizeof(uint64_t), op->core.who, &codes));
    status st = dev_alloc(op->core.dev, bitmap_bytes(rows.bound), op->core.who, out);
    if (!st)
        st = DEV_LAUNCH(task->stream, order_codes, .type = key->type, .values = key->values,
                        .validity = key->validity, .count = rows,
                        .is_descending = order->is_descending, .nulls_first = order->nulls_first,
                        .out = codes->address);
    if (!st)
        st = DEV_LAUNCH(task->stream, groups_limit, .groups = groups->rows, .codes = codes->address,
                        .count = rows, .limit = (uint32_t)op->base.plan->window_limit.limit,
                        .drops_ties = op->drops_ties, .first = local->first->address,
                        .out = (*out)->address);
    dev_buffer_unref(codes);
    return st;
}

static status op_window_limit_select_rows(exec_task *task, limit_local *local,
                                          const dev_buffer *bits)
{
    const row_mask mask = {.bits = bits->address};
    row_selection kept;
    TRY(row_selection_make(task->stream, &mask, local->current->rows, &kept));
    local->rows += local->current->rows.bound;
    local->kept += kept.count.bound;
    status st = kept.rows ? chunk_select(task->stream, local->current, kept.rows, kept.count,
                                         kept.count_owner)
                          : STATUS_OK;
    row_selection_release(&kept);
    return st;
}

/* Rows of this layout can be looked up in the table. */
static bool table_takes(const aggregate_table *table, const key_layout *rows)
{
    const key_layout *layout = table->groups.layout;
    return layout->coding == rows->coding && layout->has_nulls >= rows->has_nulls;
}

/* The partition of each row. A table of other keys than these rows' goes. */
static status find_partitions(const op_window_limit *op, exec_task *task, limit_local *local,
                              row_index **out)
{
    key_array coded;
    text_coding coding = CODED_NONE;
    *out = NULL;
    status st = key_array_open(&coded, op->core.key_count, op->core.who);
    if (!st && !local->is_plain)
        st = keys_encode(&op->core, task, local->values, local->current->rows, CODED_ALL,
                         coded.items, &coding);
    bool is_coded = coding == CODED_ALL;
    local->is_plain |= !is_coded;
    tensor *const *keys = is_coded ? coded.items : local->values;
    const key_layout *layout = st ? NULL : key_layout_for(&op->core, keys);
    if (!st && local->table && !table_takes(local->table, layout))
        forget(op, local);
    if (!st && !local->table)
        st = aggregate_table_new(&op->core, task->stream, TABLE_HASH, SOURCE_ROWS, layout, 0,
                                 &local->table);
    if (!st)
        st = hash_table_find(&op->core, task, local->table, keys, local->current->rows, out);
    key_array_release(&coded);
    return st;
}

/* Returns the bytes that the first rows of so many partitions take. */
static uint64_t first_bytes(const op_window_limit *op, uint64_t partitions)
{
    return partitions * op->base.plan->window_limit.limit * sizeof(uint64_t);
}

/* Enough was dropped for a new table to be worth it. */
static bool has_dropped(const limit_local *local)
{
    return local->rows && local->rows - local->kept >= local->rows / DROPPED_LEAST;
}

/* The chunk brought more partitions than there is room for: it passes as it is. */
static bool has_too_many(const op_window_limit *op, limit_local *local)
{
    uint64_t bytes = first_bytes(op, local->table->count);
    if (local->table->count <= local->first_count ||
        (bytes <= op->table_bytes_max && exec_has_room(op->base.query, bytes * GROWTH)))
        return false;
    local->is_over = !has_dropped(local);
    forget(op, local);
    return true;
}

static status limit_rows(const op_window_limit *op, exec_task *task, limit_local *local)
{
    row_index *groups;
    dev_buffer *mask = NULL;
    TRY(find_partitions(op, task, local, &groups));
    if (has_too_many(op, local)) {
        row_index_unref(groups);
        return STATUS_OK;
    }
    status st = reserve_first(op, task, local);
    if (!st)
        st = make_mask(op, task, local, groups, &mask);
    if (!st)
        st = op_window_limit_select_rows(task, local, mask);
    dev_buffer_unref(mask);
    row_index_unref(groups);
    return st;
}

/* Returns the bytes that the table may take once it has seen the chunk, without the first rows of partitions that are
 * new in it: has_too_many() asks for those. */
static uint64_t bytes_then(const op_window_limit *op, const limit_local *local)
{
    uint64_t before = local->table ? local->table->count : 0;
    uint64_t groups = local->current->rows.bound + before;
    return groups * (op->core.layouts[1].stride + 2 * sizeof(uint64_t)) + first_bytes(op, before) +
           (local->table ? local->table->groups.heap.bytes : 0);
}

/* Most rows of a task come among the first of their partition. */
static bool is_costly(const op_window_limit *op, uint64_t partitions)
{
    const plan_node *node = op->base.plan;
    double rows = node->children[0]->estimated_rows / exec_task_count(op->base.query);
    return node->window_limit.limit > CHEAP_LIMIT &&
           (double)partitions * (double)node->window_limit.limit > rows / FEW_PART;
}

/* Hardly a row is dropped, nor will be. */
static bool op_window_limit_is_of_no_use(const op_window_limit *op, const limit_local *local)
{
    uint64_t partitions = local->table ? local->table->count : 0;
    uint64_t limit = op->base.plan->window_limit.limit;
    if (local->rows < CHECK_ROWS)
        return false;
    if (is_costly(op, partitions))
        return true;
    if (has_dropped(local))
        return false;
    return partitions * limit < local->rows / FEW_PART ||
           partitions > local->rows - local->rows / MANY_PART;
}

/* A table that has become too large goes. */
static void keep_small(const op_window_limit *op, limit_local *local)
{
    uint64_t bytes = bytes_then(op, local);
    bool fits = bytes <= op->table_bytes_max, is_useless = op_window_limit_is_of_no_use(op, local);
    if (fits && !is_useless && exec_has_room(op->base.query, bytes * GROWTH))
        return;
    is_useless |= !has_dropped(local);
    local->is_over = fits || !local->table || is_useless;
    forget(op, local);
}

static exec_result window_limit_push(exec_operator *base, exec_task *task, void *state,
                                     chunk **input, chunk **output)
{
    const op_window_limit *op = (const op_window_limit *)base;
    limit_local *local = state;
    if (*input) {
        local->current = *input;
        *input = NULL;
    }
    if (!local->current)
        return EXEC_NEED_INPUT;
    if (!local->is_over && !local->next)
        keep_small(op, local);
    if (!local->is_over) {
        exec_result result = op_window_limit_evaluate(op, task, local);
        if (result != EXEC_FINISHED)
            return result;
        status st = limit_rows(op, task, local);
        op_window_limit_drop_values(op, local);
        EXEC_TRY(task, st);
    }
    *output = local->current;
    local->current = NULL;
    if ((*output)->rows.bound)
        return EXEC_HAVE_OUTPUT;
    chunk_free(*output);
    *output = NULL;
    return EXEC_NEED_INPUT;
}

/* ---- life ---- */

static status window_limit_local_open(exec_operator *base, exec_task *task, void *state)
{
    const op_window_limit *op = (const op_window_limit *)base;
    limit_local *local = state;
    local->is_over = !op->core.dev->is_host;
    local->is_plain = !op->core.layouts[2].count; /* there are none */
    local->values = mem_new_array(op->core.key_count + 1, sizeof *local->values);
    if (!local->values)
        return status_no_memory(op->core.who, op->core.key_count * sizeof *local->values);
    return program_run_new(op->program, task, &local->run);
}

static void window_limit_local_close(exec_operator *base, void *state)
{
    const op_window_limit *op = (const op_window_limit *)base;
    limit_local *local = state;
    op_window_limit_drop_values(op, local);
    mem_free(local->values);
    forget(op, local);
    chunk_free(local->current);
    program_run_free(local->run);
}

static void window_limit_close(exec_operator *base)
{
    op_window_limit *op = (op_window_limit *)base;
    aggregate_core_release(&op->core);
    program_free(op->program);
    mem_free(op);
}

static const exec_operator_ops window_limit_ops = {
    .name = "window limit",
    .local_bytes = sizeof(limit_local),
    .local_open = window_limit_local_open,
    .local_close = window_limit_local_close,
    .push = window_limit_push,
    .close = window_limit_close,
};

/* Different values have different codes: kernel order_codes. */
static bool has_exact_codes(data_type type)
{
    return type.id == TYPE_BOOL || type.id == TYPE_FLOAT || type.id == TYPE_DATE ||
           (type_is_integer(type) && type.width <= 4);
}

static status op_window_limit_compile(op_window_limit *op, exec_layout input)
{
    const plan_node *node = op->base.plan;
    const plan_sort_key_list *order = &node->window_limit.order;
    size_t keys = node->window_limit.partition.count;
    data_type *types = arena_alloc_array(exec_memory(op->base.query), keys + 1, sizeof *types);
    expr_list exprs = {0};
    if (!types)
        return status_no_memory("window limit", keys * sizeof *types);
    if (keys > KEYS_MAX)
        return status_at(
            status_new(STATUS_KIND_LIMIT, "more than %d columns in PARTITION BY", KEYS_MAX),
            node->position);
    for (size_t i = 0; i < keys; i++) {
        types[i] = node->window_limit.partition.items[i]->type;
        TRY(array_push(exec_memory(op->base.query), &exprs, node->window_limit.partition.items[i]));
    }
    TRY(array_push(exec_memory(op->base.query), &exprs, order->items[0].key));
    op->drops_ties = node->window_limit.drops_ties && order->count == 1 &&
                     has_exact_codes(order->items[0].key->type);
    TRY(aggregate_core_init(&op->core, op->base.query, types, (uint32_t)keys, 0));
    op->core.who = "window limit";
    return program_compile((const expr *const *)exprs.items, (uint32_t)exprs.count, input,
                           &op->program);
}

status op_window_limit_open(exec_query *query, const plan_node *plan, exec_layout input,
                            exec_operator **out)
{
    uint64_t share = exec_memory_share(query) / exec_task_count(query) / TABLE_SHARE;
    *out = NULL;
    op_window_limit *op = mem_new(sizeof *op);
    if (!op)
        return status_no_memory("window limit", sizeof *op);
    op->base = (exec_operator){.ops = &window_limit_ops, .query = query, .plan = plan};
    op->table_bytes_max = share && share < TABLE_BYTES_MAX ? share : TABLE_BYTES_MAX;
    status st = op_window_limit_compile(op, input);
    return exec_operator_opened(&op->base, st, out);
}
