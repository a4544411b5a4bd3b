/* op_aggregate.c - GROUP BY, DISTINCT and aggregates without groups.
 *
 * Aggregates are made of states (aggregate_core.h), which they share: sum and avg of the same column
 * need one sum and one count. A DISTINCT aggregate has a set of (groups, value) beside the main
 * tables, which is an aggregation without states; its result is fed to the main tables as rows of a
 * source of its own. Phases: merge the sets, feed, merge the main tables. */
#include "exec/aggregate/op_aggregate.h"

#include "exec/aggregate/aggregate_index.h"
#include "exec/aggregate/aggregate_narrow.h"
#include "exec/aggregate/aggregate_state_ops.h"
#include "exec/expression/program_compile.h"
#include "exec/expression/program_run.h"
#include "plan/tree/expr_index.h"
#include "plan/tree/function.h"

/* A task's part of the phase that feeds sets. */
struct set_feed {
    uint32_t set; /* at work */
    aggregate_reader reader;
    aggregate_local local;
};

typedef struct aggregate_local_state {
    program_run *run;
    aggregate_local local, *sets;
    uint32_t next;
    uint64_t pushes; /* chunks that have come */
    tensor **values; /* evaluated expressions of the chunk at work: groups in any form */
    bool is_open;
} aggregate_local_state;

/* ---- a chunk ---- */

/* Rows for which the FILTER is true. */
static status filter_rows(exec_task *task, tensor *filter, dev_count rows, row_index **out,
                          dev_count *out_rows, dev_buffer **out_owner)
{
    TRY(row_index_new(task->stream->dev, rows.bound, out));
    TRY(dev_words_new(task->stream, 1, out_owner));
    *out_rows = (dev_count){.bound = rows.bound, .actual = (*out_owner)->address};
    TRY(DEV_LAUNCH(task->stream, mask_to_index, .mask = filter->values,
                   .validity = filter->validity, .count = rows, .rows = (*out)->rows,
                   .out_count = (*out_owner)->address));
    dev_count_settle(task->stream->dev, out_rows);
    return STATUS_OK;
}

/* The values go to the set of (groups, value): NULLs too, they are passed over when it is fed. */
static status push_set(op_aggregate *op, exec_task *task, aggregate_local_state *state,
                       uint32_t number, const chunk *input)
{
    distinct_set *set = &op->sets[number];
    key_array keys;
    row_index *chosen = NULL;
    dev_count chosen_rows = input->rows;
    dev_buffer *count_owner = NULL;
    uint32_t key_count = set->core.key_count;
    status st = key_array_open(&keys, key_count, set->core.who);
    if (!st && set->filter >= 0)
        st = filter_rows(task, state->values[set->filter], input->rows, &chosen, &chosen_rows,
                         &count_owner);
    for (uint32_t k = 0; k < key_count && !st; k++) {
        tensor *column = state->values[k + 1 < key_count ? k : (uint32_t)set->argument];
        if (chosen)
            st = tensor_new_indexed(task->stream, column, input->rows.bound, chosen, chosen_rows,
                                    &keys.items[k]);
        else
            keys.items[k] = tensor_ref(column);
    }
    if (!st)
        st = aggregate_local_push(&state->sets[number], task, keys.items, NULL, chosen_rows,
                                  chosen ? count_owner : input->rows_owner);
    if (!st)
        st = aggregate_local_settle(&state->sets[number], task, &set->merge.spill);
    key_array_release(&keys);
    row_index_unref(chosen);
    dev_buffer_unref(count_owner);
    return st;
}

