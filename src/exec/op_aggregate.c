/* op_aggregate.c - GROUP BY, DISTINCT and aggregates without groups.
 *
 * Each lane aggregates into a table of its own; a lane that finishes is merged into the shared
 * result (the first one becomes it). A DISTINCT aggregate has a table of (groups, value) beside the
 * main one, whose entries are added to the states when all lanes are in. */
#include "exec/group_table.h"
#include "exec/program.h"

#include <pthread.h>

/* Groups that the source and the merge take at a time. */
#define SLICE_GROUPS 65536

typedef struct aggregate_plan {
    aggregate_kind kind;
    aggregate_result result;
    data_type type, result_type;
    uint32_t place;
    int argument, filter; /* expressions of the program; -1: none */
    bool is_distinct;
} aggregate_plan;

typedef struct aggregate_part {
    dev_buffer *states; /* aggregate_state of each group */
    uint64_t capacity;  /* groups it has room for */
    group_table distinct;
    bool has_distinct;
    ARRAY(string_heap *) heaps; /* text minima and maxima point there */
} aggregate_part;

/* What a lane has, and what all lanes have in the end. */
typedef struct aggregate_table {
    group_table groups;
    aggregate_part *parts;
} aggregate_table;

typedef struct op_aggregate {
    exec_operator base;
    program *program; /* groups, then arguments and filters */
    uint32_t group_count, aggregate_count;
    aggregate_plan *aggregates;
    data_type *group_types;
    pthread_mutex_t lock;
    bool has_result;
    aggregate_table result;
} op_aggregate;

typedef struct aggregate_lane {
    program_run *run;
    aggregate_table table;
    exec_fetch fetch;
    uint64_t row_count;
    uint32_t expr_count, next;
    tensor **values; /* evaluated expressions of the chunk at work */
    bool is_open;
} aggregate_lane;

/* ---- tables ---- */

static void table_release(const op_aggregate *op, aggregate_table *table)
{
    group_table_release(&table->groups);
    for (uint32_t i = 0; table->parts && i < op->aggregate_count; i++) {
        aggregate_part *part = &table->parts[i];
        dev_buffer_unref(part->states);
        if (part->has_distinct)
            group_table_release(&part->distinct);
        for (size_t h = 0; h < part->heaps.count; h++)
            string_heap_unref(part->heaps.items[h]);
        array_release(&part->heaps);
    }
    mem_free(table->parts);
    table->parts = NULL;
}

static status table_init(const op_aggregate *op, device *dev, aggregate_table *table)
{
    TRY(group_table_init(&table->groups, dev, "aggregation", op->group_types, op->group_count));
    table->parts = mem_new_array(op->aggregate_count + 1, sizeof *table->parts);
    if (!table->parts)
        return status_no_memory("aggregation", op->aggregate_count * sizeof *table->parts);
    for (uint32_t i = 0; i < op->aggregate_count; i++) {
        if (!op->aggregates[i].is_distinct)
            continue;
        data_type types[64];
        if (op->group_count >= 64)
            return status_new(STATUS_KIND_UNSUPPORTED, "more than 63 grouping columns");
        memcpy(types, op->group_types, op->group_count * sizeof *types);
        types[op->group_count] = op->aggregates[i].type;
        TRY(group_table_init(&table->parts[i].distinct, dev, "distinct aggregation", types,
                             op->group_count + 1));
        table->parts[i].has_distinct = true;
    }
    return STATUS_OK;
}

static uint64_t table_groups(const op_aggregate *op, const aggregate_table *table)
{
    return op->group_count ? table->groups.count : 1;
}

