/* rewrite_range_joins.c - inequalities between the two sides of a join become what its build rows
 * are sorted by: a row's partners are then looked up, not tried one by one.
 *
 * The first expression of the build side may have a bound each way (b.t >= a.t and b.t < a.t + 5);
 * a second one (b.lo <= a.x and b.hi >= a.x are two) has one. Other conditions stay in the
 * residual. */

#include "base/system/guard.h"
#include "plan/edit/shared.h"
#include "plan/nodes/visit.h"
#include "plan/tree/column_set.h"
#include "plan/tree/estimate.h"
#include "plan/tree/expr.h"
#include "plan/tree/plan.h"
#include "plan/tree/rule.h"

/* Fewer build rows for each probe row are tried sooner than looked up: of all, of those with its
 * keys. */
#define ROWS_MIN 2
#define ROWS_OF_KEY_MIN 4
/* A build side may be so many times as large as the other if all its bounds are on one
 * expression. */
#define BUILD_LARGER 8

/* A comparison seen from the build side: of the side's expression with the other's. */
typedef struct bound {
    expr *condition;
    const expr *build;
    bool is_lower; /* build > or >= probe */
} bound;

typedef ARRAY(bound) bound_list;

static bool is_inequality(const expr *e)
{
    return e->kind == EXPR_CALL &&
           (e->op == EXPR_LT || e->op == EXPR_LE || e->op == EXPR_GT || e->op == EXPR_GE);
}

static bool range_joins_is_of(const column_set *set, const expr *e)
{
    return column_set_covers(set, e) && column_set_meets(set, e);
}

static bool range_joins_same_type(const expr *left, const expr *right)
{
    return left->type.id == right->type.id && left->type.scale == right->type.scale;
}

/* The bounds among the conditions, if the build side is the one whose columns these are. */
static status range_joins_find_bounds(arena *a, const expr_list *conditions,
                                      const column_set *build, const column_set *probe,
                                      bound_list *out)
{
    *out = (bound_list){0};
    for (size_t i = 0; i < conditions->count; i++) {
        expr *e = conditions->items[i];
        bool is_greater = e->op == EXPR_GT || e->op == EXPR_GE;
        if (!is_inequality(e) || !range_joins_same_type(e->args[0], e->args[1]))
            continue;
        for (unsigned side = 0; side < 2; side++)
            if (range_joins_is_of(build, e->args[side]) &&
                range_joins_is_of(probe, e->args[!side])) {
                bound b = {e, e->args[side], is_greater == (side == 0)};
                TRY(array_push(a, out, b));
            }
    }
    return STATUS_OK;
}

/* The other bound of the same expression; NULL: none. */
static const bound *find_opposite(const bound_list *list, const bound *b)
{
    for (size_t i = 0; i < list->count; i++)
        if (list->items[i].is_lower != b->is_lower && expr_equal(list->items[i].build, b->build))
            return &list->items[i];
    return NULL;
}

/* The first bound of another expression than b's; NULL: none. */
static const bound *range_joins_find_second(const bound_list *list, const bound *b)
{
    for (size_t i = 0; i < list->count; i++)
        if (!expr_equal(list->items[i].build, b->build))
            return &list->items[i];
    return NULL;
}

/* Chooses bounds, best first: an expression bounded both ways. */
static status range_joins_choose(arena *a, const bound_list *list, expr_list *out,
                                 bool *out_is_band)
{
    const bound *first = NULL, *opposite = NULL;
    *out = (expr_list){0};
    for (size_t i = 0; i < list->count && !opposite; i++) {
        opposite = find_opposite(list, &list->items[i]);
        if (!first || opposite)
            first = &list->items[i];
    }
    *out_is_band = opposite != NULL;
    if (!first)
        return STATUS_OK;
    TRY(array_push(a, out, first->condition));
    if (opposite)
        TRY(array_push(a, out, opposite->condition));
    const bound *second = range_joins_find_second(list, first);
    return second ? array_push(a, out, second->condition) : STATUS_OK;
}

static bool may_swap(plan_join_type type)
{
    return type == JOIN_INNER || type == JOIN_LEFT || type == JOIN_RIGHT || type == JOIN_FULL;
}

static bool may_have_ranges(plan_join_type type)
{
    return may_swap(type) || type == JOIN_SEMI || type == JOIN_ANTI;
}

/* How many build rows have a probe row's keys, about. */
static double build_rows(const plan_node *join)
{
    unsigned side = join->join.build_left ? 0 : 1;
    const expr_list *keys = side ? &join->join.right_keys : &join->join.left_keys;
    double rows = join->children[side]->estimated_rows, values = 1;
    for (size_t k = 0; k < keys->count; k++)
        values *= plan_distinct(join->children[side], keys->items[k], rows);
    return rows / (values < 1 ? 1 : values);
}

