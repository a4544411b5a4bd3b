/* distribute_lying.c - see distribute_lying.h.
 *
 * Row numbers, POSITIONAL JOIN and windows without an order take rows as they lie in their files. What several ranks read
 * comes to rank 0 in any order, so rank 0 reads the rows by itself, if it can and if nothing between changes their order. */
#include "plan/distribute/distribute_lying.h"

#include "parquet/table/table_parts.h"

#include <string.h>

bool distribute_is_apart(const plan_node *node)
{
    bool is = node->kind == PLAN_SCAN && pq_table_is_apart(node->scan.table, 0);
    for (uint32_t i = 0; i < node->child_count; i++)
        is |= distribute_is_apart(node->children[i]);
    return is;
}

/* Returns whether the node gives rows in the order in which they lie below it. */
static bool is_lying(const plan_node *node)
{
    switch (node->kind) {
    case PLAN_SCAN:
    case PLAN_TEXT_SCAN:
    case PLAN_ARROW_SCAN:
    case PLAN_SHARED:
    case PLAN_VALUES:
    case PLAN_SINGLE_ROW:
    case PLAN_FILTER:
    case PLAN_PROJECT:
    case PLAN_LIMIT:
    case PLAN_UNION:
    case PLAN_REPEAT:
    case PLAN_SERIES:
        return true;
    default:
        return false;
    }
}

static bool all_lie(const plan_statement *s, const plan_node *node)
{
    bool all = is_lying(node);
    if (node->kind == PLAN_SHARED)
        all = s->shared.items[node->shared.id]->placement == PLACEMENT_ONE;
    for (uint32_t i = 0; all && i < node->child_count; i++)
        all = all_lie(s, node->children[i]);
    return all;
}

static bool can_keep(const plan_statement *s, const plan_node *node)
{
    return all_lie(s, node) && !distribute_is_apart(node);
}

static void place_on_one(plan_node *node)
{
    node->placement = PLACEMENT_ONE;
    for (uint32_t i = 0; i < node->child_count; i++)
        place_on_one(node->children[i]);
}

bool distribute_keep_lying(const plan_statement *statement, const plan_node *sort)
{
    if (!sort->sort.keeps_order || !can_keep(statement, sort->children[0]))
        return false;
    place_on_one(sort->children[0]);
    return true;
}

/* Notes the shared plans below sorts that keep an order. */
static void note_shared(const plan_node *node, bool is_kept, bool *io_kept)
{
    is_kept = node->kind == PLAN_SORT ? node->sort.keeps_order : is_kept && is_lying(node);
    if (node->kind == PLAN_SHARED)
        io_kept[node->shared.id] |= is_kept;
    for (uint32_t i = 0; i < node->child_count; i++)
        note_shared(node->children[i], is_kept, io_kept);
}

status distribute_keep_lying_shared(plan_statement *statement)
{
    size_t count = statement->shared.count;
    bool *kept = arena_alloc(statement->memory, count + 1);
    if (!kept)
        return status_no_memory("plan", count + 1);
    memset(kept, 0, count + 1);
    note_shared(statement->root, false, kept);
    for (size_t i = count; i-- > 0;) /* a later one may use an earlier one */
        note_shared(statement->shared.items[i], kept[i], kept);
    for (size_t i = 0; i < count; i++)
        if (kept[i] && can_keep(statement, statement->shared.items[i]))
            place_on_one(statement->shared.items[i]);
    return STATUS_OK;
}
