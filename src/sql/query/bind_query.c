/* bind_query.c - SELECT: its clauses, in the order in which they are evaluated.
 *
 *   FROM, WHERE                    scope, node
 *   select list, GROUP BY, HAVING, ORDER BY are bound over the scope
 *   GROUP BY, aggregates, HAVING   node: aggregate, filter
 *   functions OVER windows         node: sorts, windows
 *   select list                    node: projection; columns that only ORDER BY needs are behind
 *   DISTINCT, ORDER BY, LIMIT      node: aggregate (ON: window), sort, limit; and the extra columns go */
#include "sql/query/bind_query.h"

#include "base/system/guard.h"
#include "base/unique_names.h"
#include "plan/nodes/visit.h"
#include "plan/tree/function.h"
#include "sql/expression/bind_expr.h"
#include "sql/expression/bind_grouping.h"
#include "sql/expression/bind_item.h"
#include "sql/expression/bind_name.h"
#include "sql/expression/bind_scope.h"
#include "sql/expression/bind_star.h"
#include "sql/expression/bind_window.h"
#include "sql/query/bind_from.h"
#include "sql/query/bind_order.h"
#include "sql/query/bind_set.h"
#include "sql/query/bind_unnest.h"
#include "sql/query/bind_with.h"
#include "sql/query/query_parts.h"
#include "sql/types/bind_columns.h"
#include "sql/types/bind_operator.h"
#include "sql/types/bind_type.h"
#include "sql/types/binder.h"

#include <strings.h>

typedef struct order_key {
    const SortBy *tree; /* NULL: of DISTINCT ON */
    const pg_node *node;
    int target; /* -1: not in the select list */
    expr *e;    /* then */
} order_key;

typedef struct query {
    binder *b;
    const pg_select *select;
    bind_scope scope;
    plan_node *node;
    bind_target_list targets;
    expr_list groups; /* distinct */
    expr_index group_numbers;
    plan_grouping_set_list sets;
    expr *having, *qualify;
    ARRAY(order_key) order, distinct_on;
} query;

/* ---- the select list ---- */

static const char *type_display_name(const TypeName *type)
{
    return list_length(type->names) ? strVal(list_nth(type->names, list_length(type->names) - 1))
                                    : "?column?";
}

static const char *const value_function_names[] = {[SVFOP_CURRENT_DATE] = "current_date",
                                                   [SVFOP_CURRENT_TIME] = "current_time",
                                                   [SVFOP_CURRENT_TIME_N] = "current_time",
                                                   [SVFOP_CURRENT_TIMESTAMP] = "current_timestamp",
                                                   [SVFOP_CURRENT_TIMESTAMP_N] =
                                                       "current_timestamp",
                                                   [SVFOP_LOCALTIME] = "localtime",
                                                   [SVFOP_LOCALTIME_N] = "localtime",
                                                   [SVFOP_LOCALTIMESTAMP] = "localtimestamp",
                                                   [SVFOP_LOCALTIMESTAMP_N] = "localtimestamp",
                                                   [SVFOP_CURRENT_ROLE] = "current_role",
                                                   [SVFOP_CURRENT_USER] = "current_user",
                                                   [SVFOP_USER] = "user",
                                                   [SVFOP_SESSION_USER] = "session_user",
                                                   [SVFOP_CURRENT_CATALOG] = "current_catalog",
                                                   [SVFOP_CURRENT_SCHEMA] = "current_schema"};

