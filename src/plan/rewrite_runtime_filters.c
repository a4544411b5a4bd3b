/* rewrite_runtime_filters.c - which scans can drop rows by what a join's build side has: those that
 * give the probe side's key, through nodes that neither make rows of their own nor change it. */
#include "plan/rewrite.h"

static plan_node *find_scan(plan_node *node, uint32_t *id)
{
    switch (node->kind) {
    case PLAN_SCAN:
        return plan_column_index(node, *id) >= 0 ? node : NULL;
    case PLAN_FILTER:
        return find_scan(node->children[0], id);
    case PLAN_PROJECT:
    case PLAN_AGGREGATE: {
        const expr_list *exprs =
            node->kind == PLAN_PROJECT ? &node->project.exprs : &node->aggregate.groups;
        for (size_t i = 0; i < exprs->count; i++)
            if (node->columns.items[i].id == *id) {
                if (exprs->items[i]->kind != EXPR_COLUMN)
                    return NULL;
                *id = exprs->items[i]->column_id;
                return find_scan(node->children[0], id);
            }
        return NULL;
    }
    case PLAN_JOIN: {
        /* Rows that an outer join's other side lacks come out with NULLs: only the kept side may
         * lose rows. */
        plan_node *scan = NULL;
        plan_join_type type = node->join.type;
        bool may_left = type != JOIN_RIGHT && type != JOIN_FULL;
        bool may_right = type == JOIN_INNER || type == JOIN_RIGHT;
        if (may_left && plan_column_index(node->children[0], *id) >= 0)
            scan = find_scan(node->children[0], id);
        else if (may_right && plan_column_index(node->children[1], *id) >= 0)
            scan = find_scan(node->children[1], id);
        return scan;
    }
    default:
        return NULL;
    }
}

static bool is_integer_like(data_type type)
{
    return type_is_integer(type) || type.id == TYPE_DATE;
}

static status offer(plan_statement *s, plan_node *join)
{
    for (size_t k = 0; k < join->join.left_keys.count; k++) {
        const expr *probe = join->join.left_keys.items[k];
        if (probe->kind != EXPR_COLUMN || !is_integer_like(probe->type) ||
            probe->type.id == TYPE_UINT64)
            continue;
        uint32_t id = probe->column_id;
        plan_node *scan = find_scan(join->children[0], &id);
        if (!scan || join->children[1]->estimated_rows > scan->estimated_rows)
            continue;
        uint32_t number = s->runtime_filter_count++;
        TRY(array_push(s->memory, &join->join.runtime_filters,
                       ((plan_runtime_filter){number, (uint32_t)k})));
        TRY(array_push(s->memory, &scan->scan.runtime_filters,
                       ((plan_runtime_filter){number, id})));
    }
    return STATUS_OK;
}

static status walk(plan_statement *s, plan_node *node)
{
    bool drops_probe_rows = node->kind == PLAN_JOIN && !node->join.null_equal &&
                            !node->join.build_left &&
                            (node->join.type == JOIN_INNER || node->join.type == JOIN_SEMI);
    if (drops_probe_rows)
        TRY(offer(s, node));
    for (uint32_t i = 0; i < node->child_count; i++)
        TRY(walk(s, node->children[i]));
    return STATUS_OK;
}

status rewrite_runtime_filters(plan_statement *statement)
{
    for (size_t i = 0; i < statement->shared.count; i++)
        TRY(walk(statement, statement->shared.items[i]));
    return walk(statement, statement->root);
}
