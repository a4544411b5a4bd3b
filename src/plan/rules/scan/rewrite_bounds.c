/* rewrite_bounds.c - which scans can drop rows by what a sort with a limit has kept so far: those
 * whose rows come to it without another breaker between, and have its first key as a column. */

#include "base/system/guard.h"
#include "plan/tree/expr.h"
#include "plan/tree/plan.h"
#include "plan/tree/rule.h"

/* The sort's keys, as far as they are columns of the node that is looked at. */
typedef struct bound_offer {
    plan_statement *statement;
    const plan_node *sort;
    uint32_t id;
    bool is_taken;
} bound_offer;

typedef ARRAY(uint32_t) column_id_list;

static status bounds_offer_below(bound_offer *o, plan_node *node, column_id_list ids);

static bool bounds_is_ordered(data_type type)
{
    return type_is_numeric(type) || type_is_time(type) || type_is_text(type);
}

static status bounds_offer_scan(bound_offer *o, plan_node *scan, column_id_list ids)
{
    arena *a = o->statement->memory;
    plan_taken_bound bound = {.id = o->id};
    for (size_t k = 0; k < ids.count && k < PLAN_BOUND_KEYS_MAX; k++) {
        const plan_sort_key *key = &o->sort->sort.keys.items[k];
        int number = plan_column_index(scan, ids.items[k]);
        if (number < 0 || !bounds_is_ordered(scan->columns.items[number].type))
            break;
        TRY(array_push(a, &bound.column_ids, ids.items[k]));
        TRY(array_push(a, &bound.is_descending, key->is_descending));
        TRY(array_push(a, &bound.nulls_first, key->nulls_first));
    }
    bound.has_all_keys = bound.column_ids.count == o->sort->sort.keys.count;
    if (!bound.column_ids.count)
        return STATUS_OK;
    o->is_taken = true;
    return array_push(a, &scan->scan.bounds, bound);
}

/* The child's columns behind those of a projection. */
static status offer_project(bound_offer *o, plan_node *project, column_id_list ids)
{
    column_id_list below = {0};
    for (size_t k = 0; k < ids.count; k++) {
        int number = plan_column_index(project, ids.items[k]);
        const expr *e = number < 0 ? NULL : project->project.exprs.items[number];
        if (!e || e->kind != EXPR_COLUMN)
            break;
        TRY(array_push(o->statement->memory, &below, e->column_id));
    }
    return bounds_offer_below(o, project->children[0], below);
}

static status offer_union(bound_offer *o, plan_node *node, column_id_list ids)
{
    for (uint32_t c = 0; c < node->child_count; c++) {
        column_id_list below = {0};
        for (size_t k = 0; k < ids.count; k++) {
            int number = plan_column_index(node, ids.items[k]);
            if (number < 0)
                break;
            TRY(array_push(o->statement->memory, &below,
                           node->children[c]->columns.items[number].id));
        }
        TRY(bounds_offer_below(o, node->children[c], below));
    }
    return STATUS_OK;
}

/* Rows of the probe side go on as they come; where it may lose rows, they come to nothing else than
 * rows with their own keys. */
static status bounds_offer_join(bound_offer *o, plan_node *join, column_id_list ids)
{
    plan_join_type type = join->join.type;
    bool is_left = !join->join.build_left;
    if (is_left ? type == JOIN_RIGHT || type == JOIN_FULL
                : type != JOIN_INNER && type != JOIN_RIGHT)
        return STATUS_OK;
    plan_node *probe = join->children[is_left ? 0 : 1];
    size_t count = 0;
    while (count < ids.count && plan_column_index(probe, ids.items[count]) >= 0)
        count++;
    ids.count = count;
    return bounds_offer_below(o, probe, ids);
}

static status bounds_offer_below(bound_offer *o, plan_node *node, column_id_list ids)
{
    if (!ids.count)
        return STATUS_OK;
    switch (node->kind) {
    case PLAN_SCAN:
        return bounds_offer_scan(o, node, ids);
    case PLAN_FILTER:
        return bounds_offer_below(o, node->children[0], ids);
    case PLAN_PROJECT:
        return offer_project(o, node, ids);
    case PLAN_JOIN:
        return bounds_offer_join(o, node, ids);
    case PLAN_UNION:
        return offer_union(o, node, ids);
    default:
        return STATUS_OK;
    }
}

static status bounds_walk(plan_statement *s, plan_node *node)
{
    TRY(guard_check());
    for (uint32_t i = 0; i < node->child_count; i++)
        TRY(bounds_walk(s, node->children[i]));
    if (node->kind != PLAN_SORT || !node->sort.has_limit)
        return STATUS_OK;
    column_id_list ids = {0};
    for (size_t k = 0; k < node->sort.keys.count; k++) {
        const expr *key = node->sort.keys.items[k].key;
        if (key->kind != EXPR_COLUMN)
            break;
        TRY(array_push(s->memory, &ids, key->column_id));
    }
    bound_offer o = {.statement = s, .sort = node, .id = s->bound_count + 1};
    TRY(bounds_offer_below(&o, node->children[0], ids));
    if (o.is_taken)
        node->sort.bound = ++s->bound_count;
    return STATUS_OK;
}

status rewrite_bounds(plan_statement *statement)
{
    for (size_t i = 0; i < statement->shared.count; i++)
        TRY(bounds_walk(statement, statement->shared.items[i]));
    return bounds_walk(statement, statement->root);
}