/* States for all groups there are, the new ones zero. */
static status reserve_states(const op_aggregate *op, dev_stream *stream, aggregate_table *table)
{
    uint64_t groups = table_groups(op, table);
    device *dev = stream->dev;
    for (uint32_t i = 0; i < op->aggregate_count; i++) {
        aggregate_part *part = &table->parts[i];
        if (groups <= part->capacity)
            continue;
        uint64_t capacity = part->capacity ? part->capacity : 16;
        while (capacity < groups)
            capacity *= 2;
        dev_buffer *states;
        size_t used = part->capacity * sizeof(aggregate_state);
        size_t bytes = capacity * sizeof(aggregate_state);
        TRY(dev_alloc(dev, bytes, "aggregation", &states));
        status st = dev->ops->zero(stream, (char *)states->address + used, bytes - used);
        if (!st && used)
            st = dev->ops->copy(stream, states->address, part->states->address, used);
        dev_buffer_unref(part->states);
        part->states = states;
        part->capacity = capacity;
        TRY(st);
    }
    return STATUS_OK;
}

/* Text that a minimum may point to stays as long as the table. */
static status keep_heap(aggregate_part *part, string_heap *heap)
{
    if (!heap || (part->heaps.count && part->heaps.items[part->heaps.count - 1] == heap))
        return STATUS_OK;
    TRY(array_push(NULL, &part->heaps, heap));
    string_heap_ref(heap);
    return STATUS_OK;
}

/* ---- a chunk ---- */

/* Rows for which the FILTER is true. */
static status filter_rows(exec_task *task, tensor *filter, uint64_t rows, row_index **out,
                          uint64_t *out_rows)
{
    dev_buffer *count;
    TRY(row_index_new(task->stream->dev, rows, out));
    TRY(dev_words_new(task->stream, 1, &count));
    status st = DEV_LAUNCH(task->stream, mask_to_index, .mask = filter->values,
                           .validity = filter->validity, .count = dev_count_exact(rows),
                           .rows = (*out)->rows, .out_count = count->address);
    if (!st)
        st = dev_words_wait(task->stream, count->address, out_rows, 1);
    dev_buffer_unref(count);
    return st;
}

/* column at the chosen rows, FLAT. */
static status pick_rows(exec_task *task, tensor *column, uint64_t rows, row_index *chosen,
                        uint64_t chosen_rows, tensor **out)
{
    tensor *indexed;
    TRY(tensor_new_indexed(task->stream, column, rows, chosen, dev_count_exact(chosen_rows),
                           &indexed));
    status st = tensor_flatten(task->stream, indexed, dev_count_exact(chosen_rows), out);
    tensor_unref(indexed);
    return st;
}

/* The values go to the table of (groups, value). NULL values too: they are passed over at the end.
 */
static status add_distinct(op_aggregate *op, exec_task *task, aggregate_lane *lane, uint32_t number,
                           uint64_t rows)
{
    const aggregate_plan *plan = &op->aggregates[number];
    tensor *keys[65] = {0};
    row_index *chosen = NULL, *groups = NULL;
    uint64_t chosen_rows = rows;
    status st = STATUS_OK;
    if (plan->filter >= 0)
        st = filter_rows(task, lane->values[plan->filter], rows, &chosen, &chosen_rows);
    for (uint32_t k = 0; k <= op->group_count && !st; k++) {
        tensor *column = lane->values[k < op->group_count ? k : (uint32_t)plan->argument];
        if (chosen)
            st = pick_rows(task, column, rows, chosen, chosen_rows, &keys[k]);
        else
            keys[k] = tensor_ref(column);
    }
    if (!st && chosen_rows)
        st = group_table_find(&lane->table.parts[number].distinct, task->stream, keys, chosen_rows,
                              &groups);
    for (uint32_t k = 0; k <= op->group_count; k++)
        tensor_unref(keys[k]);
    row_index_unref(groups);
    row_index_unref(chosen);
    return st;
}

