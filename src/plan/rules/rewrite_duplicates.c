/* rewrite_duplicates.c - rows that only repeat others are not made where nobody can tell.
 *
 * Whether a row comes once or several times makes no difference to a semi or anti join's right side, nor below
 * DISTINCT and aggregates such as min, nor to a common subplan all of whose uses are such:
 *
 *     semi join on x = a                          semi join on x = a
 *       ...                                         ...
 *       inner join on a = b  [a]          ->        semi join on a = b  [a]
 *
 *     aggregate groups [a, b]                     aggregate groups [a, b]
 *       union all                         ->        union all
 *         aggregate groups [a, b]                     project [a, b]
 *
 * A join of which one side's columns are read becomes a semi join, which stops at a row's first partner and
 * makes no pairs; an outer one that keeps all rows of that side becomes the side, also if the other one has at most one
 * row for each of them. Equal rows that are put
 * together once more later need not be before. */
#include "base/system/guard.h"
#include "plan/edit/repeatable.h"
#include "plan/edit/shared.h"
#include "plan/nodes/node.h"
#include "plan/nodes/prune.h"
#include "plan/tree/rule.h"

/* How a node's rows are seen from above. */
typedef enum view {
    VIEW_COUNTED,  /* each makes a difference */
    VIEW_SET,      /* only which there are */
    VIEW_DISTINCT, /* the same, and equal ones are put together next */
} view;

typedef struct search {
    plan_statement *statement;
    bool *are_counted; /* by id of a shared plan: by some use */
} search;

static status duplicates_walk(search *s, plan_node **slot, view seen);

/* Nothing but groups: DISTINCT. */
static bool duplicates_is_distinct(const plan_node *node)
{
    return node->kind == PLAN_AGGREGATE && !node->aggregate.aggregates.count &&
           node->aggregate.groups.count && !node->aggregate.enough;
}

static bool ignores_repeats(const plan_node *node)
{
    for (size_t i = 0; i < node->aggregate.aggregates.count; i++) {
        const plan_aggregate *a = &node->aggregate.aggregates.items[i];
        if (!a->is_distinct && !plan_aggregate_ignores_distinct(a->function))
            return false;
    }
    return true;
}

static bool are_plain(const expr_list *exprs)
{
    for (size_t i = 0; i < exprs->count; i++)
        if (exprs->items[i]->kind != EXPR_COLUMN && exprs->items[i]->kind != EXPR_CONSTANT)
            return false;
    return true;
}

static status walk_aggregate(search *s, plan_node **slot, view seen)
{
    plan_node *node = *slot;
    if (!duplicates_is_distinct(node) || seen != VIEW_DISTINCT ||
        !are_plain(&node->aggregate.groups)) {
        view below = duplicates_is_distinct(node) ? VIEW_DISTINCT
                     : ignores_repeats(node)      ? VIEW_SET
                                                  : VIEW_COUNTED;
        return duplicates_walk(s, &node->children[0], below);
    }
    plan_node *project = plan_node_new(s->statement->memory, PLAN_PROJECT, 1);
    if (!project)
        return status_no_memory("plan", sizeof *project);
    project->children[0] = node->children[0];
    project->columns = node->columns;
    project->project.exprs = node->aggregate.groups;
    plan_estimate(s->statement, project);
    *slot = project;
    return duplicates_walk(s, &project->children[0], VIEW_DISTINCT);
}

/* All columns of the join are this child's. */
static bool gives_only(const plan_node *join, const plan_node *child)
{
    for (size_t i = 0; i < join->columns.count; i++)
        if (plan_column_index(child, join->columns.items[i].id) < 0)
            return false;
    return true;
}

/* The side that nobody reads becomes the right one; what is built on stays. */
static void make_semi(const search *s, plan_node *join)
{
    bool is_swapped = !gives_only(join, join->children[0]);
    if (is_swapped) {
        plan_node *child = join->children[0];
        expr_list keys = join->join.left_keys;
        join->children[0] = join->children[1];
        join->children[1] = child;
        join->join.left_keys = join->join.right_keys;
        join->join.right_keys = keys;
        join->join.build_left = !join->join.build_left;
    }
    join->join.build_left = join->join.build_left && join->join.left_keys.count;
    join->join.type = JOIN_SEMI;
    plan_estimate(s->statement, join);
}

