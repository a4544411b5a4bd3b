/* op_join.c - joins: opening, and the build side. The probe side: op_join_probe.c. */
#include "exec/op_join.h"

#include "exec/runtime_filter.h"

status join_null_column(dev_stream *stream, data_type type, tensor **out)
{
    value null = value_null(type);
    return tensor_new_constant(stream, &null, out);
}

/* ---- the build side's sink ---- */

typedef struct build_lane {
    program_run *run;
    exec_fetch fetch;
    uint64_t row_count;
    chunk *current; /* input's columns and room for keys */
    uint32_t next;
    join_chunk_list chunks;
} build_lane;

static void release_chunks(join_chunk_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        chunk_free(list->items[i]);
    array_release(list);
}

static exec_step add_keys(op_join_build *op, exec_task *task, build_lane *lane, chunk *input)
{
    if (!lane->current) {
        EXEC_TRY(task, chunk_new(op->build_columns + op->key_count, input->rows, &lane->current));
        for (uint32_t i = 0; i < op->build_columns; i++)
            lane->current->columns[i] = tensor_ref(input->columns[i]);
        lane->next = 0;
    }
    for (; lane->next < op->key_count; lane->next++) {
        exec_step step = program_evaluate(lane->run, lane->next, input,
                                          &lane->current->columns[op->build_columns + lane->next]);
        if (step != EXEC_FINISHED)
            return step;
    }
    return EXEC_FINISHED;
}

static exec_step build_push(exec_operator *base, exec_task *task, void *state, chunk **input,
                            chunk **output)
{
    (void)output;
    op_join_build *op = (op_join_build *)base;
    build_lane *lane = state;
    status st;
    chunk *owned;
    if (!*input)
        return EXEC_NEED_INPUT;
    if (!exec_fetch_count(task, &lane->fetch, &(*input)->rows, &lane->row_count, &st)) {
        EXEC_TRY(task, st);
        return EXEC_WAIT;
    }
    if (!(*input)->rows.bound)
        return EXEC_NEED_INPUT;
    exec_step step = add_keys(op, task, lane, *input);
    if (step != EXEC_FINISHED)
        return step;
    EXEC_TRY(task, exec_check_error(task));
    EXEC_TRY(task, array_reserve(NULL, &lane->chunks, 1));
    EXEC_TRY(task, chunk_concat(task->stream, &lane->current, 1, "join build", &owned));
    chunk_free(lane->current);
    lane->current = NULL;
    lane->chunks.items[lane->chunks.count++] = owned;
    return EXEC_NEED_INPUT;
}