/* PostgreSQL's name for a column without alias, that of a column as its table spells it; NULL: it has none. */
static const char *derived_name(const bind_scope *scope, const pg_node *node)
{
    switch (nodeTag(node)) {
    case T_ColumnRef: {
        const ColumnRef *ref = castNode(ColumnRef, node);
        const pg_node *last = list_nth(ref->fields, list_length(ref->fields) - 1);
        return IsA(last, String) ? bind_spelling(scope, ref) : NULL;
    }
    case T_FuncCall:
        return strVal(list_nth(castNode(FuncCall, node)->funcname,
                               list_length(castNode(FuncCall, node)->funcname) - 1));
    case T_TypeCast: {
        const char *name = derived_name(scope, castNode(TypeCast, node)->arg);
        return name ? name : type_display_name(castNode(TypeCast, node)->typeName);
    }
    case T_CaseExpr: {
        const pg_node *otherwise = castNode(CaseExpr, node)->defresult;
        const char *name = otherwise ? derived_name(scope, otherwise) : NULL;
        return name ? name : "case";
    }
    case T_GroupingFunc:
        return "grouping";
    case T_CoalesceExpr:
        return "coalesce";
    case T_MinMaxExpr:
        return castNode(MinMaxExpr, node)->op == IS_GREATEST ? "greatest" : "least";
    case T_A_Expr:
        return castNode(A_Expr, node)->kind == AEXPR_NULLIF ? "nullif" : NULL;
    case T_SQLValueFunction:
        return value_function_names[castNode(SQLValueFunction, node)->op];
    case T_ColumnsExpr:
        return scope ? scope->expansion.name : NULL;
    case T_SubLink: {
        const SubLink *link = castNode(SubLink, node);
        if (link->subLinkType == EXISTS_SUBLINK)
            return "exists";
        if (link->subLinkType != EXPR_SUBLINK)
            return NULL;
        const pg_select *select = castNode(SelectStmt, link->subselect);
        if (list_length(select->targetList) != 1)
            return NULL;
        const ResTarget *only = castNode(ResTarget, list_nth(select->targetList, 0));
        return only->name && *only->name ? only->name : derived_name(NULL, only->val);
    }
    default:
        return NULL;
    }
}

/* Adds what a call of unnest stands for: one item or, of a struct, several. */
static status add_unnest(query *q, const FuncCall *call, const char *name)
{
    size_t first = q->targets.count;
    TRY(bind_unnest_item(q->b, call, &q->scope, name ? name : "unnest", &q->targets));
    if (!name || q->targets.count != first + 1)
        return STATUS_OK;
    return array_push(q->b->memory, &q->scope.aliases,
                      ((bind_alias){name, q->targets.items[first].e}));
}

static status add_target(query *q, const ResTarget *tree)
{
    bool has_name = tree->name && *tree->name;
    bind_target added = {.name = tree->name};
    if (bind_is_unnest_call(tree->val))
        return add_unnest(q, castNode(FuncCall, tree->val), has_name ? tree->name : NULL);
    TRY(bind_expr(q->b, tree->val, &q->scope, &added.e));
    if (!has_name)
        added.name = derived_name(&q->scope, tree->val);
    if (!added.name)
        added.name = "?column?";
    TRY(array_push(q->b->memory, &q->targets, added));
    return has_name
               ? array_push(q->b->memory, &q->scope.aliases, ((bind_alias){tree->name, added.e}))
               : STATUS_OK;
}

/* Adds an item of the select list, or, if it has COLUMNS, one for each of these. */
static status bind_item_expanded(query *q, const ResTarget *tree)
{
    bind_expansion *all = &q->scope.expansion;
    *all = (bind_expansion){.bind = bind_columns_expr};
    do
        TRY(add_target(q, tree));
    while (++all->index < all->count);
    *all = (bind_expansion){0};
    return STATUS_OK;
}

static status bind_targets(query *q)
{
    for (size_t i = 0; i < list_length(q->select->targetList); i++) {
        const ResTarget *tree = castNode(ResTarget, list_nth(q->select->targetList, i));
        if (bind_is_star(tree->val)) {
            bool has_from = list_length(q->select->fromClause) > 0;
            TRY(bind_star(q->b, castNode(ColumnRef, tree->val), &q->scope, has_from, &q->targets));
            continue;
        }
        TRY(bind_item_expanded(q, tree));
    }
    if (!q->targets.count)
        return bind_unsupported(q->b, -1, "a SELECT without columns is");
    return STATUS_OK;
}