static status update(exec_task *task, const aggregate_plan *plan, aggregate_part *part,
                     const tensor *argument, const tensor *filter, const row_index *groups,
                     uint64_t rows)
{
    if (argument && (plan->kind == AGGREGATE_KIND_MIN || plan->kind == AGGREGATE_KIND_MAX ||
                     plan->kind == AGGREGATE_KIND_ANY))
        TRY(keep_heap(part, argument->heap));
    return DEV_LAUNCH(task->stream, aggregate_update, .kind = (int)plan->kind, .type = plan->type,
                      .values = argument ? argument->values : NULL,
                      .validity = argument ? argument->validity : NULL,
                      .mask = filter ? filter->values : NULL,
                      .groups = groups ? groups->rows : NULL, .count = dev_count_exact(rows),
                      .states = part->states->address, .error = task->error, .place = plan->place);
}

static status aggregate_chunk(op_aggregate *op, exec_task *task, aggregate_lane *lane,
                              uint64_t rows)
{
    aggregate_table *table = &lane->table;
    row_index *groups = NULL;
    status st = STATUS_OK;
    if (op->group_count)
        st = group_table_find(&table->groups, task->stream, lane->values, rows, &groups);
    if (!st)
        st = reserve_states(op, task->stream, table);
    for (uint32_t i = 0; i < op->aggregate_count && !st; i++) {
        const aggregate_plan *plan = &op->aggregates[i];
        if (plan->is_distinct)
            st = add_distinct(op, task, lane, i, rows);
        else
            st = update(task, plan, &table->parts[i],
                        plan->argument >= 0 ? lane->values[plan->argument] : NULL,
                        plan->filter >= 0 ? lane->values[plan->filter] : NULL, groups, rows);
    }
    row_index_unref(groups);
    return st;
}

/* Filters are made never NULL when the program is compiled (IS TRUE), all others flat. */
static exec_step evaluate(exec_task *task, aggregate_lane *lane, chunk *input)
{
    for (; lane->next < lane->expr_count; lane->next++) {
        tensor *value = NULL, *flat = NULL;
        exec_step step = program_evaluate(lane->run, lane->next, input, &value);
        if (step != EXEC_FINISHED)
            return step;
        status st = tensor_flatten(task->stream, value, input->rows, &flat);
        tensor_unref(value);
        EXEC_TRY(task, st);
        lane->values[lane->next] = flat;
    }
    return EXEC_FINISHED;
}

static void drop_values(aggregate_lane *lane)
{
    for (uint32_t i = 0; lane->values && i < lane->expr_count; i++) {
        tensor_unref(lane->values[i]);
        lane->values[i] = NULL;
    }
    lane->next = 0;
}

static exec_step aggregate_push(exec_operator *base, exec_task *task, void *state, chunk **input,
                                chunk **output)
{
    (void)output;
    op_aggregate *op = (op_aggregate *)base;
    aggregate_lane *lane = state;
    status st;
    if (!*input)
        return EXEC_NEED_INPUT;
    if (!exec_fetch_count(task, &lane->fetch, &(*input)->rows, &lane->row_count, &st)) {
        EXEC_TRY(task, st);
        return EXEC_WAIT;
    }
    uint64_t rows = (*input)->rows.bound;
    if (!rows)
        return EXEC_NEED_INPUT;
    exec_step step = evaluate(task, lane, *input);
    if (step != EXEC_FINISHED)
        return step;
    st = aggregate_chunk(op, task, lane, rows);
    drop_values(lane);
    EXEC_TRY(task, st);
    EXEC_TRY(task, exec_check_error(task));
    return EXEC_NEED_INPUT;
}

/* ---- merging ---- */

static status merge_slice(const op_aggregate *op, exec_task *task, aggregate_table *target,
                          aggregate_table *source, uint64_t first, uint64_t count)
{
    row_index *groups = NULL;
    status st = STATUS_OK;
    if (op->group_count)
        st = group_table_merge(&target->groups, task->stream, &source->groups, first, count,
                               &groups);
    if (!st)
        st = reserve_states(op, task->stream, target);
    for (uint32_t i = 0; i < op->aggregate_count && !st; i++) {
        const aggregate_plan *plan = &op->aggregates[i];
        const aggregate_state *states = source->parts[i].states->address;
        st = DEV_LAUNCH(task->stream, aggregate_merge, .kind = (int)plan->kind, .type = plan->type,
                        .source = states + first, .groups = groups ? groups->rows : NULL,
                        .count = dev_count_exact(count), .states = target->parts[i].states->address,
                        .error = task->error, .place = plan->place);
    }
    row_index_unref(groups);
    return st;
}