/* Filters are made never NULL when the program is compiled (IS TRUE). */
static exec_result evaluate(op_aggregate *op, exec_task *task, aggregate_local_state *state,
                            chunk *input)
{
    for (; state->next < op->expr_count; state->next++) {
        tensor *value = aggregate_narrow_values(op, state->next, input);
        if (value) {
            state->values[state->next] = tensor_ref(value);
            continue;
        }
        exec_result result = program_evaluate(state->run, state->next, input, &value);
        if (result != EXEC_FINISHED)
            return result;
        if (!op->is_flat[state->next]) {
            state->values[state->next] = value;
            continue;
        }
        status st = tensor_flatten(task->stream, value, input->rows, &state->values[state->next]);
        tensor_unref(value);
        EXEC_TRY(task, st);
    }
    return EXEC_FINISHED;
}

static void drop_values(const op_aggregate *op, aggregate_local_state *state)
{
    for (uint32_t i = 0; state->values && i < op->expr_count; i++) {
        tensor_unref(state->values[i]);
        state->values[i] = NULL;
    }
    state->next = 0;
}

static exec_result aggregate_push(exec_operator *base, exec_task *task, void *local_state,
                                  chunk **input, chunk **output)
{
    (void)output;
    op_aggregate *op = (op_aggregate *)base;
    aggregate_local_state *state = local_state;
    status st;
    bool is_enough;
    if (!*input)
        return EXEC_NEED_INPUT;
    EXEC_TRY(task,
             aggregate_enough_look(&op->enough, &state->local, task, state->pushes, &is_enough));
    if (is_enough)
        return EXEC_FINISHED;
    exec_result result = evaluate(op, task, state, *input);
    if (result != EXEC_FINISHED)
        return result;
    st = STATUS_OK;
    for (uint32_t i = 0; i < op->set_count && !st; i++)
        st = push_set(op, task, state, i, *input);
    if (!st && op->needs_rows)
        st = aggregate_local_push(&state->local, task, state->values, state->values, (*input)->rows,
                                  (*input)->rows_owner);
    drop_values(op, state);
    if (!st)
        st = aggregate_local_settle(&state->local, task, &op->merge.spill);
    EXEC_TRY(task, st);
    EXEC_TRY(task, exec_check_error(task));
    state->pushes++;
    if (op->core.dev->is_host) /* before another chunk is read for nothing */
        EXEC_TRY(task, aggregate_enough_look(&op->enough, &state->local, task, state->pushes,
                                             &is_enough));
    return is_enough ? EXEC_FINISHED : EXEC_NEED_INPUT;
}

static exec_result aggregate_finish_local(exec_operator *base, exec_task *task, void *local_state,
                                          chunk **output)
{
    (void)output;
    op_aggregate *op = (op_aggregate *)base;
    aggregate_local_state *state = local_state;
    EXEC_TRY(task, aggregate_merge_add(&op->merge, task, &state->local));
    for (uint32_t i = 0; i < op->set_count; i++)
        EXEC_TRY(task, aggregate_merge_add(&op->sets[i].merge, task, &state->sets[i]));
    EXEC_TRY(task, exec_check_error(task));
    return EXEC_FINISHED;
}

/* ---- phases ---- */

/* A set's entries as rows: their groups, and the value. */
static status feed_range(const distinct_set *set, exec_task *task, aggregate_local *local,
                         const result_range *range)
{
    key_array keys;
    tensor *value = NULL;
    uint32_t last = set->core.key_count - 1;
    table_slice slice;
    TRY(table_slice_open(&set->core, task->stream, range->table, range->first, range->count,
                         &slice));
    status st = key_array_open(&keys, last + 1, set->core.who);
    for (uint32_t k = 0; k <= last && slice.count && !st; k++)
        st = table_slice_key(&set->core, task->stream, range->table, &slice, k, &keys.items[k]);
    if (!st && slice.count)
        st = tensor_flatten(task->stream, keys.items[last], dev_count_exact(slice.count), &value);
    if (!st)
        st = aggregate_local_push(local, task, keys.items, &value, dev_count_exact(slice.count),
                                  NULL);
    key_array_release(&keys);
    tensor_unref(value);
    table_slice_close(&slice);
    return st;
}

