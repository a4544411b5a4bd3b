/* op_join_open.c - joins: opening. The build side: op_join_build.c; the probe side: op_join_probe.c. */
#include "base/system/mutex.h"
#include "exec/expression/program_compile.h"
#include "exec/join/join_heavy.h"
#include "exec/join/join_range.h"
#include "exec/join/join_side.h"
#include "exec/join/op_join_tail.h"
#include "exec/sched/heavy_keys.h"
#include "exec/sched/memory.h"
#include "plan/tree/column_map.h"

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
    case JOIN_SEMI:
    case JOIN_ANTI:
        return true;
    default:
        return false;
    }
}

static status map_outputs(op_join_build *op, arena *a, exec_layout probe, exec_layout build)
{
    const plan_column_list *columns = &op->base.plan->columns;
    op->output_count = (uint32_t)columns->count;
    op->outputs = arena_alloc_array(a, columns->count + 1, sizeof *op->outputs);
    op->probe_types = arena_alloc_array(a, probe.count + 1, sizeof *op->probe_types);
    op->probe_needed = arena_alloc_array(a, probe.count + 1, sizeof *op->probe_needed);
    op->build_types = arena_alloc_array(a, build.count + 1, sizeof *op->build_types);
    if (!op->outputs || !op->probe_types || !op->probe_needed || !op->build_types)
        return status_no_memory("join", columns->count * sizeof *op->outputs);
    column_map probed, built;
    TRY(column_map_new(a, probe.columns, probe.count, &probed));
    TRY(column_map_new(a, build.columns, build.count, &built));
    for (uint32_t i = 0; i < probe.count; i++)
        op->probe_types[i] = probe.columns[i].type;
    for (uint32_t i = 0; i < build.count; i++)
        op->build_types[i] = build.columns[i].type;
    for (size_t i = 0; i < columns->count; i++) {
        int column = column_map_find(&probed, columns->items[i].id);
        int place = column < 0 ? column_map_find(&built, columns->items[i].id) : column;
        bool is_mark = op->type == JOIN_MARK && i + 1 == columns->count;
        if (place < 0 && !is_mark)
            return status_new(STATUS_KIND_INTERNAL, "a join makes column %u of neither side",
                              columns->items[i].id);
        op->outputs[i] =
            (join_source){.is_build = column < 0, .is_mark = is_mark, .column = (uint32_t)place};
    }
    return STATUS_OK;
}

/* Keys that are a column of the build side are that column; others are made, behind the columns. */
static status compile_build_keys(op_join_build *op, arena *a, exec_layout build,
                                 const expr_list *keys)
{
    uint32_t made_count = 0, count = op->key_count + op->range_count;
    const expr **made = arena_alloc_array(a, count + 1, sizeof *made);
    op->key_types = arena_alloc_array(a, count + 1, sizeof *op->key_types);
    op->key_columns = arena_alloc_array(a, count + 1, sizeof *op->key_columns);
    if (!made || !op->key_types || !op->key_columns)
        return status_no_memory("join", count * sizeof *op->key_types);
    column_map built;
    TRY(column_map_new(a, build.columns, build.count, &built));
    for (uint32_t k = 0; k < count; k++) {
        const expr *key = keys->items[k];
        int column = key->kind == EXPR_COLUMN ? column_map_find(&built, key->column_id) : -1;
        op->key_types[k] = key->type;
        op->key_columns[k] = column >= 0 ? (uint32_t)column : build.count + made_count;
        if (column < 0)
            made[made_count++] = key;
    }
    op->stored_columns = build.count + made_count;
    op->stored_types = arena_alloc_array(a, op->stored_columns + 1, sizeof *op->stored_types);
    op->needed = arena_alloc_array(a, op->stored_columns + 1, sizeof *op->needed);
    op->stored = arena_alloc_array(a, op->stored_columns + 1, sizeof *op->stored);
    op->bases = arena_alloc_array(a, op->stored_columns + 1, sizeof *op->bases);
    if (!op->stored_types || !op->needed || !op->stored || !op->bases)
        return status_no_memory("join", op->stored_columns * sizeof *op->bases);
    for (uint32_t i = 0; i < build.count; i++)
        op->stored_types[i] = build.columns[i].type;
    for (uint32_t i = 0; i < made_count; i++)
        op->stored_types[build.count + i] = made[i]->type;
    return program_compile(made, made_count, build, &op->build_keys);
}

static status compile_residual(op_join_build *op, arena *a, exec_layout probe, exec_layout build)
{
    const expr *residual = op->base.plan->join.residual;
    plan_column *both = arena_alloc_array(a, probe.count + build.count + 1, sizeof *both);
    if (!both)
        return status_no_memory("join", (probe.count + build.count) * sizeof *both);
    if (probe.count)
        memcpy(both, probe.columns, probe.count * sizeof *both);
    if (build.count)
        memcpy(both + probe.count, build.columns, build.count * sizeof *both);
    return program_compile(&residual, 1, (exec_layout){probe.count + build.count, both},
                           &op->residual);
}

