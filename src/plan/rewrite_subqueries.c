/* rewrite_subqueries.c - subqueries become joins.
 *
 * EXISTS, IN and their negations that stand as conditions of their own become semi and anti joins;
 * elsewhere they become a column of a mark join. A subquery used as a value becomes a column of a
 * join with its one row. What ties a subquery to the rows outside (correlation) is taken out of its
 * filters and becomes the join's condition; through an aggregate it can go where it is an equality,
 * whose inner side becomes a group. (Neumann and Kemper, "Unnesting Arbitrary Queries", 2015, for
 * the general idea.) */
#include "plan/rewrite.h"

static status rewrite_tree(plan_statement *s, plan_node *node, plan_node **out);

typedef struct unnesting {
    plan_statement *statement;
    column_set inner;     /* all columns made inside the subquery */
    expr_list conditions; /* what was taken out */
    int32_t position;
} unnesting;

static void add_made(column_set *set, const plan_node *node)
{
    column_set_add_node(set, node);
    for (uint32_t i = 0; i < node->child_count; i++)
        add_made(set, node->children[i]);
}

static status no_memory(void)
{
    return status_no_memory("plan", sizeof(plan_node));
}

static status unsupported(const unnesting *u, const char *what)
{
    return status_at(status_new(STATUS_KIND_UNSUPPORTED,
                                "a subquery that refers to outer columns %s is not supported",
                                what),
                     u->position);
}

static bool is_correlated(const unnesting *u, const expr *e)
{
    return !column_set_covers(&u->inner, e);
}

/* The node makes this column of one below it, too. */
static status pass_column(unnesting *u, plan_node *node, const plan_column *column)
{
    arena *a = u->statement->memory;
    if (plan_column_index(node, column->id) >= 0)
        return STATUS_OK;
    if (node->kind == PLAN_PROJECT) {
        expr *e = expr_new_column(a, column->id, column->type, column->is_nullable, column->name);
        if (!e)
            return no_memory();
        TRY(array_push(a, &node->project.exprs, e));
    }
    return array_push(a, &node->columns, *column);
}

/* The child's columns that the conditions taken out read are made by the node as well. */
static status pass_needed(unnesting *u, plan_node *node)
{
    column_set needed;
    TRY(column_set_new(u->statement->memory, u->statement->next_column_id, &needed));
    for (size_t i = 0; i < u->conditions.count; i++)
        column_set_add_expr(&needed, u->conditions.items[i]);
    const plan_column_list *columns = &node->children[0]->columns;
    for (size_t i = 0; i < columns->count; i++)
        if (column_set_has(&needed, columns->items[i].id))
            TRY(pass_column(u, node, &columns->items[i]));
    return STATUS_OK;
}

/* Each condition must be inner = outer: the inner side becomes a group, and the condition compares
 * that. */
static status group_by_inner(unnesting *u, plan_node *node, size_t first)
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
            return unsupported(u, "below an aggregate other than by an equality");
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
        expr *key =
            expr_new_column(s->memory, column.id, column.type, column.is_nullable, column.name);
        expr *pair[] = {key, e->args[1 - side]};
        expr *equal =
            key ? expr_new_call(s->memory, EXPR_EQ, type_make(TYPE_BOOL), pair, 2, e->position)
                : NULL;
        if (!equal)
            return no_memory();
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