/* ---- GROUP BY ---- */

static const char *simple_name(const pg_node *node)
{
    if (!IsA(node, ColumnRef) || list_length(castNode(ColumnRef, node)->fields) != 1 ||
        !IsA(list_nth(castNode(ColumnRef, node)->fields, 0), String))
        return NULL;
    return strVal(list_nth(castNode(ColumnRef, node)->fields, 0));
}

static bool has_target(const query *q, const char *name)
{
    for (size_t i = 0; name && i < q->targets.count; i++)
        if (!strcmp(q->targets.items[i].name, name))
            return true;
    return false;
}

/* The item of the select list with that name, or if there is none, in another case; -1: none. Two of one name must be the same. */
static status find_target(const query *q, const char *name, int32_t location, const char *clause,
                          int *out)
{
    *out = -1;
    bool folds = !has_target(q, name);
    for (size_t i = 0; name && i < q->targets.count; i++) {
        const char *target = q->targets.items[i].name;
        if (folds ? strcasecmp(target, name) : strcmp(target, name))
            continue;
        if (*out >= 0 && !expr_equal(q->targets.items[*out].e, q->targets.items[i].e))
            return bind_error(q->b, STATUS_KIND_INVALID, location, "%s \"%s\" is ambiguous", clause,
                              name);
        if (*out < 0)
            *out = (int)i;
    }
    return STATUS_OK;
}

static bool is_input_name(const query *q, const char *name)
{
    for (size_t i = 0; (i = bind_scope_named(&q->scope, name, i)) < q->scope.entries.count; i++)
        if (!q->scope.entries.items[i].is_hidden &&
            !strcasecmp(q->scope.entries.items[i].name, name))
            return true;
    return false;
}

static status query_add_group(query *q, expr *e, plan_grouping_set *set)
{
    uint32_t index = expr_index_first(&q->group_numbers, e);
    if (index == EXPR_INDEX_NONE) {
        index = (uint32_t)q->groups.count;
        TRY(expr_index_add(q->b->memory, &q->group_numbers, e));
        TRY(array_push(q->b->memory, &q->groups, e));
    }
    for (size_t i = 0; i < set->count; i++)
        if (set->items[i] == index)
            return STATUS_OK;
    return array_push(q->b->memory, set, index);
}

static status group_by_target(query *q, int index, int32_t location, plan_grouping_set *set)
{
    expr *e = q->targets.items[index].e;
    bind_calls search = bind_find_calls(&q->scope, e);
    if (search.has_aggregate || search.has_window)
        return bind_error(q->b, STATUS_KIND_INVALID, location,
                          "%s functions are not allowed in GROUP BY",
                          search.has_window ? "window" : "aggregate");
    e = expr_copy(q->b->memory, e);
    return e ? query_add_group(q, e, set) : bind_no_memory();
}

/* GROUP BY ALL: what of the select list has no aggregates. */
static status group_by_all(query *q, plan_grouping_set *set)
{
    for (size_t i = 0; i < q->targets.count; i++) {
        bind_calls search = bind_find_calls(&q->scope, q->targets.items[i].e);
        if (!search.has_aggregate && !search.has_window)
            TRY(group_by_target(q, (int)i, -1, set));
    }
    return STATUS_OK;
}

