/* rewrite_columns.c - each node makes only the columns that something above reads (prune.h), common subplans
 * those that one of their uses reads. */

#include "base/mem.h"
#include "base/system/guard.h"
#include "plan/nodes/prune.h"
#include "plan/tree/plan.h"
#include "plan/tree/rule.h"

/* Calls visit for each place where a common subplan is used below the node. */
static status each_use(plan_node *node, uint32_t id, status (*visit)(plan_node *, void *),
                       void *context)
{
    TRY(guard_check());
    if (node->kind == PLAN_SHARED && node->shared.id == id)
        return visit(node, context);
    for (uint32_t i = 0; i < node->child_count; i++)
        TRY(each_use(node->children[i], id, visit, context));
    return STATUS_OK;
}

static status each_use_of(plan_statement *s, uint32_t id, status (*visit)(plan_node *, void *),
                          void *context)
{
    TRY(each_use(s->root, id, visit, context));
    for (size_t later = id + 1; later < s->shared.count; later++)
        TRY(each_use(s->shared.items[later], id, visit, context));
    return STATUS_OK;
}

static status note_sources(plan_node *use, void *context)
{
    bool *is_used = context;
    for (size_t i = 0; i < use->shared.sources.count; i++)
        is_used[use->shared.sources.items[i]] = true;
    return STATUS_OK;
}

static status move_sources(plan_node *use, void *context)
{
    const uint32_t *places = context;
    for (size_t i = 0; i < use->shared.sources.count; i++)
        use->shared.sources.items[i] = places[use->shared.sources.items[i]];
    return STATUS_OK;
}

/* A common subplan makes the columns that some use reads; one at least. The uses have theirs. */
static status prune_shared(plan_statement *s, uint32_t id)
{
    plan_node **plan = &s->shared.items[id];
    size_t count = (*plan)->columns.count;
    plan_column_list wanted = {0};
    bool *is_used = arena_alloc_array(s->memory, count + 1, sizeof *is_used);
    uint32_t *places = arena_alloc_array(s->memory, count + 1, sizeof *places);
    if (!is_used || !places)
        return status_no_memory("plan", count * sizeof *places);
    TRY(each_use_of(s, id, note_sources, is_used));
    for (size_t i = 0; i < count; i++) {
        bool is_last_chance = i + 1 == count && !wanted.count;
        places[i] = (uint32_t)wanted.count;
        if (is_used[i] || is_last_chance)
            TRY(array_push(s->memory, &wanted, (*plan)->columns.items[i]));
    }
    TRY(each_use_of(s, id, move_sources, places));
    return plan_prune_to(s, plan, &wanted);
}

status rewrite_columns(plan_statement *statement)
{
    TRY(plan_prune_in_order(statement, &statement->root));
    for (size_t id = statement->shared.count; id-- > 0;)
        TRY(prune_shared(statement, (uint32_t)id));
    return STATUS_OK;
}
