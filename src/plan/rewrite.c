/* rewrite.c - column sets, substitution, and other tools of the rewrites. */
#include "plan/rewrite.h"

#include "base/guard.h"
#include "plan/function.h"

status column_set_new(arena *a, uint32_t bit_count, column_set *out)
{
    out->bit_count = bit_count;
    out->words = arena_alloc_array(a, bit_count / 64 + 1, sizeof *out->words);
    return out->words ? STATUS_OK : status_no_memory("column set", bit_count / 8);
}

status column_set_copy(arena *a, const column_set *set, column_set *out)
{
    TRY(column_set_new(a, set->bit_count, out));
    memcpy(out->words, set->words, (set->bit_count / 64 + 1) * sizeof *set->words);
    return STATUS_OK;
}

void column_set_add(column_set *set, uint32_t id)
{
    if (id < set->bit_count)
        set->words[id / 64] |= (uint64_t)1 << (id % 64);
}

bool column_set_has(const column_set *set, uint32_t id)
{
    return id < set->bit_count && set->words[id / 64] >> (id % 64) & 1;
}

void column_set_add_node(column_set *set, const plan_node *node)
{
    for (size_t i = 0; i < node->columns.count; i++)
        column_set_add(set, node->columns.items[i].id);
}

static void add_visited(uint32_t id, void *context)
{
    column_set_add(context, id);
}

void column_set_add_expr(column_set *set, const expr *e)
{
    expr_visit_columns(e, add_visited, set);
}

void column_set_add_list(column_set *set, const expr_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        column_set_add_expr(set, list->items[i]);
}

typedef struct check {
    const column_set *set;
    bool has_all, has_one;
} check;

static void check_visited(uint32_t id, void *context)
{
    check *c = context;
    bool has = column_set_has(c->set, id);
    c->has_all &= has;
    c->has_one |= has;
}

bool column_set_covers(const column_set *set, const expr *e)
{
    check c = {set, true, false};
    expr_visit_columns(e, check_visited, &c);
    return c.has_all;
}

bool column_set_meets(const column_set *set, const expr *e)
{
    check c = {set, true, false};
    expr_visit_columns(e, check_visited, &c);
    return c.has_one;
}

expr *expr_substitute(arena *a, expr *e, const plan_column_list *from, expr *const *to)
{
    if (!guard_may_go_on())
        return NULL;
    if (e->kind == EXPR_COLUMN) {
        for (size_t i = 0; i < from->count; i++)
            if (from->items[i].id == e->column_id)
                return to[i];
        return e;
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

static void look_repeatable(expr **slot, void *context)
{
    *(bool *)context &= !*slot || !expr_is_volatile(*slot);
}

bool plan_is_repeatable(const plan_node *node)
{
    bool is_repeatable = true;
    plan_visit_exprs((plan_node *)node, look_repeatable, &is_repeatable);
    return is_repeatable;
}

static bool expr_and_plans_are_repeatable(const expr *e)
{
    if (e->kind == EXPR_SUBQUERY && !plan_tree_is_repeatable(e->subquery))
        return false;
    if (e->kind == EXPR_CALL && function_is_volatile(e->op))
        return false;
    for (uint32_t i = 0; i < e->arg_count; i++)
        if (!expr_and_plans_are_repeatable(e->args[i]))
            return false;
    return true;
}

static void look_tree_repeatable(expr **slot, void *context)
{
    *(bool *)context &= !*slot || expr_and_plans_are_repeatable(*slot);
}

bool plan_tree_is_repeatable(const plan_node *node)
{
    bool is_repeatable = true;
    plan_visit_exprs((plan_node *)node, look_tree_repeatable, &is_repeatable);
    for (uint32_t i = 0; i < node->child_count && is_repeatable; i++)
        is_repeatable = plan_tree_is_repeatable(node->children[i]);
    return is_repeatable;
}

status plan_filter_over(arena *a, plan_node *node, const expr_list *conditions, plan_node **out)
{
    *out = node;
    if (!conditions->count)
        return STATUS_OK;
    plan_node *filter = plan_node_new(a, PLAN_FILTER, 1);
    if (!filter)
        return status_no_memory("plan", sizeof *filter);
    filter->children[0] = node;
    filter->columns = node->columns;
    filter->filter.conditions = *conditions;
    *out = filter;
    return STATUS_OK;
}

void plan_choose_build_side(const plan_statement *statement, plan_node *join)
{
    plan_join_type type = join->join.type;
    bool is_reducer = type == JOIN_SEMI || type == JOIN_ANTI;
    join->join.build_left =
        plan_rule_is_on(statement, RULE_build_side) &&
        (type == JOIN_LEFT || (is_reducer && join->join.left_keys.count)) &&
        join->children[0]->estimated_rows * 2 < join->children[1]->estimated_rows;
}

status plan_join_columns(arena *a, plan_node *join)
{
    plan_join_type type = join->join.type;
    plan_column_list columns = {0};
    bool left_only = type == JOIN_SEMI || type == JOIN_ANTI || type == JOIN_ANTI_NULL;
    for (int side = 0; side < (left_only ? 1 : 2); side++) {
        const plan_column_list *from = &join->children[side]->columns;
        bool becomes_nullable = side ? type == JOIN_LEFT || type == JOIN_FULL || type == JOIN_SINGLE
                                     : type == JOIN_RIGHT || type == JOIN_FULL;
        for (size_t i = 0; i < from->count; i++) {
            plan_column column = from->items[i];
            column.is_nullable |= becomes_nullable;
            TRY(array_push(a, &columns, column));
        }
    }
    join->columns = columns;
    return STATUS_OK;
}
