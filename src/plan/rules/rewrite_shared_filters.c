/* rewrite_shared_filters.c - conditions that every use of a common subplan has above it: what none
 * of them wants is dropped once, below, and where it is made, if it can be.
 *
 *     uses        kind = 's' and year = 2001     kind = 'w' and year = 2001
 *     shared      year = 2001 and (kind = 's' or kind = 'w')
 *
 * The uses keep their conditions. */

#include "base/system/guard.h"
#include "base/type/type.h"
#include "plan/edit/repeatable.h"
#include "plan/facts/condition.h"
#include "plan/rules/rewrite_filters.h"
#include "plan/tree/expr.h"
#include "plan/tree/plan.h"
#include "plan/tree/rule.h"

typedef struct use_search {
    plan_statement *statement;
    uint32_t id;
    expr_list arms; /* what each use keeps, over the shared plan's columns */
    bool is_needed; /* some use wants all rows */
} use_search;

/* The conditions of a filter right above a use, as one. */
static status add_arm(use_search *u, const plan_node *filter, const plan_node *use)
{
    plan_statement *s = u->statement;
    const plan_node *plan = s->shared.items[u->id];
    expr **columns = arena_alloc_array(s->memory, use->columns.count + 1, sizeof *columns),
         *arm = NULL;
    if (!columns)
        return status_no_memory("plan", use->columns.count * sizeof *columns);
    for (size_t i = 0; i < use->columns.count; i++) {
        const plan_column *c = &plan->columns.items[use->shared.sources.items[i]];
        columns[i] = plan_column_expr(s->memory, c);
        if (!columns[i])
            return status_no_memory("plan", sizeof **columns);
    }
    for (size_t i = 0; i < filter->filter.conditions.count; i++) {
        expr *e =
            expr_substitute(s->memory, filter->filter.conditions.items[i], &use->columns, columns);
        arm = e ? expr_new_and(s->memory, arm, e) : NULL;
        if (!arm)
            return status_no_memory("plan", sizeof *e);
    }
    return array_push(s->memory, &u->arms, arm);
}

static bool is_use(const use_search *u, const plan_node *node)
{
    return node->kind == PLAN_SHARED && node->shared.id == u->id;
}

static status find_uses(use_search *u, const plan_node *node)
{
    TRY(guard_check());
    if (node->kind == PLAN_FILTER && node->filter.conditions.count &&
        is_use(u, node->children[0]) && plan_is_repeatable(node))
        return add_arm(u, node, node->children[0]);
    u->is_needed |= is_use(u, node);
    for (uint32_t i = 0; i < node->child_count && !u->is_needed; i++)
        TRY(find_uses(u, node->children[i]));
    return STATUS_OK;
}

/* Finds the condition of rows that some use keeps; NULL: all rows, or nobody uses them. */
static status find_common(plan_statement *s, uint32_t id, expr **out)
{
    use_search u = {.statement = s, .id = id};
    *out = NULL;
    TRY(find_uses(&u, s->root));
    for (size_t later = id + 1; later < s->shared.count; later++)
        TRY(find_uses(&u, s->shared.items[later]));
    if (u.is_needed || !u.arms.count)
        return STATUS_OK;
    *out = u.arms.items[0];
    if (u.arms.count > 1)
        *out = expr_new_call(s->memory, EXPR_OR, type_make(TYPE_BOOL), u.arms.items,
                             (uint32_t)u.arms.count, -1);
    return *out ? STATUS_OK : status_no_memory("plan", sizeof **out);
}

/* Later plans may use earlier ones. With fewer rows in them, what reads them is ordered anew. */
status rewrite_shared_filters(plan_statement *statement)
{
    bool is_changed = false;
    if (!plan_rule_is_on(statement, RULE_filter_pushdown))
        return STATUS_OK;
    for (size_t id = statement->shared.count; id-- > 0;) {
        expr_list conditions = {0};
        expr *common;
        TRY(find_common(statement, (uint32_t)id, &common));
        if (!common)
            continue;
        TRY(plan_split_condition(statement->memory, common, &conditions));
        TRY(plan_push_conditions(statement, &conditions, &statement->shared.items[id]));
        is_changed = true;
    }
    return is_changed ? rewrite_filters(statement) : STATUS_OK;
}
