/* rewrite_subqueries.c - subqueries become joins.
 *
 * EXISTS, IN and their negations that stand as conditions of their own become semi and anti joins;
 * elsewhere they become a column of a mark join. A subquery used as a value becomes a column of a
 * join with its one row; where that row is of an aggregate, what is computed of it comes after the
 * join (rewrite_last_aggregate.c). What ties a subquery to the rows outside (correlation) is taken out of
 * its filters and becomes the join's condition (rewrite_pull_up.c). Where that cannot be, it is
 * computed for each distinct combination of the values that it reads (rewrite_dependent.c). */
#include "plan/rules/subquery/rewrite_subqueries.h"

#include "base/system/guard.h"
#include "plan/edit/copy.h"
#include "plan/edit/repeatable.h"
#include "plan/edit/shared.h"
#include "plan/facts/condition.h"
#include "plan/facts/partial.h"
#include "plan/nodes/node_filter.h"
#include "plan/nodes/node_join.h"
#include "plan/nodes/visit.h"
#include "plan/rules/subquery/rewrite_dependent_value.h"
#include "plan/rules/subquery/rewrite_last_aggregate.h"
#include "plan/rules/subquery/rewrite_pull_up.h"
#include "plan/tree/column_set.h"
#include "plan/tree/function.h"
#include "plan/tree/rule.h"

