/* scan_bound.c - conditions of a scan's bounds, and the order of row groups for them. */
#include "exec/scan/scan_bound.h"

#include "exec/sched/query.h"

#include <stdlib.h>

status scan_bound_keys(arena *a, const plan_node *plan, const plan_taken_bound *taken,
                       bound_key **out)
{
    size_t count = taken->column_ids.count;
    bound_key *keys = arena_alloc_array(a, count, sizeof *keys);
    *out = keys;
    if (!keys)
        return status_no_memory("scan", count * sizeof *keys);
    for (size_t k = 0; k < count; k++) {
        uint32_t id = taken->column_ids.items[k];
        int number = plan_column_index(plan, id);
        keys[k] = (bound_key){id, plan->columns.items[number].type, taken->is_descending.items[k],
                              taken->nulls_first.items[k]};
    }
    return STATUS_OK;
}

status scan_bound_uses(exec_query *query, const plan_node *plan, bound_use **out)
{
    size_t count = plan->scan.bounds.count;
    *out = arena_alloc_array(query->memory, count + 1, sizeof **out);
    if (!*out)
        return status_no_memory("scan", count * sizeof **out);
    for (size_t i = 0; i < count; i++) {
        const plan_taken_bound *taken = &plan->scan.bounds.items[i];
        bound_key *keys;
        TRY(scan_bound_keys(query->memory, plan, taken, &keys));
        (*out)[i] = (bound_use){.bound = exec_runtime_bound(query, taken->id),
                                .keys = keys,
                                .count = (uint32_t)taken->column_ids.count,
                                .has_all_keys = taken->has_all_keys,
                                .layout = {(uint32_t)plan->columns.count, plan->columns.items}};
    }
    return STATUS_OK;
}

/* ---- conditions ---- */

static status scan_bound_add_condition(exec_query *query, const plan_node *plan,
                                       const plan_taken_bound *taken, scan_bounds *out)
{
    bound_key *keys;
    expr *condition;
    TRY(array_reserve(NULL, &out->held, 1));
    bound_values *values = runtime_bound_get(exec_runtime_bound(query, taken->id));
    if (!values)
        return STATUS_OK;
    out->held.items[out->held.count++] = values;
    TRY(scan_bound_keys(out->memory, plan, taken, &keys));
    TRY(bound_condition(out->memory, values, keys, (uint32_t)taken->column_ids.count,
                        taken->has_all_keys, &condition));
    return condition ? array_push(out->memory, &out->conditions, condition) : STATUS_OK;
}

void scan_bounds_open(exec_query *query, const plan_node *plan, scan_bounds *out)
{
    *out = (scan_bounds){0};
    if (!plan->scan.bounds.count)
        return;
    status st = arena_new(&out->memory);
    for (size_t i = 0; i < plan->scan.bounds.count && !st; i++)
        st = scan_bound_add_condition(query, plan, &plan->scan.bounds.items[i], out);
    status_free(st);
}

void scan_bounds_close(scan_bounds *bounds)
{
    for (size_t i = 0; i < bounds->held.count; i++)
        bound_values_unref(bounds->held.items[i]);
    array_release(&bounds->held);
    arena_free(bounds->memory);
}

/* ---- the order of row groups ---- */

typedef struct ranked_group {
    uint32_t number;
    int rank; /* 0: may begin with NULLs that are first; 1: by its bound; 2: nothing is known */
    bool is_descending;
    const value *best;
} ranked_group;

static int compare_groups(const void *left, const void *right)
{
    const ranked_group *a = left, *b = right;
    int order = a->rank - b->rank;
    if (!order && a->rank == 1)
        order =
            a->is_descending ? value_compare(b->best, a->best) : value_compare(a->best, b->best);
    return order ? order : (a->number > b->number) - (a->number < b->number);
}

static ranked_group rank_group(const plan_node *plan, const pq_table *table, uint32_t number)
{
    const plan_taken_bound *taken = &plan->scan.bounds.items[0];
    bool is_descending = taken->is_descending.items[0];
    int column = plan_column_index(plan, taken->column_ids.items[0]);
    pq_row_group_ref ref = table->row_groups.items[number];
    const pq_row_group *group = &table->files.items[ref.file].metadata->row_groups[ref.row_group];
    const pq_statistics *s =
        &group->chunks[table->columns.items[plan->scan.sources.items[column]].leaf].statistics;
    ranked_group ranked = {.number = number, .rank = 2, .is_descending = is_descending};
    if (taken->nulls_first.items[0] && s->null_count != 0)
        ranked.rank = 0;
    else if (s->has_min && s->has_max)
        ranked.rank = 1;
    ranked.best = is_descending ? &s->max : &s->min;
    return ranked;
}

status scan_bound_order(exec_query *query, const plan_node *plan, const pq_table *table,
                        uint32_t **out)
{
    size_t count = table->row_groups.count;
    *out = NULL;
    if (!plan->scan.bounds.count || count < 2)
        return STATUS_OK;
    ranked_group *groups = mem_new_array(count, sizeof *groups);
    uint32_t *order = arena_alloc_array(query->memory, count, sizeof *order);
    if (!groups || !order) {
        mem_free(groups);
        return status_no_memory("scan", count * sizeof *groups);
    }
    for (size_t i = 0; i < count; i++)
        groups[i] = rank_group(plan, table, (uint32_t)i);
    qsort(groups, count, sizeof *groups, compare_groups);
    for (size_t i = 0; i < count; i++)
        order[i] = groups[i].number;
    mem_free(groups);
    *out = order;
    return STATUS_OK;
}