static bool can_be_semi(const plan_node *join)
{
    return join->join.type == JOIN_INNER && !join->join.ranges.count &&
           (gives_only(join, join->children[0]) || gives_only(join, join->children[1]));
}

/* The side whose rows all come through, and which alone is read; NULL: there is none. */
static plan_node *kept_alone(const plan_node *join)
{
    plan_join_type type = join->join.type;
    if (type != JOIN_LEFT && type != JOIN_RIGHT)
        return NULL;
    plan_node *kept = join->children[type == JOIN_RIGHT];
    return gives_only(join, kept) ? kept : NULL;
}

/* Returns whether the side that is not kept is groups, and the join's keys are all of theirs: at most one for a row. */
static bool has_one_partner(const plan_node *join)
{
    bool is_right = join->join.type == JOIN_LEFT;
    const plan_node *groups = join->children[is_right];
    const expr_list *keys = is_right ? &join->join.right_keys : &join->join.left_keys;
    if (groups->kind != PLAN_AGGREGATE)
        return false;
    for (size_t i = 0; i < groups->aggregate.groups.count; i++) {
        bool is_key = false;
        for (size_t k = 0; k < keys->count; k++)
            is_key |= keys->items[k]->kind == EXPR_COLUMN &&
                      keys->items[k]->column_id == groups->columns.items[i].id;
        if (!is_key)
            return false;
    }
    return true;
}

static status duplicates_walk_join(search *s, plan_node **slot, view seen)
{
    plan_node *join = *slot, *kept = kept_alone(join);
    view set = seen == VIEW_COUNTED ? VIEW_COUNTED : VIEW_SET, right = set;
    if (kept && (set == VIEW_SET || has_one_partner(join))) {
        TRY(plan_prune_to(s->statement, &kept, &join->columns));
        *slot = kept;
        return duplicates_walk(s, slot, seen);
    }
    if (set == VIEW_SET && can_be_semi(join))
        make_semi(s, join);
    switch (join->join.type) {
    case JOIN_SEMI:
    case JOIN_ANTI:
    case JOIN_ANTI_NULL:
    case JOIN_MARK:
        right = VIEW_SET;
        break;
    case JOIN_SINGLE: /* a second row is an error */
        right = VIEW_COUNTED;
        break;
    default:
        break;
    }
    TRY(duplicates_walk(s, &join->children[0], set));
    return duplicates_walk(s, &join->children[1], right);
}

static status duplicates_walk(search *s, plan_node **slot, view seen)
{
    TRY(guard_check());
    plan_node *node = *slot;
    if (!plan_is_repeatable(node))
        seen = VIEW_COUNTED;
    switch (node->kind) {
    case PLAN_AGGREGATE:
        return walk_aggregate(s, slot, seen);
    case PLAN_JOIN:
        return duplicates_walk_join(s, slot, seen);
    case PLAN_SHARED:
        s->are_counted[node->shared.id] |= seen == VIEW_COUNTED;
        return STATUS_OK;
    case PLAN_PROJECT:
        if (seen == VIEW_DISTINCT && !are_plain(&node->project.exprs))
            seen = VIEW_SET; /* computed for rows that would not have been there */
        break;
    case PLAN_UNION:
        break;
    case PLAN_FILTER:
        seen = seen == VIEW_COUNTED ? seen : VIEW_SET;
        break;
    default:
        seen = VIEW_COUNTED;
        break;
    }
    for (uint32_t i = 0; i < node->child_count; i++)
        TRY(duplicates_walk(s, &node->children[i], seen));
    return STATUS_OK;
}

/* Later shared plans may use earlier ones: all uses of one have been seen when it is looked at. */
status rewrite_duplicates(plan_statement *statement)
{
    search s = {.statement = statement};
    s.are_counted =
        arena_alloc_array(statement->memory, statement->shared.count + 1, sizeof *s.are_counted);
    if (!s.are_counted)
        return status_no_memory("plan", statement->shared.count);
    TRY(duplicates_walk(&s, &statement->root, VIEW_COUNTED));
    for (size_t id = statement->shared.count; id-- > 0;)
        TRY(duplicates_walk(&s, &statement->shared.items[id],
                            s.are_counted[id] ? VIEW_COUNTED : VIEW_SET));
    return plan_order_shared(statement); /* without those that nothing reads now */
}