static status subqueries_no_memory(void)
{
    return status_no_memory("plan", sizeof(plan_node));
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

static status subqueries_start(plan_statement *s, const expr *e, plan_node *plan,
                               const plan_node *top, plan_unnesting *u, plan_node **out)
{
    if (e->subquery_kind == SUBQUERY_EXISTS)
        plan = below_what_keeps_rows(plan);
    *u = (plan_unnesting){.statement = s, .top = top, .position = e->position};
    TRY(plan_rewrite_subqueries(s, plan, &plan));
    TRY(column_set_new(s->memory, s->next_column_id, &u->inner));
    plan_add_made(&u->inner, plan);
    return plan_pull_up(u, plan, out);
}

static status and_all(arena *a, const expr_list *list, expr **out)
{
    for (size_t i = 0; i < list->count; i++) {
        *out = expr_new_and(a, *out, list->items[i]);
        if (!*out)
            return subqueries_no_memory();
    }
    return STATUS_OK;
}

static status new_join(plan_statement *s, plan_join_type type, plan_node *left, plan_node *right,
                       expr *condition, plan_node **out)
{
    plan_node *join = plan_node_new(s->memory, PLAN_JOIN, 2);
    if (!join)
        return subqueries_no_memory();
    join->join.type = type;
    join->join.residual = condition;
    /* Without a condition one row of the right side says as much as all. */
    if (!condition && (type == JOIN_SEMI || type == JOIN_ANTI || type == JOIN_MARK))
        right = plan_limit_new(s->memory, right, 1);
    if (!right)
        return subqueries_no_memory();
    join->children[0] = left;
    join->children[1] = right;
    *out = join;
    return plan_join_columns(s->memory, join);
}

static status compare_columns(plan_statement *s, const expr *e, const plan_column_list *columns,
                              uint32_t i, expr_op op, expr **out)
{
    const plan_column *column = &columns->items[i];
    expr *right = plan_column_expr(s->memory, column);
    expr *pair[] = {e->args[i], right};
    *out = right ? expr_new_call(s->memory, op, type_make(TYPE_BOOL), pair, 2, e->position) : NULL;
    return *out ? STATUS_OK : subqueries_no_memory();
}

static status new_logic(plan_statement *s, expr_op op, expr *left, expr *right, expr **out)
{
    expr *pair[] = {left, right};
    *out = expr_new_call(s->memory, op, type_make(TYPE_BOOL), pair, right ? 2 : 1, -1);
    return *out ? STATUS_OK : subqueries_no_memory();
}

/* a < x, or a = x and the others are less: from the last column to the first. */
static status compare_in_order(plan_statement *s, const expr *e, const plan_column_list *columns,
                               expr_op op, expr **out)
{
    uint32_t i = e->arg_count - 1;
    expr_op strict = op == EXPR_LE ? EXPR_LT : op == EXPR_GE ? EXPR_GT : op;
    expr *less, *equal;
    TRY(compare_columns(s, e, columns, i, op, out));
    while (i-- > 0) {
        TRY(compare_columns(s, e, columns, i, EXPR_EQ, &equal));
        TRY(new_logic(s, EXPR_AND, equal, *out, &equal));
        TRY(compare_columns(s, e, columns, i, strict, &less));
        TRY(new_logic(s, EXPR_OR, less, equal, out));
    }
    return STATUS_OK;
}

status plan_any_condition(plan_statement *s, const expr *e, const plan_column_list *columns,
                          bool is_negated, expr **out)
{
    static const uint8_t opposite[] = {
        [EXPR_EQ] = EXPR_NE, [EXPR_NE] = EXPR_EQ, [EXPR_LT] = EXPR_GE,
        [EXPR_LE] = EXPR_GT, [EXPR_GT] = EXPR_LE, [EXPR_GE] = EXPR_LT};
    expr_op op = is_negated ? (expr_op)opposite[e->comparison] : e->comparison;
    if (op != EXPR_EQ && op != EXPR_NE)
        return compare_in_order(s, e, columns, op, out);
    TRY(compare_columns(s, e, columns, 0, op, out));
    for (uint32_t i = 1; i < e->arg_count; i++) {
        expr *next;
        TRY(compare_columns(s, e, columns, i, op, &next));
        TRY(new_logic(s, op == EXPR_EQ ? EXPR_AND : EXPR_OR, *out, next, out));
    }
    return STATUS_OK;
}

/* ---- what is compared is evaluated once for each row ---- */

static bool has_volatile_arg(const expr *e)
{
    for (uint32_t i = 0; i < e->arg_count; i++)
        if (expr_is_volatile(e->args[i]) && !expr_has_subquery(e->args[i]))
            return true;
    return false;
}

/* The expression becomes a column of the project, and is read from there. */
static status subqueries_add_column(plan_statement *s, plan_node *project, expr **e)
{
    plan_column column = {s->next_column_id++, "compared", (*e)->type, (*e)->is_nullable};
    TRY(plan_project_add(s->memory, project, column, *e));
    *e = plan_column_expr(s->memory, &column);
    return *e ? STATUS_OK : subqueries_no_memory();
}

/* Volatile values that a subquery is compared with become columns below the join: as keys they are taken
 * once a row, in its condition once a pair. */
static status settle_volatile(plan_statement *s, expr *e, plan_node **node)
{
    plan_column_list columns = (*node)->columns;
    if (!has_volatile_arg(e))
        return STATUS_OK;
    plan_node *project = plan_node_new(s->memory, PLAN_PROJECT, 1);
    expr **args = arena_alloc_array(s->memory, e->arg_count, sizeof *args);
    if (!project || !args)
        return subqueries_no_memory();
    project->children[0] = *node;
    project->estimated_rows = (*node)->estimated_rows;
    for (size_t i = 0; i < columns.count; i++) {
        const plan_column *c = &columns.items[i];
        expr *same = plan_column_expr(s->memory, c);
        TRY(same ? array_push(s->memory, &project->project.exprs, same) : subqueries_no_memory());
        TRY(array_push(s->memory, &project->columns, *c));
    }
    memcpy(args, e->args, e->arg_count * sizeof *args);
    e->args = args;
    for (uint32_t i = 0; i < e->arg_count; i++)
        if (expr_is_volatile(args[i]) && !expr_has_subquery(args[i]))
            TRY(subqueries_add_column(s, project, &args[i]));
    *node = project;
    return STATUS_OK;
}

/* A correlated plan with volatile functions is evaluated for each outer row: a join by its conditions would evaluate it
 * once for all rows of equal values. */
static status is_per_row(plan_statement *s, plan_node *plan, bool *out)
{
    *out = !plan_tree_is_repeatable(plan);
    return *out ? plan_is_correlated(s, plan, out) : STATUS_OK;
}

static status subquery_is_per_row(plan_statement *s, const expr *e, bool *out)
{
    bool is_exists = e->subquery_kind == SUBQUERY_EXISTS;
    return is_per_row(s, is_exists ? below_what_keeps_rows(e->subquery) : e->subquery, out);
}

/* A row stands in the way of NOT IN and ALL where the comparison is true or NULL. */
static status unless_false(plan_statement *s, expr **condition)
{
    data_type boolean = type_make(TYPE_BOOL);
    int32_t position = (*condition)->position;
    *condition = expr_new_call(s->memory, EXPR_IS_FALSE, boolean, condition, 1, position);
    if (*condition)
        *condition = expr_new_call(s->memory, EXPR_NOT, boolean, condition, 1, position);
    return *condition ? STATUS_OK : subqueries_no_memory();
}

static bool may_be_unknown(const expr *e, const plan_node *plan)
{
    for (uint32_t i = 0; i < e->arg_count; i++)
        if (e->args[i]->is_nullable || plan->columns.items[i].is_nullable)
            return true;
    return false;
}

/* A condition that is a subquery, or its negation, alone. */
static status join_condition(plan_statement *s, plan_node *node, const expr *e, bool is_negated,
                             plan_node **out)
{
    plan_unnesting u;
    plan_node *plan;
    expr *condition = NULL;
    TRY(subqueries_start(s, e, e->subquery, NULL, &u, &plan));
    plan_join_type type = is_negated ? JOIN_ANTI : JOIN_SEMI;
    if (e->subquery_kind == SUBQUERY_ANY || e->subquery_kind == SUBQUERY_ALL) {
        bool is_all = e->subquery_kind == SUBQUERY_ALL;
        /* x > ALL (q) is NOT (x <= ANY (q)) */
        if (is_all)
            type = is_negated ? JOIN_SEMI : JOIN_ANTI;
        TRY(plan_any_condition(s, e, &plan->columns, is_all, &condition));
        bool may_be_null = may_be_unknown(e, plan);
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
    expr_list pending;     /* conditions that its rows are to meet */
    ARRAY(replaced) known; /* what BETWEEN and others mention twice is one subquery */
} replacing;

static status subqueries_replace(replacing *r, expr *e, expr **out);

bool plan_gives_one_row(const plan_node *plan)
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
            return subqueries_no_memory();
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
    plan_unnesting u;
    plan_node *plan;
    expr *condition = NULL;
    bool is_single = plan_gives_one_row(e->subquery);
    plan_column column = e->subquery->columns.items[0];
    TRY(subqueries_start(s, e, e->subquery, plan_last_aggregate(e->subquery), &u, &plan));
    TRY(and_all(s->memory, &u.conditions, &condition));
    if (condition) {
        TRY(new_join(s, is_single ? JOIN_LEFT : JOIN_SINGLE, r->node, plan, condition, &r->node));
        r->node->position = e->position;
    } else {
        TRY(join_value(r, e, plan, is_single));
    }
    *out = expr_new_column(s->memory, column.id, column.type, true, column.name);
    return *out ? STATUS_OK : subqueries_no_memory();
}

/* ---- subqueries that end in an aggregate without groups ---- */

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
        if (!plan_aggregate_counts(&node->aggregate.aggregates.items[i]))
            column_set_add(&nulls, node->columns.items[i].id);
    *out = plan_is_null_with(last->value, &nulls);
    return STATUS_OK;
}