static exec_step build_finish_lane(exec_operator *base, exec_task *task, void *state,
                                   chunk **output)
{
    (void)output;
    op_join_build *op = (op_join_build *)base;
    build_lane *lane = state;
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

/* Tells the probe side's scans what keys there are. */
static status publish_filters(op_join_build *op, exec_task *task)
{
    const plan_node *plan = op->base.plan;
    for (size_t i = 0; i < plan->join.runtime_filters.count; i++) {
        const plan_runtime_filter *planned = &plan->join.runtime_filters.items[i];
        const chunk *build = op->table.build;
        const tensor *keys = build ? build->columns[op->build_columns + planned->column_id] : NULL;
        TRY(runtime_filter_publish(exec_runtime_filter(op->base.query, planned->id), task->stream,
                                   keys, op->table.row_count));
    }
    return STATUS_OK;
}

static exec_step build_phase(exec_operator *base, exec_task *task, unsigned number)
{
    (void)number;
    op_join_build *op = (op_join_build *)base;
    uint64_t words[1];
    if (task->lane)
        return EXEC_FINISHED;
    size_t count = op->chunks.count;
    op->chunks.count = 0;
    EXEC_TRY(task, join_table_build(&op->table, task->stream, op->chunks.items, count,
                                    op->type == JOIN_RIGHT || op->type == JOIN_FULL));
    EXEC_TRY(task, publish_filters(op, task));
    EXEC_TRY(task, dev_words_wait(task->stream, task->error, words, 1));
    atomic_store(&base->metrics.memory_peak, mem_budget_used(exec_budget(base->query)));
    return EXEC_FINISHED;
}

static status build_lane_open(exec_operator *base, exec_task *task, void *state)
{
    build_lane *lane = state;
    return program_run_new(((op_join_build *)base)->build_keys, task, &lane->run);
}

static void build_lane_close(exec_operator *base, void *state)
{
    build_lane *lane = state;
    chunk_free(lane->current);
    release_chunks(&lane->chunks);
    program_run_free(lane->run);
    if (lane->fetch.event)
        exec_device(base->query)->ops->event_free(lane->fetch.event);
}

static void build_close(exec_operator *base)
{
    op_join_build *op = (op_join_build *)base;
    release_chunks(&op->chunks);
    join_table_release(&op->table);
    program_free(op->build_keys);
    program_free(op->probe_keys);
    program_free(op->residual);
    pthread_mutex_destroy(&op->lock);
    mem_free(op);
}

const exec_operator_ops join_build_ops = {
    .name = "join build",
    .lane_bytes = sizeof(build_lane),
    .lane_open = build_lane_open,
    .lane_close = build_lane_close,
    .push = build_push,
    .lane_finish = build_finish_lane,
    .phase_count = 1,
    .phase = build_phase,
    .close = build_close,
};

/* ---- open ---- */

/* The type with the sides swapped, where the build side is the plan's left one. */
static bool type_from_probe(const plan_node *plan, plan_join_type *out)
{
    *out = plan->join.type;
    if (!plan->join.build_left)
        return true;
    switch (plan->join.type) {
    case JOIN_INNER:
    case JOIN_FULL:
        return true;
    case JOIN_LEFT:
        *out = JOIN_RIGHT;
        return true;
    case JOIN_RIGHT:
        *out = JOIN_LEFT;
        return true;
    default:
        return false;
    }
}

static int find_column(exec_layout layout, uint32_t id)
{
    for (uint32_t i = 0; i < layout.count; i++)
        if (layout.columns[i].id == id)
            return (int)i;
    return -1;
}

static status map_outputs(op_join_build *op, arena *a, exec_layout probe, exec_layout build)
{
    const plan_column_list *columns = &op->base.plan->columns;
    op->output_count = (uint32_t)columns->count;
    op->outputs = arena_alloc_array(a, columns->count + 1, sizeof *op->outputs);
    op->probe_types = arena_alloc_array(a, probe.count + 1, sizeof *op->probe_types);
    op->build_types = arena_alloc_array(a, build.count + 1, sizeof *op->build_types);
    if (!op->outputs || !op->probe_types || !op->build_types)
        return status_no_memory("join", columns->count * sizeof *op->outputs);
    for (uint32_t i = 0; i < probe.count; i++)
        op->probe_types[i] = probe.columns[i].type;
    for (uint32_t i = 0; i < build.count; i++)
        op->build_types[i] = build.columns[i].type;
    for (size_t i = 0; i < columns->count; i++) {
        int column = find_column(probe, columns->items[i].id);
        int built = column < 0 ? find_column(build, columns->items[i].id) : -1;
        bool is_mark = op->type == JOIN_MARK && i + 1 == columns->count;
        if (column < 0 && built < 0 && !is_mark)
            return status_new(STATUS_KIND_INTERNAL, "a join makes column %u of neither side",
                              columns->items[i].id);
        op->outputs[i] = (join_source){.is_build = column < 0,
                                       .is_mark = is_mark,
                                       .column = (uint32_t)(column < 0 ? built : column)};
    }
    return STATUS_OK;
}

static status compile(op_join_build *op, arena *a, exec_layout probe, exec_layout build)
{
    const plan_node *plan = op->base.plan;
    const expr_list *left = &plan->join.left_keys, *right = &plan->join.right_keys;
    const expr_list *build_keys = plan->join.build_left ? left : right;
    const expr_list *probe_keys = plan->join.build_left ? right : left;
    op->key_count = (uint32_t)build_keys->count;
    op->key_types = arena_alloc_array(a, op->key_count + 1, sizeof *op->key_types);
    if (!op->key_types)
        return status_no_memory("join", op->key_count * sizeof *op->key_types);
    for (uint32_t k = 0; k < op->key_count; k++)
        op->key_types[k] = build_keys->items[k]->type;
    TRY(program_compile((const expr *const *)build_keys->items, op->key_count, build,
                        &op->build_keys));
    TRY(program_compile((const expr *const *)probe_keys->items, op->key_count, probe,
                        &op->probe_keys));
    if (!plan->join.residual)
        return STATUS_OK;
    plan_column *both = arena_alloc_array(a, probe.count + build.count + 1, sizeof *both);
    if (!both)
        return status_no_memory("join", (probe.count + build.count) * sizeof *both);
    if (probe.count)
        memcpy(both, probe.columns, probe.count * sizeof *both);
    if (build.count)
        memcpy(both + probe.count, build.columns, build.count * sizeof *both);
    const expr *residual = plan->join.residual;
    return program_compile(&residual, 1, (exec_layout){probe.count + build.count, both},
                           &op->residual);
}

status op_join_open(exec_query *query, const plan_node *plan, exec_layout probe, exec_layout build,
                    exec_operator **out_build, exec_operator **out_probe, bool *out_probe_is_sink,
                    exec_operator **out_tail)
{
    *out_build = *out_probe = *out_tail = NULL;
    *out_probe_is_sink = false;
    op_join_build *op = mem_new(sizeof *op);
    if (!op)
        return status_no_memory("join", sizeof *op);
    op->base = (exec_operator){.ops = &join_build_ops, .query = query, .plan = plan};
    op->probe_columns = probe.count;
    op->build_columns = build.count;
    pthread_mutex_init(&op->lock, NULL);
    arena *a = exec_memory(query);
    status st = STATUS_OK;
    if (!type_from_probe(plan, &op->type))
        st = status_new(STATUS_KIND_INTERNAL, "a %s join cannot build on its left side",
                        plan_join_name(plan->join.type, false));
    if (!st)
        st = map_outputs(op, a, probe, build);
    if (!st)
        st = compile(op, a, probe, build);
    if (!st)
        st = join_table_init(&op->table, exec_device(query), op->key_types, op->key_count,
                             plan->join.null_equal);
    if (!st)
        st = join_probe_new(op, out_probe);
    if (!st && (op->type == JOIN_RIGHT || op->type == JOIN_FULL))
        st = join_tail_new(op, out_tail);
    if (st) {
        if (*out_probe)
            (*out_probe)->ops->close(*out_probe);
        *out_probe = NULL;
        build_close(&op->base);
        return st;
    }
    *out_build = &op->base;
    return STATUS_OK;
}