/* Takes the correlated conditions out of the plan below `node`. */
static status pull_up(unnesting *u, plan_node *node, plan_node **out)
{
    arena *a = u->statement->memory;
    size_t before = u->conditions.count;
    *out = node;
    switch (node->kind) {
    case PLAN_FILTER: {
        expr_list parts = {0}, kept = {0};
        TRY(pull_up(u, node->children[0], &node->children[0]));
        for (size_t i = 0; i < node->filter.conditions.count; i++)
            TRY(expr_split_and(a, node->filter.conditions.items[i], &parts));
        for (size_t i = 0; i < parts.count; i++)
            TRY(array_push(a, is_correlated(u, parts.items[i]) ? &u->conditions : &kept,
                           parts.items[i]));
        return plan_filter_over(a, node->children[0], &kept, out);
    }
    case PLAN_PROJECT:
        TRY(pull_up(u, node->children[0], &node->children[0]));
        for (size_t i = 0; i < node->project.exprs.count; i++)
            if (is_correlated(u, node->project.exprs.items[i]))
                return unsupported(u, "in its select list");
        return pass_needed(u, node);
    case PLAN_AGGREGATE:
        TRY(pull_up(u, node->children[0], &node->children[0]));
        return group_by_inner(u, node, before);
    case PLAN_JOIN:
        TRY(pull_up(u, node->children[0], &node->children[0]));
        if (node->join.type == JOIN_INNER)
            TRY(pull_up(u, node->children[1], &node->children[1]));
        if (node->join.residual && is_correlated(u, node->join.residual)) {
            expr_list parts = {0};
            if (node->join.type != JOIN_INNER)
                return unsupported(u, "in the condition of an outer join");
            TRY(expr_split_and(a, node->join.residual, &parts));
            node->join.residual = NULL;
            for (size_t i = 0; i < parts.count; i++) {
                if (is_correlated(u, parts.items[i])) {
                    TRY(array_push(a, &u->conditions, parts.items[i]));
                    continue;
                }
                node->join.residual = expr_new_and(a, node->join.residual, parts.items[i]);
                if (!node->join.residual)
                    return no_memory();
            }
        }
        if (node->join.type != JOIN_MARK)
            TRY(plan_join_columns(a, node));
        return STATUS_OK;
    case PLAN_SORT:
    case PLAN_LIMIT:
        TRY(pull_up(u, node->children[0], &node->children[0]));
        if (u->conditions.count > before && (node->kind == PLAN_LIMIT || node->sort.has_limit))
            return unsupported(u, "below a LIMIT");
        node->columns = node->children[0]->columns;
        return STATUS_OK;
    default:
        return STATUS_OK;
    }
}

static status start(plan_statement *s, const expr *e, unnesting *u, plan_node **out)
{
    *u = (unnesting){.statement = s, .position = e->position};
    plan_node *plan = e->subquery;
    TRY(rewrite_tree(s, plan, &plan));
    TRY(column_set_new(s->memory, s->next_column_id, &u->inner));
    add_made(&u->inner, plan);
    return pull_up(u, plan, out);
}

static status and_all(arena *a, const expr_list *list, expr **out)
{
    for (size_t i = 0; i < list->count; i++) {
        *out = expr_new_and(a, *out, list->items[i]);
        if (!*out)
            return no_memory();
    }
    return STATUS_OK;
}

static status new_join(plan_statement *s, plan_join_type type, plan_node *left, plan_node *right,
                       expr *condition, plan_node **out)
{
    plan_node *join = plan_node_new(s->memory, PLAN_JOIN, 2);
    if (!join)
        return no_memory();
    join->join.type = type;
    join->join.residual = condition;
    join->children[0] = left;
    join->children[1] = right;
    *out = join;
    return plan_join_columns(s->memory, join);
}

/* The comparison of ANY and ALL, with the subquery's first column on the right. */
static status any_condition(plan_statement *s, const expr *e, const plan_node *plan,
                            bool is_negated, expr **out)
{
    static const uint8_t opposite[] = {
        [EXPR_EQ] = EXPR_NE, [EXPR_NE] = EXPR_EQ, [EXPR_LT] = EXPR_GE,
        [EXPR_LE] = EXPR_GT, [EXPR_GT] = EXPR_LE, [EXPR_GE] = EXPR_LT};
    const plan_column *column = &plan->columns.items[0];
    expr *right =
        expr_new_column(s->memory, column->id, column->type, column->is_nullable, column->name);
    expr *pair[] = {e->args[0], right};
    expr_op op = is_negated ? (expr_op)opposite[e->comparison] : e->comparison;
    *out = right ? expr_new_call(s->memory, op, type_make(TYPE_BOOL), pair, 2, e->position) : NULL;
    return *out ? STATUS_OK : no_memory();
}

