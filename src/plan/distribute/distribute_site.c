/* distribute_site.c - where rows are, and exchanges. */
#include "plan/distribute/distribute_site.h"

#include "plan/distribute/distribute_cost.h"
#include "plan/distribute/distribute_heavy.h"

plan_node *distribute_node(const distributor *d, plan_kind kind, uint32_t children,
                           int32_t position)
{
    plan_node *node = plan_node_new(d->statement->memory, kind, children);
    if (node) {
        node->placement = PLACEMENT_PARTS;
        node->position = position;
    }
    return node;
}

status distribute_exchange(distributor *d, plan_node **slot, plan_exchange_kind kind,
                           const expr_list *keys)
{
    plan_node *child = *slot, *node = plan_node_new(d->statement->memory, PLAN_EXCHANGE, 1);
    if (!node)
        return status_no_memory("plan", sizeof *node);
    double ranks = d->distribution->ranks;
    node->children[0] = child;
    node->columns = child->columns;
    node->position = child->position;
    node->estimated_rows = child->estimated_rows;
    node->estimated_bytes =
        distribute_bytes(child) * (kind == EXCHANGE_BROADCAST ? ranks - 1 : 1 - 1 / ranks);
    node->placement = plan_exchange_has_root(kind) ? PLACEMENT_ONE
                      : kind == EXCHANGE_BROADCAST ? PLACEMENT_COPIES
                                                   : PLACEMENT_PARTS;
    node->exchange.kind = kind;
    node->exchange.id = d->statement->exchange_count++;
    if (keys)
        node->exchange.keys = *keys;
    if (child->placement == PLACEMENT_COPIES)
        child->placement = PLACEMENT_ONE;
    *slot = node;
    return STATUS_OK;
}

status distribute_gather(distributor *d, plan_node **slot)
{
    if ((*slot)->placement == PLACEMENT_PARTS)
        return distribute_exchange(d, slot, EXCHANGE_GATHER, NULL);
    (*slot)->placement = PLACEMENT_ONE;
    return STATUS_OK;
}

/* ---- where rows with equal keys are ---- */

static bool are_columns(const expr_list *keys)
{
    for (size_t i = 0; i < keys->count; i++)
        if (keys->items[i]->kind != EXPR_COLUMN)
            return false;
    return keys->count > 0;
}

void distribute_add_keys(site *s, const expr_list *keys)
{
    if (are_columns(keys) && s->key_lists < SITE_KEY_LISTS)
        s->keys[s->key_lists++] = keys;
}

site distribute_site(plan_placement placement, const expr_list *keys)
{
    site s = {.placement = placement};
    if (keys)
        distribute_add_keys(&s, keys);
    return s;
}

int distribute_find_column(const expr_list *list, const expr *column)
{
    for (size_t i = 0; i < list->count; i++)
        if (list->items[i]->kind == EXPR_COLUMN && list->items[i]->column_id == column->column_id)
            return (int)i;
    return -1;
}

bool distribute_has_together(const site *s, const expr_list *groups)
{
    for (uint32_t k = 0; s->placement == PLACEMENT_PARTS && k < s->key_lists; k++) {
        size_t found = 0;
        while (found < s->keys[k]->count &&
               distribute_find_column(groups, s->keys[k]->items[found]) >= 0)
            found++;
        if (found == s->keys[k]->count) {
            distribute_rely(s);
            return true;
        }
    }
    return false;
}

/* Partners meet where equal keys are. NOT IN and marks depend on all of the right side. */
bool distribute_may_repartition(const plan_node *join)
{
    return join->join.left_keys.count && join->join.type != JOIN_ANTI_NULL &&
           join->join.type != JOIN_MARK;
}
