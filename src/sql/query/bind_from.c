/* bind_from.c - FROM: its items; what they bring into scope: bind_scope.c. */
#include "sql/query/bind_from.h"

#include "base/system/guard.h"
#include "sql/expression/bind_scope.h"
#include "sql/query/bind_describe.h"
#include "sql/query/bind_pivot.h"
#include "sql/query/bind_table.h"
#include "sql/query/bind_unnest.h"
#include "sql/query/made_rows.h"
#include "sql/query/query_parts.h"
#include "sql/types/bind_columns.h"
#include "sql/types/binder.h"

status bind_range_subselect(binder *b, const RangeSubselect *range, bind_scope *scope,
                            plan_node **out)
{
    if (IsA(range->subquery, DescribeStmt))
        return bind_describe(b, castNode(DescribeStmt, range->subquery), range->alias, scope, out);
    const pg_select *select = castNode(SelectStmt, range->subquery);
    int32_t location =
        list_length(select->targetList) ? bind_location(list_nth(select->targetList, 0)) : -1;
    bind_scope *around = range->lateral && scope->lateral ? scope->lateral : scope->parent;
    TRY(b->bind_subquery(b, select, around, scope->ctes, out));
    TRY(bind_resolve_nulls(b, out));
    return bind_add_relation(b, scope, *out, NULL, range->alias, location);
}

/* Binds a table or a function of files, which may have virtual columns. */
static status bind_files_item(binder *b, const pg_node *item, bind_scope *scope, plan_node **out)
{
    b->is_from_item = true;
    status st = IsA(item, RangeVar)
                    ? bind_table(b, castNode(RangeVar, item), scope, out)
                    : bind_range_function(b, castNode(RangeFunction, item), scope, out);
    b->is_from_item = false;
    return st;
}

status bind_from_item(binder *b, const pg_node *item, bind_scope *scope, plan_node **out)
{
    const RangeSubselect *made;
    TRY(guard_check());
    switch (nodeTag(item)) {
    case T_RangeVar:
        return bind_files_item(b, item, scope, out);
    case T_RangeSubselect:
        return bind_range_subselect(b, castNode(RangeSubselect, item), scope, out);
    case T_RangePivot:
        return bind_pivot(b, castNode(RangePivot, item), scope, out);
    case T_JoinExpr:
        return bind_join(b, castNode(JoinExpr, item), scope, out);
    case T_RangeFunction:
        if (bind_is_unnest(item))
            return bind_unnest(b, castNode(RangeFunction, item), scope, false, NULL, out);
        TRY(made_rows(b, castNode(RangeFunction, item), &made));
        if (made)
            return bind_range_subselect(b, made, scope, out);
        return bind_files_item(b, item, scope, out);
    case T_RangeTableSample:
        TRY(bind_from_item(b, castNode(RangeTableSample, item)->relation, scope, out));
        return bind_sample(b, castNode(RangeTableSample, item), out);
    default:
        return bind_unsupported(b, bind_location(item), "this item of FROM is");
    }
}

static status cross_join(binder *b, plan_node *left, plan_node *right, plan_node **out)
{
    plan_node *node = plan_node_new(b->memory, PLAN_JOIN, 2);
    if (!node)
        return bind_no_memory();
    node->children[0] = left;
    node->children[1] = right;
    node->join.type = JOIN_INNER;
    for (int side = 0; side < 2; side++)
        for (size_t i = 0; i < node->children[side]->columns.count; i++)
            TRY(array_push(b->memory, &node->columns, node->children[side]->columns.items[i]));
    *out = node;
    return STATUS_OK;
}

status bind_from(binder *b, const pg_select *select, bind_scope *scope, plan_node **out)
{
    if (list_length(select->fromClause) == 0)
        return bind_one_row(b, out);
    scope->lateral = scope; /* what has been bound of it */
    TRY(bind_from_item(b, list_nth(select->fromClause, 0), scope, out));
    for (size_t i = 1; i < list_length(select->fromClause); i++) {
        plan_node *next;
        const pg_node *item = list_nth(select->fromClause, i);
        if (bind_is_unnest(item)) {
            TRY(bind_unnest(b, castNode(RangeFunction, item), scope, false, *out, out));
            continue;
        }
        TRY(bind_from_item(b, item, scope, &next));
        TRY(cross_join(b, *out, next, out));
    }
    return STATUS_OK;
}
