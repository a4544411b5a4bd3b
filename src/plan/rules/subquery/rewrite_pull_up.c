/* rewrite_pull_up.c - what ties a subquery to the rows outside is taken out of its filters and becomes
 * a join's condition; through an aggregate it can go where it is an equality, whose inner side
 * becomes a group. */

#include "plan/rules/subquery/rewrite_pull_up.h"

#include "base/system/guard.h"
#include "plan/nodes/node_filter.h"
#include "plan/nodes/node_join.h"
#include "plan/nodes/visit.h"
#include "plan/rules/subquery/rewrite_last_aggregate.h"

static status pull_up_no_memory(void)
{
    return status_no_memory("plan", sizeof(plan_node));
}

status plan_unnesting_unsupported(const plan_unnesting *u, const char *what)
{
    status st = status_new(STATUS_KIND_UNSUPPORTED,
                           "a subquery that refers to outer columns %s is not supported", what);
    return status_at(status_hint(st, "join the tables instead"), u->position);
}

static bool is_correlated(const plan_unnesting *u, const expr *e)
{
    return !column_set_covers(&u->inner, e);
}

/* The node makes this column of one below it, too. */
static status pull_up_pass_column(plan_unnesting *u, plan_node *node, const plan_column *column)
{
    arena *a = u->statement->memory;
    if (plan_column_index(node, column->id) >= 0)
        return STATUS_OK;
    if (node->kind == PLAN_PROJECT) {
        expr *e = plan_column_expr(a, column);
        if (!e)
            return pull_up_no_memory();
        TRY(array_push(a, &node->project.exprs, e));
    }
    return array_push(a, &node->columns, *column);
}

/* The child's columns that the conditions taken out read are made by the node as well. */
static status pass_needed(plan_unnesting *u, plan_node *node)
{
    column_set needed;
    TRY(column_set_new(u->statement->memory, u->statement->next_column_id, &needed));
    for (size_t i = 0; i < u->conditions.count; i++)
        column_set_add_expr(&needed, u->conditions.items[i]);
    const plan_column_list *columns = &node->children[0]->columns;
    for (size_t i = 0; i < columns->count; i++)
        if (column_set_has(&needed, columns->items[i].id))
            TRY(pull_up_pass_column(u, node, &columns->items[i]));
    return STATUS_OK;
}

/* Each condition must be inner = outer: the inner side becomes a group, and the condition compares
 * that. */
static status group_by_inner(plan_unnesting *u, plan_node *node, size_t first)
{
    plan_statement *s = u->statement;
    for (size_t i = first; i < u->conditions.count; i++) {
        expr *e = u->conditions.items[i];
        bool is_equality = e->kind == EXPR_CALL && e->op == EXPR_EQ;
        int side = !is_equality                               ? -1
                   : column_set_covers(&u->inner, e->args[0]) ? 0
                   : column_set_covers(&u->inner, e->args[1]) ? 1
                                                              : -1;
        if (side < 0 || column_set_meets(&u->inner, e->args[1 - side]))
            return plan_unnesting_unsupported(u, "below an aggregate other than by an equality");
        expr *inner = e->args[side];
        plan_column column = {s->next_column_id++, inner->name ? inner->name : "key", inner->type,
                              inner->is_nullable};
        /* Groups come before aggregates, in the columns too. */
        size_t at = node->aggregate.groups.count;
        TRY(array_push(s->memory, &node->aggregate.groups, inner));
        TRY(array_push(s->memory, &node->columns, column));
        for (size_t c = node->columns.count - 1; c > at; c--)
            node->columns.items[c] = node->columns.items[c - 1];
        node->columns.items[at] = column;
        expr *key = plan_column_expr(s->memory, &column);
        expr *pair[] = {key, e->args[1 - side]};
        expr *equal =
            key ? expr_new_call(s->memory, EXPR_EQ, type_make(TYPE_BOOL), pair, 2, e->position)
                : NULL;
        if (!equal)
            return pull_up_no_memory();
        u->conditions.items[i] = equal;
    }
    /* The new columns belong to the subquery. */
    column_set larger;
    TRY(column_set_new(s->memory, s->next_column_id, &larger));
    memcpy(larger.words, u->inner.words, (u->inner.bit_count / 64 + 1) * sizeof *larger.words);
    u->inner = larger;
    column_set_add_node(&u->inner, node);
    return STATUS_OK;
}

/* Nothing below `node` may be correlated. */
static status pull_up_check_free(const plan_unnesting *u, plan_node *node, const char *what)
{
    if (plan_is_covered(&u->inner, node))
        return STATUS_OK;
    return plan_unnesting_unsupported(u, what);
}