/* Fills the aggregate's columns where the join has found no group for a row. */
static status subqueries_fill_empty(plan_statement *s, const plan_node *node,
                                    const plan_column_list *columns, last_aggregate *last)
{
    arena *a = s->memory;
    value nothing = value_int(TYPE_INT64, 0);
    expr **filled = arena_alloc_array(a, columns->count + 1, sizeof *filled);
    expr *zero = expr_new_constant(a, &nothing, -1);
    if (!filled || !zero)
        return subqueries_no_memory();
    for (size_t i = 0; i < columns->count; i++) {
        const plan_column *c = &columns->items[i];
        expr *pair[] = {expr_new_column(a, c->id, c->type, true, c->name), zero};
        filled[i] = pair[0];
        if (pair[0] && plan_aggregate_counts(&node->aggregate.aggregates.items[i]))
            filled[i] = expr_new_call(a, EXPR_COALESCE, c->type, pair, 2, -1);
        if (!filled[i])
            return subqueries_no_memory();
    }
    TRY(plan_substitute(a, columns, filled, &last->value));
    return plan_substitute(a, columns, filled, &last->condition);
}

/* The aggregate joined; what came after it reads the join's columns. */
static status join_aggregate(replacing *r, const expr *e, last_aggregate *last)
{
    plan_statement *s = r->statement;
    plan_column_list columns = {0};
    plan_unnesting u;
    plan_node *plan;
    expr *condition = NULL;
    for (size_t i = 0; i < last->node->columns.count; i++)
        TRY(array_push(s->memory, &columns, last->node->columns.items[i]));
    TRY(subqueries_start(s, e, last->node, last->node, &u, &plan));
    TRY(and_all(s->memory, &u.conditions, &condition));
    TRY(new_join(s, condition ? JOIN_LEFT : JOIN_INNER, r->node, plan, condition, &r->node));
    TRY(condition ? subqueries_fill_empty(s, last->node, &columns, last) : STATUS_OK);
    if (last->value)
        TRY(subqueries_replace(r, last->value, &last->value));
    return last->condition ? subqueries_replace(r, last->condition, &last->condition) : STATUS_OK;
}