/* A name is a column of FROM first, then of the select list. */
static status bind_group(void *context, const pg_node *node, plan_grouping_set *set)
{
    query *q = context;
    const char *name = simple_name(node);
    int index;
    expr *e;
    if (bind_is_all(node))
        return group_by_all(q, set);
    if (IsA(node, RowExpr)) {
        for (size_t i = 0; i < list_length(castNode(RowExpr, node)->args); i++)
            TRY(bind_group(q, list_nth(castNode(RowExpr, node)->args, i), set));
        return STATUS_OK;
    }
    TRY(bind_ordinal(q->b, node, q->targets.count, "GROUP BY", &index));
    if (index < 0 && name && !is_input_name(q, name))
        TRY(find_target(q, name, bind_location(node), "GROUP BY", &index));
    if (index >= 0)
        return group_by_target(q, index, bind_location(node), set);
    q->scope.clause = "GROUP BY";
    status st = bind_expr(q->b, node, &q->scope, &e);
    q->scope.clause = NULL;
    TRY(st);
    if (e->type.id == TYPE_NULL)
        TRY(bind_cast(q->b, e, type_make(TYPE_VARCHAR), bind_location(node), &e));
    return query_add_group(q, e, set);
}

/* ---- ORDER BY ---- */

/* A name is a column of the select list first, then of FROM. */
static status bind_order_key(query *q, const pg_node *node, const char *clause, order_key *out)
{
    out->node = node;
    TRY(bind_ordinal(q->b, node, q->targets.count, clause, &out->target));
    if (out->target < 0)
        TRY(find_target(q, simple_name(node), bind_location(node), clause, &out->target));
    return out->target < 0 ? bind_expr(q->b, node, &q->scope, &out->e) : STATUS_OK;
}

static status bind_order(query *q)
{
    const pg_select *select = q->select;
    for (size_t i = 0; i < list_length(select->distinctClause); i++) {
        order_key key = {0};
        if (!list_nth(select->distinctClause, i))
            break; /* DISTINCT without ON */
        TRY(bind_order_key(q, list_nth(select->distinctClause, i), "DISTINCT ON", &key));
        TRY(array_push(q->b->memory, &q->distinct_on, key));
    }
    for (size_t i = 0; i < list_length(select->sortClause); i++) {
        order_key key = {.tree = castNode(SortBy, list_nth(select->sortClause, i))};
        bool is_all = bind_is_all(key.tree->node);
        key.node = key.tree->node;
        for (size_t k = 0; is_all && k < q->targets.count; k++) {
            key.target = (int)k;
            TRY(array_push(q->b->memory, &q->order, key));
        }
        if (is_all)
            continue;
        TRY(bind_order_key(q, key.tree->node, "ORDER BY", &key));
        TRY(array_push(q->b->memory, &q->order, key));
    }
    return STATUS_OK;
}

/* ---- clauses to nodes ---- */

static bool query_is_distinct(const query *q)
{
    return list_length(q->select->distinctClause) > 0 && !q->distinct_on.count;
}

static status check_clauses(binder *b, const pg_select *select)
{
    if (select->intoClause)
        return bind_unsupported(b, select->intoClause->rel ? select->intoClause->rel->location : -1,
                                "SELECT INTO is");
    if (list_length(select->lockingClause))
        return bind_unsupported(b, -1, "FOR UPDATE is");
    return STATUS_OK;
}

/* Makes the rows of unnest before the groups if one of them has its elements. */
static status unnest_groups(query *q, expr_slot_list *slots)
{
    bool has = false;
    for (size_t i = 0; i < q->groups.count && !has; i++)
        has = bind_has_unnest(&q->scope, q->groups.items[i]);
    if (!has)
        return STATUS_OK;
    expr_slot_list all = {0};
    for (size_t i = 0; i < q->groups.count; i++)
        TRY(array_push(q->b->memory, &all, &q->groups.items[i]));
    for (size_t i = 0; i < slots->count; i++)
        TRY(array_push(q->b->memory, &all, slots->items[i]));
    TRY(bind_unnest_targets(q->b, &q->scope, &all, &q->node));
    q->scope.unnests.count = 0;
    return STATUS_OK;
}

