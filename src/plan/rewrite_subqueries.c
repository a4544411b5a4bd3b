/* rewrite_subqueries.c - subqueries become joins.
 *
 * EXISTS, IN and their negations that stand as conditions of their own become semi and anti joins;
 * elsewhere they become a column of a mark join. A subquery used as a value becomes a column of a
 * join with its one row; where that row is of an aggregate, what is computed of it comes after the
 * join (rewrite_last_aggregate.c). What ties a subquery to the rows outside (correlation) is taken out of its
 * filters and becomes the join's condition; through an aggregate it can go where it is an equality,
 * whose inner side becomes a group. (Neumann and Kemper, "Unnesting Arbitrary Queries", 2015, for
 * the general idea.) */
#include "plan/rewrite_subqueries.h"

static status rewrite_tree(plan_statement *s, plan_node *node, plan_node **out);

typedef struct unnesting {
    plan_statement *statement;
    column_set inner;     /* all columns made inside the subquery */
    expr_list conditions; /* what was taken out */
    const plan_node
        *top; /* an aggregate without groups that may get some: no row of it and a row of
                             NULLs are the same above; or NULL */
    int32_t position;
} unnesting;

static status no_memory(void)
{
    return status_no_memory("plan", sizeof(plan_node));
}

static status unsupported(const unnesting *u, const char *what)
{
    status st = status_new(STATUS_KIND_UNSUPPORTED,
                           "a subquery that refers to outer columns %s is not supported", what);
    return status_at(status_hint(st, "join the tables instead"), u->position);
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

/* Nothing below `node` may be correlated. */
static status check_free(const unnesting *u, plan_node *node, const char *what)
{
    if (plan_is_covered(&u->inner, node))
        return STATUS_OK;
    return unsupported(u, what);
}

static status pull_up(unnesting *u, plan_node *node, plan_node **out);

static status pull_up_aggregate(unnesting *u, plan_node *node)
{
    size_t before = u->conditions.count;
    TRY(pull_up(u, node->children[0], &node->children[0]));
    if (!plan_exprs_are_covered(&u->inner, node))
        return unsupported(u, "in an aggregate or GROUP BY");
    if (u->conditions.count == before)
        return STATUS_OK;
    /* With groups it would have no row where it had one. */
    if (!node->aggregate.groups.count && node != u->top)
        return unsupported(u, "below an aggregate that is not the last thing it does");
    return group_by_inner(u, node, before);
}

/* A mark join's columns are its left side's, of which there may be more now, and the mark. */
static status pass_marked(unnesting *u, plan_node *node)
{
    plan_column mark = node->columns.items[node->columns.count - 1];
    plan_column_list columns = {0};
    for (size_t i = 0; i < node->children[0]->columns.count; i++)
        TRY(array_push(u->statement->memory, &columns, node->children[0]->columns.items[i]));
    node->columns = columns;
    return array_push(u->statement->memory, &node->columns, mark);
}

static status pull_up_join(unnesting *u, plan_node *node)
{
    arena *a = u->statement->memory;
    bool is_inner = node->join.type == JOIN_INNER;
    if (node->join.null_equal)
        TRY(check_free(u, node, "in INTERSECT or EXCEPT"));
    if (node->join.type == JOIN_RIGHT || node->join.type == JOIN_FULL)
        TRY(check_free(u, node->children[0], "below an outer join"));
    if (!is_inner)
        TRY(check_free(u, node->children[1], "below an outer join or a subquery of its own"));
    TRY(pull_up(u, node->children[0], &node->children[0]));
    if (is_inner)
        TRY(pull_up(u, node->children[1], &node->children[1]));
    if (node->join.residual && is_correlated(u, node->join.residual)) {
        expr_list parts = {0};
        if (!is_inner)
            return unsupported(u, "in the condition of an outer join or of a subquery of its own");
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
    return node->join.type == JOIN_MARK ? pass_marked(u, node) : plan_join_columns(a, node);
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
        return pull_up_aggregate(u, node);
    case PLAN_JOIN:
        return pull_up_join(u, node);
    case PLAN_SORT:
    case PLAN_LIMIT:
        TRY(pull_up(u, node->children[0], &node->children[0]));
        if (node->kind == PLAN_SORT && !node->sort.has_limit) {
            *out = node->children[0]; /* nobody sees the order */
            return STATUS_OK;
        }
        if (u->conditions.count > before || !plan_exprs_are_covered(&u->inner, node))
            return unsupported(u, "below a LIMIT");
        node->columns = node->children[0]->columns;
        return STATUS_OK;
    case PLAN_UNION:
        return check_free(u, node, "in UNION");
    case PLAN_REPEAT:
        return check_free(u, node, "in INTERSECT ALL or EXCEPT ALL");
    case PLAN_WINDOW:
        return check_free(u, node, "below a window function");
    default:
        return check_free(u, node, "in its FROM");
    }
}

/* Whether there is a row depends on nothing of these nodes. */
static plan_node *below_what_keeps_rows(plan_node *node)
{
    for (;; node = node->children[0]) {
        bool keeps = node->kind == PLAN_PROJECT || node->kind == PLAN_WINDOW ||
                     (node->kind == PLAN_SORT && (!node->sort.has_limit || node->sort.limit)) ||
                     (node->kind == PLAN_LIMIT && !node->limit.offset &&
                      (!node->limit.has_limit || node->limit.limit));
        if (!keeps)
            return node;
    }
}

static status start(plan_statement *s, const expr *e, plan_node *plan, const plan_node *top,
                    unnesting *u, plan_node **out)
{
    if (e->subquery_kind == SUBQUERY_EXISTS)
        plan = below_what_keeps_rows(plan);
    *u = (unnesting){.statement = s, .top = top, .position = e->position};
    TRY(rewrite_tree(s, plan, &plan));
    TRY(column_set_new(s->memory, s->next_column_id, &u->inner));
    plan_add_made(&u->inner, plan);
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

/* A row stands in the way of NOT IN and ALL where the comparison is true or NULL. */
static status unless_false(plan_statement *s, expr **condition)
{
    data_type boolean = type_make(TYPE_BOOL);
    int32_t position = (*condition)->position;
    *condition = expr_new_call(s->memory, EXPR_IS_FALSE, boolean, condition, 1, position);
    if (*condition)
        *condition = expr_new_call(s->memory, EXPR_NOT, boolean, condition, 1, position);
    return *condition ? STATUS_OK : no_memory();
}

/* A condition that is a subquery, or its negation, alone. */
static status join_condition(plan_statement *s, plan_node *node, const expr *e, bool is_negated,
                             plan_node **out)
{
    unnesting u;
    plan_node *plan;
    expr *condition = NULL;
    TRY(start(s, e, e->subquery, NULL, &u, &plan));
    plan_join_type type = is_negated ? JOIN_ANTI : JOIN_SEMI;
    if (e->subquery_kind == SUBQUERY_ANY || e->subquery_kind == SUBQUERY_ALL) {
        bool is_all = e->subquery_kind == SUBQUERY_ALL;
        /* x > ALL (q) is NOT (x <= ANY (q)) */
        if (is_all)
            type = is_negated ? JOIN_SEMI : JOIN_ANTI;
        TRY(any_condition(s, e, plan, is_all, &condition));
        bool may_be_null = e->args[0]->is_nullable || plan->columns.items[0].is_nullable;
        if (type == JOIN_ANTI && may_be_null && !u.conditions.count && condition->op == EXPR_EQ)
            type = JOIN_ANTI_NULL;
        else if (type == JOIN_ANTI && may_be_null)
            TRY(unless_false(s, &condition));
    }
    TRY(and_all(s->memory, &u.conditions, &condition));
    return new_join(s, type, node, plan, condition, out);
}

/* ---- subqueries inside expressions ---- */

typedef struct replaced {
    const expr *subquery;
    expr *by;
} replaced;

typedef struct replacing {
    plan_statement *statement;
    plan_node *node;       /* grows by a join for each subquery */
    ARRAY(replaced) known; /* what BETWEEN and others mention twice is one subquery */
} replacing;

static status replace(replacing *r, expr *e, expr **out);

static bool gives_one_row(const plan_node *plan)
{
    while (plan->kind == PLAN_PROJECT)
        plan = plan->children[0];
    return plan->kind == PLAN_AGGREGATE && !plan->aggregate.groups.count;
}

/* The one value of a subquery that is not correlated. */
static status join_value(replacing *r, const expr *e, plan_node *plan, bool is_single)
{
    if (!is_single) {
        plan_node *single = plan_node_new(r->statement->memory, PLAN_SINGLE_ROW, 1);
        if (!single)
            return no_memory();
        single->children[0] = plan;
        single->columns = plan->columns;
        single->position = e->position;
        plan = single;
    }
    return new_join(r->statement, JOIN_INNER, r->node, plan, NULL, &r->node);
}

static status replace_scalar(replacing *r, const expr *e, expr **out)
{
    plan_statement *s = r->statement;
    unnesting u;
    plan_node *plan;
    expr *condition = NULL;
    bool is_single = gives_one_row(e->subquery);
    plan_column column = e->subquery->columns.items[0];
    TRY(start(s, e, e->subquery, plan_last_aggregate(e->subquery), &u, &plan));
    TRY(and_all(s->memory, &u.conditions, &condition));
    if (condition) {
        TRY(new_join(s, is_single ? JOIN_LEFT : JOIN_SINGLE, r->node, plan, condition, &r->node));
        r->node->position = e->position;
    } else {
        TRY(join_value(r, e, plan, is_single));
    }
    *out = expr_new_column(s->memory, column.id, column.type, true, column.name);
    return *out ? STATUS_OK : no_memory();
}

/* ---- subqueries that end in an aggregate without groups ---- */

static bool is_count(const plan_aggregate *aggregate)
{
    return aggregate->function == AGGREGATE_COUNT || aggregate->function == AGGREGATE_COUNT_STAR;
}

static bool is_of_columns(const column_set *set, const expr *e)
{
    return !e || (!expr_has_subquery(e) && column_set_covers(set, e));
}

/* The subquery's value is NULL where all aggregates are, and none of them counts: then no row and a
 * row for no rows are the same. */
static status is_null_if_empty(plan_statement *s, const last_aggregate *last, bool *out)
{
    const plan_node *node = last->node;
    column_set all, nulls;
    *out = false;
    if (!node || !last->value)
        return STATUS_OK;
    TRY(column_set_new(s->memory, s->next_column_id, &all));
    TRY(column_set_new(s->memory, s->next_column_id, &nulls));
    column_set_add_node(&all, node);
    if (!is_of_columns(&all, last->value) || !is_of_columns(&all, last->condition))
        return STATUS_OK;
    for (size_t i = 0; i < node->aggregate.aggregates.count; i++)
        if (!is_count(&node->aggregate.aggregates.items[i]))
            column_set_add(&nulls, node->columns.items[i].id);
    *out = plan_is_null_with(last->value, &nulls);
    return STATUS_OK;
}

/* What the aggregate's columns are where the join has found no group for a row. */
static status fill_empty(plan_statement *s, const plan_node *node, const plan_column_list *columns,
                         last_aggregate *last)
{
    arena *a = s->memory;
    value nothing = value_int(TYPE_INT64, 0);
    expr **filled = arena_alloc_array(a, columns->count + 1, sizeof *filled);
    expr *zero = expr_new_constant(a, &nothing, -1);
    if (!filled || !zero)
        return no_memory();
    for (size_t i = 0; i < columns->count; i++) {
        const plan_column *c = &columns->items[i];
        expr *pair[] = {expr_new_column(a, c->id, c->type, true, c->name), zero};
        filled[i] = pair[0];
        if (pair[0] && is_count(&node->aggregate.aggregates.items[i]))
            filled[i] = expr_new_call(a, EXPR_COALESCE, c->type, pair, 2, -1);
        if (!filled[i])
            return no_memory();
    }
    TRY(plan_substitute(a, columns, filled, &last->value));
    return plan_substitute(a, columns, filled, &last->condition);
}

/* The aggregate joined; what came after it reads the join's columns. */
static status join_aggregate(replacing *r, const expr *e, last_aggregate *last)
{
    plan_statement *s = r->statement;
    plan_column_list columns = {0};
    unnesting u;
    plan_node *plan;
    expr *condition = NULL;
    for (size_t i = 0; i < last->node->columns.count; i++)
        TRY(array_push(s->memory, &columns, last->node->columns.items[i]));
    TRY(start(s, e, last->node, last->node, &u, &plan));
    TRY(and_all(s->memory, &u.conditions, &condition));
    TRY(new_join(s, condition ? JOIN_LEFT : JOIN_INNER, r->node, plan, condition, &r->node));
    TRY(condition ? fill_empty(s, last->node, &columns, last) : STATUS_OK);
    if (last->value)
        TRY(replace(r, last->value, &last->value));
    return last->condition ? replace(r, last->condition, &last->condition) : STATUS_OK;
}

static status new_boolean(plan_statement *s, bool b, expr **out)
{
    value v = {.type = type_make(TYPE_BOOL), .boolean = b};
    *out = expr_new_constant(s->memory, &v, -1);
    return *out ? STATUS_OK : no_memory();
}

/* The subquery's expression by its one row: `missing` where a condition took that away. */
static status value_of_row(plan_statement *s, const expr *e, const last_aggregate *last, expr **out,
                           expr **missing)
{
    value null = value_null(e->type);
    expr *pair[] = {e->arg_count ? e->args[0] : NULL, last->value};
    switch (e->subquery_kind) {
    case SUBQUERY_EXISTS:
        TRY(new_boolean(s, true, out));
        return new_boolean(s, false, missing);
    case SUBQUERY_SCALAR:
        *out = last->value;
        *missing = expr_new_constant(s->memory, &null, -1);
        return *missing ? STATUS_OK : no_memory();
    case SUBQUERY_ANY:
    case SUBQUERY_ALL:
        break;
    }
    *out = expr_new_call(s->memory, e->comparison, e->type, pair, 2, e->position);
    TRY(*out ? STATUS_OK : no_memory());
    return new_boolean(s, e->subquery_kind == SUBQUERY_ALL, missing);
}

static status replace_by_aggregate(replacing *r, const expr *e, last_aggregate *last, expr **out)
{
    plan_statement *s = r->statement;
    expr *missing;
    TRY(join_aggregate(r, e, last));
    TRY(value_of_row(s, e, last, out, &missing));
    if (!last->condition)
        return STATUS_OK;
    expr *choice = expr_new(s->memory, EXPR_CASE, e->type, 3, e->position);
    if (!choice)
        return no_memory();
    choice->args[0] = last->condition;
    choice->args[1] = *out;
    choice->args[2] = missing;
    *out = choice;
    return STATUS_OK;
}

static bool has_limit(const plan_node *node, const plan_node *last)
{
    for (; node != last; node = node->children[0])
        if (node->kind == PLAN_LIMIT || (node->kind == PLAN_SORT && node->sort.has_limit))
            return true;
    return false;
}

/* A correlated subquery that has a row even where it reads none. */
static status find_last_aggregate(plan_statement *s, const expr *e, last_aggregate *out)
{
    bool is_correlated, is_null;
    *out = (last_aggregate){0};
    if (!plan_last_aggregate(e->subquery))
        return STATUS_OK;
    TRY(plan_is_correlated(s, e->subquery, &is_correlated));
    if (!is_correlated)
        return STATUS_OK;
    TRY(plan_take_off(s, e->subquery, out));
    TRY(is_null_if_empty(s, out, &is_null));
    if (is_null && e->subquery_kind == SUBQUERY_SCALAR && !has_limit(e->subquery, out->node))
        out->node = NULL;
    return STATUS_OK;
}

static status replace_mark(replacing *r, const expr *e, expr **out)
{
    plan_statement *s = r->statement;
    unnesting u;
    plan_node *plan, *join;
    expr *condition = NULL;
    TRY(start(s, e, e->subquery, NULL, &u, &plan));
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

static status replace_subquery(replacing *r, const expr *e, expr **out)
{
    last_aggregate last;
    TRY(find_last_aggregate(r->statement, e, &last));
    if (last.node)
        return replace_by_aggregate(r, e, &last, out);
    return e->subquery_kind == SUBQUERY_SCALAR ? replace_scalar(r, e, out)
                                               : replace_mark(r, e, out);
}

static status replace(replacing *r, expr *e, expr **out)
{
    *out = e;
    if (!expr_has_subquery(e))
        return STATUS_OK;
    for (size_t i = 0; i < r->known.count && e->kind == EXPR_SUBQUERY; i++)
        if (expr_equal(r->known.items[i].subquery, e)) {
            *out = r->known.items[i].by;
            return STATUS_OK;
        }
    expr *copy = arena_alloc(r->statement->memory, sizeof *copy);
    expr **args = arena_alloc_array(r->statement->memory, e->arg_count + 1, sizeof *args);
    if (!copy || !args)
        return no_memory();
    *copy = *e;
    copy->args = args;
    for (uint32_t i = 0; i < e->arg_count; i++)
        TRY(replace(r, e->args[i], &args[i]));
    *out = copy;
    if (e->kind != EXPR_SUBQUERY)
        return STATUS_OK;
    TRY(replace_subquery(r, copy, out));
    replaced known = {e, *out};
    return array_push(r->statement->memory, &r->known, known);
}

/* A subquery that is a condition of its own, and can be a semi or anti join. */
static status can_be_join(plan_statement *s, const expr *e, bool *out)
{
    bool is_correlated;
    *out = e->kind == EXPR_SUBQUERY && e->subquery_kind != SUBQUERY_SCALAR;
    for (uint32_t i = 0; i < e->arg_count; i++)
        *out &= !expr_has_subquery(e->args[i]);
    if (!*out || !plan_last_aggregate(e->subquery))
        return STATUS_OK;
    TRY(plan_is_correlated(s, e->subquery, &is_correlated));
    *out = !is_correlated;
    return STATUS_OK;
}

static status rewrite_filter(plan_statement *s, plan_node *node, plan_node **out)
{
    expr_list parts = {0}, kept = {0};
    replacing r = {.statement = s, .node = node->children[0]};
    for (size_t i = 0; i < node->filter.conditions.count; i++)
        TRY(expr_split_and(s->memory, node->filter.conditions.items[i], &parts));
    for (size_t i = 0; i < parts.count; i++) {
        expr *e = parts.items[i];
        bool is_negated = e->kind == EXPR_CALL && e->op == EXPR_NOT;
        const expr *inner = is_negated ? e->args[0] : e;
        bool is_join;
        TRY(can_be_join(s, inner, &is_join));
        if (is_join) {
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
    replacing_all all = {.r = {.statement = s, .node = node->children[0]}};
    plan_visit_exprs(node, replace_visited, &all);
    node->children[0] = all.r.node;
    return all.st;
}

status rewrite_subqueries(plan_statement *statement)
{
    return plan_each_tree(statement, rewrite_tree);
}
