/* bind_order.c - ORDER BY and LIMIT. */
#include "sql/query/bind_order.h"

#include "sql/expression/bind_expr.h"
#include "sql/expression/bind_window.h"
#include "sql/types/bind_operator.h"
#include "sql/types/bind_type.h"
#include "sql/types/binder.h"
#include "sql/types/parameter.h"

#include <strings.h>

bool bind_is_all(const pg_node *node)
{
    if (!IsA(node, ColumnRef))
        return false;
    const List *fields = castNode(ColumnRef, node)->fields;
    return list_length(fields) == 1 && IsA(list_nth(fields, 0), A_Star);
}

status bind_ordinal(binder *b, const pg_node *node, size_t count, const char *clause, int *out)
{
    *out = -1;
    if (!IsA(node, A_Const) || castNode(A_Const, node)->isnull)
        return STATUS_OK;
    const A_Const *constant = castNode(A_Const, node);
    if (nodeTag(&constant->val) != T_Integer)
        return bind_error(b, STATUS_KIND_INVALID, constant->location, "non-integer constant in %s",
                          clause);
    int32_t number = constant->val.ival.ival;
    if (number < 1 || (size_t)number > count)
        return bind_error(b, STATUS_KIND_INVALID, constant->location,
                          "%s position %d is not in select list", clause, number);
    *out = number - 1;
    return STATUS_OK;
}

static bool order_has_column(const plan_node *query, const char *name)
{
    for (size_t i = 0; i < query->columns.count; i++)
        if (!strcmp(query->columns.items[i].name, name))
            return true;
    return false;
}

/* A name, in another case if none has it as it is, or a number of an output column. */
static status output_column(binder *b, const pg_node *node, const plan_node *query, int *out)
{
    TRY(bind_ordinal(b, node, query->columns.count, "ORDER BY", out));
    if (*out >= 0)
        return STATUS_OK;
    if (!IsA(node, ColumnRef) || list_length(castNode(ColumnRef, node)->fields) != 1 ||
        !IsA(list_nth(castNode(ColumnRef, node)->fields, 0), String))
        return status_hint(
            bind_error(b, STATUS_KIND_UNSUPPORTED, bind_location(node),
                       "ORDER BY of a set operation takes only names and numbers of its columns"),
            "put the set operation into a subquery in FROM");
    const char *name = strVal(list_nth(castNode(ColumnRef, node)->fields, 0));
    bool folds = !order_has_column(query, name);
    for (size_t i = 0; i < query->columns.count; i++) {
        const char *column = query->columns.items[i].name;
        if (folds ? strcasecmp(column, name) : strcmp(column, name))
            continue;
        if (*out >= 0)
            return bind_error(b, STATUS_KIND_INVALID, castNode(ColumnRef, node)->location,
                              "ORDER BY \"%s\" is ambiguous", name);
        *out = (int)i;
    }
    if (*out >= 0)
        return STATUS_OK;
    return bind_error(b, STATUS_KIND_NOT_FOUND, castNode(ColumnRef, node)->location,
                      "column \"%s\" does not exist", name);
}

status bind_order_output(binder *b, const pg_select *select, plan_node **node)
{
    plan_node *sort;
    if (list_length(select->sortClause) == 0)
        return STATUS_OK;
    TRY(bind_new_node(b, PLAN_SORT, *node, &sort));
    for (size_t i = 0; i < list_length(select->sortClause); i++) {
        const SortBy *by = castNode(SortBy, list_nth(select->sortClause, i));
        bool is_all = bind_is_all(by->node);
        int first = 0, last = (int)(*node)->columns.count - 1;
        if (!is_all) {
            TRY(output_column(b, by->node, *node, &first));
            last = first;
        }
        for (int column = first; column <= last; column++) {
            expr *key = bind_column_expr(b, &(*node)->columns.items[column]);
            if (!key)
                return bind_no_memory();
            TRY(bind_sort_key(b, by, key, &sort->sort.keys));
        }
    }
    *node = sort;
    return STATUS_OK;
}