static status merge_distinct(exec_task *task, group_table *target, const group_table *source)
{
    for (uint64_t first = 0; first < source->count; first += SLICE_GROUPS) {
        uint64_t left = source->count - first;
        row_index *groups;
        TRY(group_table_merge(target, task->stream, source, first,
                              left < SLICE_GROUPS ? left : SLICE_GROUPS, &groups));
        row_index_unref(groups);
    }
    return STATUS_OK;
}

static status merge_table(const op_aggregate *op, exec_task *task, aggregate_table *target,
                          aggregate_table *source)
{
    uint64_t groups = table_groups(op, source);
    if (op->group_count || (op->aggregate_count && source->parts[0].states))
        for (uint64_t first = 0; first < groups; first += SLICE_GROUPS) {
            uint64_t left = groups - first;
            TRY(merge_slice(op, task, target, source, first,
                            left < SLICE_GROUPS ? left : SLICE_GROUPS));
        }
    for (uint32_t i = 0; i < op->aggregate_count; i++) {
        aggregate_part *from = &source->parts[i], *to = &target->parts[i];
        for (size_t h = 0; h < from->heaps.count; h++)
            TRY(keep_heap(to, from->heaps.items[h]));
        if (from->has_distinct)
            TRY(merge_distinct(task, &to->distinct, &from->distinct));
    }
    return STATUS_OK;
}

static exec_step aggregate_finish_lane(exec_operator *base, exec_task *task, void *state,
                                       chunk **output)
{
    (void)output;
    op_aggregate *op = (op_aggregate *)base;
    aggregate_lane *lane = state;
    uint64_t words[1];
    /* Other lanes' streams will read what this one wrote. */
    EXEC_TRY(task, reserve_states(op, task->stream, &lane->table));
    EXEC_TRY(task, dev_words_wait(task->stream, task->error, words, 1));
    status st = STATUS_OK;
    pthread_mutex_lock(&op->lock);
    if (!op->has_result) {
        op->result = lane->table;
        op->has_result = true;
        lane->table = (aggregate_table){0};
    } else {
        st = merge_table(op, task, &op->result, &lane->table);
        if (!st)
            st = dev_words_wait(task->stream, task->error, words, 1);
    }
    pthread_mutex_unlock(&op->lock);
    EXEC_TRY(task, st);
    EXEC_TRY(task, exec_check_error(task));
    return EXEC_FINISHED;
}

/* ---- the phase: distinct values into states ---- */

static status count_distinct_slice(const op_aggregate *op, exec_task *task, uint32_t number,
                                   uint64_t first, uint64_t count)
{
    aggregate_table *table = &((op_aggregate *)op)->result;
    aggregate_part *part = &table->parts[number];
    tensor *keys[65] = {0};
    row_index *groups = NULL;
    status st = STATUS_OK;
    for (uint32_t k = 0; k <= op->group_count && !st; k++)
        st = group_table_key(&part->distinct, task->stream, k, first, count, &keys[k]);
    if (!st && op->group_count)
        st = group_table_find(&table->groups, task->stream, keys, count, &groups);
    if (!st)
        st = reserve_states(op, task->stream, table);
    if (!st)
        st =
            update(task, &op->aggregates[number], part, keys[op->group_count], NULL, groups, count);
    for (uint32_t k = 0; k <= op->group_count; k++)
        tensor_unref(keys[k]);
    row_index_unref(groups);
    return st;
}

