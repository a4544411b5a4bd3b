/* plan.c - making plan nodes, their names, and walking their expressions. */
#include "plan/plan.h"

plan_node *plan_node_new(arena *a, plan_kind kind, uint32_t child_count)
{
    plan_node *node = arena_alloc(a, sizeof *node);
    if (!node)
        return NULL;
    node->kind = kind;
    node->position = -1;
    node->estimated_rows = node->estimated_bytes = -1;
    node->child_count = child_count;
    if (child_count) {
        node->children = arena_alloc_array(a, child_count, sizeof *node->children);
        if (!node->children)
            return NULL;
    }
    return node;
}

int plan_column_index(const plan_node *node, uint32_t id)
{
    for (size_t i = 0; i < node->columns.count; i++)
        if (node->columns.items[i].id == id)
            return (int)i;
    return -1;
}

static void visit_list(expr_list *list, void (*visit)(expr **slot, void *context), void *context)
{
    for (size_t i = 0; i < list->count; i++)
        visit(&list->items[i], context);
}

static void visit_optional(expr **slot, void (*visit)(expr **slot, void *context), void *context)
{
    if (*slot)
        visit(slot, context);
}

void plan_visit_exprs(plan_node *node, void (*visit)(expr **slot, void *context), void *context)
{
    switch (node->kind) {
    case PLAN_SCAN:
        visit_list(&node->scan.filters, visit, context);
        break;
    case PLAN_VALUES:
        for (size_t row = 0; row < node->values.rows.count; row++)
            for (size_t i = 0; i < node->columns.count; i++)
                visit(&node->values.rows.items[row][i], context);
        break;
    case PLAN_FILTER:
        visit_list(&node->filter.conditions, visit, context);
        break;
    case PLAN_PROJECT:
        visit_list(&node->project.exprs, visit, context);
        break;
    case PLAN_AGGREGATE:
        visit_list(&node->aggregate.groups, visit, context);
        for (size_t i = 0; i < node->aggregate.aggregates.count; i++) {
            visit_optional(&node->aggregate.aggregates.items[i].argument, visit, context);
            visit_optional(&node->aggregate.aggregates.items[i].filter, visit, context);
        }
        break;
    case PLAN_JOIN:
        visit_list(&node->join.left_keys, visit, context);
        visit_list(&node->join.right_keys, visit, context);
        visit_optional(&node->join.residual, visit, context);
        break;
    case PLAN_SORT:
        for (size_t i = 0; i < node->sort.keys.count; i++)
            visit(&node->sort.keys.items[i].key, context);
        break;
    case PLAN_REPEAT:
        visit(&node->repeat.count, context);
        break;
    case PLAN_LIMIT:
    case PLAN_UNION:
    case PLAN_SINGLE_ROW:
    case PLAN_SHARED:
        break;
    }
}

const char *plan_kind_name(plan_kind kind)
{
    static const char *const names[] = {
        [PLAN_SCAN] = "scan",           [PLAN_VALUES] = "values",
        [PLAN_FILTER] = "filter",       [PLAN_PROJECT] = "project",
        [PLAN_AGGREGATE] = "aggregate", [PLAN_JOIN] = "join",
        [PLAN_SORT] = "sort",           [PLAN_LIMIT] = "limit",
        [PLAN_UNION] = "union all",     [PLAN_SINGLE_ROW] = "single row",
        [PLAN_REPEAT] = "repeat",       [PLAN_SHARED] = "shared",
    };
    return names[kind];
}

const char *plan_join_name(plan_join_type type, bool build_left)
{
    static const char *const names[][2] = {
        [JOIN_INNER] = {"inner join", "inner join, build left"},
        [JOIN_LEFT] = {"left join", "left join, build left"},
        [JOIN_RIGHT] = {"right join", "right join, build left"},
        [JOIN_FULL] = {"full join", "full join, build left"},
        [JOIN_SEMI] = {"semi join", "semi join, build left"},
        [JOIN_ANTI] = {"anti join", "anti join, build left"},
        [JOIN_ANTI_NULL] = {"null-aware anti join", "null-aware anti join, build left"},
        [JOIN_MARK] = {"mark join", "mark join, build left"},
        [JOIN_SINGLE] = {"single join", "single join, build left"},
    };
    return names[type][build_left];
}

const char *plan_aggregate_name(plan_aggregate_function function)
{
    static const char *const names[] = {
#define AGGREGATE(name, sql, help) sql,
#include "plan/aggregates.def"
#undef AGGREGATE
    };
    return names[function];
}