/* By task 0, a phase before. */
static status new_feeds(op_aggregate *op, const exec_task *task)
{
    if (!op->set_count)
        return STATUS_OK;
    op->feeds = mem_new_array(task->count, sizeof *op->feeds);
    if (!op->feeds)
        return status_no_memory("distinct aggregation", task->count * sizeof *op->feeds);
    op->feed_count = task->count;
    return STATUS_OK;
}

static exec_result feed_set(op_aggregate *op, exec_task *task, set_feed *feed)
{
    distinct_set *set = &op->sets[feed->set];
    result_range range;
    if (!feed->local.core)
        aggregate_local_init(&feed->local, &op->core, (int)feed->set);
    for (;;) {
        exec_result result = aggregate_result_next(&set->merge, task, &feed->reader, &range);
        if (result != EXEC_HAVE_OUTPUT && result != EXEC_FINISHED)
            return result;
        if (result == EXEC_FINISHED)
            break;
        EXEC_TRY(task, feed_range(set, task, &feed->local, &range));
        EXEC_TRY(task, aggregate_local_settle(&feed->local, task, &op->merge.spill));
    }
    EXEC_TRY(task, aggregate_merge_add(&op->merge, task, &feed->local));
    aggregate_local_release(&feed->local);
    aggregate_reader_close(&set->core, &feed->reader);
    *feed = (set_feed){.set = feed->set + 1};
    return EXEC_FINISHED;
}

static exec_result feed_sets(op_aggregate *op, exec_task *task)
{
    while (op->set_count && op->feeds[task->index].set < op->set_count) {
        exec_result result = feed_set(op, task, &op->feeds[task->index]);
        if (result != EXEC_FINISHED)
            return result;
    }
    return EXEC_FINISHED;
}

static void release_feeds(op_aggregate *op)
{
    for (unsigned i = 0; i < op->feed_count; i++) {
        set_feed *feed = &op->feeds[i];
        if (feed->set < op->set_count)
            aggregate_reader_close(&op->sets[feed->set].core, &feed->reader);
        if (feed->local.core)
            aggregate_local_release(&feed->local);
    }
    mem_free(op->feeds);
}

static exec_result run_phase(op_aggregate *op, exec_task *task, unsigned number)
{
    if (number == MERGE_PHASES)
        return feed_sets(op, task);
    if (number > MERGE_PHASES) {
        EXEC_TRY(task, aggregate_merge_phase(&op->merge, task, number - MERGE_PHASES - 1));
        return EXEC_FINISHED;
    }
    for (uint32_t i = 0; i < op->set_count; i++)
        EXEC_TRY(task, aggregate_merge_phase(&op->sets[i].merge, task, number));
    if (number == MERGE_PHASES - 1 && !task->index)
        EXEC_TRY(task, new_feeds(op, task));
    return EXEC_FINISHED;
}

static uint64_t peak_bytes(const aggregate_merge *merge)
{
    uint64_t held = atomic_load_explicit(&merge->spill.held_most, memory_order_relaxed);
    return held > merge->peak_bytes ? held : merge->peak_bytes;
}

static exec_result aggregate_phase(exec_operator *base, exec_task *task, unsigned number)
{
    op_aggregate *op = (op_aggregate *)base;
    exec_result result = run_phase(op, task, number);
    if (result != EXEC_FINISHED)
        return result;
    EXEC_TRY(task, exec_check_error(task));
    if (number == 2 * MERGE_PHASES && !task->index) {
        uint64_t bytes = peak_bytes(&op->merge);
        for (uint32_t i = 0; i < op->set_count; i++)
            bytes += peak_bytes(&op->sets[i].merge);
        atomic_store(&base->metrics.memory_peak, bytes);
    }
    return EXEC_FINISHED;
}

/* ---- life ---- */