static exec_step aggregate_phase(exec_operator *base, exec_task *task, unsigned number)
{
    (void)number;
    op_aggregate *op = (op_aggregate *)base;
    uint64_t words[1];
    if (task->lane || !op->has_result)
        return EXEC_FINISHED;
    for (uint32_t i = 0; i < op->aggregate_count; i++) {
        const group_table *distinct = &op->result.parts[i].distinct;
        if (!op->aggregates[i].is_distinct)
            continue;
        for (uint64_t first = 0; first < distinct->count; first += SLICE_GROUPS) {
            uint64_t left = distinct->count - first;
            EXEC_TRY(task, count_distinct_slice(op, task, i, first,
                                                left < SLICE_GROUPS ? left : SLICE_GROUPS));
        }
    }
    uint64_t bytes = group_table_bytes(&op->result.groups);
    for (uint32_t i = 0; i < op->aggregate_count; i++)
        bytes += op->result.parts[i].capacity * sizeof(aggregate_state);
    atomic_store(&base->metrics.memory_peak, bytes);
    EXEC_TRY(task, dev_words_wait(task->stream, task->error, words, 1));
    return EXEC_FINISHED;
}

/* ---- life ---- */

static status aggregate_lane_open(exec_operator *base, exec_task *task, void *state)
{
    op_aggregate *op = (op_aggregate *)base;
    aggregate_lane *lane = state;
    lane->expr_count = op->group_count;
    for (uint32_t i = 0; i < op->aggregate_count; i++)
        lane->expr_count +=
            (uint32_t)(op->aggregates[i].argument >= 0) + (uint32_t)(op->aggregates[i].filter >= 0);
    lane->values = mem_new_array(lane->expr_count + 1, sizeof *lane->values);
    if (!lane->values)
        return status_no_memory("aggregation", lane->expr_count * sizeof *lane->values);
    lane->is_open = true;
    TRY(table_init(op, task->stream->dev, &lane->table));
    return program_run_new(op->program, task, &lane->run);
}

static void aggregate_lane_close(exec_operator *base, void *state)
{
    op_aggregate *op = (op_aggregate *)base;
    aggregate_lane *lane = state;
    if (!lane->is_open)
        return;
    drop_values(lane);
    mem_free(lane->values);
    table_release(op, &lane->table);
    program_run_free(lane->run);
    if (lane->fetch.event)
        exec_device(base->query)->ops->event_free(lane->fetch.event);
}

static void aggregate_close(exec_operator *base)
{
    op_aggregate *op = (op_aggregate *)base;
    if (op->has_result)
        table_release(op, &op->result);
    program_free(op->program);
    mem_free(op->aggregates);
    mem_free(op->group_types);
    pthread_mutex_destroy(&op->lock);
    mem_free(op);
}

static const exec_operator_ops aggregate_ops = {
    .name = "aggregate",
    .lane_bytes = sizeof(aggregate_lane),
    .lane_open = aggregate_lane_open,
    .lane_close = aggregate_lane_close,
    .push = aggregate_push,
    .lane_finish = aggregate_finish_lane,
    .phase_count = 1,
    .phase = aggregate_phase,
    .close = aggregate_close,
};

/* ---- the source ---- */

typedef struct op_aggregate_source {
    exec_operator base;
    op_aggregate *sink;
    _Atomic uint64_t next;
} op_aggregate_source;

