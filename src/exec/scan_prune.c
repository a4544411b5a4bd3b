/* scan_prune.c - row groups against conditions, by statistics. */
#include "exec/scan_prune.h"

static const pq_statistics *statistics_of(const plan_node *plan, const pq_table *table,
                                          const pq_row_group *group, uint32_t column_id)
{
    int column = plan_column_index(plan, column_id);
    if (column < 0)
        return NULL;
    uint32_t leaf = table->columns.items[plan->scan.sources.items[column]].leaf;
    return &group->chunks[leaf].statistics;
}

static bool is_comparable(const pq_statistics *s, const value *bound)
{
    return s && s->has_min && s->has_max && !bound->is_null &&
           type_equal(s->min.type, bound->type) && !type_is_text(bound->type);
}

/* No value of [min, max] compares so with the constant. Text bounds may be cut short: they are left
 * to the page's values. */
static bool comparison_excludes(const pq_statistics *s, expr_op op, const value *bound)
{
    if (!is_comparable(s, bound))
        return false;
    int low = value_compare(&s->min, bound), high = value_compare(&s->max, bound);
    switch (op) {
    case EXPR_EQ:
        return low > 0 || high < 0;
    case EXPR_LT:
        return low >= 0;
    case EXPR_LE:
        return low > 0;
    case EXPR_GT:
        return high <= 0;
    case EXPR_GE:
        return high < 0;
    default:
        return false;
    }
}

static expr_op mirrored(expr_op op)
{
    switch (op) {
    case EXPR_LT:
        return EXPR_GT;
    case EXPR_LE:
        return EXPR_GE;
    case EXPR_GT:
        return EXPR_LT;
    case EXPR_GE:
        return EXPR_LE;
    default:
        return op;
    }
}

static bool condition_excludes(const plan_node *plan, const pq_table *table,
                               const pq_row_group *group, const expr *e)
{
    if (e->kind != EXPR_CALL || e->arg_count < 2)
        return false;
    const expr *left = e->args[0], *right = e->args[1];
    if (e->op == EXPR_AND) {
        for (uint32_t i = 0; i < e->arg_count; i++)
            if (condition_excludes(plan, table, group, e->args[i]))
                return true;
        return false;
    }
    if (e->op == EXPR_OR) {
        for (uint32_t i = 0; i < e->arg_count; i++)
            if (!condition_excludes(plan, table, group, e->args[i]))
                return false;
        return true;
    }
    if (left->kind == EXPR_COLUMN && right->kind == EXPR_CONSTANT && e->arg_count == 2)
        return comparison_excludes(statistics_of(plan, table, group, left->column_id), e->op,
                                   &right->constant);
    if (left->kind == EXPR_CONSTANT && right->kind == EXPR_COLUMN)
        return comparison_excludes(statistics_of(plan, table, group, right->column_id),
                                   mirrored(e->op), &left->constant);
    return false;
}

static bool runtime_excludes(exec_query *query, const plan_node *plan, const pq_table *table,
                             const pq_row_group *group, const plan_runtime_filter *planned)
{
    const runtime_filter *filter = exec_runtime_filter(query, planned->id);
    if (!atomic_load_explicit(&filter->is_published, memory_order_acquire))
        return false;
    if (filter->is_empty)
        return true;
    const pq_statistics *s = statistics_of(plan, table, group, planned->column_id);
    if (!filter->has_range || !s || !s->has_min || !s->has_max || type_is_text(s->min.type) ||
        s->min.type.id == TYPE_DOUBLE || s->min.type.id == TYPE_FLOAT)
        return false;
    return value_int128(&s->min) > filter->range_max || value_int128(&s->max) < filter->range_min;
}

bool scan_prune(exec_query *query, const plan_node *plan, const pq_table *table,
                const pq_row_group *group)
{
    for (size_t i = 0; i < plan->scan.filters.count; i++)
        if (condition_excludes(plan, table, group, plan->scan.filters.items[i]))
            return true;
    for (size_t i = 0; i < plan->scan.runtime_filters.count; i++)
        if (runtime_excludes(query, plan, table, group, &plan->scan.runtime_filters.items[i]))
            return true;
    return false;
}
