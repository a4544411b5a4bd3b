/* bind_subquery.c - subqueries in expressions: EXISTS, IN, ANY, ALL, and single values.
 *
 * They stay expressions, with a plan whose free column ids are the correlated references; the
 * optimizer turns them into joins. Of ANY and ALL only = ANY (IN) and <> ALL (NOT IN) are left to
 * it; the others compare with bounds. */
#include "sql/expression/bind_expr.h"
#include "sql/expression/expression_parts.h"
#include "sql/function/bind_made.h"
#include "sql/types/bind_columns.h"
#include "sql/types/bind_operator.h"
#include "sql/types/binder.h"

static status new_subquery(binder *b, expr_subquery_kind kind, data_type type,
                           const expr_list *args, plan_node *plan, int32_t location, expr **out)
{
    uint32_t count = args ? (uint32_t)args->count : 0;
    expr *e = expr_new(b->memory, EXPR_SUBQUERY, type, count, bind_position(b, location));
    if (!e)
        return bind_no_memory();
    e->subquery_kind = kind;
    e->subquery = plan;
    e->is_nullable = kind != SUBQUERY_EXISTS;
    for (uint32_t i = 0; i < count; i++)
        e->args[i] = args->items[i];
    *out = e;
    return STATUS_OK;
}

static status subquery_check_columns(binder *b, const plan_node *plan, size_t count,
                                     int32_t location)
{
    if (plan->columns.count == count)
        return STATUS_OK;
    if (count == 1)
        return bind_error(b, STATUS_KIND_INVALID, location,
                          "subquery must return one column, not %zu", plan->columns.count);
    return bind_error(b, STATUS_KIND_INVALID, location, "subquery must return %zu columns, not %zu",
                      count, plan->columns.count);
}

/* The left side's values and the subquery's columns get one type each. */
static status unify_with_columns(binder *b, expr_list *args, plan_node **plan, const char *name,
                                 int32_t location)
{
    data_type *types = arena_alloc_array(b->memory, args->count + 1, sizeof *types);
    if (!types)
        return bind_no_memory();
    for (size_t i = 0; i < args->count; i++) {
        expr *column = bind_column_expr(b, &(*plan)->columns.items[i]);
        if (!column)
            return bind_no_memory();
        TRY(bind_unify(b, &args->items[i], &column, location, name));
        types[i] = column->type;
    }
    return bind_cast_columns(b, plan, types);
}

/* The left side: one value, or those of a row. */
static status bind_left(binder *b, const SubLink *link, bind_scope *scope, expr_list *out)
{
    bool is_row = IsA(link->testexpr, RowExpr);
    size_t count = is_row ? list_length(castNode(RowExpr, link->testexpr)->args) : 1;
    for (size_t i = 0; i < count; i++) {
        expr *arg;
        TRY(bind_expr(
            b, is_row ? list_nth(castNode(RowExpr, link->testexpr)->args, i) : link->testexpr,
            scope, &arg));
        TRY(array_push(b->memory, out, arg));
    }
    return STATUS_OK;
}

/* ---- ordered comparisons with ANY and ALL ----
 *
 * x > ALL (S) asks for x > max(S), x > ANY (S) for x > min(S); the counts of rows and of values say
 * what is left:
 *
 *     ALL    rows = 0 OR (x > max AND (rows = values OR NULL))
 *     ANY    rows > 0 AND (x > min OR (rows <> values AND NULL))
 *
 * x = ALL (S) compares with both bounds, as does x <> ANY (S). All of that is computed of one aggregate over S, above
 * which x is read as any column of the query around it: SELECT rows = 0 OR ... FROM (SELECT count(*), ... FROM S). */

typedef struct quantified {
    binder *b;
    const SubLink *link;
    bind_scope *scope;
    expr_op op;
    bool is_any;
    plan_node *bounds; /* the aggregate over the rows of the query */
} quantified;

/* Binds the query below an aggregate that has nothing yet. */
static status bind_rows(quantified *q)
{
    binder *b = q->b;
    plan_node *rows;
    TRY(b->bind_subquery(b, castNode(SelectStmt, q->link->subselect), q->scope, q->scope->ctes,
                         &rows));
    TRY(subquery_check_columns(b, rows, 1, q->link->location));
    TRY(bind_resolve_nulls(b, &rows));
    q->bounds = plan_node_new(b->memory, PLAN_AGGREGATE, 1);
    if (!q->bounds)
        return bind_no_memory();
    q->bounds->children[0] = rows;
    return STATUS_OK;
}