/* Returns whether a condition is of a column that ends ranges of which no two overlap. */
static bool range_joins_are_disjoint(const plan_statement *s, const expr_list *conditions)
{
    for (size_t i = 0; i < conditions->count; i++)
        for (uint32_t k = 0; is_inequality(conditions->items[i]) && k < 2; k++) {
            const expr *e = conditions->items[i]->args[k];
            while (e->kind == EXPR_CAST)
                e = e->args[0];
            for (size_t end = 0; e->kind == EXPR_COLUMN && end < s->range_ends.count; end++)
                if (s->range_ends.items[end] == e->column_id)
                    return true;
        }
    return false;
}

/* Takes ranges. If ranges of one side do not overlap, each row of the other is in one of them: the smaller side is built on,
 * as its rows are sorted. If one side has a single expression between the bounds and is not much larger, it is built on; else the side that was
 * chosen, or, without keys, the smaller one. */
static status range_joins_take_ranges(plan_statement *s, plan_node *join,
                                      const expr_list *conditions)
{
    column_set sides[2];
    bound_list bounds[2];
    expr_list chosen[2];
    bool is_band[2];
    for (unsigned side = 0; side < 2; side++) {
        TRY(column_set_new(s->memory, s->next_column_id, &sides[side]));
        column_set_add_node(&sides[side], join->children[side]);
    }
    for (unsigned side = 0; side < 2; side++) {
        TRY(range_joins_find_bounds(s->memory, conditions, &sides[side], &sides[!side],
                                    &bounds[side]));
        TRY(range_joins_choose(s->memory, &bounds[side], &chosen[side], &is_band[side]));
    }
    double rows[2] = {join->children[0]->estimated_rows, join->children[1]->estimated_rows};
    unsigned build = join->join.build_left ? 0 : 1;
    if (may_swap(join->join.type) && !join->join.left_keys.count) {
        build = rows[0] < rows[1] ? 0 : 1;
        if (is_band[!build] && !is_band[build] && rows[!build] < rows[build] * BUILD_LARGER)
            build = !build;
    }
    bool is_disjoint = may_swap(join->join.type) && (is_band[0] || is_band[1]) &&
                       range_joins_are_disjoint(s, conditions);
    if (is_disjoint) {
        build = is_band[0] ? 0 : 1;
        build = rows[!build] < rows[build] ? !build : build;
    }
    if (!chosen[build].count)
        return STATUS_OK;
    bool was_left = join->join.build_left;
    join->join.build_left = build == 0;
    if (!is_disjoint &&
        build_rows(join) < (join->join.left_keys.count ? ROWS_OF_KEY_MIN : ROWS_MIN))
        join->join.build_left = was_left;
    else
        join->join.ranges = chosen[build];
    return STATUS_OK;
}

static bool rewrite_range_joins_is_taken(const plan_node *join, const expr *condition)
{
    for (size_t i = 0; i < join->join.ranges.count; i++)
        if (join->join.ranges.items[i] == condition)
            return true;
    return false;
}

static status range_joins_rewrite_join(plan_statement *s, plan_node *join)
{
    expr_list conditions = {0};
    if (!join->join.residual || !may_have_ranges(join->join.type))
        return STATUS_OK;
    TRY(expr_split_and(s->memory, join->join.residual, &conditions));
    TRY(range_joins_take_ranges(s, join, &conditions));
    if (!join->join.ranges.count)
        return STATUS_OK;
    join->join.residual = NULL;
    for (size_t i = 0; i < conditions.count; i++) {
        if (rewrite_range_joins_is_taken(join, conditions.items[i]))
            continue;
        join->join.residual = expr_new_and(s->memory, join->join.residual, conditions.items[i]);
        if (!join->join.residual)
            return status_no_memory("plan", sizeof *join->join.residual);
    }
    return STATUS_OK;
}

static status range_joins_rewrite(plan_statement *s, plan_node *node, plan_node **out)
{
    TRY(guard_check());
    *out = node;
    for (uint32_t i = 0; i < node->child_count; i++)
        TRY(range_joins_rewrite(s, node->children[i], &node->children[i]));
    return node->kind == PLAN_JOIN ? range_joins_rewrite_join(s, node) : STATUS_OK;
}

status rewrite_range_joins(plan_statement *statement)
{
    return plan_each_tree(statement, range_joins_rewrite);
}