/* A constant that is not negative; *out_given is false for NULL and where there is none. */
static status bind_row_count(binder *b, const pg_node *node, bind_scope *outer, const char *clause,
                             bool *out_given, uint64_t *out)
{
    expr *e;
    value v;
    *out_given = false;
    *out = 0;
    if (!node)
        return STATUS_OK;
    bind_scope scope = {.ctes = outer ? outer->ctes : NULL, .clause = clause};
    TRY(bind_expr(b, node, &scope, &e));
    bind_note_type(b, e, type_make(TYPE_INT64));
    if (e->kind == EXPR_CONSTANT && e->constant.is_null)
        return STATUS_OK;
    if (bind_is_literal(e))
        TRY(bind_cast(b, e, type_make(TYPE_INT64), bind_location(node), &e));
    if (!type_is_numeric(e->type))
        return bind_error(b, STATUS_KIND_INVALID, bind_location(node),
                          "argument of %s must be a number", clause);
    TRY(bind_cast(b, e, type_make(TYPE_INT64), bind_location(node), &e));
    if (!expr_is_constant(e))
        return bind_error(b, STATUS_KIND_UNSUPPORTED, bind_location(node),
                          "%s that is not a constant is not supported", clause);
    v = e->constant;
    if (v.i64 < 0)
        return bind_error(b, STATUS_KIND_INVALID, bind_location(node), "%s must not be negative",
                          clause);
    *out_given = true;
    *out = (uint64_t)v.i64;
    return STATUS_OK;
}

/* Rows, sorted, of which the first `count` are wanted, and those after them that the order does not tell from the last
 * of these: all whose rank is not above the count. */
static status bind_ties(binder *b, uint64_t count, plan_node **node)
{
    plan_node *sort = *node, *window, *again;
    plan_window_call call = {.function = WINDOW_RANK, .position = -1};
    plan_column rank = {.id = bind_new_id(b), .name = "rank", .type = type_make(TYPE_INT64)};
    value most = value_int(TYPE_INT64, (int64_t)count);
    expr *e, *last;
    TRY(bind_new_node(b, PLAN_WINDOW, sort, &window));
    for (size_t i = 0; i < sort->sort.keys.count; i++)
        TRY(array_push(b->memory, &window->window.order, sort->sort.keys.items[i]));
    TRY(array_push(b->memory, &window->columns, rank));
    TRY(array_push(b->memory, &window->window.calls, call));
    e = bind_column_expr(b, &rank);
    if (!e)
        return bind_no_memory();
    TRY(bind_constant(b, &most, -1, &last));
    TRY(bind_comparison(b, EXPR_LE, e, last, -1, &e));
    TRY(bind_filter(b, window, e, node));
    /* They need not come in order through a filter. */
    TRY(bind_new_node(b, PLAN_SORT, *node, &again));
    for (size_t i = 0; i < sort->sort.keys.count; i++)
        TRY(array_push(b->memory, &again->sort.keys, sort->sort.keys.items[i]));
    *node = again;
    return STATUS_OK;
}

/* The columns of `before` alone. */
static status keep_columns(binder *b, const plan_node *before, plan_node **node)
{
    expr_list exprs = {0};
    ARRAY(const char *) names = {0};
    for (size_t i = 0; i < before->columns.count; i++) {
        expr *e = bind_column_expr(b, &before->columns.items[i]);
        if (!e)
            return bind_no_memory();
        TRY(array_push(b->memory, &exprs, e));
        TRY(array_push(b->memory, &names, before->columns.items[i].name));
    }
    return bind_project(b, *node, exprs.items, names.items, exprs.count, node);
}

/* The rows from `offset` on, `limit` of them if there is one. */
static status order_add_limit(binder *b, bool has_limit, uint64_t limit, uint64_t offset,
                              plan_node **node)
{
    plan_node *added;
    TRY(bind_new_node(b, PLAN_LIMIT, *node, &added));
    added->limit.has_limit = has_limit;
    added->limit.limit = limit;
    added->limit.offset = offset;
    *node = added;
    return STATUS_OK;
}

/* ---- LIMIT n% ---- */

/* Returns the share that LIMIT n% gives, from 0 to 1; *out_given is false for NULL. */
static status bind_share(binder *b, const pg_node *node, bind_scope *outer, bool *out_given,
                         double *out)
{
    expr *e;
    bind_scope scope = {.ctes = outer ? outer->ctes : NULL, .clause = "LIMIT"};
    TRY(bind_expr(b, node, &scope, &e));
    TRY(bind_cast(b, e, type_make(TYPE_DOUBLE), bind_location(node), &e));
    if (!expr_is_constant(e))
        return bind_error(b, STATUS_KIND_UNSUPPORTED, bind_location(node),
                          "LIMIT that is not a constant is not supported");
    *out_given = !e->constant.is_null;
    *out = *out_given ? e->constant.f64 / 100 : 0;
    return *out >= 0 && *out <= 1 ? STATUS_OK
                                  : bind_error(b, STATUS_KIND_INVALID, bind_location(node),
                                               "LIMIT takes from 0 to 100 percent of the rows");
}

