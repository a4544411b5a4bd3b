/* distribute_steal.c - see distribute_steal.h. */
#include "plan/distribute/distribute_steal.h"

#include "parquet/table/table.h"
#include "plan/tree/rule.h"

/* Returns whether any rank may read any of the scan's rows: all see the files, and nothing relies on who has which. A
 * scan that stops early reads so little that nothing is to be taken. */
static bool may_steal(const plan_node *node)
{
    const pq_table *table = node->scan.table;
    return node->kind == PLAN_SCAN && node->placement == PLACEMENT_PARTS &&
           table->spec.access == PQ_SHARED && !table->partitioned_by.count &&
           !node->scan.bounds.count && !node->scan.is_stopped_early;
}

/* is_lying: the rows go on by ranges of a column that each rank's row groups are a range of, so that they are where
 * they go to. Elsewhere another rank would have to send them back. */
static void steal_number(plan_node *node, bool is_lying, uint32_t *count)
{
    if (node->kind == PLAN_SCAN && !is_lying && may_steal(node))
        node->scan.steal_id = ++*count;
    if (node->kind == PLAN_EXCHANGE)
        is_lying = node->exchange.ranged != NULL;
    for (uint32_t i = 0; i < node->child_count; i++)
        steal_number(node->children[i], is_lying, count);
}

void distribute_number_steals(plan_statement *statement)
{
    uint32_t count = 0;
    if (!plan_rule_is_on(statement, RULE_stealing))
        return;
    for (size_t i = 0; i < statement->shared.count; i++) /* who uses their rows is not known here */
        steal_number(statement->shared.items[i], true, &count);
    steal_number(statement->root, false, &count);
    statement->steal_first = statement->exchange_count;
    statement->exchange_count += count;
}