static status make_column(exec_task *task, const op_aggregate *op, uint32_t number, uint64_t first,
                          uint64_t count, tensor **out)
{
    const aggregate_plan *plan = &op->aggregates[number];
    const aggregate_part *part = &op->result.parts[number];
    const aggregate_state *states = part->states->address;
    tensor *t;
    TRY(tensor_new_flat(task->stream->dev, plan->result_type, count,
                        plan->result != AGGREGATE_RESULT_COUNT, &t));
    status st = DEV_LAUNCH(
        task->stream, aggregate_finish, .result = (int)plan->result, .type = plan->type,
        .result_type = plan->result_type, .states = states + first, .count = dev_count_exact(count),
        .out = t->values, .out_validity = t->validity, .error = task->error, .place = plan->place);
    if (!st && part->heaps.count) {
        ARRAY(dev_buffer *) buffers = {0};
        for (size_t h = 0; h < part->heaps.count && !st; h++)
            for (uint32_t b = 0; b < part->heaps.items[h]->buffer_count && !st; b++)
                st = array_push(NULL, &buffers, part->heaps.items[h]->buffers[b]);
        if (!st) {
            for (size_t b = 0; b < buffers.count; b++)
                dev_buffer_ref(buffers.items[b]);
            st = string_heap_new(buffers.items, (uint32_t)buffers.count, &t->heap);
        }
        array_release(&buffers);
    }
    if (st) {
        tensor_unref(t);
        return st;
    }
    *out = t;
    return STATUS_OK;
}

static exec_step source_pull(exec_operator *base, exec_task *task, void *state, chunk **output)
{
    (void)state;
    op_aggregate_source *source = (op_aggregate_source *)base;
    const op_aggregate *op = source->sink;
    uint64_t rows = exec_device(base->query)->chunk_rows;
    uint64_t groups = op->has_result ? table_groups(op, &op->result) : 0;
    uint64_t first = atomic_fetch_add(&source->next, rows);
    if (first >= groups)
        return EXEC_FINISHED;
    uint64_t count = groups - first < rows ? groups - first : rows;
    chunk *c;
    EXEC_TRY(task, chunk_new(op->group_count + op->aggregate_count, dev_count_exact(count), &c));
    status st = STATUS_OK;
    for (uint32_t i = 0; i < op->group_count && !st; i++)
        st = group_table_key(&op->result.groups, task->stream, i, first, count, &c->columns[i]);
    for (uint32_t i = 0; i < op->aggregate_count && !st; i++)
        st = make_column(task, op, i, first, count, &c->columns[op->group_count + i]);
    if (!st)
        st = exec_check_error(task);
    if (st) {
        chunk_free(c);
        return exec_fail(task, st);
    }
    *output = c;
    return EXEC_HAVE_OUTPUT;
}

static void source_close(exec_operator *base)
{
    mem_free(base);
}

static const exec_operator_ops source_ops = {
    .name = "aggregate",
    .pull = source_pull,
    .close = source_close,
};

/* ---- open ---- */

static void set_function(plan_aggregate_function function, aggregate_plan *out)
{
    static const struct {
        aggregate_kind kind;
        aggregate_result result;
    } kinds[] = {
        [AGGREGATE_COUNT_STAR] = {AGGREGATE_KIND_COUNT, AGGREGATE_RESULT_COUNT},
        [AGGREGATE_COUNT] = {AGGREGATE_KIND_COUNT, AGGREGATE_RESULT_COUNT},
        [AGGREGATE_SUM] = {AGGREGATE_KIND_SUM, AGGREGATE_RESULT_VALUE},
        [AGGREGATE_AVG] = {AGGREGATE_KIND_SUM, AGGREGATE_RESULT_MEAN},
        [AGGREGATE_MIN] = {AGGREGATE_KIND_MIN, AGGREGATE_RESULT_VALUE},
        [AGGREGATE_MAX] = {AGGREGATE_KIND_MAX, AGGREGATE_RESULT_VALUE},
        [AGGREGATE_ANY_VALUE] = {AGGREGATE_KIND_ANY, AGGREGATE_RESULT_VALUE},
        [AGGREGATE_STDDEV_SAMP] = {AGGREGATE_KIND_VARIANCE, AGGREGATE_RESULT_STDDEV_SAMP},
        [AGGREGATE_STDDEV_POP] = {AGGREGATE_KIND_VARIANCE, AGGREGATE_RESULT_STDDEV_POP},
        [AGGREGATE_VAR_SAMP] = {AGGREGATE_KIND_VARIANCE, AGGREGATE_RESULT_VAR_SAMP},
        [AGGREGATE_VAR_POP] = {AGGREGATE_KIND_VARIANCE, AGGREGATE_RESULT_VAR_POP},
        [AGGREGATE_BOOL_AND] = {AGGREGATE_KIND_MIN, AGGREGATE_RESULT_VALUE},
        [AGGREGATE_BOOL_OR] = {AGGREGATE_KIND_MAX, AGGREGATE_RESULT_VALUE},
    };
    out->kind = kinds[function].kind;
    out->result = kinds[function].result;
}