/* Adds how many rows there are to each of them, as a double. */
static status bind_order_count_rows(binder *b, plan_node **node, expr **out)
{
    plan_window_call call = {.function = WINDOW_AGGREGATE,
                             .aggregate = AGGREGATE_COUNT_STAR,
                             .frame.end.kind = FRAME_UNBOUNDED_FOLLOWING,
                             .position = -1};
    plan_column count = {.id = bind_new_id(b), .name = "count", .type = type_make(TYPE_INT64)};
    plan_node *window;
    TRY(bind_new_node(b, PLAN_WINDOW, *node, &window));
    TRY(array_push(b->memory, &window->columns, count));
    TRY(array_push(b->memory, &window->window.calls, call));
    *node = window;
    *out = bind_column_expr(b, &count);
    return *out ? bind_cast(b, *out, type_make(TYPE_DOUBLE), -1, out) : bind_no_memory();
}

/* A part of the rows after the offset: their numbers less the offset are at most that share of their count. */
static status bind_percent(binder *b, double share, uint64_t offset, plan_node **node)
{
    plan_node *before = *node, *again;
    value v = value_double(share), least = value_int(TYPE_INT64, (int64_t)offset);
    expr *number, *count, *constant, *condition;
    TRY(bind_row_number(b, node, &number));
    TRY(bind_order_count_rows(b, node, &count));
    TRY(bind_constant(b, &v, -1, &constant));
    TRY(bind_arithmetic(b, "*", count, constant, -1, &count));
    TRY(bind_constant(b, &least, -1, &constant));
    TRY(bind_arithmetic(b, "-", number, constant, -1, &number));
    TRY(bind_cast(b, number, type_make(TYPE_DOUBLE), -1, &number));
    TRY(bind_comparison(b, EXPR_LE, number, count, -1, &condition));
    TRY(bind_filter(b, *node, condition, node));
    if (before->kind == PLAN_SORT) { /* they need not come in order through a filter */
        TRY(bind_new_node(b, PLAN_SORT, *node, &again));
        for (size_t i = 0; i < before->sort.keys.count; i++)
            TRY(array_push(b->memory, &again->sort.keys, before->sort.keys.items[i]));
        *node = again;
    }
    if (offset)
        TRY(order_add_limit(b, false, 0, offset, node));
    return keep_columns(b, before, node);
}

status bind_limit(binder *b, const pg_select *select, bind_scope *scope, plan_node **node)
{
    bool has_limit, has_offset;
    bool has_ties = select->limitOption == LIMIT_OPTION_WITH_TIES;
    bool is_share = select->limitOption == LIMIT_OPTION_PERCENT;
    uint64_t limit, offset;
    double share;
    TRY(bind_row_count(b, is_share ? NULL : select->limitCount, scope, "LIMIT", &has_limit,
                       &limit));
    TRY(bind_row_count(b, select->limitOffset, scope, "OFFSET", &has_offset, &offset));
    if (is_share) {
        TRY(bind_share(b, select->limitCount, scope, &is_share, &share));
        if (is_share)
            return bind_percent(b, share, offset, node);
    }
    if (!has_limit && offset == 0)
        return STATUS_OK;
    plan_node *sort = *node;
    /* Each number is below 2^63. */
    if (has_ties && has_limit && limit > 0 && limit + offset <= INT64_MAX &&
        sort->kind == PLAN_SORT) {
        TRY(bind_ties(b, limit + offset, node));
        if (offset)
            TRY(order_add_limit(b, false, 0, offset, node));
        return keep_columns(b, sort, node);
    }
    if (has_limit && limit > 0 && sort->kind == PLAN_SORT && !sort->sort.has_limit) {
        sort->sort.has_limit = true;
        sort->sort.limit = limit + offset;
    }
    return order_add_limit(b, has_limit, limit, offset, node);
}