static status aggregate(query *q)
{
    expr_slot_list slots = {0};
    arena *a = q->b->memory;
    if (!list_length(q->select->groupClause) && !q->scope.aggregates.count &&
        !q->scope.groupings.count && !q->scope.composites.count && !q->select->havingClause)
        return STATUS_OK;
    for (size_t i = 0; i < q->targets.count; i++)
        TRY(array_push(a, &slots, &q->targets.items[i].e));
    for (size_t i = 0; i < q->order.count; i++)
        if (q->order.items[i].e)
            TRY(array_push(a, &slots, &q->order.items[i].e));
    for (size_t i = 0; i < q->distinct_on.count; i++)
        if (q->distinct_on.items[i].e)
            TRY(array_push(a, &slots, &q->distinct_on.items[i].e));
    if (q->having)
        TRY(array_push(a, &slots, &q->having));
    if (q->qualify)
        TRY(array_push(a, &slots, &q->qualify));
    TRY(bind_window_slots(q->b, &q->scope, &slots));
    TRY(unnest_groups(q, &slots));
    TRY(bind_aggregation(q->b, &q->scope, &q->groups, &q->sets, slots.items, slots.count,
                         &q->node));
    return q->having ? bind_filter(q->b, q->node, q->having, &q->node) : STATUS_OK;
}

/* Returns whether rows of equal values of the projection's expressions have equal values of this one. */
static bool is_determined(const expr *e, const expr_index *numbers)
{
    bool is_made = e->kind == EXPR_CALL || e->kind == EXPR_CAST || e->kind == EXPR_CASE;
    if (expr_is_volatile(e))
        return false;
    if (e->kind == EXPR_CONSTANT)
        return true;
    if (expr_index_least(numbers, e) != EXPR_INDEX_NONE) /* a day and 24 hours are equal */
        return e->type.id != TYPE_INTERVAL;
    if (e->kind == EXPR_CAST && type_is_text(e->type)) /* 0 and -0 are equal */
        is_made = e->args[0]->type.id != TYPE_DOUBLE && e->args[0]->type.id != TYPE_FLOAT;
    for (uint32_t i = 0; i < e->arg_count && is_made; i++)
        is_made = !e->args[i] || is_determined(e->args[i], numbers);
    return is_made;
}

/* Finds an ORDER BY expression among the projection's, which it may be added to; to one that is DISTINCT only if it makes no
 * more rows different. */
static status place_key(query *q, order_key *key, expr_list *exprs, expr_index *numbers)
{
    if (key->target >= 0)
        return STATUS_OK;
    uint32_t found = expr_index_least(numbers, key->e);
    if (found != EXPR_INDEX_NONE) {
        key->target = (int)found;
        return STATUS_OK;
    }
    if (query_is_distinct(q) && !is_determined(key->e, numbers))
        return bind_error(q->b, STATUS_KIND_INVALID, bind_location(key->node),
                          "for SELECT DISTINCT, ORDER BY expressions must appear in select list");
    if (key->e->type.id == TYPE_NULL)
        TRY(bind_cast(q->b, key->e, type_make(TYPE_VARCHAR), -1, &key->e));
    key->target = (int)exprs->count;
    TRY(expr_index_add(q->b->memory, numbers, key->e));
    return array_push(q->b->memory, exprs, key->e);
}

/* Is it one of the first `count` keys of DISTINCT ON? */
static bool is_distinct_on(const query *q, size_t count, int target)
{
    for (size_t i = 0; i < count; i++)
        if (q->distinct_on.items[i].target == target)
            return true;
    return false;
}

static int first_equal(const expr_list *exprs, int target)
{
    int first = 0;
    while (!expr_equal(exprs->items[first], exprs->items[target]))
        first++;
    return first;
}

/* Keys of DISTINCT ON and of ORDER BY that are the same expression, under several names perhaps, are one. */
static void unite_keys(query *q, const expr_list *exprs)
{
    size_t kept = 0;
    for (size_t i = 0; i < q->distinct_on.count; i++) {
        order_key key = q->distinct_on.items[i];
        key.target = first_equal(exprs, key.target);
        if (!is_distinct_on(q, kept, key.target))
            q->distinct_on.items[kept++] = key;
    }
    q->distinct_on.count = kept;
    for (size_t i = 0; i < q->order.count; i++)
        q->order.items[i].target = first_equal(exprs, q->order.items[i].target);
}

