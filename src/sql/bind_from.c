/* bind_from.c - FROM: its items; what they bring into scope: bind_scope.c. */
#include "sql/binder.h"

static status bind_range_subselect(binder *b, const PgQuery__RangeSubselect *range,
                                   bind_scope *scope, plan_node **out)
{
    const pg_select *select = range->subquery->select_stmt;
    int32_t location = select->n_target_list ? bind_location(select->target_list[0]) : -1;
    bind_scope *around = range->lateral && scope->lateral ? scope->lateral : scope->parent;
    TRY(bind_select(b, select, around, scope->ctes, out));
    TRY(bind_resolve_nulls(b, out));
    return bind_add_relation(b, scope, *out, NULL, range->alias, location);
}

status bind_from_item(binder *b, const pg_node *item, bind_scope *scope, plan_node **out)
{
    switch (item->node_case) {
    case PG_QUERY__NODE__NODE_RANGE_VAR:
        return bind_table(b, item->range_var, scope, out);
    case PG_QUERY__NODE__NODE_RANGE_SUBSELECT:
        return bind_range_subselect(b, item->range_subselect, scope, out);
    case PG_QUERY__NODE__NODE_JOIN_EXPR:
        return bind_join(b, item->join_expr, scope, out);
    case PG_QUERY__NODE__NODE_RANGE_FUNCTION:
        return bind_range_function(b, item->range_function, scope, out);
    case PG_QUERY__NODE__NODE_RANGE_TABLE_SAMPLE:
        return bind_unsupported(b, item->range_table_sample->location, "TABLESAMPLE is");
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
    if (select->n_from_clause == 0)
        return bind_one_row(b, out);
    scope->lateral = scope; /* what has been bound of it */
    TRY(bind_from_item(b, select->from_clause[0], scope, out));
    for (size_t i = 1; i < select->n_from_clause; i++) {
        plan_node *next;
        TRY(bind_from_item(b, select->from_clause[i], scope, &next));
        TRY(cross_join(b, *out, next, out));
    }
    return STATUS_OK;
}