static status aggregate_local_open(exec_operator *base, exec_task *task, void *local_state)
{
    op_aggregate *op = (op_aggregate *)base;
    aggregate_local_state *state = local_state;
    aggregate_local_init(&state->local, &op->core, SOURCE_ROWS);
    state->is_open = true;
    state->values = mem_new_array(op->expr_count + 1, sizeof *state->values);
    state->sets = mem_new_array(op->set_count + 1, sizeof *state->sets);
    if (!state->values || !state->sets)
        return status_no_memory("aggregation", op->expr_count * sizeof *state->values);
    for (uint32_t i = 0; i < op->set_count; i++)
        aggregate_local_init(&state->sets[i], &op->sets[i].core, SOURCE_ROWS);
    TRY(program_run_new(op->program, task, &state->run));
    program_run_take_all(state->run);
    return STATUS_OK;
}

static void aggregate_local_close(exec_operator *base, void *local_state)
{
    op_aggregate *op = (op_aggregate *)base;
    aggregate_local_state *state = local_state;
    if (!state->is_open)
        return;
    drop_values(op, state);
    mem_free(state->values);
    aggregate_local_release(&state->local);
    for (uint32_t i = 0; state->sets && i < op->set_count; i++)
        aggregate_local_release(&state->sets[i]);
    mem_free(state->sets);
    program_run_free(state->run);
}

static void aggregate_close(exec_operator *base)
{
    op_aggregate *op = (op_aggregate *)base;
    release_feeds(op);
    aggregate_merge_release(&op->merge);
    for (uint32_t i = 0; op->sets && i < op->set_count; i++) {
        aggregate_merge_release(&op->sets[i].merge);
        aggregate_core_release(&op->sets[i].core);
    }
    aggregate_core_release(&op->core);
    program_free(op->program);
    mem_free(op->sets);
    mem_free(op->aggregates);
    mem_free(op->is_flat);
    mem_free(op->narrow);
    mem_free(op->narrow_columns);
    mem_free(op);
}

static const bool *aggregate_narrow_columns(const exec_operator *base)
{
    return ((const op_aggregate *)base)->narrow_columns;
}

static const exec_operator_ops aggregate_ops = {
    .narrow_columns = aggregate_narrow_columns,
    .name = "aggregate",
    .local_bytes = sizeof(aggregate_local_state),
    .local_open = aggregate_local_open,
    .local_close = aggregate_local_close,
    .push = aggregate_push,
    .local_finish = aggregate_finish_local,
    .phase_count = 2 * MERGE_PHASES + 1,
    .phase = aggregate_phase,
    .close = aggregate_close,
};

/* ---- open ---- */

/* The data from which states are planned. */
typedef struct planner {
    op_aggregate *op;
    arena *memory;
    expr_list exprs;    /* the groups, then: */
    expr_index numbers; /* those behind them, numbered from 0 */
    aggregate_index states, sets;
} planner;

/* The number of an expression behind the groups; one that is there already is used again. */
static status add_expr(planner *p, expr *e, int *out)
{
    uint32_t keys = p->op->core.key_count;
    uint32_t i = expr_is_volatile(e) ? EXPR_INDEX_NONE : expr_index_first(&p->numbers, e);
    for (; i != EXPR_INDEX_NONE; i = expr_index_next(&p->numbers, e, i))
        if (p->exprs.items[keys + i]->type.width == e->type.width) {
            *out = (int)(keys + i);
            return STATUS_OK;
        }
    *out = (int)p->exprs.count;
    TRY(expr_index_add(p->memory, &p->numbers, e));
    return array_push(p->memory, &p->exprs, e);
}

static uint64_t mix(uint64_t hash, int number)
{
    return (hash ^ (uint32_t)number) * 0x9fb21c651e98df25ull;
}

static int add_state(planner *p, state_plan plan)
{
    aggregate_core *core = &p->op->core;
    uint64_t hash =
        mix(mix(mix((uint64_t)(uintptr_t)plan.ops, plan.argument), plan.filter), plan.source);
    for (uint32_t i = aggregate_index_first(&p->states, hash); i != AGGREGATE_INDEX_NONE;
         i = p->states.next[i]) {
        state_plan *other = &core->states[i];
        if (other->ops == plan.ops && other->operation == plan.operation &&
            other->argument == plan.argument && other->second == plan.second &&
            other->filter == plan.filter && other->source == plan.source) {
            other->is_exact |= plan.is_exact;
            return (int)i;
        }
    }
    core->states[core->state_count] = plan;
    aggregate_index_add(&p->states, hash, core->state_count);
    return (int)core->state_count++;
}