/* Makes a row for each element that unnest in the select list gives. */
static status query_unnest(query *q)
{
    expr_slot_list slots = {0};
    arena *a = q->b->memory;
    for (size_t i = 0; i < q->targets.count; i++)
        TRY(array_push(a, &slots, &q->targets.items[i].e));
    for (size_t i = 0; i < q->order.count; i++)
        if (q->order.items[i].e)
            TRY(array_push(a, &slots, &q->order.items[i].e));
    for (size_t i = 0; i < q->distinct_on.count; i++)
        if (q->distinct_on.items[i].e)
            TRY(array_push(a, &slots, &q->distinct_on.items[i].e));
    return bind_unnest_targets(q->b, &q->scope, &slots, &q->node);
}

static status query_project(query *q)
{
    arena *a = q->b->memory;
    expr_list exprs = {0};
    expr_index numbers = {0};
    ARRAY(const char *) names = {0};
    for (size_t i = 0; i < q->targets.count; i++) {
        TRY(array_push(a, &exprs, q->targets.items[i].e));
        TRY(array_push(a, &names, q->targets.items[i].name));
        TRY(expr_index_add(a, &numbers, q->targets.items[i].e));
    }
    TRY(unique_names(a, names.items, names.count));
    for (size_t i = 0; i < q->targets.count; i++)
        q->targets.items[i].name = names.items[i];
    for (size_t i = 0; i < q->distinct_on.count; i++)
        TRY(place_key(q, &q->distinct_on.items[i], &exprs, &numbers));
    for (size_t i = 0; i < q->order.count; i++)
        TRY(place_key(q, &q->order.items[i], &exprs, &numbers));
    if (q->distinct_on.count)
        unite_keys(q, &exprs);
    while (names.count < exprs.count)
        TRY(array_push(a, &names, (const char *)"order"));
    return bind_project(q->b, q->node, exprs.items, names.items, exprs.count, &q->node);
}

/* ---- DISTINCT ON ---- */

static status column_of_key(const query *q, const order_key *key, expr **out)
{
    *out = bind_column_expr(q->b, &q->node->columns.items[key->target]);
    return *out ? STATUS_OK : bind_no_memory();
}

static status add_sort_keys(query *q, bool are_on, plan_sort_key_list *keys)
{
    for (size_t i = 0; i < q->order.count; i++) {
        const order_key *key = &q->order.items[i];
        expr *e;
        if (is_distinct_on(q, q->distinct_on.count, key->target) != are_on)
            continue;
        if (!are_on && i < q->distinct_on.count)
            return bind_error(
                q->b, STATUS_KIND_INVALID, bind_location(q->distinct_on.items[i].node),
                "SELECT DISTINCT ON expressions must match initial ORDER BY expressions");
        TRY(column_of_key(q, key, &e));
        TRY(bind_sort_key(q->b, key->tree, e, keys));
    }
    return STATUS_OK;
}

/* By the keys of DISTINCT ON, as ORDER BY has them or not, then by ORDER BY's others. */
static status sort_for_first(query *q, plan_node *sort, plan_node *window)
{
    arena *a = q->b->memory;
    plan_sort_key_list *keys = &sort->sort.keys;
    TRY(add_sort_keys(q, true, keys));
    for (size_t i = 0; i < q->distinct_on.count; i++) {
        plan_sort_key key = {0};
        bool is_in = false;
        TRY(column_of_key(q, &q->distinct_on.items[i], &key.key));
        TRY(array_push(a, &window->window.partition, key.key));
        for (size_t k = 0; k < keys->count; k++)
            is_in |= expr_equal(keys->items[k].key, key.key);
        if (!is_in)
            TRY(array_push(a, keys, key));
    }
    TRY(add_sort_keys(q, false, &window->window.order));
    for (size_t i = 0; i < window->window.order.count; i++)
        TRY(array_push(a, keys, window->window.order.items[i]));
    return STATUS_OK;
}