/* The program's expressions: groups, then each aggregate's argument and filter. */
static status compile(op_aggregate *op, arena *a, exec_layout input)
{
    const plan_node *plan = op->base.plan;
    expr_list exprs = {0};
    for (uint32_t i = 0; i < op->group_count; i++) {
        expr *group = plan->aggregate.groups.items[i];
        op->group_types[i] = group->type;
        TRY(array_push(a, &exprs, group));
    }
    for (uint32_t i = 0; i < op->aggregate_count; i++) {
        const plan_aggregate *aggregate = &plan->aggregate.aggregates.items[i];
        aggregate_plan *out = &op->aggregates[i];
        set_function(aggregate->function, out);
        out->result_type = plan->columns.items[op->group_count + i].type;
        out->place = (uint32_t)(aggregate->position < 0 ? 0 : aggregate->position);
        out->is_distinct = aggregate->is_distinct && aggregate->argument;
        out->argument = out->filter = -1;
        if (aggregate->argument) {
            expr *argument = aggregate->argument;
            if (out->kind == AGGREGATE_KIND_VARIANCE)
                argument = expr_new_cast(a, argument, type_make(TYPE_DOUBLE), argument->position);
            if (!argument)
                return status_no_memory("aggregation", sizeof *argument);
            out->type = argument->type;
            out->argument = (int)exprs.count;
            TRY(array_push(a, &exprs, argument));
        }
        if (aggregate->filter) {
            expr *filter = expr_new_call(a, EXPR_IS_TRUE, type_make(TYPE_BOOL),
                                         (expr *[]){aggregate->filter}, 1, aggregate->position);
            if (!filter)
                return status_no_memory("aggregation", sizeof *filter);
            out->filter = (int)exprs.count;
            TRY(array_push(a, &exprs, filter));
        }
    }
    return program_compile((const expr *const *)exprs.items, (uint32_t)exprs.count, input,
                           &op->program);
}

status op_aggregate_open(exec_query *query, const plan_node *plan, exec_layout input,
                         exec_operator **out_sink, exec_operator **out_source)
{
    *out_sink = *out_source = NULL;
    op_aggregate *op = mem_new(sizeof *op);
    op_aggregate_source *source = mem_new(sizeof *source);
    if (!op || !source) {
        mem_free(op);
        mem_free(source);
        return status_no_memory("aggregation", sizeof *op);
    }
    op->base = (exec_operator){.ops = &aggregate_ops, .query = query, .plan = plan};
    pthread_mutex_init(&op->lock, NULL);
    op->group_count = (uint32_t)plan->aggregate.groups.count;
    op->aggregate_count = (uint32_t)plan->aggregate.aggregates.count;
    op->aggregates = mem_new_array(op->aggregate_count + 1, sizeof *op->aggregates);
    op->group_types = mem_new_array(op->group_count + 1, sizeof *op->group_types);
    status st = op->aggregates && op->group_types
                    ? compile(op, exec_memory(query), input)
                    : status_no_memory("aggregation", op->aggregate_count * sizeof(aggregate_plan));
    if (st) {
        aggregate_close(&op->base);
        mem_free(source);
        return st;
    }
    source->base = (exec_operator){.ops = &source_ops, .query = query, .plan = plan};
    source->sink = op;
    *out_sink = &op->base;
    *out_source = &source->base;
    return STATUS_OK;
}