static status add_set(planner *p, int argument, int filter, data_type type, int *out)
{
    op_aggregate *op = p->op;
    uint64_t hash = mix(mix(0, argument), filter);
    for (uint32_t i = aggregate_index_first(&p->sets, hash); i != AGGREGATE_INDEX_NONE;
         i = p->sets.next[i])
        if (op->sets[i].argument == argument && op->sets[i].filter == filter) {
            *out = (int)i;
            return STATUS_OK;
        }
    aggregate_index_add(&p->sets, hash, op->set_count);
    data_type *types = arena_alloc_array(p->memory, op->core.key_count + 1, sizeof *types);
    if (!types)
        return status_no_memory("distinct aggregation", op->core.key_count * sizeof *types);
    if (op->core.key_count)
        memcpy(types, op->core.key_types, op->core.key_count * sizeof *types);
    types[op->core.key_count] = type;
    *out = (int)op->set_count;
    distinct_set *set = &op->sets[op->set_count++];
    set->argument = argument;
    set->filter = filter;
    TRY(aggregate_core_init(&set->core, op->base.query, types, op->core.key_count + 1, 0));
    set->core.who = "distinct aggregation";
    aggregate_merge_init(&set->merge, &set->core, &op->base);
    return STATUS_OK;
}

/* The executor's side of aggregates.def. */
static const struct function {
    const aggregate_state_ops *ops;
    uint8_t operation;
    aggregate_result result;
} functions[AGGREGATE_FUNCTION_COUNT] = {
#define AGGREGATE(name, sql, argument, type, state, operation, result, ignores_distinct, help)     \
    [AGGREGATE_##name] = {&aggregate_state_##state, operation, AGGREGATE_RESULT_##result},
#include "plan/tree/aggregates.def"
};

static const aggregate_state_ops *ops_of(plan_aggregate_function function, data_type type)
{
    const aggregate_state_ops *ops = functions[function].ops;
    bool is_float = type.id == TYPE_FLOAT || type.id == TYPE_DOUBLE;
    return is_float && ops->of_floats ? ops->of_floats : ops;
}

/* The states of an aggregate whose argument and filter are numbered. */
static void add_states(planner *p, const plan_aggregate *aggregate, state_plan values,
                       aggregate_plan *out)
{
    op_aggregate *op = p->op;
    bool is_count = out->result == AGGREGATE_RESULT_COUNT;
    state_plan count = values;
    count.second = -1;
    count.ops = &aggregate_state_count;
    count.is_exact = is_count || out->result == AGGREGATE_RESULT_MEAN;
    /* All rows have a value: their count will do. */
    if (values.source == SOURCE_ROWS && aggregate->argument && !aggregate->argument->is_nullable)
        count.argument = -1;
    out->state = -1;
    if (!is_count) {
        values.ops = ops_of(aggregate->function, values.type);
        values.operation = functions[aggregate->function].operation;
        out->state = add_state(p, values);
    }
    out->count_state = add_state(p, count);
    /* A count of values is that of all rows while there are no NULLs. */
    if (op->core.key_count && count.is_exact && count.source == SOURCE_ROWS && count.filter < 0) {
        state_plan rows = count;
        rows.argument = -1;
        op->core.rows_state = add_state(p, rows);
    }
}

static status add_argument(planner *p, plan_aggregate_function function, expr *argument,
                           data_type *out_type, int *out)
{
    if (functions[function].ops->takes_doubles)
        argument = expr_new_cast(p->memory, argument, type_make(TYPE_DOUBLE), argument->position);
    if (!argument)
        return status_no_memory("aggregation", sizeof *argument);
    *out_type = argument->type;
    return add_expr(p, argument, out);
}

static status plan_one(planner *p, uint32_t number)
{
    op_aggregate *op = p->op;
    const plan_node *node = op->base.plan;
    const plan_aggregate *aggregate = &node->aggregate.aggregates.items[number];
    aggregate_plan *out = &op->aggregates[number];
    state_plan values = {.argument = -1, .second = -1, .filter = -1, .source = SOURCE_ROWS};
    out->result = functions[aggregate->function].result;
    out->result_type = node->columns.items[op->core.key_count + number].type;
    out->location = values.location = (uint32_t)(aggregate->position < 0 ? 0 : aggregate->position);
    if (aggregate->argument) {
        TRY(add_argument(p, aggregate->function, aggregate->argument, &values.type,
                         &values.argument));
        out->type = values.type;
    }
    if (aggregate->second && functions[aggregate->function].ops->takes_share) {
        out->share = aggregate->second->constant.f64;
    } else if (aggregate->second) {
        data_type second;
        TRY(add_argument(p, aggregate->function, aggregate->second, &second, &values.second));
    }
    if (aggregate->filter) {
        expr *filter = expr_new_call(p->memory, EXPR_IS_TRUE, type_make(TYPE_BOOL),
                                     (expr *[]){aggregate->filter}, 1, aggregate->position);
        if (!filter)
            return status_no_memory("aggregation", sizeof *filter);
        TRY(add_expr(p, filter, &values.filter));
    }
    bool is_distinct = aggregate->is_distinct && aggregate->argument;
    op->needs_rows |= !is_distinct || aggregate->filter;
    if (is_distinct) {
        TRY(add_set(p, values.argument, values.filter, values.type, &values.source));
        values.argument = 0;
        values.filter = -1;
    }
    add_states(p, aggregate, values, out);
    return STATUS_OK;
}

/* Counts the states of each source into core->source_states, as the numbers of their first ones. */
static status count_sources(op_aggregate *op)
{
    aggregate_core *core = &op->core;
    uint32_t *first = mem_new_array(op->set_count + 2, sizeof *first);
    if (!first)
        return status_no_memory("aggregation", op->set_count * sizeof *first);
    core->source_states = first;
    for (uint32_t i = 0; i < core->state_count; i++)
        first[core->states[i].source - SOURCE_ROWS + 1]++;
    for (uint32_t i = 1; i < op->set_count + 2; i++)
        first[i] += first[i - 1];
    return STATUS_OK;
}

/* Orders the states by source, so that a table of one source holds a range of them. */
static status order_states(op_aggregate *op, arena *memory)
{
    aggregate_core *core = &op->core;
    if (!op->set_count)
        return STATUS_OK;
    TRY(count_sources(op));
    state_plan *old = arena_alloc_array(memory, core->state_count, sizeof *old);
    int *moved = arena_alloc_array(memory, core->state_count, sizeof *moved);
    uint32_t *next = arena_alloc_array(memory, op->set_count + 1, sizeof *next);
    if (!old || !moved || !next)
        return status_no_memory("aggregation", core->state_count * sizeof *old);
    memcpy(old, core->states, core->state_count * sizeof *old);
    memcpy(next, core->source_states, (op->set_count + 1) * sizeof *next);
    for (uint32_t i = 0; i < core->state_count; i++) {
        moved[i] = (int)next[old[i].source - SOURCE_ROWS]++;
        core->states[moved[i]] = old[i];
    }
    for (uint32_t i = 0; i < op->aggregate_count; i++) {
        aggregate_plan *plan = &op->aggregates[i];
        plan->state = plan->state < 0 ? plan->state : moved[plan->state];
        plan->count_state = moved[plan->count_state];
    }
    core->rows_state = core->rows_state < 0 ? core->rows_state : moved[core->rows_state];
    return STATUS_OK;
}

/* Keys of groups and sets come in any form, what states and filters read is FLAT. */
static status find_flat(op_aggregate *op)
{
    op->is_flat = mem_new_array(op->expr_count + 1, sizeof *op->is_flat);
    if (!op->is_flat)
        return status_no_memory("aggregation", op->expr_count);
    for (uint32_t i = 0; i < op->core.state_count; i++) {
        const state_plan *plan = &op->core.states[i];
        if (plan->source == SOURCE_ROWS && plan->argument >= 0)
            op->is_flat[plan->argument] = true;
        if (plan->source == SOURCE_ROWS && plan->second >= 0)
            op->is_flat[plan->second] = true;
        if (plan->source == SOURCE_ROWS && plan->filter >= 0)
            op->is_flat[plan->filter] = true;
    }
    for (uint32_t i = 0; i < op->set_count; i++)
        if (op->sets[i].filter >= 0)
            op->is_flat[op->sets[i].filter] = true;
    return STATUS_OK;
}

/* The program's expressions: groups, then arguments and filters. */
static status compile(op_aggregate *op, exec_layout input)
{
    const plan_node *node = op->base.plan;
    planner p = {.op = op, .memory = exec_memory(op->base.query)};
    uint32_t key_count = (uint32_t)node->aggregate.groups.count;
    data_type *types = arena_alloc_array(p.memory, key_count + 1, sizeof *types);
    op->aggregate_count = (uint32_t)node->aggregate.aggregates.count;
    op->aggregates = mem_new_array(op->aggregate_count + 1, sizeof *op->aggregates);
    op->sets = mem_new_array(op->aggregate_count + 1, sizeof *op->sets);
    if (!op->aggregates || !op->sets || !types)
        return status_no_memory("aggregation", op->aggregate_count * sizeof *op->sets);
    if (key_count > KEYS_MAX) {
        status st = status_new(STATUS_KIND_LIMIT, "more than %d columns to group by", KEYS_MAX);
        return status_at(status_hint(st, "name fewer columns in GROUP BY, DISTINCT or UNION"),
                         node->position);
    }
    for (uint32_t i = 0; i < key_count; i++) {
        types[i] = node->aggregate.groups.items[i]->type;
        TRY(array_push(p.memory, &p.exprs, node->aggregate.groups.items[i]));
    }
    /* An aggregate has at most a value, a count, and the rows' count. */
    TRY(aggregate_core_init(&op->core, op->base.query, types, key_count, 3 * op->aggregate_count));
    op->needs_rows = !op->aggregate_count;
    op->enough.groups = node->aggregate.enough;
    op->core.counts_groups = op->enough.groups;
    TRY(aggregate_index_init(&p.states, p.memory, 3 * op->aggregate_count));
    TRY(aggregate_index_init(&p.sets, p.memory, op->aggregate_count));
    for (uint32_t i = 0; i < op->aggregate_count; i++)
        TRY(plan_one(&p, i));
    TRY(order_states(op, p.memory));
    op->expr_count = (uint32_t)p.exprs.count;
    TRY(find_flat(op));
    TRY(program_compile((const expr *const *)p.exprs.items, op->expr_count, input, &op->program));
    return aggregate_narrow_find(op, &p.exprs, input.count);
}

status op_aggregate_open(exec_query *query, const plan_node *plan, exec_layout input,
                         exec_operator **out_sink, exec_operator **out_source)
{
    *out_sink = *out_source = NULL;
    op_aggregate *op = mem_new(sizeof *op);
    if (!op)
        return status_no_memory("aggregation", sizeof *op);
    op->base = (exec_operator){.ops = &aggregate_ops, .query = query, .plan = plan};
    aggregate_merge_init(&op->merge, &op->core, &op->base);
    status st = compile(op, input);
    if (!st)
        st = op_aggregate_source_new(op, out_source);
    if (st) {
        aggregate_close(&op->base);
        return st;
    }
    *out_sink = &op->base;
    return STATUS_OK;
}