/* The first row of each combination of values, in the order of ORDER BY. */
static status query_first_rows(query *q)
{
    binder *b = q->b;
    plan_node *sorted, *window;
    plan_window_call call = {.function = WINDOW_ROW_NUMBER, .position = -1};
    plan_column number = {
        .id = bind_new_id(b), .name = "row_number", .type = type_make(TYPE_INT64)};
    value one = value_int(TYPE_INT64, 1);
    expr *e, *first;
    if (!q->distinct_on.count)
        return STATUS_OK;
    TRY(bind_new_node(b, PLAN_SORT, q->node, &sorted));
    TRY(bind_new_node(b, PLAN_WINDOW, sorted, &window));
    TRY(sort_for_first(q, sorted, window));
    TRY(array_push(b->memory, &window->columns, number));
    TRY(array_push(b->memory, &window->window.calls, call));
    e = bind_column_expr(b, &number);
    if (!e)
        return bind_no_memory();
    TRY(bind_constant(b, &one, -1, &first));
    TRY(bind_comparison(b, EXPR_EQ, e, first, -1, &e));
    return bind_filter(b, window, e, &q->node);
}

static status sort(query *q)
{
    plan_node *node;
    if (!q->order.count)
        return STATUS_OK;
    TRY(bind_new_node(q->b, PLAN_SORT, q->node, &node));
    for (size_t i = 0; i < q->order.count; i++) {
        expr *key = bind_column_expr(q->b, &q->node->columns.items[q->order.items[i].target]);
        if (!key)
            return bind_no_memory();
        TRY(bind_sort_key(q->b, q->order.items[i].tree, key, &node->sort.keys));
    }
    q->node = node;
    return STATUS_OK;
}

/* Columns that only ORDER BY needed. */
static status drop_order_columns(query *q)
{
    expr_list exprs = {0};
    if (q->node->columns.count == q->targets.count)
        return STATUS_OK;
    ARRAY(const char *) names = {0};
    for (size_t i = 0; i < q->targets.count; i++) {
        expr *e = bind_column_expr(q->b, &q->node->columns.items[i]);
        if (!e)
            return bind_no_memory();
        TRY(array_push(q->b->memory, &exprs, e));
        TRY(array_push(q->b->memory, &names, q->targets.items[i].name));
    }
    return bind_project(q->b, q->node, exprs.items, names.items, exprs.count, &q->node);
}

/* A set makes NULLs of the groups that it is without: of columns that have none, too, nothing may be
 * concluded from that before it. */
static void expect_nulls_of_sets(query *q)
{
    bool has_sets = false;
    for (size_t i = 0; i < list_length(q->select->groupClause); i++)
        has_sets |= IsA(list_nth(q->select->groupClause, i), GroupingSet);
    for (size_t i = 0; has_sets && i < q->scope.entries.count; i++)
        q->scope.entries.items[i].is_nullable = true;
}

/* A condition on the values of windows, which may name all items of the select list, those of a star too. */
static status bind_qualify(query *q)
{
    q->scope.aliases.count = 0;
    for (size_t i = 0; i < q->targets.count; i++)
        TRY(array_push(q->b->memory, &q->scope.aliases,
                       ((bind_alias){q->targets.items[i].name, q->targets.items[i].e})));
    return bind_condition(q->b, q->select->qualifyClause, &q->scope, "QUALIFY", &q->qualify);
}

/* Binds the condition of WHERE; of one with COLUMNS all columns have to meet it. */
static status bind_where_condition(query *q, expr **out)
{
    bind_expansion *all = &q->scope.expansion;
    *out = NULL;
    *all = (bind_expansion){.bind = bind_columns_expr};
    do {
        expr *each;
        TRY(bind_condition(q->b, q->select->whereClause, &q->scope, "WHERE", &each));
        if (*out)
            TRY(bind_call2(q->b, EXPR_AND, type_make(TYPE_BOOL), *out, each, -1, &each));
        *out = each;
    } while (++all->index < all->count);
    *all = (bind_expansion){0};
    return STATUS_OK;
}

