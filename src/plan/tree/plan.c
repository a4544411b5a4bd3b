/* plan.c - making plan nodes, finding their columns, names of joins, exchanges,
 * aggregates and functions of windows. */
#include "plan/tree/plan.h"

#include "base/system/guard.h"

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

plan_node *plan_limit_new(arena *a, plan_node *node, uint64_t rows)
{
    plan_node *limit = plan_node_new(a, PLAN_LIMIT, 1);
    if (!limit)
        return NULL;
    limit->columns = node->columns;
    limit->position = node->position;
    limit->estimated_rows = (double)rows;
    limit->limit.has_limit = true;
    limit->limit.limit = rows;
    limit->children[0] = node;
    return limit;
}

size_t plan_series_columns(const plan_node *node)
{
    return node->series.has_number ? 2 : 1;
}

/* Lists in which a thread remembers where it has found a column. */
#define FOUND_LISTS 16

typedef struct found_place {
    const plan_column *columns;
    size_t place;
} found_place;

/* Rules ask for one column after the other: each search begins where the one before it has ended, so that asking for all
 * columns of a list takes linear time. The place is no more than a place to begin at: lists change. */
static found_place *found_in(const plan_column *columns)
{
    static _Thread_local found_place places[FOUND_LISTS];
    found_place *found = &places[((uintptr_t)columns >> 4) * 0x9e3779b1u % FOUND_LISTS];
    if (found->columns != columns)
        *found = (found_place){.columns = columns};
    return found;
}

/* Returns the place of the column with this id in a list, or -1. */
static int plan_find_column(const plan_column *columns, size_t count, uint32_t id)
{
    found_place *found = found_in(columns);
    size_t at = found->place < count ? found->place : 0;
    for (size_t i = 0; i < count; i++, at = at + 1 < count ? at + 1 : 0) {
        if (columns[at].id != id)
            continue;
        found->place = at;
        return (int)at;
    }
    return -1;
}

expr *plan_column_expr(arena *a, const plan_column *column)
{
    return expr_new_column(a, column->id, column->type, column->is_nullable, column->name);
}

status plan_project_add(arena *a, plan_node *project, plan_column column, expr *value)
{
    if (!value)
        return status_no_memory("plan", sizeof *value);
    TRY(array_push(a, &project->columns, column));
    return array_push(a, &project->project.exprs, value);
}

int plan_column_index(const plan_node *node, uint32_t id)
{
    return plan_find_column(node->columns.items, node->columns.count, id);
}

bool plan_is_kept_back(const plan_node *node, uint32_t column_id)
{
    int column = plan_column_index(node, column_id);
    if (column < 0)
        return false;
    if (node->kind == PLAN_SCAN)
        return node->scan.filter_only.count && node->scan.filter_only.items[column];
    for (uint32_t i = 0; i < node->child_count; i++)
        if (plan_is_kept_back(node->children[i], column_id))
            return true;
    return false;
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

const char *plan_exchange_name(plan_exchange_kind kind)
{
    static const char *const names[] = {[EXCHANGE_GATHER] = "gather",
                                        [EXCHANGE_HASH] = "repartition",
                                        [EXCHANGE_BROADCAST] = "broadcast",
                                        [EXCHANGE_MERGE] = "merge",
                                        [EXCHANGE_RANGES] = "repartition by ranges",
                                        [EXCHANGE_APPEND] = "append",
                                        [EXCHANGE_LATER] = "give to later ranks",
                                        [EXCHANGE_EARLIER] = "give to earlier ranks"};
    return names[kind];
}

bool plan_exchange_has_root(plan_exchange_kind kind)
{
    return kind == EXCHANGE_GATHER || kind == EXCHANGE_MERGE || kind == EXCHANGE_APPEND;
}

const char *plan_aggregate_name(plan_aggregate_function function)
{
    static const char *const names[] = {
#define AGGREGATE(name, sql, argument, type, state, operation, result, ignores_distinct, help) sql,
#include "plan/tree/aggregates.def"
    };
    return names[function];
}

bool plan_aggregate_ignores_distinct(plan_aggregate_function function)
{
    static const bool ignores[] = {
#define AGGREGATE(name, sql, argument, type, state, operation, result, ignores_distinct, help)     \
    ignores_distinct,
#include "plan/tree/aggregates.def"
    };
    return ignores[function];
}

const char *plan_window_name(plan_window_function function)
{
    static const char *const names[] = {
#define WINDOW_FUNCTION(name, sql, arguments, least, most, type, help) sql,
#include "plan/tree/windows.def"
        [WINDOW_STRING_AGG] = "string_agg",
        [WINDOW_STRING_AGG_DISTINCT] = "string_agg distinct",
        [WINDOW_STRING_AGG_FRAME] = "string_agg",
        [WINDOW_VALUE_OF_LEAST] = "arg_min",
        [WINDOW_VALUE_OF_GREATEST] = "arg_max",
        [WINDOW_QUANTILE] = "quantile_cont",
        [WINDOW_QUANTILE_VALUE] = "quantile_disc",
        [WINDOW_MODE] = "mode",
        [WINDOW_DISTINCT] = "distinct",
    };
    return names[function];
}

expr *expr_substitute(arena *a, expr *e, const plan_column_list *from, expr *const *to)
{
    if (!guard_may_go_on())
        return NULL;
    if (e->kind == EXPR_COLUMN) {
        int place = plan_find_column(from->items, from->count, e->column_id);
        return place < 0 ? e : to[place];
    }
    expr *copy = NULL;
    for (uint32_t i = 0; i < e->arg_count; i++) {
        expr *arg = expr_substitute(a, e->args[i], from, to);
        if (!arg)
            return NULL;
        if (arg == e->args[i])
            continue;
        if (!copy) {
            copy = arena_alloc(a, sizeof *copy);
            expr **args = arena_alloc_array(a, e->arg_count, sizeof *args);
            if (!copy || !args)
                return NULL;
            *copy = *e;
            memcpy(args, e->args, e->arg_count * sizeof *args);
            copy->args = args;
        }
        copy->args[i] = arg;
    }
    return copy ? copy : e;
}