static status pull_up_aggregate(plan_unnesting *u, plan_node *node)
{
    size_t before = u->conditions.count;
    TRY(plan_pull_up(u, node->children[0], &node->children[0]));
    if (!plan_exprs_are_covered(&u->inner, node))
        return plan_unnesting_unsupported(u, "in an aggregate or GROUP BY");
    if (u->conditions.count == before)
        return STATUS_OK;
    /* With groups it would have no row where it had one. */
    if (!node->aggregate.groups.count && node != u->top)
        return plan_unnesting_unsupported(u,
                                          "below an aggregate that is not the last thing it does");
    return group_by_inner(u, node, before);
}

/* A mark join's columns are its left side's, of which there may be more now, and the mark. */
static status pass_marked(plan_unnesting *u, plan_node *node)
{
    plan_column mark = node->columns.items[node->columns.count - 1];
    plan_column_list columns = {0};
    for (size_t i = 0; i < node->children[0]->columns.count; i++)
        TRY(array_push(u->statement->memory, &columns, node->children[0]->columns.items[i]));
    node->columns = columns;
    return array_push(u->statement->memory, &node->columns, mark);
}

static status pull_up_join(plan_unnesting *u, plan_node *node)
{
    arena *a = u->statement->memory;
    bool is_inner = node->join.type == JOIN_INNER;
    if (node->join.null_equal)
        TRY(pull_up_check_free(u, node, "in INTERSECT or EXCEPT"));
    if (node->join.type == JOIN_RIGHT || node->join.type == JOIN_FULL)
        TRY(pull_up_check_free(u, node->children[0], "below an outer join"));
    if (!is_inner)
        TRY(pull_up_check_free(u, node->children[1],
                               "below an outer join or a subquery of its own"));
    TRY(plan_pull_up(u, node->children[0], &node->children[0]));
    if (is_inner)
        TRY(plan_pull_up(u, node->children[1], &node->children[1]));
    if (node->join.residual && is_correlated(u, node->join.residual)) {
        expr_list parts = {0};
        if (!is_inner)
            return plan_unnesting_unsupported(
                u, "in the condition of an outer join or of a subquery of its own");
        TRY(expr_split_and(a, node->join.residual, &parts));
        node->join.residual = NULL;
        for (size_t i = 0; i < parts.count; i++) {
            if (is_correlated(u, parts.items[i])) {
                TRY(array_push(a, &u->conditions, parts.items[i]));
                continue;
            }
            node->join.residual = expr_new_and(a, node->join.residual, parts.items[i]);
            if (!node->join.residual)
                return pull_up_no_memory();
        }
    }
    return node->join.type == JOIN_MARK ? pass_marked(u, node) : plan_join_columns(a, node);
}

/* Takes the correlated conditions out of the plan below `node`. */
status plan_pull_up(plan_unnesting *u, plan_node *node, plan_node **out)
{
    TRY(guard_check());
    arena *a = u->statement->memory;
    size_t before = u->conditions.count;
    *out = node;
    switch (node->kind) {
    case PLAN_FILTER: {
        expr_list parts = {0}, kept = {0};
        TRY(plan_pull_up(u, node->children[0], &node->children[0]));
        for (size_t i = 0; i < node->filter.conditions.count; i++)
            TRY(expr_split_and(a, node->filter.conditions.items[i], &parts));
        for (size_t i = 0; i < parts.count; i++)
            TRY(array_push(a, is_correlated(u, parts.items[i]) ? &u->conditions : &kept,
                           parts.items[i]));
        return plan_filter_over(a, node->children[0], &kept, out);
    }
    case PLAN_PROJECT:
        TRY(plan_pull_up(u, node->children[0], &node->children[0]));
        for (size_t i = 0; i < node->project.exprs.count; i++)
            if (is_correlated(u, node->project.exprs.items[i]))
                return plan_unnesting_unsupported(u, "in its select list");
        return pass_needed(u, node);
    case PLAN_AGGREGATE:
        return pull_up_aggregate(u, node);
    case PLAN_JOIN:
        return pull_up_join(u, node);
    case PLAN_SORT:
    case PLAN_LIMIT:
        TRY(plan_pull_up(u, node->children[0], &node->children[0]));
        if (node->kind == PLAN_SORT && !node->sort.has_limit) {
            *out = node->children[0]; /* nobody sees the order */
            return STATUS_OK;
        }
        if (u->conditions.count > before || !plan_exprs_are_covered(&u->inner, node))
            return plan_unnesting_unsupported(u, "below a LIMIT");
        node->columns = node->children[0]->columns;
        return STATUS_OK;
    case PLAN_UNION:
        return pull_up_check_free(u, node, "in UNION");
    case PLAN_REPEAT:
        return pull_up_check_free(u, node, "in INTERSECT ALL or EXCEPT ALL");
    case PLAN_SERIES:
        return pull_up_check_free(u, node, "in the arguments of a function in FROM");
    case PLAN_WINDOW:
        return pull_up_check_free(u, node, "below a window function");
    default:
        return pull_up_check_free(u, node, "in its FROM");
    }
}