/* A condition that is a subquery, or its negation, alone. */
static status join_condition(plan_statement *s, plan_node *node, const expr *e, bool is_negated,
                             plan_node **out)
{
    unnesting u;
    plan_node *plan;
    expr *condition = NULL;
    TRY(start(s, e, &u, &plan));
    plan_join_type type = is_negated ? JOIN_ANTI : JOIN_SEMI;
    if (e->subquery_kind == SUBQUERY_ANY || e->subquery_kind == SUBQUERY_ALL) {
        bool is_all = e->subquery_kind == SUBQUERY_ALL;
        /* x > ALL (q) is NOT (x <= ANY (q)) */
        if (is_all)
            type = is_negated ? JOIN_SEMI : JOIN_ANTI;
        TRY(any_condition(s, e, plan, is_all, &condition));
        bool may_be_null = e->args[0]->is_nullable || plan->columns.items[0].is_nullable;
        if (type == JOIN_ANTI && may_be_null) {
            if (u.conditions.count || condition->op != EXPR_EQ)
                return unsupported(&u, "under NOT IN or ALL, where values may be NULL,");
            type = JOIN_ANTI_NULL;
        }
    }
    TRY(and_all(s->memory, &u.conditions, &condition));
    return new_join(s, type, node, plan, condition, out);
}

/* ---- subqueries inside expressions ---- */

typedef struct replacing {
    plan_statement *statement;
    plan_node *node; /* grows by a join for each subquery */
} replacing;

static bool counts_rows(const plan_node *plan)
{
    while (plan->kind == PLAN_PROJECT || plan->kind == PLAN_FILTER)
        plan = plan->children[0];
    if (plan->kind != PLAN_AGGREGATE)
        return false;
    for (size_t i = 0; i < plan->aggregate.aggregates.count; i++)
        if (plan->aggregate.aggregates.items[i].function == AGGREGATE_COUNT ||
            plan->aggregate.aggregates.items[i].function == AGGREGATE_COUNT_STAR)
            return true;
    return false;
}

static bool gives_one_row(const plan_node *plan)
{
    while (plan->kind == PLAN_PROJECT)
        plan = plan->children[0];
    return plan->kind == PLAN_AGGREGATE && !plan->aggregate.groups.count;
}

static status replace_scalar(replacing *r, const expr *e, expr **out)
{
    plan_statement *s = r->statement;
    unnesting u;
    plan_node *plan;
    expr *condition = NULL;
    bool is_single = gives_one_row(e->subquery), counts = counts_rows(e->subquery);
    plan_column column = e->subquery->columns.items[0];
    TRY(start(s, e, &u, &plan));
    TRY(and_all(s->memory, &u.conditions, &condition));
    if (!condition) {
        if (!is_single) {
            plan_node *single = plan_node_new(s->memory, PLAN_SINGLE_ROW, 1);
            if (!single)
                return no_memory();
            single->children[0] = plan;
            single->columns = plan->columns;
            single->position = e->position;
            plan = single;
        }
        TRY(new_join(s, JOIN_INNER, r->node, plan, NULL, &r->node));
    } else {
        TRY(new_join(s, is_single ? JOIN_LEFT : JOIN_SINGLE, r->node, plan, condition, &r->node));
        r->node->position = e->position;
    }
    *out = expr_new_column(s->memory, column.id, column.type, true, column.name);
    if (!*out)
        return no_memory();
    /* No row to count is a count of 0. */
    if (condition && counts) {
        value zero = value_int(TYPE_INT64, 0);
        if (column.type.id != TYPE_INT64)
            return unsupported(&u, "and computes with a count");
        expr *constant = expr_new_constant(s->memory, &zero, e->position);
        expr *pair[] = {*out, constant};
        *out = constant ? expr_new_call(s->memory, EXPR_COALESCE, column.type, pair, 2, e->position)
                        : NULL;
        if (!*out)
            return no_memory();
    }
    return STATUS_OK;
}