/* Adds an aggregate; *out is its value. */
static status bind_subquery_add_aggregate(const quantified *q, plan_aggregate_function function,
                                          expr **out)
{
    binder *b = q->b;
    plan_node *node = q->bounds;
    const plan_column *values = &node->children[0]->columns.items[0];
    plan_aggregate call = {.function = function, .position = -1};
    bool is_count = function == AGGREGATE_COUNT || function == AGGREGATE_COUNT_STAR;
    if (function != AGGREGATE_COUNT_STAR) {
        call.argument = bind_column_expr(b, values);
        if (!call.argument)
            return bind_no_memory();
    }
    plan_column column = {.id = bind_new_id(b),
                          .name = plan_aggregate_name(function),
                          .type = is_count ? type_make(TYPE_INT64) : values->type,
                          .is_nullable = !is_count};
    TRY(array_push(b->memory, &node->columns, column));
    TRY(array_push(b->memory, &node->aggregate.aggregates, call));
    *out = bind_column_expr(b, &column);
    return *out ? STATUS_OK : bind_no_memory();
}

/* x <op> the bound. */
static status compare_with(const quantified *q, plan_aggregate_function bound, expr **out)
{
    expr *arg, *limit;
    TRY(bind_expr(q->b, q->link->testexpr, q->scope, &arg));
    TRY(bind_subquery_add_aggregate(q, bound, &limit));
    return bind_comparison(q->b, q->op, arg, limit, q->link->location, out);
}

static status compare_with_bounds(const quantified *q, expr **out)
{
    bool is_greater = q->op == EXPR_GT || q->op == EXPR_GE;
    expr *first, *second;
    if (q->op != EXPR_EQ && q->op != EXPR_NE)
        return compare_with(q, is_greater != q->is_any ? AGGREGATE_MAX : AGGREGATE_MIN, out);
    TRY(compare_with(q, AGGREGATE_MIN, &first));
    TRY(compare_with(q, AGGREGATE_MAX, &second));
    return bind_call2(q->b, q->is_any ? EXPR_OR : EXPR_AND, type_make(TYPE_BOOL), first, second, -1,
                      out);
}

static status compare_counts(const quantified *q, expr_op op, expr *rows, expr *other, expr **out)
{
    return bind_call2(q->b, op, type_make(TYPE_BOOL), rows, other, -1, out);
}

/* Binds the truth of x, the bounds and the counts. */
static status bind_truth(const quantified *q, expr **out)
{
    binder *b = q->b;
    data_type boolean = type_make(TYPE_BOOL);
    value null = value_null(boolean), zero = value_int(TYPE_INT64, 0);
    expr_op inner = q->is_any ? EXPR_AND : EXPR_OR, outer = q->is_any ? EXPR_OR : EXPR_AND;
    expr *compared, *rows, *values, *none, *has_nulls, *unknown, *is_empty;
    TRY(compare_with_bounds(q, &compared));
    TRY(bind_subquery_add_aggregate(q, AGGREGATE_COUNT_STAR, &rows));
    TRY(bind_subquery_add_aggregate(q, AGGREGATE_COUNT, &values));
    TRY(compare_counts(q, q->is_any ? EXPR_NE : EXPR_EQ, rows, values, &has_nulls));
    TRY(bind_constant(b, &null, -1, &unknown));
    TRY(bind_call2(b, inner, boolean, has_nulls, unknown, -1, &has_nulls));
    TRY(bind_call2(b, outer, boolean, compared, has_nulls, -1, out));
    rows = expr_copy(b->memory, rows);
    if (!rows)
        return bind_no_memory();
    TRY(bind_constant(b, &zero, -1, &none));
    TRY(compare_counts(q, q->is_any ? EXPR_GT : EXPR_EQ, rows, none, &is_empty));
    return bind_call2(b, inner, boolean, is_empty, *out, q->link->location, out);
}

static status bind_by_bounds(quantified *q, expr **out)
{
    const char *name = q->is_any ? "any" : "all";
    plan_node *plan;
    expr *truth;
    TRY(bind_rows(q));
    TRY(bind_truth(q, &truth));
    TRY(bind_project(q->b, q->bounds, &truth, &name, 1, &plan));
    return new_subquery(q->b, SUBQUERY_SCALAR, type_make(TYPE_BOOL), NULL, plan, q->link->location,
                        out);
}

/* ---- all kinds ---- */