/* WHERE comes before the select list, of which it may name items: they are bound where they are named. */
static status bind_where(query *q)
{
    expr *condition;
    q->scope.clause = "WHERE";
    q->scope.items = q->select->targetList;
    q->scope.item_count = list_length(q->scope.items);
    q->scope.bind_item = bind_item;
    TRY(bind_where_condition(q, &condition));
    q->scope.item_count = 0;
    q->scope.clause = NULL;
    return bind_filter(q->b, q->node, condition, &q->node);
}

static status bind_core(binder *b, const pg_select *select, bind_scope *outer, bind_cte *ctes,
                        plan_node **out)
{
    query q = {.b = b, .select = select, .scope = {.parent = outer, .ctes = ctes}};
    q.scope.window_clause = list_items(select->windowClause);
    q.scope.window_clause_count = list_length(select->windowClause);
    TRY(check_clauses(b, select));
    TRY(bind_from(b, select, &q.scope, &q.node));
    if (select->sampleClause)
        TRY(bind_sample(b, castNode(RangeTableSample, select->sampleClause), &q.node));
    if (select->whereClause)
        TRY(bind_where(&q));
    expect_nulls_of_sets(&q);
    q.scope.takes_aggregates = true;
    TRY(bind_targets(&q));
    TRY(bind_grouping_sets(b, select, bind_group, &q, &q.sets));
    q.scope.windowless = "HAVING";
    if (select->havingClause)
        TRY(bind_condition(b, select->havingClause, &q.scope, "HAVING", &q.having));
    q.scope.windowless = NULL;
    if (select->qualifyClause)
        TRY(bind_qualify(&q));
    TRY(bind_order(&q));
    TRY(bind_window_clause(b, &q.scope));
    q.scope.takes_aggregates = false;
    TRY(aggregate(&q));
    TRY(bind_windows(b, &q.scope, &q.node));
    if (q.qualify)
        TRY(bind_filter(b, q.node, q.qualify, &q.node));
    TRY(query_unnest(&q));
    TRY(query_project(&q));
    if (list_length(select->distinctClause) || q.order.count || select->limitCount ||
        select->limitOffset)
        TRY(bind_resolve_nulls(b, &q.node));
    if (query_is_distinct(&q))
        TRY(bind_distinct(b, q.node, &q.node));
    TRY(query_first_rows(&q));
    TRY(sort(&q));
    TRY(bind_limit(b, select, &q.scope, &q.node));
    TRY(drop_order_columns(&q));
    *out = q.node;
    return STATUS_OK;
}

status bind_select(binder *b, const pg_select *select, bind_scope *scope, bind_cte *ctes,
                   plan_node **out)
{
    TRY(guard_check());
    bind_cte *first = ctes;
    if (++b->select_count > BIND_SELECT_MAX)
        return bind_error(b, STATUS_KIND_UNSUPPORTED, -1,
                          "statement has more than %d queries, views and WITH being expanded",
                          BIND_SELECT_MAX);
    if (select->withClause)
        TRY(bind_with(b, select->withClause, scope, ctes, &first));
    if (select->op != SETOP_NONE)
        TRY(bind_set_operation(b, select, scope, first, out));
    else if (list_length(select->valuesLists))
        TRY(bind_values(b, select, scope, first, out));
    else
        TRY(bind_core(b, select, scope, first, out));
    return bind_unused_ctes(b, first, ctes);
}

status bind_statement(binder *b, const pg_select *select)
{
    plan_node **root = &b->statement->root;
    TRY(bind_select(b, select, NULL, NULL, root));
    TRY(bind_resolve_nulls(b, root));
    return bind_finish_shared(b);
}