static status new_boolean(plan_statement *s, bool b, expr **out)
{
    value v = {.type = type_make(TYPE_BOOL), .boolean = b};
    *out = expr_new_constant(s->memory, &v, -1);
    return *out ? STATUS_OK : subqueries_no_memory();
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
        return *missing ? STATUS_OK : subqueries_no_memory();
    case SUBQUERY_ANY:
    case SUBQUERY_ALL:
        break;
    }
    *out = expr_new_call(s->memory, e->comparison, e->type, pair, 2, e->position);
    TRY(*out ? STATUS_OK : subqueries_no_memory());
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
        return subqueries_no_memory();
    choice->args[0] = last->condition;
    choice->args[1] = *out;
    choice->args[2] = missing;
    *out = choice;
    return STATUS_OK;
}

static bool subqueries_has_limit(const plan_node *node, const plan_node *last)
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
    if (is_null && e->subquery_kind == SUBQUERY_SCALAR &&
        !subqueries_has_limit(e->subquery, out->node))
        out->node = NULL;
    return STATUS_OK;
}

static status replace_mark(replacing *r, const expr *e, expr **out)
{
    plan_statement *s = r->statement;
    plan_unnesting u;
    plan_node *plan, *join;
    expr *condition = NULL;
    TRY(subqueries_start(s, e, e->subquery, NULL, &u, &plan));
    bool is_all = e->subquery_kind == SUBQUERY_ALL, is_in = e->subquery_kind != SUBQUERY_EXISTS;
    if (is_in) {
        TRY(plan_any_condition(s, e, &plan->columns, is_all, &condition));
        bool may_be_null = may_be_unknown(e, plan);
        if (may_be_null && (u.conditions.count || condition->op != EXPR_EQ))
            return plan_unnesting_unsupported(
                &u, "under IN or ALL inside an expression, where values may be NULL,");
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
    *out = plan_column_expr(s->memory, &mark);
    if (*out && is_all)
        *out = expr_new_call(s->memory, EXPR_NOT, mark.type, out, 1, e->position);
    return *out ? STATUS_OK : subqueries_no_memory();
}

/* By joins that need nothing but their conditions. */
static status replace_by_join(replacing *r, const expr *e, expr **out)
{
    last_aggregate last;
    TRY(find_last_aggregate(r->statement, e, &last));
    if (last.node)
        return replace_by_aggregate(r, e, &last, out);
    return e->subquery_kind == SUBQUERY_SCALAR ? replace_scalar(r, e, out)
                                               : replace_mark(r, e, out);
}

/* The subquery's plan copied, for what may fail half-way. */
static status subqueries_copy_subquery(plan_statement *s, const expr *e, expr **out)
{
    *out = arena_alloc(s->memory, sizeof **out);
    if (!*out)
        return subqueries_no_memory();
    **out = *e;
    return plan_copy(s, e->subquery, &(*out)->subquery);
}

/* Attempts of nested queries multiply. */
#define ATTEMPTS_MAX 100

/* Was an attempt refused, and another way is to be tried? */
static bool is_refused(plan_statement *s, status *st)
{
    if (!*st || status_get_kind(*st) != STATUS_KIND_UNSUPPORTED)
        return false;
    status_free(*st);
    *st = STATUS_OK;
    s->refused_attempts++;
    return true;
}

static status replace_subquery(replacing *r, expr *e, expr **out)
{
    bool is_drawn;
    TRY(settle_volatile(r->statement, e, &r->node));
    TRY(subquery_is_per_row(r->statement, e, &is_drawn));
    replacing before = *r;
    if (r->statement->refused_attempts < ATTEMPTS_MAX && !is_drawn) {
        expr *copy;
        TRY(subqueries_copy_subquery(r->statement, e, &copy));
        status st = replace_by_join(r, copy, out);
        if (!is_refused(r->statement, &st))
            return st;
        r->node = before.node;
        r->known.count = before.known.count;
    }
    TRY(plan_filter_over(r->statement->memory, r->node, &r->pending, &r->node));
    r->pending = (expr_list){0};
    return plan_dependent_value(r->statement, &r->node, e, out);
}

static status subqueries_replace(replacing *r, expr *e, expr **out)
{
    TRY(guard_check());
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
        return subqueries_no_memory();
    *copy = *e;
    copy->args = args;
    for (uint32_t i = 0; i < e->arg_count; i++)
        TRY(subqueries_replace(r, e->args[i], &args[i]));
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
    if (!*out)
        return STATUS_OK;
    if (plan_last_aggregate(e->subquery))
        TRY(plan_is_correlated(s, e->subquery, &is_correlated));
    else
        TRY(subquery_is_per_row(s, e, &is_correlated));
    *out = !is_correlated;
    return STATUS_OK;
}

/* A subquery alone, or negated, by a join; *out_is_done: false: it is to be replaced. */
static status try_join(replacing *r, const expr *e, bool *out_is_done)
{
    plan_statement *s = r->statement;
    bool is_negated = e->kind == EXPR_CALL && e->op == EXPR_NOT;
    const expr *inner = is_negated ? e->args[0] : e;
    plan_node *before = r->node;
    expr *copy;
    TRY(can_be_join(s, inner, out_is_done));
    if (!*out_is_done)
        return STATUS_OK;
    TRY(subqueries_copy_subquery(s, inner, &copy));
    TRY(settle_volatile(s, copy, &r->node));
    status st = join_condition(s, r->node, copy, is_negated, &r->node);
    if (is_refused(s, &st)) {
        *out_is_done = false;
        r->node = before;
    }
    return st;
}

static status rewrite_filter(plan_statement *s, plan_node *node, plan_node **out)
{
    expr_list parts = {0}, kept = {0};
    replacing r = {.statement = s, .node = node->children[0]};
    for (size_t i = 0; i < node->filter.conditions.count; i++)
        TRY(expr_split_and(s->memory, node->filter.conditions.items[i], &parts));
    for (size_t i = 0; i < parts.count; i++)
        if (!expr_has_subquery(parts.items[i]))
            TRY(array_push(s->memory, &r.pending, parts.items[i]));
    for (size_t i = 0; i < parts.count; i++) {
        expr *e = parts.items[i];
        bool is_done;
        if (!expr_has_subquery(e))
            continue;
        TRY(try_join(&r, e, &is_done));
        if (is_done)
            continue;
        TRY(subqueries_replace(&r, e, &e));
        TRY(array_push(s->memory, &kept, e));
    }
    for (size_t i = 0; i < kept.count; i++)
        TRY(array_push(s->memory, &r.pending, kept.items[i]));
    return plan_filter_over(s->memory, r.node, &r.pending, out);
}

/* ---- joins ---- */

/* Takes the conditions with subqueries out of a join's own. */
static status take_conditions(plan_statement *s, plan_node *node, expr_list *taken)
{
    expr_list parts = {0};
    expr *residual = NULL;
    if (!node->join.residual || !expr_has_subquery(node->join.residual))
        return STATUS_OK;
    TRY(expr_split_and(s->memory, node->join.residual, &parts));
    for (size_t i = 0; i < parts.count; i++) {
        if (expr_has_subquery(parts.items[i])) {
            TRY(array_push(s->memory, taken, parts.items[i]));
            continue;
        }
        residual = expr_new_and(s->memory, residual, parts.items[i]);
        if (!residual)
            return subqueries_no_memory();
    }
    node->join.residual = residual;
    return STATUS_OK;
}

/* They are checked above an inner join, and below another one, on the side that may have no match. */
static status place_conditions(plan_statement *s, plan_node *node, expr_list *above)
{
    plan_join_type type = node->join.type;
    expr_list taken = {0};
    int32_t position = node->join.residual ? node->join.residual->position : -1;
    TRY(take_conditions(s, node, type == JOIN_INNER ? above : &taken));
    if (!taken.count)
        return STATUS_OK;
    if (type == JOIN_FULL)
        return status_at(status_new(STATUS_KIND_UNSUPPORTED,
                                    "a subquery in a full join's ON condition is not supported"),
                         position);
    if (type == JOIN_RIGHT) {
        plan_node *left = node->children[0];
        node->children[0] = node->children[1];
        node->children[1] = left;
        node->join.type = JOIN_LEFT;
    }
    return plan_filter_over(s->memory, node->children[1], &taken, &node->children[1]);
}

static status is_lateral(plan_statement *s, const plan_node *node, bool *out)
{
    column_set left, read;
    TRY(column_set_new(s->memory, s->next_column_id, &left));
    TRY(column_set_new(s->memory, s->next_column_id, &read));
    column_set_add_node(&left, node->children[0]);
    plan_add_read(&read, node->children[1]);
    *out = false;
    for (uint32_t i = 0; i <= read.bit_count / 64; i++)
        *out |= (read.words[i] & left.words[i]) != 0;
    return STATUS_OK;
}

/* Makes the join's condition of what the right side's filters say of the left one. */
static status join_by_condition(plan_statement *s, plan_node *node, plan_node **out)
{
    plan_unnesting u = {.statement = s, .position = node->position};
    plan_node *right;
    TRY(plan_copy(s, node->children[1], &right));
    TRY(plan_rewrite_subqueries(s, right, &right));
    TRY(column_set_new(s->memory, s->next_column_id, &u.inner));
    plan_add_made(&u.inner, right);
    TRY(plan_pull_up(&u, right, &right));
    expr *condition = node->join.residual;
    TRY(and_all(s->memory, &u.conditions, &condition));
    return new_join(s, node->join.type, node->children[0], right, condition, out);
}

static status rewrite_lateral(plan_statement *s, plan_node *node, plan_node **out)
{
    if (node->join.type == JOIN_RIGHT || node->join.type == JOIN_FULL)
        return status_at(status_new(STATUS_KIND_INVALID,
                                    "a right or full join's right side reads columns of the left "
                                    "one"),
                         node->position);
    if (s->refused_attempts < ATTEMPTS_MAX && plan_tree_is_repeatable(node->children[1])) {
        status st = join_by_condition(s, node, out);
        if (!is_refused(s, &st))
            return st;
    }
    return plan_lateral_join(s, node, out);
}

static status subqueries_rewrite_join(plan_statement *s, plan_node *node, plan_node **out)
{
    expr_list above = {0};
    plan_node *filter;
    bool reads;
    TRY(place_conditions(s, node, &above));
    TRY(plan_rewrite_subqueries(s, node->children[0], &node->children[0]));
    TRY(is_lateral(s, node, &reads));
    if (reads)
        TRY(rewrite_lateral(s, node, out));
    else
        TRY(plan_rewrite_subqueries(s, node->children[1], &node->children[1]));
    if (!above.count)
        return STATUS_OK;
    TRY(plan_filter_over(s->memory, *out, &above, &filter));
    return rewrite_filter(s, filter, out);
}

/* Conditions on the left side of a join whose right side reads it go there: it is not read for more
 * rows than there are. */
static status push_to_left(plan_statement *s, plan_node *node)
{
    plan_node *join = node->children[0];
    expr_list parts = {0}, kept = {0}, left = {0};
    column_set columns;
    bool reads =
        join->kind == PLAN_JOIN && (join->join.type == JOIN_INNER || join->join.type == JOIN_LEFT);
    if (reads)
        TRY(is_lateral(s, join, &reads));
    if (!reads)
        return STATUS_OK;
    TRY(column_set_new(s->memory, s->next_column_id, &columns));
    column_set_add_node(&columns, join->children[0]);
    for (size_t i = 0; i < node->filter.conditions.count; i++)
        TRY(expr_split_and(s->memory, node->filter.conditions.items[i], &parts));
    for (size_t i = 0; i < parts.count; i++) {
        expr *e = parts.items[i];
        bool goes = expr_is_repeatable(e) && column_set_covers(&columns, e);
        TRY(array_push(s->memory, goes ? &left : &kept, e));
    }
    node->filter.conditions = kept;
    return plan_filter_over(s->memory, join->children[0], &left, &join->children[0]);
}

typedef struct replacing_all {
    replacing r;
    status st; /* the first failure */
} replacing_all;

static void replace_visited(expr **slot, void *context)
{
    replacing_all *all = context;
    if (!all->st)
        all->st = subqueries_replace(&all->r, *slot, slot);
}

status plan_rewrite_subqueries(plan_statement *s, plan_node *node, plan_node **out)
{
    TRY(guard_check());
    *out = node;
    if (node->kind == PLAN_JOIN)
        return subqueries_rewrite_join(s, node, out);
    if (node->kind == PLAN_FILTER)
        TRY(push_to_left(s, node));
    for (uint32_t i = 0; i < node->child_count; i++)
        TRY(plan_rewrite_subqueries(s, node->children[i], &node->children[i]));
    if (node->kind == PLAN_FILTER)
        return rewrite_filter(s, node, out);
    if (node->child_count != 1)
        return STATUS_OK;
    replacing_all all = {.r = {.statement = s, .node = node->children[0]}};
    plan_visit_exprs(node, replace_visited, &all);
    node->children[0] = all.r.node;
    return all.st;
}

status rewrite_subqueries(plan_statement *statement)
{
    TRY(plan_each_tree(statement, plan_rewrite_subqueries));
    statement->is_unnested = true;
    return plan_order_shared(statement);
}