static status bind_quantified(binder *b, const SubLink *link, bind_scope *scope, expr **out)
{
    const char *name = list_length(link->operName)
                           ? strVal(list_nth(link->operName, list_length(link->operName) - 1))
                           : "=";
    quantified q = {.b = b, .link = link, .scope = scope};
    plan_node *plan;
    expr_list args = {0};
    q.is_any = link->subLinkType == ANY_SUBLINK;
    if (!bind_comparison_op(name, &q.op))
        return bind_error(b, STATUS_KIND_UNSUPPORTED, link->location,
                          "operator %s before a subquery is not supported", name);
    bool is_row = IsA(link->testexpr, RowExpr);
    if (!is_row && q.op != (q.is_any ? EXPR_EQ : EXPR_NE))
        return bind_by_bounds(&q, out);
    TRY(bind_left(b, link, scope, &args));
    TRY(b->bind_subquery(b, castNode(SelectStmt, link->subselect), scope, scope->ctes, &plan));
    TRY(subquery_check_columns(b, plan, args.count, link->location));
    TRY(unify_with_columns(b, &args, &plan, name, link->location));
    TRY(new_subquery(b, q.is_any ? SUBQUERY_ANY : SUBQUERY_ALL, type_make(TYPE_BOOL), &args, plan,
                     link->location, out));
    (*out)->comparison = q.op;
    return STATUS_OK;
}

/* ARRAY(query): a list of the rows' only values, empty if there are none, in the query's order. An aggregate does not keep
 * the order of what it reads: the rows are numbered. */
static status bind_array_subquery(binder *b, const SubLink *link, bind_scope *scope, expr **out)
{
    FuncCall call = {.type = T_FuncCall, .location = link->location};
    made_call m = {.tree = &call};
    SelectStmt *query;
    plan_node *plan;
    bool is_ordered = list_length(castNode(SelectStmt, link->subselect)->sortClause) > 0;
    TRY(made_parse_query(b, &m,
                         is_ordered
                             ? "coalesce(list(x ORDER BY n), []) FROM "
                               "(SELECT x, row_number() OVER () FROM (SELECT 1) q(x)) r(x, n)"
                             : "coalesce(list(x), []) FROM (SELECT 1) q(x)",
                         &query));
    RangeSubselect *rows = castNode(RangeSubselect, list_nth(query->fromClause, 0));
    if (is_ordered)
        rows =
            castNode(RangeSubselect, list_nth(castNode(SelectStmt, rows->subquery)->fromClause, 0));
    rows->subquery = link->subselect;
    TRY(b->bind_subquery(b, query, scope, scope->ctes, &plan));
    return new_subquery(b, SUBQUERY_SCALAR, plan->columns.items[0].type, NULL, plan, link->location,
                        out);
}

/* Makes what fails when it is computed: a value of a recursive query that is correlated. Clients ask for one in a branch of a
 * CASE that no row takes. */
static status bind_deferred(binder *b, data_type type, int32_t location, expr **out)
{
    static const char message[] = SUBQUERY_OUTER_RECURSION " not supported";
    value v = value_text(message, sizeof message - 1);
    expr *text;
    TRY(bind_constant(b, &v, location, &text));
    TRY(bind_call1(b, EXPR_ERROR, type_make(TYPE_VARCHAR), text, location, out));
    return bind_cast(b, *out, type, location, out);
}

/* Binds a subquery of one value. */
static status bind_scalar(binder *b, const SubLink *link, bind_scope *scope, expr **out)
{
    SelectStmt *select = castNode(SelectStmt, link->subselect);
    const bind_rounds before = b->rounds;
    plan_node *plan;
    b->rounds.defers |= select->withClause && select->withClause->recursive;
    b->rounds.is_deferred = false;
    status st = b->bind_subquery(b, select, scope, scope->ctes, &plan);
    bool is_deferred = b->rounds.is_deferred;
    b->rounds.defers = before.defers;
    b->rounds.is_deferred = before.is_deferred;
    TRY(st);
    TRY(bind_resolve_nulls(b, &plan));
    TRY(subquery_check_columns(b, plan, 1, link->location));
    data_type type = plan->columns.items[0].type;
    return is_deferred ? bind_deferred(b, type, b->rounds.deferred_at, out)
                       : new_subquery(b, SUBQUERY_SCALAR, type, NULL, plan, link->location, out);
}

status bind_sublink(binder *b, const SubLink *link, bind_scope *scope, expr **out)
{
    bool is_exists = link->subLinkType == EXISTS_SUBLINK;
    plan_node *plan;
    if (link->subLinkType == ANY_SUBLINK || link->subLinkType == ALL_SUBLINK)
        return bind_quantified(b, link, scope, out);
    if (link->subLinkType == ARRAY_SUBLINK)
        return bind_array_subquery(b, link, scope, out);
    if (!is_exists && link->subLinkType != EXPR_SUBLINK)
        return bind_unsupported(b, link->location, "this kind of subquery is");
    if (!is_exists)
        return bind_scalar(b, link, scope, out);
    TRY(b->bind_subquery(b, castNode(SelectStmt, link->subselect), scope, scope->ctes, &plan));
    TRY(bind_resolve_nulls(b, &plan));
    return new_subquery(b, SUBQUERY_EXISTS, type_make(TYPE_BOOL), NULL, plan, link->location, out);
}