static status replace_mark(replacing *r, const expr *e, expr **out)
{
    plan_statement *s = r->statement;
    unnesting u;
    plan_node *plan, *join;
    expr *condition = NULL;
    TRY(start(s, e, &u, &plan));
    bool is_all = e->subquery_kind == SUBQUERY_ALL, is_in = e->subquery_kind != SUBQUERY_EXISTS;
    if (is_in) {
        TRY(any_condition(s, e, plan, is_all, &condition));
        bool may_be_null = e->args[0]->is_nullable || plan->columns.items[0].is_nullable;
        if (may_be_null && (u.conditions.count || condition->op != EXPR_EQ))
            return unsupported(&u,
                               "under IN or ALL inside an expression, where values may be NULL,");
        is_in = may_be_null;
    }
    TRY(and_all(s->memory, &u.conditions, &condition));
    TRY(new_join(s, JOIN_MARK, r->node, plan, condition, &join));
    plan_column mark = {s->next_column_id++, "exists", type_make(TYPE_BOOL), is_in};
    plan_column_list columns = {0};
    for (size_t i = 0; i < r->node->columns.count; i++)
        TRY(array_push(s->memory, &columns, r->node->columns.items[i]));
    TRY(array_push(s->memory, &columns, mark));
    join->columns = columns;
    r->node = join;
    *out = expr_new_column(s->memory, mark.id, mark.type, mark.is_nullable, mark.name);
    if (*out && is_all)
        *out = expr_new_call(s->memory, EXPR_NOT, mark.type, out, 1, e->position);
    return *out ? STATUS_OK : no_memory();
}

static status replace(replacing *r, expr *e, expr **out)
{
    *out = e;
    if (!expr_has_subquery(e))
        return STATUS_OK;
    if (e->kind == EXPR_SUBQUERY && e->subquery_kind == SUBQUERY_SCALAR)
        return replace_scalar(r, e, out);
    expr *copy = arena_alloc(r->statement->memory, sizeof *copy);
    expr **args = arena_alloc_array(r->statement->memory, e->arg_count + 1, sizeof *args);
    if (!copy || !args)
        return no_memory();
    *copy = *e;
    copy->args = args;
    for (uint32_t i = 0; i < e->arg_count; i++)
        TRY(replace(r, e->args[i], &args[i]));
    *out = copy;
    return e->kind == EXPR_SUBQUERY ? replace_mark(r, copy, out) : STATUS_OK;
}

static status rewrite_filter(plan_statement *s, plan_node *node, plan_node **out)
{
    expr_list parts = {0}, kept = {0};
    replacing r = {s, node->children[0]};
    for (size_t i = 0; i < node->filter.conditions.count; i++)
        TRY(expr_split_and(s->memory, node->filter.conditions.items[i], &parts));
    for (size_t i = 0; i < parts.count; i++) {
        expr *e = parts.items[i];
        bool is_negated = e->kind == EXPR_CALL && e->op == EXPR_NOT;
        const expr *inner = is_negated ? e->args[0] : e;
        bool has_nested = false;
        for (uint32_t arg = 0; arg < inner->arg_count; arg++)
            has_nested |= expr_has_subquery(inner->args[arg]);
        if (inner->kind == EXPR_SUBQUERY && inner->subquery_kind != SUBQUERY_SCALAR &&
            !has_nested) {
            TRY(join_condition(s, r.node, inner, is_negated, &r.node));
            continue;
        }
        TRY(replace(&r, e, &e));
        TRY(array_push(s->memory, &kept, e));
    }
    return plan_filter_over(s->memory, r.node, &kept, out);
}

typedef struct replacing_all {
    replacing r;
    status st; /* the first failure */
} replacing_all;

static void replace_visited(expr **slot, void *context)
{
    replacing_all *all = context;
    if (!all->st)
        all->st = replace(&all->r, *slot, slot);
}

static status rewrite_tree(plan_statement *s, plan_node *node, plan_node **out)
{
    *out = node;
    for (uint32_t i = 0; i < node->child_count; i++)
        TRY(rewrite_tree(s, node->children[i], &node->children[i]));
    if (node->kind == PLAN_FILTER)
        return rewrite_filter(s, node, out);
    if (node->kind == PLAN_JOIN && node->join.residual && expr_has_subquery(node->join.residual))
        return status_at(status_new(STATUS_KIND_UNSUPPORTED,
                                    "a subquery in a join's ON condition is not supported"),
                         node->join.residual->position);
    if (node->child_count != 1)
        return STATUS_OK;
    replacing_all all = {.r = {s, node->children[0]}};
    plan_visit_exprs(node, replace_visited, &all);
    node->children[0] = all.r.node;
    return all.st;
}

status rewrite_subqueries(plan_statement *statement)
{
    return plan_each_tree(statement, rewrite_tree);
}