static status join_open_compile(op_join_build *op, arena *a, exec_layout probe, exec_layout build)
{
    const plan_node *plan = op->base.plan;
    const expr_list *left = &plan->join.left_keys, *right = &plan->join.right_keys;
    expr_list build_keys = {0}, probe_keys = {0};
    op->key_count = (uint32_t)left->count;
    for (uint32_t k = 0; k < op->key_count; k++) {
        if (left->items[k]->type.width != right->items[k]->type.width)
            return status_new(STATUS_KIND_INTERNAL, "the sides of join key %u differ in width", k);
        TRY(array_push(a, &build_keys, (plan->join.build_left ? left : right)->items[k]));
        TRY(array_push(a, &probe_keys, (plan->join.build_left ? right : left)->items[k]));
    }
    TRY(join_range_open(op, a, build, &build_keys, &probe_keys));
    TRY(compile_build_keys(op, a, build, &build_keys));
    op->probe_key_count = (uint32_t)probe_keys.count;
    TRY(program_compile((const expr *const *)probe_keys.items, op->probe_key_count, probe,
                        &op->probe_keys));
    return plan->join.residual ? compile_residual(op, a, probe, build) : STATUS_OK;
}

/* Marks the columns of the probe side that are read at all, and those of the build side that are read after the
 * build. */
static void mark_needed(op_join_build *op)
{
    bool any = false;
    const uint32_t *inputs;
    for (uint32_t i = 0; i < op->output_count; i++) {
        const join_source *source = &op->outputs[i];
        if (source->is_mark)
            continue;
        if (source->is_build)
            op->needed[source->column] = any = true;
        else
            op->probe_needed[source->column] = true;
    }
    uint32_t input_count = op->residual ? program_inputs(op->residual, 0, &inputs) : 0;
    for (uint32_t i = 0; i < input_count; i++)
        if (inputs[i] >= op->probe_columns)
            op->needed[inputs[i] - op->probe_columns] = any = true;
        else
            op->probe_needed[inputs[i]] = true;
    for (uint32_t k = 0; k < op->range_count; k++)
        op->needed[op->key_columns[op->key_count + k]] = any = true;
    for (uint32_t i = 0; i < op->stored_columns; i++)
        op->stored[i] = op->needed[i];
    for (uint32_t k = 0; k < op->key_count; k++)
        op->stored[op->key_columns[k]] = true;
    for (uint32_t k = 0; k < op->probe_key_count; k++) {
        input_count = program_inputs(op->probe_keys, k, &inputs);
        for (uint32_t i = 0; i < input_count; i++)
            op->probe_needed[inputs[i]] = true;
    }
    bool gives_pairs = op->type == JOIN_INNER || op->type == JOIN_LEFT || op->type == JOIN_SINGLE;
    op->row_need = any || join_marks_build(op)   ? JOIN_ROWS_ALWAYS
                   : gives_pairs || op->residual ? JOIN_ROWS_IF_MANY
                                                 : JOIN_ROWS_NEVER;
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
    mutex_init(&op->lock);
    exec_lock_init(&op->spill.starting);
    arena *a = exec_memory(query);
    status st = STATUS_OK;
    if (!type_from_probe(plan, &op->type))
        st = status_new(STATUS_KIND_INTERNAL, "a %s join cannot build on its left side",
                        plan_join_name(plan->join.type, false));
    op->emits_build = plan->join.build_left && (op->type == JOIN_SEMI || op->type == JOIN_ANTI);
    *out_probe_is_sink = op->emits_build;
    if (!st)
        st = map_outputs(op, a, probe, build);
    if (!st)
        st = join_open_compile(op, a, probe, build);
    if (!st)
        mark_needed(op);
    if (!st)
        st = join_side_init(op, &op->whole);
    op->whole.table.reserved = &op->reserved;
    if (!st && plan->join.heavy_id) {
        st = heavy_keys_new(query, plan, &op->heavy);
        query->heavy[plan->join.heavy_id - 1] = op->heavy;
    }
    if (!st)
        st = join_probe_new(op, out_probe);
    if (!st && (join_marks_build(op) || exec_may_spill(query)))
        st = join_tail_new(op, out_tail);
    if (st) {
        exec_operator_close(*out_probe);
        *out_probe = NULL;
        return exec_give_up(query, &op->base, st);
    }
    op->probe = *out_probe;
    op->tail = *out_tail;
    if (op->tail)
        op->tail->gives_rest = !join_marks_build(op) || op->type == JOIN_SEMI;
    *out_build = &op->base;
    return STATUS_OK;
}

status op_join_heavy_open(exec_operator *build, exec_operator **out_answering,
                          exec_operator **out_collecting, exec_operator **out_kept)
{
    op_join_build *join = (op_join_build *)build;
    *out_answering = *out_collecting = *out_kept = NULL;
    TRY(join_answering_new(join, out_answering));
    TRY(join_collecting_new(join, out_collecting));
    return join_kept_new(join, out_kept);
}
