/* stages.c - the order of stages, and giving up those of which nothing comes. */
#include "exec/sched/stages.h"

#include "parquet/table/table.h"

#include <stdlib.h>

/* ---- order ---- */

/* A stage, and what is read before it can run and by itself. */
typedef struct stage_cost {
    exec_stage *stage;
    ARRAY(struct stage_cost *) required;
    double rows;
    bool is_counted, is_placed;
} stage_cost;

static double scanned_rows(const exec_stage *stage)
{
    const plan_node *plan = stage->source ? stage->source->plan : NULL;
    return plan && plan->kind == PLAN_SCAN ? (double)plan->scan.table->row_count : 0;
}

/* Counts the rows that stages need; what several need is counted for each. */
static void stages_count_rows(stage_cost *cost)
{
    if (cost->is_counted)
        return;
    cost->is_counted = true;
    cost->rows = scanned_rows(cost->stage);
    for (size_t i = 0; i < cost->required.count; i++) {
        stages_count_rows(cost->required.items[i]);
        cost->rows += cost->required.items[i]->rows;
    }
}

static int compare_costs(const void *left, const void *right)
{
    const stage_cost *a = *(stage_cost *const *)left, *b = *(stage_cost *const *)right;
    if (a->rows != b->rows)
        return a->rows < b->rows ? -1 : 1;
    return a->stage->number < b->stage->number ? -1 : a->stage->number > b->stage->number;
}

static void stages_place(exec_query *query, stage_cost *cost, size_t *placed)
{
    if (cost->is_placed)
        return;
    cost->is_placed = true;
    if (cost->required.count > 1)
        qsort(cost->required.items, cost->required.count, sizeof *cost->required.items,
              compare_costs);
    for (size_t i = 0; i < cost->required.count; i++)
        stages_place(query, cost->required.items[i], placed);
    query->stages.items[(*placed)++] = cost->stage;
}

status stages_order(exec_query *query)
{
    size_t count = query->stages.count, placed = 0;
    stage_cost *costs = arena_alloc_array(query->memory, count + 1, sizeof *costs);
    if (!costs)
        return status_no_memory("stages", count * sizeof *costs);
    for (size_t i = 0; i < count; i++) {
        costs[i].stage = query->stages.items[i];
        costs[i].stage->number = (unsigned)i;
    }
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < costs[i].stage->dependents.count; k++)
            TRY(array_push(query->memory,
                           &costs[costs[i].stage->dependents.items[k]->number].required,
                           &costs[i]));
    for (size_t i = 0; i < count; i++)
        stages_count_rows(&costs[i]);
    for (size_t i = 0; i < count; i++)
        stages_place(query, &costs[i], &placed);
    for (size_t i = 0; i < count; i++)
        query->stages.items[i]->number = (unsigned)i;
    return STATUS_OK;
}

/* ---- what is given up ---- */

/* Rows that other ranks send must be taken, whatever becomes of them. */
static bool may_leave_rows(const exec_stage *stage)
{
    const plan_node *plan = stage->source->plan;
    return !stage->query->net || (plan && plan->kind == PLAN_SCAN);
}

static bool has_rows(const exec_stage *stage)
{
    for (size_t i = 0; i < stage->operators.count; i++)
        if (stage->operators.items[i]->drops_all && may_leave_rows(stage))
            return false;
    return !stage->source->is_empty;
}

bool stage_has_work(const exec_stage *stage)
{
    if (atomic_load_explicit(&stage->is_unwanted, memory_order_relaxed))
        return false;
    return stage->source ? has_rows(stage) : stage->phase < stage->sink->ops->phase_count;
}

/* The source gives what comes of the sink's rows, and nothing comes of none. */
static bool needs_input(const exec_operator *source, const exec_stage *sink_stage)
{
    const plan_node *plan = source->plan;
    if (!plan)
        return false;
    switch (plan->kind) {
    case PLAN_SORT:
        return plan == sink_stage->sink->plan;
    case PLAN_AGGREGATE:
        return plan == sink_stage->sink->plan && plan->aggregate.groups.count;
    case PLAN_SHARED:
        return source->query->shared_stages[plan->shared.id] == sink_stage;
    default:
        return false;
    }
}

static bool stages_is_wanted(const exec_stage *stage)
{
    for (size_t i = 0; i < stage->dependents.count; i++)
        if (!atomic_load_explicit(&stage->dependents.items[i]->is_unwanted, memory_order_relaxed))
            return true;
    return !stage->dependents.count;
}

/* Sources that give the rest of pipelines of which none has rows. */
static void give_up_rests(const exec_query *query)
{
    for (size_t i = 0; i < query->stages.count; i++)
        query->stages.items[i]->is_fed = query->stages.items[i]->lacks_rows = false;
    for (size_t i = 0; i < query->stages.count; i++) {
        const exec_stage *stage = query->stages.items[i];
        bool is_unwanted = atomic_load_explicit(&stage->is_unwanted, memory_order_relaxed);
        for (size_t k = 0; stage->source && k < stage->dependents.count; k++) {
            stage->dependents.items[k]->is_fed |= !is_unwanted;
            stage->dependents.items[k]->lacks_rows |= is_unwanted;
        }
    }
    for (size_t i = 0; i < query->stages.count; i++) {
        exec_stage *stage = query->stages.items[i];
        if (stage->source && stage->source->gives_rest && stage->lacks_rows && !stage->is_fed)
            atomic_store_explicit(&stage->is_unwanted, true, memory_order_relaxed);
    }
}

/* Ranks agree on what they do: of several none gives up a stage by itself. */
void stages_give_up(const exec_stage *finished)
{
    const exec_query *query = finished->query;
    bool has_new = false;
    if (finished->source || query->net)
        return;
    bool has_input = atomic_load_explicit(&finished->sink->has_input, memory_order_relaxed);
    for (size_t i = 0; i < finished->dependents.count; i++) {
        exec_stage *stage = finished->dependents.items[i];
        if (!stage->source)
            continue;
        if (!has_input && needs_input(stage->source, finished))
            stage->source->is_empty = true;
        if (!has_rows(stage)) {
            atomic_store_explicit(&stage->is_unwanted, true, memory_order_relaxed);
            has_new = true;
        }
    }
    if (!has_new)
        return;
    give_up_rests(query);
    for (size_t i = query->stages.count; i-- > 0;)
        if (!stages_is_wanted(query->stages.items[i]))
            atomic_store_explicit(&query->stages.items[i]->is_unwanted, true, memory_order_relaxed);
}
